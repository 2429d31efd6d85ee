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

// `stop` is asked every 50 ms by the calling thread; true gives up: what is not done then is `interrupted`. A run
// whose parameters are refused is `failed`. Throws what is wrong with names and options, before anything runs, also
// where there are no runs at all.
// `workers` 0: as many as there are cores; functions of another language need 1.
EnsembleResult run_ensemble(const Ensemble& ensemble, unsigned workers, const std::function<bool()>& stop);

// The machine with these numbers in it; initial values are put into `x0`.
Machine with_numbers(const Machine& machine, const List<std::string>& names, const Vector& values,
                     Vector& x0);

} // namespace stickslip
