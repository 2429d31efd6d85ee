#include "machine/compile_control.hpp"

#include "core/error.hpp"
#include "machine/linear_part.hpp"

#include <Eigen/Eigenvalues>

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

double piece_value(const Piece& p, double t) {
  double v = 0.0;
  for (int k = signal_max_degree; k >= 0; --k) v = v * (t - p.anchor) + p.c[static_cast<std::size_t>(k)];
  for (const Harmonic& h : p.harmonics) v += h.amplitude * std::sin(h.omega * t + h.phase);
  return v;
}

// Where a signal jumps by more than rounding.
std::optional<double> first_jump(const Signal& s) {
  double size = 0.0;
  for (std::size_t k = 1; k < s.pieces.size(); ++k) {
    const double t = s.pieces[k].start;
    size = std::max({size, std::abs(piece_value(s.pieces[k - 1], t)), std::abs(piece_value(s.pieces[k], t))});
    for (const Harmonic& h : s.pieces[k].harmonics) size = std::max(size, std::abs(h.amplitude));
  }
  for (std::size_t k = 1; k < s.pieces.size(); ++k) {
    const double t = s.pieces[k].start;
    if (std::abs(piece_value(s.pieces[k], t) - piece_value(s.pieces[k - 1], t)) > 1e-9 * size) return t;
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

  Form value_of(const Source& s) const {
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

  // The derivative, or why there is none.
  std::optional<Form> rate(const Form& f, std::string& why) const {
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

  Input input(const ControllerPlace& c, const Source& s, int order) const {
    Input in;
    in.fixed = value_of(s);
    std::string why;
    for (int k = 0; k < order; ++k) {
      const auto next = rate(in.fixed, why);
      if (!next) reject(s.text, "= '" + c.name + "' asks for its rate, but " + why);
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
    if (auto r = rate(in.fixed, why)) {
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
  sys.rate_of.clear();
  if (machine.controllers.empty()) return;
  sys.one = add_signal(sys, constant_signal(1.0));
  Index memory = 0;
  bool rates = false; // someone reads the rate of another one's output
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
      rates = rates || (order_of(channel) > 0 && !source(c, channel).outputs.empty());
    sys.loops.push_back(std::move(l));
  }
  // Signals that are read, and as many of their derivatives as may be asked for.
  std::vector<std::pair<Index, Index>> known;
  auto with_rates = [&](Index i, int count) {
    for (int k = 0; k < count; ++k) {
      const Index r = add_signal(sys, differentiate(sys.signals[static_cast<std::size_t>(i)]));
      known.push_back({i, r});
      i = r;
    }
  };
  for (std::size_t b = 0; b < sys.loops.size(); ++b) {
    const Block& block = sys.loops[b].block;
    for (const Channel& channel : block.inputs) {
      const Source& s = source(machine.controllers[b], channel);
      if (!s.signal.pieces.empty())
        with_rates(add_signal(sys, s.signal),
                   order_of(channel) + (rates || block.needs_input_rates() ? 1 : 0));
    }
  }
  if (machine.matrices) // outputs may follow the inputs within one derivative
    for (const auto& d : sys.drives) with_rates(d.signal, 1);
  sys.rate_of.assign(sys.signals.size(), -1);
  for (const auto& [i, r] : known) sys.rate_of[static_cast<std::size_t>(i)] = r;
}

void wire_controllers(const Machine& machine, System& sys,
                      const std::function<Vector(const Vector&)>& column) {
  sys.rate_of.resize(sys.signals.size(), -1);
  if (!sys.loops.empty()) Wiring(machine, sys).run(column);
}

namespace {

// Greatest value that a signal has near t = 0 or at its breakpoints, roughly.
double size_of(const Signal& s, double time_scale) {
  double size = 0.0;
  for (const Piece& p : s.pieces) {
    double power = 1.0, piece = 0.0;
    for (double c : p.c) {
      piece = std::max(piece, std::abs(c) * power);
      power *= time_scale;
    }
    for (const Harmonic& h : p.harmonics) piece += std::abs(h.amplitude);
    size = std::max(size, piece);
  }
  return size;
}

} // namespace

void size_controllers(System& sys) {
  if (sys.loops.empty()) return;
  const LinearPart free = linear_part(sys, std::vector<std::int8_t>(static_cast<std::size_t>(sys.limits), 0));
  const double rate = free.A.eigenvalues().cwiseAbs().maxCoeff();
  if (rate > 0.0) sys.time_scale = 1.0 / rate;
  for (const Loop& l : sys.loops)
    if (!l.block.continuous()) sys.time_scale = std::min(sys.time_scale, 10.0 * l.block.period);
  const double ts = sys.time_scale;
  std::vector<Vector> output(sys.loops.size());
  for (Index b : sys.loop_order) {
    const Loop& l = sys.loops[static_cast<std::size_t>(b)];
    const Index m = static_cast<Index>(l.inputs.size());
    Vector w = Vector::Zero(m);
    double target = 0.0, target_rate = 0.0;
    for (Index i = 0; i < m; ++i) {
      const Input& in = l.inputs[static_cast<std::size_t>(i)];
      double slope = 0.0;
      for (Index k = 0; k < sys.ns(); ++k) {
        if (in.fixed.s(k) == 0.0) continue;
        const Signal& s = sys.signals[static_cast<std::size_t>(k)];
        w(i) += std::abs(in.fixed.s(k)) * size_of(s, ts);
        slope += std::abs(in.fixed.s(k)) * size_of(differentiate(s), ts);
      }
      for (const OutputTerm& t : in.outputs) {
        const Vector& u = output[static_cast<std::size_t>(t.loop)];
        if (u.size() > 0 && t.order == 0) w(i) += std::abs(t.factor) * u(t.output);
      }
      if (l.block.inputs[static_cast<std::size_t>(i)].of == Channel::Of::reference &&
          order_of(l.block.inputs[static_cast<std::size_t>(i)]) == 0)
        target = std::max(target, w(i)), target_rate = std::max(target_rate, slope);
    }
    Vector u = l.block.D.cwiseAbs() * w;
    for (Index j = 0; j < u.size(); ++j)
      u(j) = std::min(u(j), std::max(std::abs(l.block.lo(j)), std::abs(l.block.hi(j))));
    output[static_cast<std::size_t>(b)] = u;
    for (Index j = 0; j < u.size(); ++j) {
      if (l.held >= 0) sys.nominal(l.held + j) = u(j);
      if (l.states >= 0)
        for (Index i = 0; i < l.block.states(); ++i)
          if (l.block.C(j, i) != 0.0)
            sys.nominal(l.states + i) = std::max(sys.nominal(l.states + i), u(j) / std::abs(l.block.C(j, i)));
      Vector grown = ts * u(j) * l.effect[static_cast<std::size_t>(j)].cwiseAbs();
      if (target_rate > 0.0) grown = grown.cwiseMin(target_rate);
      sys.nominal = sys.nominal.cwiseMax(grown);
    }
    if (l.has_measured)
      for (Index i = 0; i < sys.nx; ++i)
        if (l.measured.fixed.x(i) != 0.0)
          sys.nominal(i) = std::max(sys.nominal(i), target / std::abs(l.measured.fixed.x(i)));
  }
  // What has no size yet takes that of what drives it.
  for (Index round = 0; round < sys.nx; ++round) {
    const Vector driven = ts * (free.A.cwiseAbs() * sys.nominal);
    bool changed = false;
    for (Index i = 0; i < sys.nx; ++i)
      if (sys.nominal(i) == 0.0 && driven(i) > 0.0) sys.nominal(i) = driven(i), changed = true;
    if (!changed) break;
  }
}

} // namespace stickslip
