// One run: regime, step, transition, repeat.
#pragma once

#include "core/budget.hpp"
#include "run/passage.hpp"
#include "run/trajectory.hpp"

namespace stickslip {

// Throws InvalidArgument where options make no sense for this state.
void validate(const System& sys, const State& state, const Options& options);

// Runs from state.t to options.t_end. `stop` is called every few milliseconds of computing; true ends the run.
// `passages`, if not null, records every instant passed.
Trajectory simulate(std::shared_ptr<Compiled> compiled, State state, const Options& options, const Stop& stop,
                    Passages* passages = nullptr);

} // namespace stickslip
