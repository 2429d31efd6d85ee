#include "transition/corners.hpp"

#include "core/tolerances.hpp"
#include "dynamics/tangent.hpp"
#include "model/smooth.hpp"
#include "transition/instant.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr int most_turns = 2; // at one instant: change of side, and back after a touch

} // namespace

Corners::Corners(const System& system, RegimeCache& c, Scratch& s)
    : sys(system), cache(c), scratch(s), turns(sys.smooth->tape.conditions.size(), 0) {}

// Threshold for zero; for a condition that has fired it includes the error of event location.
double Corners::at_zero(Index k) const {
  return (turns[k] > 0 ? tolerance::located : tolerance::residual) * sizes(k);
}

// x' in the present modes, and the forces.
Vector Corners::motion(const State& state, Vector& force) {
  Vector s(sys.ns()), xdot = Vector::Zero(sys.nx);
  signal_values(sys, state.base_t, s.data());
  force = scratch.force;
  evaluate(sys, cache.get(sys, state.modes), state.base_t, state.base_x.data(), s.data(), xdot.data(),
           force.data(), scratch);
  return xdot;
}

bool Corners::pass(State& state, const List<Guard>& fired) {
  std::fill(turns.begin(), turns.end(), 0);
  facing_ = -1;
  const bool any = std::any_of(fired.begin(), fired.end(), [](const Guard& g) { return g.condition >= 0; });
  if (!any) return false;
  Vector force_before, force;
  const Vector before = motion(state, force_before);
  for (const Guard& g : fired)
    if (g.condition >= 0) {
      Sign& side = state.modes.sides[g.condition];
      side = static_cast<Sign>(-side);
      ++turns[g.condition];
    }
  follow(state); // conditions whose sides changed at this instant
  const Vector after = motion(state, force);
  for (Index i = 0; i < sys.nx; ++i)
    if (std::abs(after(i) - before(i)) >
        tolerance::same * std::max({std::abs(after(i)), std::abs(before(i)), sys.acceleration(i)}))
      return true;
  const double most = force.size() > 0 ? force.cwiseAbs().maxCoeff() : 0.0;
  return force.size() > 0 && (force - force_before).cwiseAbs().maxCoeff() > tolerance::same * most;
}

void Corners::follow(State& state) {
  Tangent& at = scratch.tangent(sys);
  for (Index round = 0; round <= turns.size(); ++round) { // a condition may depend on the choice of another
    at.move_to(state.base_t, state.base_x.data(), state.modes.sides);
    if (round == 0) sizes = at.formulas.condition_sizes(state.nominal, state.time_scale);
    bool changed = false;
    for (Index k = 0; k < turns.size(); ++k) {
      const double g = at.formulas.condition(k);
      const Sign side = g > 0.0 ? Sign{1} : Sign{-1};
      if (!(std::abs(g) > at_zero(k)) || side == state.modes.sides[k]) continue;
      state.modes.sides[k] = side;
      changed = true;
    }
    if (!changed) break;
  }
  follow_sides(sys, state.modes);
}

bool Corners::review(State& state) {
  follow(state);
  Tangent& at = scratch.tangent(sys);
  const List<char> matters = live(sys.smooth->tape, state.modes.sides.data()).conditions;
  signs.assign(turns.size(), {});
  List<Index> open;
  for (Index k = 0; k < turns.size(); ++k)
    if (matters[k] && std::abs(at.formulas.condition(k)) <= at_zero(k)) open.push_back(k);
  if (open.empty()) return false;
  Vector force, s(sys.ns()), sdot(sys.ns()), by_time;
  Matrix J;
  const Vector xdot = motion(state, force);
  signal_values(sys, state.base_t, s.data());
  signal_rates(sys, state.base_t, sdot.data());
  jacobian(sys, cache.get(sys, state.modes), state.base_t, state.base_x.data(), s.data(), sdot.data(), J,
           by_time, scratch);
  const auto rates = at.formulas.condition_rates(xdot, J * xdot + by_time);
  bool changed = false;
  for (const Index k : open) {
    Sign& side = state.modes.sides[k];
    const double terms[] = {0.0, rates.first(k), 0.5 * rates.second(k)};
    const SignAfter leaves = sign_after([&](int j) { return -side * terms[j]; }, sizes(k), state.time_scale,
                                        state.base_t, std::ssize(terms));
    if (leaves.sign != 0) signs[k] = {-1, leaves.order}; // on the side that it is on from here
    if (leaves.sign <= 0) continue;
    if (++turns[k] > most_turns) facing_ = k;
    side = static_cast<Sign>(-side);
    changed = true;
  }
  follow_sides(sys, state.modes);
  return changed;
}

} // namespace stickslip
