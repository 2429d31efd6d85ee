// Derivatives of the states behind the start of a run.
#include "sensitivity/restart.hpp"
#include "sensitivity/sensitivity.hpp"
#include "sensitivity/thresholds.hpp"

#include <cmath>

namespace stickslip {

namespace {

// True if an element that comes to rest at once at the start does so for neighbouring states as well: kinetic friction
// exceeds the driving force.
bool comes_back(const System& sys, Index element, const Vector& x, double force, double load) {
  const Friction& p = sys.friction[element];
  List<double> z(p.traits.states), zdot(p.traits.states);
  for (Index k = 0; k < z.size(); ++k) z[k] = x(p.states + k);
  for (const int side : {+1, -1})
    if (!(std::abs(force) <
          (1.0 - unmoved) * std::abs(evaluate(p.law, 0.0, side, 0U, z.data(), zdot.data(), load).dry) * load))
      return false;
  return true;
}

// The controller whose output acts at once, and at neighbouring values waits; empty: none.
std::string delay_that_begins(const System& sys, const Parameters& by) {
  for (Index b = 0; b < sys.loops.size(); ++b)
    for (const auto& parameter : by)
      for (const auto& one : parameter->beside)
        if (!sys.loops[b].block.continuous() && sys.loops[b].block.delay == 0.0 &&
            one->system().loops[b].block.delay != 0.0)
          return sys.loops[b].name;
  return {};
}

} // namespace

// The start: the states that the machine computes from the given ones. Elements at rest whose surface or velocity
// changes come to rest at once, where their sliding friction is large enough.
std::string Sensitivity::begin() {
  const Passage& p = passages.front();
  const System& sys = machine->system();
  const Modes& modes = p.jump.after;
  const Regime& r = machine->regime(modes);
  const double t = p.jump.t;
  if (p.before.started) {
    sampling_memory = p.before.sampling;
    now.S = now.before = tangents_at_restart(*machine, p.before, by);
    now.impulses = Matrix::Constant(machine->impulse_count(), by.size(), not_determined);
    now.moves = Vector::Zero(by.size());
    now.fm = now.fp = Vector::Zero(sys.nx);
    return {};
  }
  if (t != 0.0)
    if (std::string at_instant = moved_end(sys, by, t); !at_instant.empty()) return at_instant;
  if (std::string who = delay_that_begins(sys, by); !who.empty())
    return "a zero delay of '" + who + "', which cannot be varied on both sides";
  Matrix slack;
  if (std::string why = slopes_at_start(slack); !why.empty()) return why;
  Vector force;
  machine->move(modes, t, t, p.jump.x_after.data(), now.fp, force);
  for (const Index i : r.sliding) {
    const Friction& one = sys.friction[i];
    const double size = unmoved * velocity_size(one, p.before.nominal);
    const double v = relative_velocity(one, p.jump.x_after.data(), machine->signals(t, t).data());
    const double a = one.velocity.x.dot(now.fp) + one.velocity.s.dot(machine->signal_rates(t, t));
    if (least_exponent(one.law) < steepest_exponent && std::abs(v) <= size)
      return "the curve of '" + one.name + "' is too steep at rest, with an exponent below 1/2";
    if (has_vertical_tangent(one.law) && std::abs(v) <= size && std::abs(a) * p.before.time_scale <= size)
      return "no derivative exists: '" + one.name +
             "' breaks away at the start, and neighbouring starts do so later, or earlier, on the vertical "
             "tangent of "
             "its curve";
  }
  now.fm = now.fp, now.before = now.S;
  for (Index j = 0; j < by.size(); ++j)
    for (Index k = 0; k < slack.rows(); ++k) {
      const bool rests = k < r.sticking.size();
      const double size = rests ? velocity_size(sys.friction[r.sticking[k]], p.before.nominal) : 0.0;
      if (std::abs(slack(k, j)) * size_of(j) <= unmoved * size || slack(k, j) == 0.0) continue;
      if (!rests)
        return "a contact closed at the start, which opens or overlaps when '" + parameters[j] + "' changes";
      const Index i = r.sticking[k];
      const double load = total_load(sys, sys.friction[i], modes.friction[i].load_stretch,
                                     p.jump.x_after.data(), machine->signals(t, t).data(), force.data());
      if (!comes_back(sys, i, p.jump.x_after, force(i), load))
        return "'" + sys.friction[i].name + "' starts at rest with a force above its kinetic friction";
    }
  return check(p, true);
}

// Slopes of the states after the start, into now.S, and of the residuals of held constraints.
std::string Sensitivity::slopes_at_start(Matrix& slack) {
  const Passage& p = passages.front();
  const System& sys = machine->system();
  const Regime& r = machine->regime(p.jump.after);
  const double t = p.jump.t;
  const bool repeats = !is_plain(machine->system(), p) || machine->samples();
  const Vector here = packed(p.before);
  sampling_memory = p.before.sampling;
  std::string why;
  List<Mode> limits; // of the values that controllers sample there
  const auto start = [&](Replica& m, const Vector& x0) {
    State state = initial_state(m.system(), t, x0);
    m.hold(r, t, state.base_x);
    if (repeats && !(m.pass(state, p) && m.limits(state) == limits))
      why = "initial modes that change with a parameter";
    return packed(state);
  };
  if (repeats) {
    State state = p.before;
    machine->pass(state, p);
    limits = machine->limits(state);
  }
  Tangents& S = now.S;
  S = Tangents::Zero(here.size(), by.size());
  // Impulses of an impact at the start are not differentiated.
  now.impulses = Matrix::Constant(machine->impulse_count(), by.size(), not_determined);
  now.moves = Vector::Zero(by.size());
  slack = Matrix::Zero(machine->residuals(r, t, p.jump.x_after.data()).size(), by.size());
  for (Index j = 0; j < by.size(); ++j) {
    const Neighbours& of = *by[j];
    if (of.start.size() > 0) {
      const double step = far_beside * size_of(j);
      const Stencil& central = central_stencil();
      for (Index i = 0; i < central.offsets.size(); ++i) {
        Vector x0 = initial;
        for (Index k = 0; k < x0.size(); ++k) {
          if (of.start(k) == 0.0) continue;
          if (std::isnan(x0(k))) x0(k) = p.before.base_x(k);
          x0(k) += central.offsets[i] * step * of.start(k);
        }
        const State state = initial_state(sys, t, x0);
        slack.col(j) += central.weights[i] / step * machine->residuals(r, t, state.base_x.data());
        S.col(j) += central.weights[i] / step * start(*machine, x0);
      }
    }
    if (!of.acts(t)) continue;
    slack.col(j) += of.derivative(
        [&](Replica& m) { return m.residuals(r, t, initial_state(m.system(), t, initial).base_x.data()); });
    S.col(j) += of.derivative([&](Replica& m) { return start(m, initial); });
  }
  return why;
}

} // namespace stickslip
