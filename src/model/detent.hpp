// A detent: a spring-loaded seat that holds up to its preload, and pushes back beyond it.
#pragma once

#include "core/fields.hpp"
#include "model/combination.hpp"
#include "model/polyline.hpp"
#include "model/variable.hpp"

#include <optional>
#include <string>

namespace stickslip {

struct Draft;
class NameCheck;

// With the distance x from the nearest seat, along `on`:  F = preload sgn(x) + stiffness x + damping x', and on the
// seat, at rest, any |F| <= preload. With a pitch there are seats at position + k pitch, and beside each the force
// falls linearly to zero over the width: the stiffness is -preload / width.
//
// Compiled to an element whose force depends on the sign of x as dry friction does on the sign of v, and a spring.
struct DetentElement {
  static constexpr const char* kind = "detent";
  static constexpr Shown shown[] = {{".force", Read::force, &Along::force, Read::spring_force},
                                    {".elongation", Read::elongation, &Along::position},
                                    {".elongation_rate", Read::elongation_rate, &Along::velocity},
                                    {".mode", Read::mode}};

  std::string name;
  Combination on;
  double preload = 0.0, stiffness = 0.0, damping = 0.0;
  std::optional<double> pitch, width; // by default half a pitch
  double position = 0.0;              // of a seat

  static constexpr auto fields() {
    using E = DetentElement;
    return std::tuple{field("name", &E::name),
                      field("on", &E::on),
                      field("preload", &E::preload, quantity::force, Range::positive),
                      field("stiffness", &E::stiffness, quantity::stiffness, Range::non_negative),
                      field("damping", &E::damping, quantity::damping, Range::non_negative),
                      field("pitch", &E::pitch, quantity::position, Range::positive),
                      field("width", &E::width, quantity::position, Range::positive),
                      field("position", &E::position, quantity::position, Range::finite)};
  }

  void check(bool mechanical, const NameCheck& names) const;
  void declare(Draft& draft) const;
  void wire(Draft& draft, Index number) const;

private:
  Polyline beside_a_seat() const;
};

} // namespace stickslip
