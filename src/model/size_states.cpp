// Sizes of the states, for tolerances only: they grow with the motion.
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "model/system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

// Matrix notation: states that something drives take their size from it, all others from the states that
// drive them.
void size_matrix_states(System& sys, const Vector& rates) {
  sys.nominal = sys.time_scale * rates;
  for (Index round = 0; round < sys.plant_states; ++round) {
    const Vector driven = sys.time_scale * (sys.A.cwiseAbs() * sys.nominal);
    for (Index i = 0; i < sys.plant_states; ++i)
      if (sys.nominal(i) == 0.0) sys.nominal(i) = driven(i);
  }
}

// A bristle's deflection has the size that it settles to. All that happens while it deflects and slips
// happens at about the Stribeck velocity, however fast the machine slides at other times: errors of velocity
// count in this unit.
void size_bristles(System& sys) {
  const Index n = sys.n_coordinates;
  sys.finest = Vector::Constant(sys.nx, std::numeric_limits<double>::infinity());
  for (const Friction& p : sys.friction) {
    if (p.traits.states == 0) continue;
    List<double> slow(p.traits.states), fast = slow;
    steady(p.law, tolerance::creep_velocity, slow.data());
    steady(p.law, tolerance::fast_velocity, fast.data());
    for (Index i = 0; i < slow.size(); ++i)
      sys.nominal(p.states + i) = std::max(std::abs(slow[i]), std::abs(fast[i]));
    if (p.fine == 0.0) continue;
    for (Index i = n; i < sys.plant_states; ++i) // a plant in matrix notation has no positions to leave out
      if (p.velocity.x(i) != 0.0)
        sys.finest(i) = std::min(sys.finest(i), 4.0 * p.fine / std::abs(p.velocity.x(i)));
  }
}

} // namespace

// A size for every state from what the description says: times from the plant, accelerations from loads and
// limits, velocities from surfaces. It sets absolute tolerances only, and grows with the motion.
void size_states(System& sys) {
  const Index n = sys.n_coordinates;
  Vector acceleration = Vector::Zero(sys.nx);
  Vector velocity = Vector::Zero(n);
  auto size_of = [&](Index signal) {
    double size = 0.0;
    const Signal& s = sys.signals[signal];
    for (const Piece& p : s.pieces) {
      double t = sys.time_scale;
      double power = 1.0, piece = 0.0;
      for (double c : p.c) {
        piece = std::max(piece, std::abs(c) * power);
        power *= t;
      }
      for (const Harmonic& h : p.harmonics) piece += std::abs(h.amplitude);
      size = std::max(size, piece);
    }
    return size;
  };
  for (const auto& d : sys.drives) acceleration += d.effect.cwiseAbs() * size_of(d.signal);
  for (const Friction& p : sys.friction) {
    const double level = p.traits.sticks ? p.break_away : 0.0;
    acceleration += p.effect.cwiseAbs() * (level * size_of(p.load));
    if (n > 0) velocity = velocity.cwiseMax(p.velocity.x.segment(n, n).cwiseAbs() * size_of(p.surface));
  }
  sys.nominal = Vector::Constant(sys.nx, 0.0);
  if (n == 0) size_matrix_states(sys, acceleration);
  for (Index i = 0; i < n; ++i) {
    const double v = std::max(velocity(i), acceleration(n + i) * sys.time_scale);
    sys.nominal(n + i) = v;
    sys.nominal(i) = v * sys.time_scale;
  }
  for (const Friction& p : sys.friction) {
    if (p.surface_travel >= 0) sys.nominal(p.surface_travel) = p.automaton.travel;
    if (p.lagged >= 0) sys.nominal(p.lagged) = p.break_away * size_of(p.load);
  }
  size_bristles(sys);
}

} // namespace stickslip
