#include "dynamics/state.hpp"

#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/tangent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

// Time scale of a machine without rates of its own: the time in which its accelerations change its initial velocities,
// or cross its initial gaps; 0 where the start has no time scale.
double time_from_start(const System& sys, double t0, const Vector& x0) {
  double shortest = std::numeric_limits<double>::infinity();
  const auto offer = [&](double over, double under, int order) {
    if (!(over > 0.0) || !(under > 0.0)) return;
    shortest = std::min(shortest, order == 2 ? std::sqrt(over / under) : over / under);
  };
  const Vector& a = sys.acceleration;
  const Vector v = x0.cwiseAbs();
  const Index n = sys.n_coordinates;
  for (Index i = n; i < 2 * n; ++i) offer(v(i), a(i), 1);
  for (Index i = 0; sys.smooth && i < n; ++i) offer(v(i), a(n + i), 2);
  for (const Contact& c : sys.contacts) {
    if (sys.smooth) break; // gaps that depend on the motion give no lengths yet
    const double given = c.gap_signal >= 0 ? value(sys.signals[c.gap_signal], t0) : 0.0;
    const double gap = std::abs(c.gap.x.dot(x0) + given);
    if (!(gap > tolerance::residual * (c.gap.x.cwiseAbs().dot(x0.cwiseAbs()) + std::abs(given)))) continue;
    offer(gap, c.rate.x.cwiseAbs().dot(a), 2);
    offer(gap, c.rate.x.cwiseAbs().dot(v), 1);
  }
  return std::isfinite(shortest) ? shortest : 0.0;
}

// Gaps that are open at the start by more than the rounding of their terms; else 0.
Vector open_gaps(const System& sys, double t0, const Vector& x0) {
  Vector gaps = Vector::Zero(sys.contacts.size());
  if (sys.smooth) return gaps;
  for (Index j = 0; j < sys.contacts.size(); ++j) {
    const Contact& c = sys.contacts[j];
    const double given = c.gap_signal >= 0 ? value(sys.signals[c.gap_signal], t0) : 0.0;
    const double gap = c.gap.x.dot(x0) + given;
    if (gap > tolerance::residual * (c.gap.x.cwiseAbs().dot(x0.cwiseAbs()) + std::abs(given))) gaps(j) = gap;
  }
  return gaps;
}

// Distance that coordinates can move between walls on both sides; infinite for all others.
Vector between_walls(const System& sys, const Vector& gaps) {
  const Index n = sys.n_coordinates;
  const Vector far = Vector::Constant(n, std::numeric_limits<double>::infinity());
  Vector ahead = far, behind = far;
  for (Index j = 0; j < sys.contacts.size(); ++j) {
    const auto w = sys.contacts[j].gap.x.head(n);
    Index i = 0;
    if (!(gaps(j) > 0.0) || w.cwiseAbs().maxCoeff(&i) != w.cwiseAbs().sum()) continue;
    double& side = w(i) > 0.0 ? behind(i) : ahead(i);
    side = std::min(side, gaps(j) / std::abs(w(i)));
  }
  return ahead.cwiseMax(behind);
}

// Lengths from the start: a machine without rates of its own moves in the time that it needs to cross its initial gaps,
// and its coordinates are no larger than these. Neither is known from the description.
void size_by_gaps(const System& sys, double t0, const Vector& x0, State& s) {
  const Vector gaps = open_gaps(sys, t0, x0);
  if (!(gaps.array() > 0.0).any()) return;
  if (!sys.rated) s.time_scale = std::min(s.time_scale, time_across(sys, gaps));
  const MotionSizes motion = size_motion(sys, s.time_scale, gaps);
  for (Index i = 0; i < motion.nominal.size(); ++i)
    if (sys.given_size(i) == 0.0 && motion.nominal(i) > 0.0)
      s.nominal(i) = std::max(std::min(s.nominal(i), motion.nominal(i)), std::abs(x0(i)));
}

} // namespace

void see(const System& sys, State& state) {
  const double* const x = state.base_x.data();
  bool grown = false, larger = false; // also for NaN
  for (Index i = 0; i < sys.nx; ++i) {
    grown |= !(std::abs(x[i]) <= state.seen(i));
    larger |= !(std::abs(x[i]) <= state.nominal(i));
  }
  if (!grown) return;
  if (!std::all_of(x, x + sys.nx, [](double one) { return std::isfinite(one); }))
    return; // the run ends there
  for (Index i = 0; i < sys.nx; ++i) state.seen(i) = std::max(state.seen(i), std::abs(x[i]));
  if (!larger) return;
  state.nominal = state.nominal.cwiseMax(state.seen);
  if (sys.paced) return;
  double longest = std::numeric_limits<double>::infinity();
  for (Index i = sys.n_coordinates; i < 2 * sys.n_coordinates; ++i)
    if (sys.acceleration(i) > 0.0 && state.nominal(i) > 0.0)
      longest = std::min(longest, state.nominal(i) / sys.acceleration(i));
  if (std::isfinite(longest)) state.time_scale = std::max(state.time_scale, longest);
}

State initial_state(const System& sys, double t0, const Vector& given) {
  const Vector x0 = consistent(sys, t0, given);
  if (sys.smooth && !sys.tangent) {
    Tangent at(sys);
    at.move_to(t0, x0.data(), {});
    at.size_accelerations();
    State s = initial_state(at.system, t0, x0);
    for (Index k = 0; k < sys.smooth->tape.conditions.size(); ++k)
      s.modes.sides.push_back(at.formulas.condition(k) >= 0.0 ? Sign{1} : Sign{-1});
    follow_sides(sys, s.modes);
    return s;
  }
  State s;
  s.identity = sys.identity;
  s.t = s.base_t = t0;
  s.x = s.base_x = x0;
  s.seen = x0.cwiseAbs();
  s.nominal = sys.nominal.cwiseMax(s.seen);
  s.time_scale = sys.time_scale;
  if (s.time_scale > 0.0) size_by_gaps(sys, t0, x0, s);
  if (!(s.time_scale > 0.0)) {
    const Index n = sys.n_coordinates;
    if (const double t = time_from_start(sys, t0, x0); t > 0.0)
      s.time_scale = t;
    else
      s.time_scale = 1.0; // any will do: there is nothing to compare it with
    const double t = s.time_scale, soon = tolerance::short_time * t;
    const Vector loads =
        size_motion(sys, soon, Vector::Zero(sys.contacts.size())).acceleration; // of ramps, too
    for (Index i = 0; i < n; ++i) {
      const double speed = std::max(t * sys.acceleration(n + i), soon * loads(n + i));
      s.nominal(n + i) = std::max(s.nominal(n + i), speed);
      s.nominal(i) = std::max(s.nominal(i), t * s.nominal(n + i));
    }
  }
  // Coordinates without a size in the description (moved only by an initial displacement) have that of their
  // springs, limited by walls.
  const Vector room = between_walls(sys, open_gaps(sys, t0, x0));
  Vector rates = sys.A.cwiseAbs() * s.nominal;
  for (List<Index> grown{0}; !grown.empty();) {
    grown.clear();
    const Vector reached = s.time_scale * rates;
    for (Index i = 0; i < sys.plant_states; ++i)
      if (s.nominal(i) == 0.0) {
        s.nominal(i) = i < sys.n_coordinates ? std::min(reached(i), room(i)) : reached(i);
        if (s.nominal(i) != 0.0) grown.push_back(i);
      }
    for (const Index i : grown) rates += sys.A.col(i).cwiseAbs() * s.nominal(i);
  }
  s.nominal = s.nominal.cwiseMin(tolerance::largest_size).cwiseMax(x0.cwiseAbs());
  if (std::any_of(sys.friction.begin(), sys.friction.end(),
                  [](const Friction& p) { return p.delayed >= 0; })) {
    Vector signals(sys.ns());
    signal_values(sys, t0, signals.data());
    for (const Friction& p : sys.friction) // as after a long motion at this velocity
      if (p.delayed >= 0)
        s.x(p.delayed) = s.base_x(p.delayed) = relative_velocity(p, x0.data(), signals.data());
  }
  s.modes.friction.resize(sys.friction.size());
  s.modes.contact.assign(sys.contacts.size(), Mode::open);
  s.modes.saturation.assign(sys.saturations, Saturation::free);
  for (const Flank& f : sys.flanks) {
    const Spring& p = sys.springs[f.spring];
    const double elongation = p.elongation.x.dot(x0) - value(sys.signals[p.rest], t0);
    s.modes.flank.push_back({f.line.stretch_at(elongation), false});
  }
  s.sampling = start_sampling(sys, t0);
  s.slips.left = Vector::Constant(sys.friction.size(), -INFINITY);
  s.slips.brief.assign(sys.friction.size(), 0);
  return s;
}

bool State::operator==(const State& o) const {
  const auto same = [](const Vector& a, const Vector& b) { return a.size() == b.size() && a == b; };
  return t == o.t && same(x, o.x) && modes == o.modes && base_t == o.base_t &&
         base_t_compensation == o.base_t_compensation && same(base_x, o.base_x) &&
         after_transition == o.after_transition && zeros == o.zeros && started == o.started &&
         step == o.step && last_error == o.last_error && stiff == o.stiff && same(nominal, o.nominal) &&
         same(seen, o.seen) && time_scale == o.time_scale && identity == o.identity && instant == o.instant &&
         sampling == o.sampling && slips == o.slips && past == o.past && joint == o.joint;
}

} // namespace stickslip
