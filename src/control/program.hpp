// A controller that is a function.
#pragma once

#include "core/types.hpp"

#include <functional>
#include <memory>

namespace stickslip {

// Decides whether two programs are the same function.
struct ProgramIdentity {
  virtual ~ProgramIdentity() = default;
  virtual bool same(const ProgramIdentity& other) const { return this == &other; }
};

// A program of the user's: called at the sampling instants with the time, the samples w (references first),
// its memory z, which it may change, and the outputs u it has to fill.
struct Program {
  std::function<void(double t, const double* w, double* z, double* u)> call;
  std::shared_ptr<const ProgramIdentity> identity;
  Index references = 1, measurements = 1, outputs = 1;
  Vector memory;          // at the start
  bool in_engine = false; // the engine's own: needs no interpreter

  bool operator==(const Program& o) const;
};

} // namespace stickslip
