#include "model/compile_control.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

namespace stickslip {

namespace {

Index add_signal(System& sys, const Signal& s) {
  for (std::size_t i = 0; i < sys.signals.size(); ++i)
    if (s.input.empty() && sys.signals[i] == s) return static_cast<Index>(i);
  sys.signals.push_back(s);
  return static_cast<Index>(sys.signals.size()) - 1;
}

// Sum of the magnitudes of what is added up in a piece: its value is exact to a few roundings of this.
double piece_size(const Piece& p, double t) {
  double v = 0.0;
  for (int k = signal_max_degree; k >= 0; --k)
    v = v * std::abs(t - p.anchor) + std::abs(p.c[static_cast<std::size_t>(k)]);
  for (const Harmonic& h : p.harmonics) v += std::abs(h.amplitude);
  return v;
}

// Where a signal jumps by more than rounding. A piece that returns to zero, such as the speed of a smooth
// step, ends with the rounding of its terms, which are not small.
std::optional<double> first_jump(const Signal& s) {
  double size = 0.0;
  for (std::size_t k = 1; k < s.pieces.size(); ++k) {
    const double t = s.pieces[k].start;
    size = std::max({size, piece_size(s.pieces[k - 1], t), piece_size(s.pieces[k], t)});
  }
  for (std::size_t k = 1; k < s.pieces.size(); ++k) {
    const double t = s.pieces[k].start;
    if (std::abs(value(s.pieces[k], t) - value(s.pieces[k - 1], t)) > 1e-9 * size) return t;
  }
  return std::nullopt;
}

const Source& source(const ControllerPlace& c, const Channel& channel) {
  const bool reference = channel.of == Channel::Of::reference;
  const auto& list = reference ? c.references : c.measurements;
  const auto i = static_cast<std::size_t>(channel.index);
  if (i >= list.size())
    reject(reference ? "reference" : "measure", "of '" + c.name + "' gives " + std::to_string(list.size()) +
                                                    " signals, but the controller reads " +
                                                    std::to_string(i + 1) + " or more");
  return list[i];
}

int order_of(const Channel& c) {
  return c.difference ? 0 : c.order;
}

} // namespace

Form form_of(const System& sys, const Source& s) {
  Form f{Vector::Zero(sys.nx), Vector::Zero(sys.ns())};
  if (s.state.size() > 0) f.x.head(s.state.size()) = s.state;
  if (!s.signal.pieces.empty())
    for (std::size_t i = 0; i < sys.signals.size(); ++i)
      if (sys.signals[i] == s.signal) {
        f.s(static_cast<Index>(i)) = 1.0;
        break;
      }
  return f;
}

std::optional<Form> rate_of(const System& sys, const Form& f, std::string& why) {
  auto acts = [&](const Vector& effect) {
    return std::abs(f.x.dot(effect)) > 1e-12 * f.x.cwiseAbs().dot(effect.cwiseAbs());
  };
  bool direct = false;
  for (const Place& p : sys.places) direct = direct || acts(p.effect);
  for (const Loop& l : sys.loops)
    for (const Vector& e : l.effect) direct = direct || acts(e);
  if (direct) {
    why = "it is an acceleration, which jumps whenever a force does";
    return std::nullopt;
  }
  Form out{sys.A.transpose() * f.x, sys.S.transpose() * f.x};
  for (Index i = 0; i < f.s.size(); ++i) {
    if (f.s(i) == 0.0) continue;
    const Signal& s = sys.signals[static_cast<std::size_t>(i)];
    if (is_constant(s)) continue;
    if (const auto jump = first_jump(s)) {
      std::ostringstream text;
      text << "the signal jumps at t = " << *jump << " s";
      why = text.str();
      return std::nullopt;
    }
    const Index r = sys.rate_of[static_cast<std::size_t>(i)];
    if (r < 0) {
      why = "the signal has no derivative here";
      return std::nullopt;
    }
    out.s(r) += f.s(i);
  }
  return out;
}

Index add_read_signal(System& sys, const Signal& signal, int rates) {
  const Index first = add_signal(sys, signal);
  Index i = first;
  for (int k = 0; k < rates; ++k) {
    const Index r = add_signal(sys, differentiate(sys.signals[static_cast<std::size_t>(i)]));
    sys.rate_of.resize(sys.signals.size(), -1);
    sys.rate_of[static_cast<std::size_t>(i)] = r;
    i = r;
  }
  return first;
}

namespace {

class Wiring {
public:
  Wiring(const Machine& m, System& s) : machine(m), sys(s) {}

  void run(const std::function<Vector(const Vector&)>& column) {
    for (std::size_t b = 0; b < sys.loops.size(); ++b) drive(machine.controllers[b], sys.loops[b], column);
    for (std::size_t b = 0; b < sys.loops.size(); ++b) read(machine.controllers[b], sys.loops[b]);
    sort();
    for (std::size_t b = 0; b < sys.loops.size(); ++b) check_rates(b);
  }

private:
  const Machine& machine;
  System& sys;

  void drive(const ControllerPlace& c, Loop& l, const std::function<Vector(const Vector&)>& column) {
    const auto outputs = static_cast<std::size_t>(l.block.outputs());
    if (!c.directions.empty() && c.directions.size() != outputs)
      reject("to", "of '" + c.name + "' names " + std::to_string(c.directions.size()) + " targets for " +
                       std::to_string(outputs) + " outputs");
    l.direction = c.directions;
    l.direction.resize(outputs);
    for (const Vector& d : l.direction) l.effect.push_back(d.size() > 0 ? column(d) : Vector::Zero(sys.nx));
  }

  Index find(const std::string& name, const std::string& reader) const {
    for (std::size_t i = 0; i < sys.loops.size(); ++i)
      if (sys.loops[i].name == name) return static_cast<Index>(i);
    reject("reference or measure",
           "of '" + reader + "' names the controller '" + name + "', which does not exist");
  }

  Input input(const ControllerPlace& c, const Source& s, int order) const {
    Input in;
    in.fixed = form_of(sys, s);
    std::string why;
    for (int k = 0; k < order; ++k) {
      const auto next = rate_of(sys, in.fixed, why);
      if (!next) reject(s.text, "is not allowed: '" + c.name + "' asks for its rate, but " + why);
      in.fixed = *next;
    }
    for (const OutputOf& o : s.outputs) {
      const Index a = find(o.controller, c.name);
      const Loop& from = sys.loops[static_cast<std::size_t>(a)];
      if (o.output < 0 || o.output >= from.block.outputs())
        reject(s.text, "does not exist: '" + o.controller + "' has " + std::to_string(from.block.outputs()) +
                           " outputs");
      if (order > 0 && !from.block.continuous())
        reject(s.text,
               "is held between sampling instants and jumps there: '" + c.name + "' cannot have its rate");
      if (order > 1) reject(s.text, "has no second derivative that '" + c.name + "' could read");
      in.outputs.push_back({a, o.output, order, o.factor});
    }
    if (auto r = rate_of(sys, in.fixed, why)) {
      in.rate = *r;
      in.has_rate = order + (in.outputs.empty() ? 0 : 1) < 2;
    }
    return in;
  }

  void read(const ControllerPlace& c, Loop& l) {
    std::size_t references = 0, measurements = 0;
    for (const Channel& channel : l.block.inputs) {
      l.inputs.push_back(input(c, source(c, channel), order_of(channel)));
      auto& count = channel.of == Channel::Of::reference ? references : measurements;
      count = std::max(count, static_cast<std::size_t>(channel.index) + 1);
    }
    if (c.measurements.size() > measurements)
      reject("measure", "of '" + c.name + "' gives " + std::to_string(c.measurements.size()) +
                            " signals, but the controller reads " + std::to_string(measurements));
    if (c.references.size() > std::max<std::size_t>(references, 1))
      reject("reference", "of '" + c.name + "' gives " + std::to_string(c.references.size()) +
                              " signals, but the controller reads " + std::to_string(references));
    // What is shown: the first reference, and what is compared with it.
    for (const Channel& channel : l.block.inputs) {
      const bool reference = channel.of == Channel::Of::reference;
      if ((reference && channel.order > 0) || channel.index > 0 ||
          (reference ? l.has_reference : l.has_measured))
        continue;
      (reference ? l.has_reference : l.has_measured) = true;
      const Source& s = source(c, channel);
      Input& shown = reference ? l.reference : l.measured;
      shown = input(c, s, order_of(channel));
      if (channel.difference && !reference && s.outputs.empty() && shown.has_rate) shown.fixed = shown.rate;
    }
  }

  // Depth-first over what each output needs at the same instant.
  enum class Mark { fresh, open, done };
  std::vector<Mark> marks;
  std::vector<std::size_t> path;

  std::vector<std::pair<std::size_t, bool>> needs(std::size_t b, bool of_rate) const {
    std::vector<std::pair<std::size_t, bool>> out;
    const Loop& l = sys.loops[b];
    for (std::size_t i = 0; i < l.inputs.size(); ++i) {
      const Index column = static_cast<Index>(i);
      const bool feeds = l.block.program || !l.block.D.col(column).isZero(0.0);
      for (const OutputTerm& t : l.inputs[i].outputs) {
        const auto a = static_cast<std::size_t>(t.loop);
        if (!l.block.continuous()) { // runs after the sampled ones it reads at the same instant
          if (!sys.loops[a].block.continuous() && sys.loops[a].block.delay == 0.0) out.push_back({a, false});
          continue;
        }
        if (feeds) out.push_back({a, of_rate || t.order > 0});
        if (of_rate) out.push_back({a, t.order > 0});
      }
    }
    return out;
  }

  void visit(std::size_t b, bool of_rate) {
    // A held output is known beforehand.
    Mark& mark = marks[2 * b + (of_rate ? 1 : 0)];
    if (mark == Mark::done) return;
    if (mark == Mark::open) {
      std::ostringstream text;
      text << "form an algebraic loop in which each output needs the next at the same instant:";
      std::size_t first = path.size();
      while (first > 0 && path[first - 1] != b) --first;
      for (std::size_t k = first > 0 ? first - 1 : 0; k < path.size(); ++k)
        text << " '" << sys.loops[path[k]].name << "' <-";
      text << " '" << sys.loops[b].name << "'";
      reject("controllers", text.str());
    }
    mark = Mark::open;
    path.push_back(b);
    for (const auto& [a, rate_too] : needs(b, of_rate)) {
      const bool held = !sys.loops[a].block.continuous();
      if (held && sys.loops[b].block.continuous()) continue;
      visit(a, rate_too);
    }
    path.pop_back();
    mark = Mark::done;
    if (!of_rate) sys.loop_order.push_back(static_cast<Index>(b));
  }

  void sort() {
    marks.assign(2 * sys.loops.size(), Mark::fresh);
    for (const bool continuous : {true, false})
      for (std::size_t b = 0; b < sys.loops.size(); ++b)
        if (sys.loops[b].block.continuous() == continuous) visit(b, false);
  }

  // Every rate that a block will ask of another one exists.
  void need_rate(const Loop& l, const std::string& reader) const {
    for (std::size_t i = 0; i < l.inputs.size(); ++i) {
      if (l.block.D.col(static_cast<Index>(i)).isZero(0.0)) continue;
      if (!l.inputs[i].has_rate)
        reject(l.name + ".output", "has no rate that '" + reader +
                                       "' could read: it follows an acceleration, a jump or another rate");
      for (const OutputTerm& t : l.inputs[i].outputs)
        need_rate(sys.loops[static_cast<std::size_t>(t.loop)], reader);
    }
  }
  void check_rates(std::size_t b) const {
    for (const Input& in : sys.loops[b].inputs)
      for (const OutputTerm& t : in.outputs)
        if (t.order > 0) need_rate(sys.loops[static_cast<std::size_t>(t.loop)], sys.loops[b].name);
  }
};

} // namespace

void declare_controllers(const Machine& machine, System& sys, std::set<std::string>& names) {
  if (machine.controllers.empty()) return;
  sys.one = add_signal(sys, constant_signal(1.0));
  Index memory = 0;
  bool rates = false; // someone needs the rate of another one's output
  for (const ControllerPlace& c : machine.controllers) {
    if (c.name.empty()) reject("name", "is an empty string");
    if (c.name.find('.') != std::string::npos)
      reject("name", "= '" + c.name + "' holds a dot, which separates an element from its signal");
    if (!names.insert(c.name).second)
      reject("name", "= '" + c.name + "' is taken: all names of a machine share one name space");
    Loop l;
    l.name = c.name;
    l.block = compile(c.control);
    const Index n = l.block.states();
    if (l.block.continuous()) {
      if (n > 0) l.states = static_cast<Index>(sys.states.size());
      for (Index i = 0; i < n; ++i) sys.states.push_back(c.name + ".z" + (n > 1 ? std::to_string(i) : ""));
      if (l.block.lo.array().isFinite().any() || l.block.hi.array().isFinite().any()) {
        l.limit = sys.limits;
        sys.limits += l.block.outputs();
      }
    } else {
      l.memory = memory;
      memory += memory_size(l.block);
      l.held = static_cast<Index>(sys.states.size());
      for (Index j = 0; j < l.block.outputs(); ++j)
        sys.states.push_back(c.name + ".held" + (l.block.outputs() > 1 ? std::to_string(j) : ""));
    }
    sys.needs_interpreter = sys.needs_interpreter || l.block.program.has_value();
    for (const Channel& channel : l.block.inputs)
      rates = rates ||
              ((order_of(channel) > 0 || l.block.needs_input_rates()) && !source(c, channel).outputs.empty());
    sys.loops.push_back(std::move(l));
  }
  // Signals that are read, and as many of their derivatives as may be asked for.
  for (std::size_t b = 0; b < sys.loops.size(); ++b) {
    const Block& block = sys.loops[b].block;
    for (const Channel& channel : block.inputs) {
      const Source& s = source(machine.controllers[b], channel);
      if (!s.signal.pieces.empty())
        add_read_signal(sys, s.signal, order_of(channel) + (rates || block.needs_input_rates() ? 1 : 0));
    }
  }
  if (machine.matrices) // outputs may follow the inputs within one derivative
    for (const auto& d : sys.drives)
      add_read_signal(sys, Signal(sys.signals[static_cast<std::size_t>(d.signal)]), 1);
}

void wire_controllers(const Machine& machine, System& sys,
                      const std::function<Vector(const Vector&)>& column) {
  sys.rate_of.resize(sys.signals.size(), -1);
  if (!sys.loops.empty()) Wiring(machine, sys).run(column);
}

} // namespace stickslip
