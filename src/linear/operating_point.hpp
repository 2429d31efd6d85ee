// States about which a machine is linearised: those of a run, and those in modes that the user prescribes.
#pragma once

#include "core/mode.hpp"
#include "dynamics/compiled.hpp"
#include "dynamics/state.hpp"
#include "run/trajectory.hpp"

#include <memory>
#include <string>

namespace stickslip {

// A state within a run, from the right at an event; without the memory of sampled controllers.
State state_within(const Trajectory& run, double t);

// Refuses the state of another machine.
void require_state_of(const System& sys, const State& state);

// The same state with a named friction element, contact, clutch or limited controller in another mode.
void prescribe_mode(const System& sys, State& state, const std::string& name, Mode mode);

// The state with other values at another time, in its modes: springs and formulas where the values put them, and the
// nearest values that constraints, closed contacts and sticking elements admit.
State moved_state(const std::shared_ptr<Compiled>& machine, const State& state, double t, const Vector& x);

} // namespace stickslip
