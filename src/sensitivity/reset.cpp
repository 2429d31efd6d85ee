#include "sensitivity/reset.hpp"

#include "core/tolerances.hpp"
#include "sensitivity/guard_slopes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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

double away_from_breakpoints(const System& sys, double t) {
  double least = std::numeric_limits<double>::infinity();
  for (const Signal& s : sys.signals)
    for (Index k = 1; k < s.pieces.size(); ++k) least = std::min(least, std::abs(s.pieces[k].start - t));
  return least;
}

bool ends_rebounds(const System& sys, const Passage& p) {
  const Jump& jump = p.jump;
  return std::any_of(jump.impulses.begin(), jump.impulses.end(), [&](const Impulse& i) {
    return i.collision && sys.contacts[i.contact].restitution > 0.0 &&
           jump.after.contact[i.contact] == Mode::closed;
  });
}

void ResetSlopes::look_at(const Passage& p, std::optional<SamplingState> sampled) {
  instant = &p;
  due = std::move(sampled);
  same = true, plastic = false;
  limits.clear();
  decides = p.jump.sampled || !p.jump.impulses.empty() || p.jump.occasion == Occasion::flow;
  if (!decides) {
    State state = p.before;
    machine.change(state, p);
    const Index own = machine.system().nx - machine.system().plant_states;
    decides = !state.base_x.tail(own).isApprox(p.jump.x_after.tail(own), tolerance::residual);
  }
  if (p.jump.sampled) {
    State state = p.before;
    machine.pass(state, p);
    limits = machine.limits(state);
  }
  from = packed(p.before);
  if (ends_rebounds(machine.system(), p)) return look_at_last_rebound();
  increment = added(machine, from, p.jump.t);
  same = true;
}

// The last rebound of an accumulation is so slow that neighbouring states would rebound, or not meet. Its limit, the
// plastic impact, is differentiated: where all approach faster, which changes nothing while the impulses are
// proportional to the speed of approach.
void ResetSlopes::look_at_last_rebound() {
  constexpr double proportional = 1e-6, wide = 4.0; // relative; in units of the widest step beside
  plastic = true;
  const Jump& jump = instant->jump;
  const Vector &nominal = instant->before.nominal, here = from, once = added(machine, here, jump.t);
  Vector change = once.head(here.size());
  change.head(machine.system().n_coordinates).setZero(); // positions as they are
  const Index nx = jump.x_before.size();
  const double size = in_sizes(change.head(nx), nominal);
  const Vector actual = jump.x_after - jump.x_before;
  same = same && in_sizes(change.head(nx) - actual, nominal) <= proportional * size;
  if (!same || !(size > 0.0)) return;
  const double faster = // times, in addition
      wide * far_beside * static_cast<double>(central_stencil().offsets.back()) / size;
  from = here - faster * change;
  increment = added(machine, from, jump.t);
  same = same && (increment - (1.0 + faster) * once).norm() <= proportional * increment.norm();
}

// And the impulses behind it.
Vector ResetSlopes::added(Replica& beside, const Vector& values, double t) {
  Replica& m = plastic ? beside.plastic() : beside;
  const Passage& p = *instant;
  State state = p.before;
  unpack(values, state);
  if (due) state.sampling.next = due->next, state.sampling.pending = due->pending;
  state.base_t = t;
  Vector impulse = Vector::Zero(m.impulse_count());
  if (decides)
    same = m.pass(state, p, &impulse) && same && (!p.jump.sampled || m.limits(state) == limits);
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

// Zero for a zero direction.
Vector ResetSlopes::along(const Vector& change, double dt) {
  const Stencil& central = central_stencil();
  const Passage& p = *instant;
  for (const double share : {far_beside, close_beside}) {
    same = true;
    Slope slope(increment);
    double step = share * step_along(p.before, change, dt);
    if (due && dt != 0.0)
      step = std::min(step, 0.5 * away_from_breakpoints(machine.system(), p.jump.t) /
                                std::abs(dt * central.offsets.back()));
    if (!(step > 0.0)) break;
    for (Index i = 0; i < central.offsets.size(); ++i) {
      const double e = central.offsets[i] * step;
      const Vector there = added(machine, from + e * change, p.jump.t + e * dt);
      slope.add(i, central.weights[i] / step, central.check[i] / step, there);
    }
    same = same && slope.is_smooth(step, from);
    if (same) return slope.slope;
  }
  return Vector::Zero(increment.size());
}

// Values bitwise equal in the outermost neighbouring machines have the slope zero.
Vector ResetSlopes::by_parameter(Index j) {
  const Neighbours& beside = *by[j];
  const double t = instant->jump.t;
  const auto slope_at = [&](const Vector& values, const Vector& own) -> Vector {
    const auto add = [&](Index k) { return added(*beside.beside[k], values, t); };
    const Index last = beside.beside.size() - 1;
    if (add(last) == own && add(0) == own) return Vector::Zero(own.size());
    Slope slope(own);
    for (Index k = 0; k <= last; ++k) slope.add(k, beside.weights[k], beside.check[k], add(k));
    same = same && slope.is_smooth(1.0 / std::abs(beside.weights.back()), values, beside.side);
    return slope.slope;
  };
  if (!beside.acts(t)) return Vector::Zero(increment.size());
  if (!plastic) return slope_at(from, increment);
  // A linear function of the speed of approach, here extrapolated to the actual one.
  const Vector farther = 2.0 * from - packed(instant->before);
  return 2.0 * slope_at(from, increment) - slope_at(farther, added(machine, farther, t));
}

// Where two limits stay equal, only this is smooth.
Vector ResetSlopes::together(const Vector& change, double dt, Index j) {
  const Neighbours& beside = *by[j];
  const double t = instant->jump.t;
  if (!beside.acts(t) || beside.side != 0 || due || plastic) return Vector::Zero(increment.size());
  const Stencil& central = central_stencil();
  const double h = central.weights.back() / beside.weights.back();
  same = true;
  Slope slope(increment);
  for (Index k = 0; k < beside.beside.size(); ++k) {
    const double e = central.offsets[k] * h;
    slope.add(k, beside.weights[k], beside.check[k], added(*beside.beside[k], from + e * change, t + e * dt));
  }
  same = same && slope.is_smooth(h, from);
  return slope.slope;
}

} // namespace stickslip
