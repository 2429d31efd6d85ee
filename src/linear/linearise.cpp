#include "linear/linearise.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "dynamics/friction_force.hpp"
#include "linear/admitted_changes.hpp"
#include "sensitivity/replica.hpp"

#include <memory>

namespace stickslip {

namespace {

void refuse_dead_time(const System& sys) {
  for (const Friction& p : sys.friction)
    if (p.delayed >= 0)
      reject("machine", "has no linear system: the dead time of '" + p.name +
                            "' has no finite number of states; use a lag");
}

// States of friction elements that nothing changes in these modes: the memory of an element at rest, held levels.
List<Index> constant_states(const System& sys, const Matrix& J) {
  List<Index> out;
  const auto offer = [&](Index state) {
    if (state >= 0 && J.row(state).isZero(0.0)) out.push_back(state);
  };
  for (const Friction& p : sys.friction) {
    for (const Index state : {p.lagged, p.surface_travel, p.aged, p.peak, p.entered, p.load_shift, p.seat})
      offer(state);
    for (Index k = 0; k < p.traits.states && p.states >= 0; ++k) offer(p.states + k);
  }
  return out;
}

Vector sliding_velocities(const System& sys, double t, const Vector& x, Tangent* at) {
  Vector s(sys.ns()), out(sys.friction.size());
  signal_values(sys, t, s.data());
  if (at != nullptr) at->move_to(t, x.data(), {}), at->write(s.data());
  for (Index i = 0; i < out.size(); ++i) out(i) = relative_velocity(sys.friction[i], x.data(), s.data());
  return out;
}

} // namespace

LinearMotion linearise(const std::shared_ptr<Compiled>& machine, const State& at, const Vector& x) {
  const System& sys = machine->system;
  refuse_dead_time(sys);
  if (x.size() != sys.nx) reject("x", "must have one value per state: " + std::to_string(sys.nx));
  LinearMotion out;
  Replica replica(machine, {});
  replica.move(at.modes, at.t, at.t, x.data(), out.rate, out.force);
  replica.slopes(at.modes, at.t, at.t, x.data(), out.by_state);
  Matrix again;
  Scratch scratch(sys);
  const Regime& regime = replica.regime(at.modes);
  jacobian(sys, regime, at.t, x.data(), replica.signals(at.t, at.t).data(),
           replica.signal_rates(at.t, at.t).data(), again, out.by_time, scratch);
  const std::unique_ptr<Tangent> here = sys.smooth ? std::make_unique<Tangent>(sys) : nullptr;
  out.sliding = sliding_velocities(here ? here->system : sys, at.t, x, here.get());
  const Admitted admits =
      admitted(sys, held_rows(sys, regime, at.t, x, here.get()), constant_states(sys, out.by_state));
  out.free = admits.free;
  out.all = admits.all;
  return out;
}

} // namespace stickslip
