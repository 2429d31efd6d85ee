// Compiles a description to a system and reports all errors of the description.
#include "core/error.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "model/compile_compensation.hpp"
#include "model/compile_control.hpp"
#include "model/compile_smooth.hpp"
#include "model/draft.hpp"
#include "model/opposite_contacts.hpp"
#include "model/paths.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace stickslip {

namespace {

constexpr double least_inverse_mass = 1e-300, greatest_inverse_mass = 1e300;

Signal derivative_of(const System& sys, Index signal) {
  return differentiate(sys.signals[signal]);
}

// Derivatives of surface velocities and gaps accelerate the relative motion; they are signals of their own.
void add_derivatives(Draft& d) {
  System& sys = d.sys;
  for (Friction& p : sys.friction) p.surface_rate = d.add_signal(derivative_of(sys, p.surface));
  for (Contact& c : sys.contacts) {
    if (c.gap_rate >= 0) continue; // a function of the position
    c.gap_rate = d.add_signal(derivative_of(sys, c.gap_signal));
    c.gap_acceleration = d.add_signal(derivative_of(sys, c.gap_rate));
  }
  for (Spring& p : sys.springs) p.rest_rate = d.add_signal(derivative_of(sys, p.rest));
}

// Rejects accelerations of relative velocities per unit of force that exceed the range of floating point.
void check_inertia(const System& sys) {
  const auto check = [&](const std::string& name, const Vector& row, const Vector& column, bool rigid) {
    if (rigid && sys.constraints.any() && column.isZero(0.0) && !row.isZero(0.0))
      reject(
          "on of '" + name + "'",
          "is fixed by constraints: a rigid contact, a one-way clutch or a detent needs a direction in which "
          "the machine can move. Give the contact a compliance, or drive the coordinate through a spring");
    const double inverse = std::abs(row.dot(column));
    if (row.isZero(0.0) || column.isZero(0.0) ||
        (inverse <= greatest_inverse_mass && inverse >= least_inverse_mass))
      return;
    reject("on of '" + name + "'", inverse,
           "between 1e-300 and 1e300: it is the acceleration per unit force");
  };
  for (const Friction& p : sys.friction) {
    if (p.has_seat() && p.prescribed) check(p.name, p.drives, p.effect, true);
    check(p.name, p.velocity.x, p.effect, false);
  }
  for (const Contact& c : sys.contacts) check(c.name, c.rate.x, c.effect, !c.yields());
  for (const Spring& p : sys.springs) check(p.name, p.rate.x, p.effect, false);
}

// Sizes given by the user take precedence over sizes from the description; the time comes first, since other sizes
// depend on it.
void size(System& sys, const Combination& given) {
  for (const Part& one : given.parts) {
    positive("scales['" + one.name + "']", one.factor);
    if (one.name == "time") sys.time_scale = one.factor, sys.paced = true;
  }
  const bool time_is_given = sys.paced;
  size_states(sys);
  size_controllers(sys, time_is_given);
  sys.rated = sys.rated || time_is_given;
  sys.given_size = Vector::Zero(sys.nx);
  for (const Part& one : given.parts)
    if (one.name != "time") sys.given_size(find_name(sys.states, one.name, "state in scales")) = one.factor;
  sys.nominal = (sys.given_size.array() > 0.0).select(sys.given_size, sys.nominal);
  sys.nominal = sys.nominal.cwiseMin(tolerance::largest_size);
  sys.time_scale = std::min(sys.time_scale, tolerance::largest_size);
}

void take_sizes(System& sys, const System& from) {
  sys.nominal = from.nominal, sys.finest = from.finest, sys.acceleration = from.acceleration;
  sys.time_scale = from.time_scale, sys.paced = from.paced, sys.rated = from.rated;
  sys.given_size = from.given_size;
}

template <class... E> void declare_all(Draft& d) {
  const auto each = [&](const auto& elements) {
    for (const auto* e : elements)
      if constexpr (requires { e->declare(d); })
        e->declare(d);
      else
        declare(d, *e);
  };
  (each(d.all<E>()), ...);
}

template <class... E> void wire_all(Draft& d) {
  const auto each = [&](const auto& elements) {
    for (Index k = 0; k < elements.size(); ++k)
      if constexpr (requires { elements[k]->wire(d, k); })
        elements[k]->wire(d, k);
      else
        wire(d, *elements[k], k);
  };
  (each(d.all<E>()), ...);
}

// Elements that stand for one of the user's: friction under both signs of a constraint's force, and that constraint.
void find_partners(System& sys, const Machine& described) {
  for (const ConstraintElement* c : described.all<ConstraintElement>())
    for (Contact& one : sys.contacts)
      if (one.name == positive(c->name) && !described.has(one.name)) one.constraint = c->name;
  for (Index i = 0; i < sys.friction.size(); ++i)
    for (Friction& p : sys.friction)
      if (p.name == negative(sys.friction[i].name) && !described.has(p.name)) p.partner = i;
}

System drafted(const Machine& machine, bool own_signals, const System* sized_as) {
  check_parameters(machine);
  const std::optional<Machine> opposed = with_opposite_contacts(machine);
  Draft d(opposed ? *opposed : machine, own_signals);
  declare_plant(d);
  declare_constraints(d);
  declare_all<FrictionElement, DetentElement, RelayElement, QuantiserElement, ContactElement, ClutchElement>(
      d); // compensators' friction comes last
  declare_compensators(d);
  declare_controllers(d);
  declare_all<SpringElement>(d);
  add_derivatives(d);
  declare_smooth(d);
  wire_plant(d);
  wire_all<FrictionElement, ContactElement, ClutchElement>(d);
  wire_compensators(d);
  wire_all<SpringElement, DetentElement, RelayElement, QuantiserElement>(d);
  wire_controllers(d);
  wire_relay_forms(d);
  wire_loads(d);
  wire_smooth(d);
  check_inertia(d.sys);
  if (sized_as != nullptr && sized_as->nx == d.sys.nx)
    take_sizes(d.sys, *sized_as);
  else
    size(d.sys, machine.scales);
  size_prescribed_velocities(d.sys);
  d.sys.start = Vector::Zero(d.sys.nx);
  for (const Friction& p : d.sys.friction)
    if (p.states >= 0) d.sys.start.segment(p.states, p.traits.states) = start_states(p.law);
  if (opposed) find_partners(d.sys, machine);
  list_variables(d, machine);
  d.sys.identity = identity_of(machine);
  return std::move(d.sys);
}

} // namespace

System compile(const Machine& machine, bool own_signals) {
  return drafted(machine, own_signals, nullptr);
}

System compile_beside(const Machine& machine, const System& sizes) {
  return drafted(machine, true, &sizes);
}

Index find_name(const List<std::string>& names, const std::string& name, std::string_view what) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end()) return it - names.begin();
  std::string text = "unknown " + std::string(what) + " '" + name + "'; known are:";
  for (const std::string& n : names) text += " '" + n + "'";
  throw UnknownName(text);
}

} // namespace stickslip
