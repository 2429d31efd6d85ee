// Effect of an instant on neighbouring states: derivatives of its increment, computed only where it is smooth.
#include "core/tolerances.hpp"
#include "sensitivity/sensitivity.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip {

namespace {

// Along w, and in time: how far by the sizes of states.
double step_along(const State& at, const Vector& w, double dt) {
  const Vector now = packed(at);
  Vector sizes = now.cwiseAbs();
  sizes.head(at.nominal.size()) = at.nominal;
  const double speed = std::max(std::abs(dt) / at.time_scale, in_sizes(w, sizes));
  if (speed > 0.0 || w.isZero(0.0)) return speed > 0.0 ? 1.0 / speed : 0.0;
  const double own = now.cwiseProduct((w.array() != 0.0).cast<double>().matrix()).cwiseAbs().maxCoeff();
  return (own > 0.0 ? own : unknown_size) / w.cwiseAbs().maxCoeff();
}

} // namespace

Sensitivity::Reset Sensitivity::reset_of(const Passage& p) {
  Reset out;
  out.due = now.due;
  out.decides = p.jump.sampled || !p.jump.impulses.empty() || p.jump.occasion == Occasion::flow;
  if (!out.decides) {
    State state = p.before;
    machine->change(state, p);
    const Index own = machine->system().nx - machine->system().plant_states;
    out.decides = !state.base_x.tail(own).isApprox(p.jump.x_after.tail(own), tolerance::residual);
  }
  if (p.jump.sampled) {
    State state = p.before;
    machine->pass(state, p);
    out.limits = machine->limits(state);
  }
  out.added = added(out, *machine, p, packed(p.before), p.jump.t);
  out.same = true;
  return out;
}

// And the impulses behind it.
Vector Sensitivity::added(Reset& as, Replica& m, const Passage& p, const Vector& values, double t) {
  State state = p.before;
  unpack(values, state);
  if (as.due) state.ticks.next = as.due->next, state.ticks.pending = as.due->pending;
  state.base_t = t;
  Vector impulse = Vector::Zero(m.impulse_count());
  if (as.decides)
    as.same = m.pass(state, p, &impulse) && as.same && (!p.jump.sampled || m.limits(state) == as.limits);
  else
    m.change(state, p);
  Vector out(values.size() + impulse.size());
  out << packed(state) - values, impulse;
  return out;
}

namespace {

// A derivative by differences of neighbouring values, and a test that these lie on one smooth curve: shared impulses,
// and impulses with sticking, can have corners although the modes after the instant are the same.
struct Slope : Differences {
  const Vector& here; // the value itself
  Vector most = Vector::Zero(here.size()), bend = most;

  explicit Slope(const Vector& value) : here(value) {}

  // In the order of the stencil.
  void add(Index k, double weight, double other, const Vector& value) {
    // 15 D(1) - 6 D(2) + D(3) of second differences D(k) = f(k) + f(-k) - 2 f(0) leaves out k^2 and k^4, but no |k|.
    constexpr std::array<double, 6> corner{1.0, -6.0, 15.0, 15.0, -6.0, 1.0};
    if (k < static_cast<Index>(corner.size())) bend += corner[static_cast<std::size_t>(k)] * (value - here);
    Differences::add(weight, other, value);
    most = most.cwiseMax((value - first).cwiseAbs());
  }
  // Over this step, of numbers that are the difference of ones of these sizes.
  bool is_smooth(double step, const Vector& sizes, int sides = 0) const {
    constexpr double agree = 1e-6, digits = 1e-12;
    for (Index i = 0; i < slope.size(); ++i) {
      const double size = std::abs(first(i)) + (i < sizes.size() ? std::abs(sizes(i)) : 0.0);
      const double off = std::max(std::abs(slope(i) - check(i)) * step, sides == 0 ? std::abs(bend(i)) : 0.0);
      if (off > agree * most(i) + digits * size) return false;
    }
    return true;
  }
};

} // namespace

// Slope of the change at the instant, along a direction of the states and of time; zero for a zero direction.
Vector Sensitivity::slope_of(Reset& as, const Passage& p, const Vector& here, const Vector& along,
                             double dt) {
  const Stencil& central = central_stencil();
  for (const double share : {far_beside, close_beside}) {
    as.same = true;
    Slope slope(as.added);
    double step = share * step_along(p.before, along, dt);
    if (as.due && dt != 0.0)
      step = std::min(step, 0.5 * away_from_breakpoints(p.jump.t) / std::abs(dt * central.offsets.back()));
    if (!(step > 0.0)) break;
    for (Index i = 0; i < central.offsets.size(); ++i) {
      const double e = central.offsets[i] * step;
      const Vector there = added(as, *machine, p, here + e * along, p.jump.t + e * dt);
      slope.add(i, central.weights[i] / step, central.check[i] / step, there);
    }
    as.same = as.same && slope.is_smooth(step, here);
    if (as.same) return slope.slope;
  }
  return Vector::Zero(as.added.size());
}

// By a parameter alone: values bitwise equal in the outermost neighbouring machines have the slope zero.
Vector Sensitivity::slope_beside(Reset& as, const Passage& p, const Vector& here, Index j) {
  const Neighbours& beside = *by[j];
  const auto add = [&](Replica& m) { return added(as, m, p, here, p.jump.t); };
  if (!beside.changes_machine() ||
      (add(*beside.beside.back()) == as.added && add(*beside.beside.front()) == as.added))
    return Vector::Zero(as.added.size());
  Slope slope(as.added);
  for (Index k = 0; k < beside.beside.size(); ++k)
    slope.add(k, beside.weights[k], beside.check[k], add(*beside.beside[k]));
  as.same = as.same && slope.is_smooth(1.0 / std::abs(beside.weights.back()), here, beside.side);
  return slope.slope;
}

// Both at once, along the motion of each neighbouring machine: where two limits stay equal, only this is smooth.
Vector Sensitivity::slope_together(Reset& as, const Passage& p, const Vector& here, const Vector& along,
                                   double dt, Index j) {
  const Neighbours& beside = *by[j];
  if (!beside.changes_machine() || beside.side != 0 || as.due) return Vector::Zero(as.added.size());
  const Stencil& central = central_stencil();
  const double h = central.weights.back() / beside.weights.back();
  as.same = true;
  Slope slope(as.added);
  for (Index k = 0; k < beside.beside.size(); ++k) {
    const double e = central.offsets[k] * h;
    slope.add(k, beside.weights[k], beside.check[k],
              added(as, *beside.beside[k], p, here + e * along, p.jump.t + e * dt));
  }
  as.same = as.same && slope.is_smooth(h, here);
  return slope.slope;
}

// R_x w + R_t t' in the machine itself, R_p in neighbouring ones. A change of modes alone needs no decision; otherwise
// the instant is passed again. Only the changes at the instant are differentiated: all else keeps its digits.
std::string Sensitivity::reset(const Passage& p, double frame, const Tangents& W) {
  // Sampling, and a change of modes by its outputs: two smooth maps, however near a limit these bring an element.
  if (p.jump.sampled && p.jump.occasion == Occasion::motion && p.jump.impulses.empty() &&
      ticks->moves.isZero(0.0) && ticks->at_any_time(p.before.ticks, p.jump.t)) {
    Tangents S = W;
    const Regime& regime = machine->regime(p.jump.before);
    if (ticks->pass(regime, frame, p.jump.t, p.jump.x_before, p.before.ticks, S).empty()) {
      Passage changed = p;
      changed.jump.sampled = false;
      changed.before.base_x = ticks->x, changed.before.ticks = ticks->ticks;
      return plain(changed) ? (now.S = S, std::string()) : reset(changed, frame, S);
    }
  }
  const Vector here = packed(p.before);
  Tangents S(W.rows(), W.cols());
  Reset as = reset_of(p);
  for (Index j = 0; j < by.size(); ++j) {
    Vector sum = slope_of(as, p, here, W.col(j), now.moves(j));
    if (as.same) sum += slope_beside(as, p, here, j);
    if (!as.same) sum = slope_together(as, p, here, W.col(j), now.moves(j), j);
    if (!as.same) return "modes after the event that change with '" + parameters[j] + "'";
    S.col(j) = W.col(j) + sum.head(here.size());
    now.impulses.col(j) = sum.tail(now.impulses.rows());
  }
  now.S = S;
  return {};
}

} // namespace stickslip
