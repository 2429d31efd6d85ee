// Unilateral contacts.
#include "core/error.hpp"
#include "core/list.hpp"
#include "model/compile_friction.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

// A contact's friction is an element like any other whose load is the contact's force.
void declare_tangent(Draft& d, const ContactElement& c, Contact& out) {
  Friction p = declare_element(d, c.name, c.friction, c.automaton, constant_signal(0.0), c.surface_velocity);
  if (out.yields())
    p.load = out.force, p.of_compliance = true;
  else
    p.contact = d.sys.contacts.size();
  out.friction = d.sys.friction.size();
  out.impulsive_friction = std::abs(steady(c.friction, 1e100, nullptr, 1.0).dry);
  d.sys.friction.push_back(std::move(p));
}

void wire(Draft& d, Contact& c, const Combination& normal) {
  System& sys = d.sys;
  const Index n = sys.n_coordinates;
  const Vector w = d.direction(normal);
  c.effect = d.column(w);
  c.gap.x = c.rate.x = Vector::Zero(sys.nx);
  if (!c.of_velocity) c.gap.x.head(n) = w;
  c.rate.x.segment(n, n) = w;
  c.gap.s = c.rate.s = c.acceleration_s = Vector::Zero(sys.ns());
  c.gap.s(c.gap_signal) = 1.0;
  c.rate.s(c.gap_rate) = 1.0;
  c.acceleration_s(c.gap_acceleration) = 1.0;
}

} // namespace

void declare(Draft& d, const ContactElement& c) {
  Contact out;
  out.name = c.name;
  out.restitution = c.restitution;
  out.restitution_by_speed = c.restitution_expression;
  out.tangential_restitution = c.tangential_restitution;
  out.impact = c.impact;
  if (yields(c.compliance))
    out.force = d.add_own_signal(), out.stored = d.add_own_signal(), out.loss = d.add_own_signal();
  if (c.has_tangent()) declare_tangent(d, c, out);
  const bool curved = !c.gap_expression.outputs.empty();
  out.gap_signal = curved ? d.add_own_signal() : d.add_signal(c.gap);
  if (curved) out.gap_rate = d.add_own_signal(), out.gap_acceleration = d.add_own_signal();
  d.sys.contacts.push_back(std::move(out));
}

void declare(Draft& d, const ClutchElement& c) {
  Contact out;
  out.name = c.name;
  out.of_velocity = true;
  out.gap_signal = d.add_signal(constant_signal(0.0));
  d.sys.contacts.push_back(std::move(out));
}

void wire(Draft& d, const ContactElement& e, Index number) {
  Contact& c = d.sys.contacts[number];
  wire(d, c, e.normal);
  if (c.friction >= 0) wire_tangent(d, d.sys.friction[c.friction], d.direction(e.tangent));
}

void wire(Draft& d, const ClutchElement& e, Index number) {
  wire(d, d.sys.contacts[d.all<ContactElement>().size() + number], e.on);
}

} // namespace stickslip
