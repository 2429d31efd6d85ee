// Relays: elements whose output is a staircase function of a linear form of the states.
#pragma once

#include "core/fields.hpp"
#include "model/combination.hpp"
#include "signal/signal.hpp"

#include <cstdint>
#include <string>
#include <tuple>

namespace stickslip {

struct Draft;
struct Friction;
class NameCheck;

// With s = on . x - threshold:  output = low for s < 0, high for s > 0, along `to`. With hysteresis the output becomes
// high at s = hysteresis / 2 and low again at s = -hysteresis / 2; between them it keeps its value, and a run starts with
// that of the nearer threshold.
//
// Compiled to an element whose force is +-(high - low) / 2 about their mean. If the output at once drives s back to zero
// (to . ds/dx (high - low) < 0), s is a velocity against which the force acts, and s = 0 a sliding mode in the sense of
// Filippov: the problem of dry friction. If it drives s back by its second derivative, the element is a detent.
struct RelayElement {
  static constexpr const char* kind = "relay";

  std::string name;
  Combination on; // states or outputs of the plant
  double low = 0.0, high = 0.0;
  double hysteresis = 0.0;
  Signal threshold = constant_signal(0.0);
  Combination to; // coordinates or inputs

  static constexpr auto fields() {
    using E = RelayElement;
    return std::tuple{field("name", &E::name),
                      field("on", &E::on),
                      field("low", &E::low, quantity::force, Range::finite),
                      field("high", &E::high, quantity::force, Range::finite),
                      field("hysteresis", &E::hysteresis, {}, Range::non_negative),
                      field("threshold", &E::threshold, {}, Range::finite),
                      field("to", &E::to)};
  }

  void check(const NameCheck& names) const;
  void declare(Draft& draft) const;
  void wire(Draft& draft, Index number) const;
};

// output = step * round(on . x / step), and at most `levels` steps on each side: one relay at each half step.
struct QuantiserElement {
  static constexpr const char* kind = "quantiser";

  std::string name;
  Combination on;
  double step = 1.0;
  std::int64_t levels = 1;
  Combination to;

  static constexpr auto fields() {
    using E = QuantiserElement;
    return std::tuple{field("name", &E::name), field("on", &E::on),
                      field("step", &E::step, {}, Range::positive), field("levels", &E::levels),
                      field("to", &E::to)};
  }

  void check(const NameCheck& names) const;
  void declare(Draft& draft) const;
  void wire(Draft& draft, Index number) const;
};

// After the controllers: the form of every relay, and its rate if the relay holds the form at zero.
void wire_relay_forms(Draft& draft);

} // namespace stickslip
