#include "model/relay.hpp"

#include "core/error.hpp"
#include "core/tolerances.hpp"
#include "model/check_names.hpp"
#include "model/check_values.hpp"
#include "model/compile_control.hpp"
#include "model/compile_friction.hpp"
#include "model/output_form.hpp"
#include "model/relay_form.hpp"

#include <cmath>
#include <utility>

namespace stickslip {

namespace {

constexpr std::int64_t most_levels = 64;

// One relay: its output is mean +- half a jump.
struct Switch {
  std::string name;
  Combination on;
  Signal threshold;
  double jump; // high - low
  double hysteresis = 0.0;
};

void check_places(const NameCheck& names, const std::string& suffix, const Combination& on,
                  const Combination& to) {
  names.source("on" + suffix, {{}, on});
  if (zero(on)) reject("on" + suffix, "must be a form of states that is finite and not zero");
  names.gradient("to" + suffix, to);
}

std::string place(const Switch& s) {
  return "on of '" + s.name + "'";
}

// A direct feed-through of inputs to the form moves the threshold.
Signal threshold_of(const Draft& d, const Switch& s) {
  Signal out = s.threshold;
  for (const auto& [signal, factor] : d.read(place(s), s.on).signals)
    out = out + (-factor) * d.sys.signals[signal];
  return out;
}

void declare_switch(Draft& d, const Switch& s) {
  if (d.moving_inertia())
    reject("machine", "has a mass matrix or a joint that is a function of the position, which the relay '" +
                          s.name + "' does not support");
  if (d.sys.one < 0) d.sys.one = d.add_signal(constant_signal(1.0));
  Law law;
  const double level = 0.5 * std::abs(s.jump);
  law.terms.emplace_back(Coulomb{level, level});
  Friction p = declare_element(d, s.name, law, {}, constant_signal(1.0), threshold_of(d, s));
  d.add_rates(p.surface, 2);
  p.compensator = true;
  d.sys.friction.push_back(std::move(p));
}

// The effect alone; the force acts with the output, where friction acts against its velocity.
void wire_switch(Draft& d, const Switch& s, const Combination& to, Friction& p) {
  p.drives = (s.jump < 0.0 ? -1.0 : 1.0) * d.direction(to);
  p.effect = d.column(p.drives);
  p.velocity = {Vector::Zero(d.sys.nx), Vector::Zero(d.sys.ns())};
  p.acceleration_s = p.velocity.s;
}

// Acceleration of a form by a unit of the element's force; zero within rounding.
double acts_on(const Vector& row, const Vector& effect) {
  const double acts = row.dot(effect);
  return std::abs(acts) > tolerance::product * row.cwiseAbs().dot(effect.cwiseAbs()) ? acts : 0.0;
}

Signal constant_or(const std::string& what, double value) {
  finite(what, value);
  return constant_signal(value);
}

List<Switch> switches_of(const RelayElement& r) {
  return {{r.name, r.on, r.threshold, r.high - r.low, r.hysteresis}};
}

List<Switch> switches_of(const QuantiserElement& q) {
  List<Switch> out;
  for (std::int64_t k = -q.levels; k < q.levels; ++k) {
    const double at = (static_cast<double>(k) + 0.5) * q.step;
    out.push_back({q.name + "[" + std::to_string(k < 0 ? k : k + 1) + "]", q.on,
                   constant_or("step of '" + q.name + "'", at), q.step});
  }
  return out;
}

// Their elements follow those of friction and detents.
Index first_of(const Draft& d, const RelayElement&, Index number) {
  return d.all<FrictionElement>().size() + d.all<DetentElement>().size() + number;
}

Index first_of(const Draft& d, const QuantiserElement&, Index number) {
  Index first = first_of(d, RelayElement{}, d.all<RelayElement>().size());
  for (Index k = 0; k < number; ++k) first += 2 * d.all<QuantiserElement>()[k]->levels;
  return first;
}

template <class E> void wire_each(Draft& d, const E& e, Index number) {
  Index at = first_of(d, e, number);
  for (const Switch& s : switches_of(e)) wire_switch(d, s, e.to, d.sys.friction[at++]);
}

// Its signals are in the threshold, but for those of controllers' outputs.
Form distance_from_threshold(const Draft& d, OutputForms& outputs, const Switch& s, Index threshold) {
  Reading read = d.read(place(s), s.on);
  read.signals.clear();
  Form form = outputs.form_of(read, read.text);
  form.s(threshold) -= 1.0;
  return form;
}

// Factors of the signals' rates in the rate of a form.
Vector factors_of_rates(const System& sys, const Vector& factors) {
  Vector out = Vector::Zero(sys.ns());
  for (Index k = 0; k < sys.ns(); ++k)
    if (factors(k) != 0.0 && !is_constant(sys.signals[k])) out(sys.rate_of[k]) += factors(k);
  return out;
}

// A form that jumps where a controller samples holds no sliding mode.
void check_sampled(const System& sys, const Friction& p) {
  for (const Loop& l : sys.loops)
    if (!l.block.continuous() && !p.velocity.x.segment(l.held, l.block.outputs()).isZero(0.0))
      reject("on of '" + p.name + "'", "contains the output of the sampled controller '" + l.name +
                                           "' beside a velocity: give the relay a hysteresis > 0, or the "
                                           "controller no period");
}

// Without hysteresis a form s of relative degree one is a velocity, and one of relative degree two, of positions alone, a
// distance from a seat, if the output drives them back. Every other relay switches where s passes.
void find_form(const System& sys, Friction& p, double hysteresis) {
  if (hysteresis == 0.0 && acts_on(p.way.x, p.effect) < 0.0) {
    p.velocity = std::exchange(p.way, {});
    p.acceleration_s = factors_of_rates(sys, p.velocity.s);
    return check_sampled(sys, p);
  }
  const Vector way_rate = sys.A.transpose() * p.way.x;
  const bool free = !jumps_with_forces(sys, p.way) && (sys.S.transpose() * p.way.x).isZero(0.0) &&
                    p.way.x.tail(sys.nx - sys.plant_states).isZero(0.0);
  if (hysteresis == 0.0 && free && acts_on(way_rate, p.effect) < 0.0) {
    p.velocity = {way_rate, factors_of_rates(sys, p.way.s)};
    p.acceleration_s = factors_of_rates(sys, p.velocity.s);
    return;
  }
  for (const double side : {-1.0, 1.0}) p.crests.emplace_back(p.way).s(sys.one) -= side * 0.5 * hysteresis;
}

} // namespace

void RelayElement::check(const NameCheck& names) const {
  const std::string suffix = of(name);
  check_values(*this, suffix);
  check_places(names, suffix, on, to);
  if (low == high) reject("high" + suffix, high, "different from low");
}

void QuantiserElement::check(const NameCheck& names) const {
  const std::string suffix = of(name);
  check_values(*this, suffix);
  check_places(names, suffix, on, to);
  if (levels < 1 || levels > most_levels)
    reject("levels" + suffix, static_cast<double>(levels), "an integer from 1 to 64");
}

void RelayElement::declare(Draft& d) const {
  for (const Switch& s : switches_of(*this)) declare_switch(d, s);
  d.sys.drives.push_back(
      {name, d.direction(to), Vector(), d.add_own_signal(constant_signal(0.5 * (low + high)))});
}

void QuantiserElement::declare(Draft& d) const {
  for (const Switch& s : switches_of(*this)) declare_switch(d, s);
}

void RelayElement::wire(Draft& d, Index number) const {
  wire_each(d, *this, number);
}

void QuantiserElement::wire(Draft& d, Index number) const {
  wire_each(d, *this, number);
}

void wire_relay_forms(Draft& d) {
  OutputForms outputs(d.sys);
  const auto each = [&](const auto& elements) {
    for (Index k = 0; k < elements.size(); ++k) {
      Index at = first_of(d, *elements[k], k);
      for (const Switch& s : switches_of(*elements[k])) {
        Friction& p = d.sys.friction[at++];
        p.way = distance_from_threshold(d, outputs, s, p.surface);
        find_form(d.sys, p, s.hysteresis);
      }
    }
  };
  each(d.all<RelayElement>());
  each(d.all<QuantiserElement>());
}

} // namespace stickslip
