// Outputs of the fixed-step form by their names; some are sums of several variables of the engine.
#pragma once

#include "core/list.hpp"
#include "realtime/real_time.hpp"

#include <string>

namespace stickslip {

class NamedOutputs {
public:
  // Throws UnknownName, or InvalidArgument for a variable that the fixed-step form does not keep.
  NamedOutputs(const System& sys, const List<std::string>& names);

  Index size() const { return count; }
  // Values at the end of the last step. Does not allocate.
  void read(RealTime& engine, double* out) noexcept;

private:
  struct Term {
    Index output, read;
    double factor;
  };
  Index count;
  List<RealTimeOutput> reads;
  List<Term> terms; // empty: every output is one variable
  Vector work;      // values of `reads`
};

} // namespace stickslip
