#include "core/error.hpp"
#include "model/check_names.hpp"
#include "model/check_values.hpp"
#include "model/compile_friction.hpp"
#include "model/flanks.hpp"

namespace stickslip {

void DetentElement::check(bool mechanical, const NameCheck& names) const {
  const std::string suffix = of(name);
  if (!mechanical) reject("plant", "in matrix notation has no detents: it has no positions");
  check_values(*this, suffix);
  names.gradient("on" + suffix, on);
  if (pitch && stiffness > 0.0)
    reject("stiffness" + suffix, stiffness, "0 with a pitch: width determines the slope of the force");
  if (width && !(pitch && *width <= 0.5 * *pitch))
    reject("width" + suffix, *width, "at most half the pitch, and only with a pitch");
}

// Force beyond the preload, over the distance from a seat.
Polyline DetentElement::beside_a_seat() const {
  if (!pitch) return {{}, {{stiffness, 0.0}}};
  const double reach = width.value_or(0.5 * *pitch);
  const Stretch falls{-preload / reach, 0.0};
  if (reach == 0.5 * *pitch) return {{}, {falls}}; // up to the crest
  return {{-reach, reach}, {{0.0, preload}, falls, {0.0, -preload}}};
}

void DetentElement::declare(Draft& d) const {
  System& sys = d.sys;
  if (sys.one < 0) sys.one = d.add_signal(constant_signal(1.0));
  Law law;
  law.terms.emplace_back(Coulomb{preload, preload});
  Friction seat = declare_element(d, name, law, {}, constant_signal(1.0), constant_signal(0.0));
  if (pitch) seat.pitch = *pitch, seat.seat = d.add_state(name + ".seat");
  sys.friction.push_back(std::move(seat));
}

void DetentElement::wire(Draft& d, Index number) const {
  System& sys = d.sys;
  const Index n = sys.n_coordinates;
  Friction& p = sys.friction[d.all<FrictionElement>().size() + number];
  const Vector w = d.direction(on);
  wire_tangent(d, p, w);
  p.way = {Vector::Zero(sys.nx), Vector::Zero(sys.ns())};
  p.way.x.head(n) = w;
  p.way.s(sys.one) = -position;
  if (p.seat >= 0) {
    p.way.x(p.seat) = -1.0;
    for (const int side : {-1, 1}) p.crests.emplace_back(p.way).s(sys.one) -= side * 0.5 * p.pitch;
  }
  Flank line = attached(beside_a_seat());
  line.spring = sys.springs.size();
  sys.springs.push_back(
      {name, p.effect, p.way, p.velocity, damping, sys.flanks.size(), 1, p.surface, p.surface_rate});
  sys.flanks.push_back(std::move(line));
}

} // namespace stickslip
