// Many runs of one machine with other parameters, in threads. Each thread has its own copy of all data that
// change, and the result of a run depends on its parameters alone, so it is bitwise the same for any number of
// threads.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"
#include "flow/options.hpp"
#include "model/machine.hpp"

#include <cstdint>
#include <functional>
#include <map>
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
  Matrix values;                         // runs x measures: each measure contiguous
  List<std::int8_t> status;              // Status of each run as a number
  std::map<Index, std::string> messages; // of runs that have not reached their end
};

// `stop` is called every 50 ms by the calling thread; true ends the ensemble: runs not done then are
// `interrupted`. A run whose parameters are refused is `failed`. Throws on errors in names and options before
// any run, even if there are no runs. `workers` 0: as many as there are cores; functions of another language
// need 1.
EnsembleResult run_ensemble(const Ensemble& ensemble, unsigned workers, const std::function<bool()>& stop);

} // namespace stickslip
