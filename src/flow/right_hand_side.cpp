#include "flow/right_hand_side.hpp"

#include "model/smooth.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

RightHandSide::RightHandSide(const System& system)
    : signals(system), delays(system), field(system), sys(system), scratch(system),
      signal_rates(Vector::Zero(system.ns())) {
  if (sys.smooth) reads_time = std::count(sys.smooth->inputs.begin(), sys.smooth->inputs.end(), -1) > 0;
  for (const Friction& p : sys.friction)
    if (p.traits.states > 0) scratch.for_derivatives(sys);
  force = scratch.force;
}

void RightHandSide::begin(const Regime& r, const State& of) {
  regime = &r, state = &of;
  signals.begin(of.base_t);
  state_signals(sys, r.modes, of.base_t, of.base_x.data(), signals.now.data(), scratch);
  signals.start = signals.now;
  if (delays.any()) delays.frame(of);
}

const double* RightHandSide::delayed(double t, const double* x) {
  if (!delays.any()) return x;
  with_delays = Eigen::Map<const Vector>(x, sys.nx);
  delays.set(*state, t, with_delays.data());
  return with_delays.data();
}

void RightHandSide::operator()(double t, const double* x, double* xdot) {
  ++evaluations;
  signals.move_to(t);
  stickslip::evaluate(sys, *regime, t, delayed(t, x), signals.now.data(), xdot, force.data(), scratch);
  if (delays.any()) delays.set_rates(*state, t, xdot);
}

void RightHandSide::at_start(Vector& xdot, Vector& forces) {
  stickslip::evaluate(sys, *regime, state->base_t, state->base_x.data(), signals.start.data(), xdot.data(),
                      forces.data(), scratch);
}

void RightHandSide::guards(double t, const double* x, double* values) {
  guard_values(sys, *regime, t, x, signals.now.data(), force.data(), values, scratch);
}

bool RightHandSide::bind(const Regime& r) {
  return field.bind(r, signals.varying, signals.now.data());
}

bool RightHandSide::bind_step() {
  quick = bind(*regime);
  if (quick) field.frame(signals.pieces);
  return quick;
}

void RightHandSide::linearise(double t, const double* x, Vector& xdot, Matrix& J, Vector& by_time) {
  if (quick && sys.nx == 3) return field.slopes<3>(t, x, xdot.data(), J.data(), by_time.data());
  if (quick) return field.slopes<0>(t, x, xdot.data(), J.data(), by_time.data());
  for (Index k = 0; k < signals.varying.size(); ++k) signal_rates(signals.varying[k]) = signals.rate(k, t);
  jacobian(sys, *regime, t, delayed(t, x), signals.now.data(), signal_rates.data(), J, by_time, scratch);
  if (delays.any()) delays.in_time(*state, t, J, by_time);
}

double RightHandSide::greatest_bristle_rate(const double* x) {
  double greatest = 0.0;
  for (const Index i : regime->sliding) {
    const Friction& p = sys.friction[i];
    const Index n = p.traits.states;
    if (n == 0) continue;
    const FrictionMode& now = regime->modes.friction[i];
    stickslip::linearise(p.law, relative_velocity(p, x, signals.now.data()), now.force_side(), now.branch,
                         x + p.states, normal_load(p, now.load_stretch, x, signals.now.data()),
                         scratch.dry_z.data(), scratch.zdot_v.data(), scratch.zdot_z.data());
    for (Index j = 0; j < n; ++j) greatest = std::max(greatest, std::abs(scratch.zdot_z(j * n + j)));
  }
  return greatest;
}

} // namespace stickslip
