// Runs that continue from a state in the midst of a motion, differentiated by all of that state: positions, velocities,
// internal states, memory and pending outputs of sampled controllers. Unlike initial values, a state has its modes.
#pragma once

#include "sensitivity/slopes.hpp"

namespace stickslip {

// The state with other values (those of `packed`) at another time, perhaps of the machine with other parameters. Constraints, and velocities of elements in stick, are
// met again. Sampling instants move with the time, which must change by whole sampling periods.
State restarted(Replica& machine, const State& state, const Vector& values, double t);

// Each component of the state as a parameter, in the order of `packed`.
Parameters components_of(const System& sys, const State& state);

// The instant at which a run continues: nothing happens there.
Passage continuation_at(const State& state);

// Derivatives of `restarted` by parameters: a change of the values, less its share that the modes do not admit.
Tangents tangents_at_restart(Replica& machine, const State& state, const Parameters& by);

// Derivatives of the projection of positions and velocities on constraints, held velocities and closed gaps.
Matrix projection_slopes(Replica& machine, const Modes& modes, double t, const Vector& x,
                         const Vector& nominal);

} // namespace stickslip
