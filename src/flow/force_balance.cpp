#include "flow/force_balance.hpp"

#include "core/polynomial.hpp"
#include "core/tolerances.hpp"
#include "dynamics/friction_force.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace stickslip {

ForceBalance::ForceBalance(const System& system, RightHandSide& right_hand_side)
    : sys(system), rhs(right_hand_side), inside(system.nx), rate_inside(system.nx),
      no_rate(Vector::Zero(system.nx)) {}

void ForceBalance::begin(const Regime& r) {
  regime = &r;
  steep.clear();
  for (Index k = 0; k < r.sliding.size(); ++k) {
    const Friction& p = sys.friction[r.sliding[k]];
    const bool acts_on_itself = p.velocity.x.dot(r.E.col(k)) != 0.0; // not along a prescribed motion
    if (p.traits.searches && !p.traits.sticks && acts_on_itself &&
        r.modes.friction[r.sliding[k]].direction() != 0)
      steep.push_back(k);
  }
}

// Of the sliding element k at this velocity, under the load and signals of the last evaluation.
double ForceBalance::force(Index k, double v, const Vector& x) {
  const Index i = regime->sliding[k];
  const FrictionMode& now = regime->modes.friction[i];
  const double N =
      total_load(sys, sys.friction[i], now.load_stretch, x.data(), rhs.signals.now.data(), rhs.force.data());
  const ElementForce<double> f =
      friction_force(sys.friction[i], now.direction(), now.branch, v, N, x.data(), no_rate.data());
  return f.dry * N + f.other;
}

double ForceBalance::force_at_start(Index k, const State& state) {
  const Friction& p = sys.friction[regime->sliding[k]];
  return force(k, relative_velocity(p, state.base_x.data(), rhs.signals.start.data()), state.base_x);
}

// A step whose stages lie on both sides of v = 0 swings about it, within the tolerance and for ever: the forces that its
// motion asks for inside the step are not those of the laws there.
bool ForceBalance::follows_forces(const State& state, double h, const Eigen::Ref<const Matrix>& motion) {
  constexpr double differs = 0.05; // of a force, or of that at the start if it is greater: forces pass zero
  for (const double theta : {0.42, 0.83}) {
    polynomial::values(motion.data(), sys.nx, motion.cols(), theta, inside.data());
    rhs(state.base_t + theta * h, inside.data(), rate_inside.data());
    for (Index n = 0; n < steep.size(); ++n) {
      const Index k = steep[n];
      const Friction& p = sys.friction[regime->sliding[k]];
      double acceleration = 0.0; // of the motion
      for (Index j = motion.cols(); j-- > 1;)
        acceleration = acceleration * theta + static_cast<double>(j) * p.velocity.x.dot(motion.col(j));
      const double by_force = std::abs(p.velocity.x.dot(regime->E.col(k)));
      const double lacks = std::abs(acceleration / h - p.velocity.x.dot(rate_inside)) / by_force;
      const double size = std::max(at_start[n], std::abs(rhs.force(regime->sliding[k])));
      const double rounding = tolerance::last_digits * velocity_size(p, state.nominal) / h / by_force;
      if (!(lacks <= differs * size + rounding)) return false;
    }
  }
  return true;
}

double ForceBalance::error(const State& state, double h, const Eigen::Ref<const Matrix>& motion,
                           const Vector& x1, const Vector& error) {
  if (is_instant(state, h)) return 0.0; // it has none
  at_start.resize(steep.size());
  for (Index n = 0; n < steep.size(); ++n) at_start[n] = std::abs(force_at_start(steep[n], state));
  if (!follows_forces(state, h, motion)) return std::numeric_limits<double>::infinity();
  rhs.signals.move_to(state.base_t + h);
  double worst = 0.0;
  for (Index n = 0; n < steep.size(); ++n) {
    const Friction& p = sys.friction[regime->sliding[steep[n]]];
    const double v = relative_velocity(p, x1.data(), rhs.signals.now.data());
    const double here = force(steep[n], v, x1), beside = force(steep[n], v - p.velocity.x.dot(error), x1);
    worst =
        std::max(worst, std::abs(here - beside) / std::max({at_start[n], std::abs(here), std::abs(beside)}));
  }
  return worst;
}

namespace {

double instant(const State& state) {
  constexpr double begun = 1e-3; // of the time scale
  return 8.0 * tolerance::last_digits * (std::abs(state.base_t) + begun * state.time_scale);
}

} // namespace

bool ForceBalance::is_instant(const State& state, double h) const {
  return any() && h <= instant(state);
}

bool ForceBalance::stands_still(const State& state, double h) {
  constexpr Index most = 1000; // in a row: a few hundred lead to a balance within which time resolves little
  instants = is_instant(state, h) ? instants + 1 : 0;
  return instants > most;
}

double ForceBalance::first_step(const State& state, double h) {
  if (!state.after_transition) return h;
  for (const Index k : steep) {
    const Friction& p = sys.friction[regime->sliding[k]];
    const double v = relative_velocity(p, state.base_x.data(), rhs.signals.start.data());
    if (v != 0.0 && std::abs(v) <= tolerance::residual * velocity_size(p, state.nominal))
      return std::min(h, instant(state));
  }
  return h;
}

namespace {

// Numbers in their order, one integer each.
std::int64_t rank_of(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x);
  return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
}
double number_of(std::int64_t rank) {
  return std::bit_cast<double>(rank < 0 ? std::numeric_limits<std::int64_t>::min() - rank : rank);
}

} // namespace

// v1 = v + h w'E (F(v1) - F), of an element that moves at v under its force F: by bisection over the numbers themselves,
// for v1 may be thirty decades below v.
double ForceBalance::velocity_in_balance(Index k, double h, double v, double before, const Vector& x) {
  const double by_force = h * sys.friction[regime->sliding[k]].velocity.x.dot(regime->E.col(k));
  const auto too_fast = [&](double at) { return at - v > by_force * (force(k, at, x) - before); };
  double reach = std::max(std::abs(v), std::numeric_limits<double>::min());
  while (reach < tolerance::largest_state && (too_fast(-reach) || !too_fast(reach))) reach *= 4.0;
  std::int64_t low = rank_of(-reach), high = rank_of(reach);
  const auto apart = [&] { return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low); };
  while (apart() > 1) {
    const std::int64_t middle = low + static_cast<std::int64_t>(apart() / 2);
    (too_fast(number_of(middle)) ? high : low) = middle;
  }
  return number_of(low);
}

bool ForceBalance::step(const State& state, double h, const Vector& rate, Vector& x1) {
  constexpr int sweeps = 20;          // of Gauss and Seidel over elements that act on each other
  constexpr double unbalanced = 1e-3; // of a force: what rounding of a velocity may change of it
  rhs.signals.move_to(state.base_t + h);
  x1 = state.base_x + h * rate;
  List<double> acts(steep.size());
  for (Index j = 0; j < steep.size(); ++j) acts[j] = force_at_start(steep[j], state);
  const auto velocity = [&](const Friction& p) {
    return relative_velocity(p, x1.data(), rhs.signals.now.data());
  };
  for (int sweep = 0; sweep < (steep.size() > 1 ? sweeps : 1); ++sweep)
    for (Index j = 0; j < steep.size(); ++j) {
      const Friction& p = sys.friction[regime->sliding[steep[j]]];
      const double balanced = velocity_in_balance(steep[j], h, velocity(p), acts[j], x1);
      const double next = force(steep[j], balanced, x1);
      x1 += (h * (next - acts[j])) * regime->E.col(steep[j]);
      acts[j] = next;
      // The rounding error of the sum exceeds the velocity itself, so that it is corrected.
      for (int digits = 0; digits < 3; ++digits)
        x1 += ((balanced - velocity(p)) / p.velocity.x.squaredNorm()) * p.velocity.x;
    }
  // A difference of velocities, or from a surface that moves, may resolve no such balance.
  for (Index j = 0; j < steep.size(); ++j) {
    const double off = force(steep[j], velocity(sys.friction[regime->sliding[steep[j]]]), x1) - acts[j];
    if (!(std::abs(off) <= unbalanced * std::abs(acts[j]))) return false;
  }
  return true;
}

} // namespace stickslip
