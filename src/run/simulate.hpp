// One run: regime, step, transition, repeat.
#pragma once

#include "run/run.hpp"
#include "run/trajectory.hpp"

namespace stickslip {

// Throws InvalidArgument where options make no sense for this state.
void validate(const System& sys, const State& state, const Options& options);

// Runs from state.t to options.t_end. `stop` is asked every few milliseconds of computing whether to give up.
// `passages`, where it is not null, gets every instant that was passed.
Trajectory simulate(std::shared_ptr<Compiled> compiled, State state, const Options& options, const Stop& stop,
                    Passages* passages = nullptr);

} // namespace stickslip
