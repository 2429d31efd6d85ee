// Many runs of one machine with other parameters, in threads. Each thread has its own copy of everything that
// changes, and what a run gives depends on its parameters alone, so any number of threads gives the same
// bits.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"
#include "flow/options.hpp"
#include "model/machine.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace stickslip {

struct Ensemble {
  Machine machine;
  double t_start = 0.0;
  Vector initial; // of every state; parameters that are initial values replace entries
  Options options;
  List<std::string> parameters;
  Matrix values; // parameters x runs
  List<std::string> measures;
};

struct EnsembleResult {
  Matrix values;            // runs x measures: each measure contiguous
  List<std::int8_t> status; // Status of each run as a number
};

// `stop` is asked every 50 ms by the calling thread; true gives up (the result then is not complete). Throws
// what is wrong with the first run that has bad parameters. `workers` 0: as many as there are cores.
EnsembleResult run_ensemble(const Ensemble& ensemble, unsigned workers, const std::function<bool()>& stop);

} // namespace stickslip
