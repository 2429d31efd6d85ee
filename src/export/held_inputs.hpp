// Inputs of a compiled machine that hold their values from one communication point to the next: each is a signal with
// breakpoints at these points, so that a run locates its events under them as under any other signal.
#pragma once

#include "core/list.hpp"
#include "model/system.hpp"

#include <string>

namespace stickslip {

// Values of all inputs from a time on, and the rates at which they grow; none: they are held.
struct HeldValues {
  double from = 0.0;
  Vector values, rates = {};
};

class HeldInputs {
public:
  HeldInputs(const System& sys, const List<std::string>& names);

  // `before`: values of a time before all held ones. No motion reads them; the sizes of states (size_states) do.
  void write(System& sys, const Vector& before, const List<HeldValues>& held) const;
  // Throws InvalidArgument for a value that a signal cannot have.
  void check(const System& sys, Index input, double value) const;

private:
  struct Use {
    Index signal, input;
    Signal rest; // without the input
    double gain;
  };
  List<Use> uses;
};

} // namespace stickslip
