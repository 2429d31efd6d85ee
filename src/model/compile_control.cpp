#include "model/compile_control.hpp"

#include "control/program_error.hpp"
#include "core/error.hpp"
#include "model/dataflow.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

const Reading& reading(const Draft::Control& c, const Channel& channel) {
  const bool reference = channel.of == Channel::Of::reference;
  return (reference ? c.references : c.measurements)[channel.index];
}

int order_of(const Channel& c) {
  return c.difference ? 0 : c.order;
}

class Wiring {
public:
  explicit Wiring(Draft& draft) : d(draft), sys(draft.sys) {}

  void run() {
    for (Index b = 0; b < sys.loops.size(); ++b) drive(*d.all<ControllerElement>()[b], sys.loops[b]);
    for (Index b = 0; b < sys.loops.size(); ++b) read(d.control[b], sys.loops[b]);
    sys.loop_order = dataflow_order(sys.loops);
    for (Index b = 0; b < sys.loops.size(); ++b) check_rates(b);
  }

private:
  Draft& d;
  System& sys;

  void drive(const ControllerElement& c, Loop& l) {
    const auto outputs = l.block.outputs();
    l.direction.resize(outputs);
    l.effect.assign(outputs, Vector::Zero(sys.nx));
    for (Index j = 0; j < c.to.size(); ++j) {
      if (c.to[j].empty()) continue;
      l.direction[j] = d.direction(c.to[j]);
      l.effect[j] = d.column(l.direction[j]);
    }
  }

  Index find(const std::string& name, const Reading& r) const {
    for (Index i = 0; i < sys.loops.size(); ++i)
      if (sys.loops[i].name == name) return i;
    for (const CompensatorElement* c : d.all<CompensatorElement>())
      if (c->name == name)
        reject(r.text, "is a force that the solver finds together with the motion, so a controller cannot "
                       "read it: let '" +
                           name +
                           "' act on a coordinate (to=); in a command use the signal FrictionForce(law, "
                           "reference.derivative()), or the output of a FrictionCurve with a period");
    List<std::string> known;
    for (const Loop& l : sys.loops) known.push_back(l.name);
    throw UnknownName(r.text + ": unknown controller '" + name + "'; known are: " + quoted(known));
  }

  Input input(const std::string& reader, const Reading& s, int order) const {
    Input in;
    in.fixed = form_of(sys, s);
    std::string why;
    for (int k = 0; k < order; ++k) {
      const auto next = rate_of(sys, in.fixed, why);
      if (!next) reject(s.text, "is not allowed: '" + reader + "' needs its derivative, but " + why);
      in.fixed = *next;
    }
    for (const OutputOf& o : s.outputs) {
      const Index a = find(o.controller, s);
      const Loop& from = sys.loops[a];
      if (o.output < 0 || o.output >= from.block.outputs())
        reject(s.text, "does not exist: '" + o.controller + "' has " + std::to_string(from.block.outputs()) +
                           " outputs");
      if (order > 0 && !from.block.continuous())
        reject(s.text, "is not allowed: '" + reader + "' needs its derivative, but a sampled output jumps");
      if (order > 1)
        reject(s.text,
               "is not allowed: '" + reader + "' needs its second derivative, which is not available");
      in.outputs.push_back({a, o.output, order, o.factor});
    }
    if (auto r = rate_of(sys, in.fixed, why)) {
      in.rate = *r;
      in.has_rate = order + (in.outputs.empty() ? 0 : 1) < 2;
    }
    return in;
  }

  void read(const Draft::Control& c, Loop& l) {
    for (const Channel& channel : l.block.inputs)
      l.inputs.push_back(input(l.name, reading(c, channel), order_of(channel)));
    // Displayed signals: the first reference, and its measured value.
    for (const Channel& channel : l.block.inputs) {
      const bool reference = channel.of == Channel::Of::reference;
      if ((reference && channel.order > 0) || channel.index > 0 ||
          (reference ? l.has_reference : l.has_measured))
        continue;
      (reference ? l.has_reference : l.has_measured) = true;
      const Reading& s = reading(c, channel);
      Input& shown = reference ? l.reference : l.measured;
      shown = input(l.name, s, order_of(channel));
      if (channel.difference && !reference && s.outputs.empty() && shown.has_rate) shown.fixed = shown.rate;
    }
  }

  // Requires the derivatives of outputs that other blocks read.
  void need_rate(const Loop& l, const std::string& reader) const {
    for (Index i = 0; i < l.inputs.size(); ++i) {
      if (l.block.D.col(i).isZero(0.0)) continue;
      if (!l.inputs[i].has_rate)
        reject(l.name + ".output", "is not allowed: '" + reader +
                                       "' needs its derivative, but it depends on an acceleration, a jump or "
                                       "another derivative");
      for (const OutputTerm& t : l.inputs[i].outputs) need_rate(sys.loops[t.loop], reader);
    }
  }
  void check_rates(Index b) const {
    for (const Input& in : sys.loops[b].inputs)
      for (const OutputTerm& t : in.outputs)
        if (t.order > 0) need_rate(sys.loops[t.loop], sys.loops[b].name);
  }
};

// The states of a block: its own if it is continuous, held outputs if it is sampled.
Loop declare(Draft& d, const ControllerElement& c, Index& memory) {
  Loop l;
  l.name = c.name;
  l.block = compile(c.control);
  if (l.block.program && !l.block.program->in_engine) l.block.program = named(*l.block.program, c.name);
  const Index n = l.block.states();
  if (l.block.continuous()) {
    if (n > 0) l.states = d.sys.states.size();
    for (Index i = 0; i < n; ++i) d.add_state(c.name + ".z" + (n > 1 ? std::to_string(i) : ""));
    if (l.block.lo.array().isFinite().any() || l.block.hi.array().isFinite().any()) {
      l.saturation = d.sys.saturations;
      d.sys.saturations += l.block.outputs();
    }
    return l;
  }
  l.memory = memory;
  memory += memory_size(l.block);
  l.held = d.sys.states.size();
  for (Index j = 0; j < l.block.outputs(); ++j)
    d.add_state(c.name + ".held" + (l.block.outputs() > 1 ? std::to_string(j) : ""));
  return l;
}

// Signals that controllers read, with the derivatives that may be required.
void add_read_rates(Draft& d) {
  const auto each_channel = [&](const auto& f) {
    for (Index b = 0; b < d.sys.loops.size(); ++b)
      for (const Channel& channel : d.sys.loops[b].block.inputs)
        f(d.sys.loops[b].block, channel, reading(d.control[b], channel));
  };
  const auto reads_output = [&](const auto* relay) { return !d.read({}, relay->on).outputs.empty(); };
  // The form on which a relay holds may be a velocity or a position.
  const int by_relays = std::ranges::any_of(d.all<RelayElement>(), reads_output) ||
                                std::ranges::any_of(d.all<QuantiserElement>(), reads_output)
                            ? 2
                            : 0;
  bool rates = false; // a block needs the derivative of another one's output
  each_channel([&](const Block& block, const Channel& channel, const Reading& r) {
    rates = rates || ((order_of(channel) > 0 || block.needs_input_rates()) && !r.outputs.empty());
  });
  each_channel([&](const Block& block, const Channel& channel, const Reading& r) {
    for (const auto& [signal, factor] : r.signals)
      d.add_rates(signal,
                  order_of(channel) + std::max(by_relays, rates || block.needs_input_rates() ? 1 : 0));
  });
  if (d.machine.matrices()) // outputs may follow the inputs within one derivative
    for (const System::Drive& drive : d.sys.drives) d.add_rates(drive.signal, 1);
}

} // namespace

void declare_controllers(Draft& d) {
  if (d.all<ControllerElement>().empty()) return;
  if (d.sys.one < 0) d.sys.one = d.add_signal(constant_signal(1.0));
  Index memory = 0;
  for (const ControllerElement* c : d.all<ControllerElement>()) {
    d.sys.loops.push_back(declare(d, *c, memory));
    d.sys.needs_interpreter = d.sys.needs_interpreter || needs_interpreter(d.sys.loops.back().block);
    Draft::Control& read = d.control.emplace_back();
    for (const Source& s : c->references)
      read.references.push_back(d.read("reference of '" + c->name + "'", s));
    for (const Source& s : c->measurements)
      read.measurements.push_back(d.read("measure of '" + c->name + "'", s));
  }
  add_read_rates(d);
}

void wire_controllers(Draft& d) {
  if (!d.sys.loops.empty()) Wiring(d).run();
}

} // namespace stickslip
