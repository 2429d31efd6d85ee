#include "run/jam.hpp"

#include "core/tolerances.hpp"

#include <cmath>

namespace stickslip {

// Sliding gain of contacts with their friction; 1 without coupling, and in a linear regime, where it is constant and so
// cannot tend to zero.
double Jam::coupling(const Regime* r, double t, const Vector& x) {
  if (r == nullptr || !r->coupled || r->affine) return 1.0;
  signal_values(sys, t, s.data());
  return stickslip::coupling(sys, *r, t, x.data(), s.data(), probe);
}

bool Jam::is_at(const Regime* r, double t, const Vector& x) {
  return std::abs(coupling(r, t, x)) < tolerance::negligible;
}

void Jam::begin_step(const Regime& r, const State& state) {
  if (state.after_transition || side == 0.0) // else as it was
    side = std::copysign(1.0, coupling(&r, state.base_t, state.base_x));
}

bool Jam::is_ahead(const Regime& r, double t, const Vector& x) {
  return coupling(&r, t, x) * side > tolerance::same;
}

std::string Jam::message(const Regime& r, const State& state) {
  signal_values(sys, state.base_t, s.data());
  probe.xdot.setZero();
  evaluate(sys, r, state.base_t, state.base_x.data(), s.data(), probe.xdot.data(), probe.force.data(), probe);
  Index which = -1;
  for (const Index j : r.closed) {
    const Index at = sys.friction.size() + j;
    if (which < 0 || probe.force(at) > probe.force(sys.friction.size() + which)) which = j;
  }
  return "the normal force of '" + sys.contacts[which].name +
         "' grows without bound: with its friction the contact no longer resists (Painleve, A = b = 0)";
}

} // namespace stickslip
