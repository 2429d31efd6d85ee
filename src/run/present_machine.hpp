// The machine at the present state of a run: itself where it is linear, else the tangent that moves with the state, with
// regimes that are true there.
#pragma once

#include "dynamics/state.hpp"
#include "dynamics/tangent.hpp"

#include <memory>
#include <string>

namespace stickslip {

class PresentMachine {
  std::unique_ptr<Tangent> here; // of a machine that is not linear
  RegimeCache own;
  const System& machine;
  RegimeCache& kept; // regimes that segments of a run refer to

public:
  PresentMachine(const System& machine, RegimeCache& cache);

  Tangent* tangent() { return here.get(); }
  // The regime of the same modes that lasts as long as the machine.
  const Regime& lasting(const Regime& r) { return here ? lasting(r.modes) : r; }
  const Regime& lasting(const Modes& modes) { return kept.get(machine, modes); }
  // Rows and columns become those of the state.
  void move_to(const State& state);
  // The same; then `regime` is that of the state's modes.
  const Regime& enter(const State& state);
  void turned() { // by a transition, perhaps
    if (here) regime = nullptr;
  }
  // Quantity that has no value at the state, or just behind; empty if none.
  std::string undefined(const State& state);
  // Element whose force grows without bound, or is too steep for the velocities at the state; empty if none.
  std::string steepness(const State& state);
  // Projects held gaps and velocities, in the modes of the present step, after a step of finite accuracy.
  void meet_constraints(const Modes& modes, double t, Vector& x);
  // Moves positions by the least change that closes the gaps of these guards, which somebody else has located.
  void close_gaps(State& state, const List<Guard>& fired);
  bool parts(const State& state) { return here && here->parts(state.modes, state.base_x, state.nominal); }

  const System& sys;
  RegimeCache& cache;
  const Regime* regime = nullptr; // of the present modes; null: to be found
};

} // namespace stickslip
