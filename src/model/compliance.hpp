// Force of a compliant contact: a function of its depth delta = -gap and of the rate of the depth.
#pragma once

#include "core/fields.hpp"

#include <tuple>
#include <variant>

namespace stickslip {

struct Rigid {
  static constexpr auto fields() { return std::tuple{}; }
};

// N = k delta^n (1 + c delta'), never less than zero (Hunt, Crossley 1975; n = 3/2: Hertz).
struct HuntCrossley {
  double stiffness = 0.0, damping = 0.0, exponent = 1.5; // k in N/m^n, c in s/m, n

  static constexpr auto fields() {
    using C = HuntCrossley;
    return std::tuple{field("stiffness", &C::stiffness, quantity::number, Range::positive),
                      field("damping", &C::damping, quantity::number, Range::non_negative),
                      field("exponent", &C::exponent, quantity::number, Range::positive)};
  }
};

// N = k delta + d delta', never less than zero.
struct KelvinVoigt {
  double stiffness = 0.0, damping = 0.0;

  static constexpr auto fields() {
    using C = KelvinVoigt;
    return std::tuple{field("stiffness", &C::stiffness, quantity::stiffness, Range::positive),
                      field("damping", &C::damping, quantity::damping, Range::non_negative)};
  }
};

using Compliance = std::variant<Rigid, HuntCrossley, KelvinVoigt>;
template <> struct Kind<Compliance> {
  static constexpr const char* list[] = {"Rigid", "HuntCrossley", "KelvinVoigt"};
};

inline bool yields(const Compliance& c) {
  return !std::holds_alternative<Rigid>(c);
}

} // namespace stickslip
