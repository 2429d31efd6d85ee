// Jamming: the sliding gain of a contact with its friction becomes zero, and normal forces grow without bound
// (Painleve).
#pragma once

#include "dynamics/state.hpp"

#include <string>

namespace stickslip {

class Jam {
public:
  explicit Jam(const System& of) : sys(of), probe(of), s(of.ns()) {}

  bool is_at(const Regime* r, double t, const Vector& x); // no regime: none
  // The side on which the coupling of friction and normal forces stands at the start of the step.
  void begin_step(const Regime& r, const State& state);
  // True if it is still on that side.
  bool is_ahead(const Regime& r, double t, const Vector& x);
  std::string message(const Regime& r, const State& state); // of the contact that jams

private:
  const System& sys;
  Scratch probe;
  Vector s;
  double side = 0.0; // sign of the coupling, once it is known

  double coupling(const Regime* r, double t, const Vector& x);
};

} // namespace stickslip
