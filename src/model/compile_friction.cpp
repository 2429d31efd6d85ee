// Friction elements of machines, of contacts, and of plants in matrix notation.
#include "model/compile_friction.hpp"

#include "core/digits.hpp"
#include "core/error.hpp"
#include "core/list.hpp"
#include "core/number_text.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stickslip {

namespace {

List<double> state_buffer(const LawTraits& t) {
  return List<double>(std::max<Index>(t.states, 1));
}

// States that the options of the automaton need.
void declare_automaton(Draft& d, Friction& p) {
  const Automaton& a = p.automaton;
  if (a == Automaton{}) return;
  constexpr double fast = 1e100; // formulas are known at lower velocities alone
  p.kinetic =
      p.traits.searches ? kinetic_level(p.law, 1) : evaluate(p.law, fast, 1, 0, nullptr, nullptr, 1.0).dry;
  if (a.lag > 0.0) p.lagged = d.add_state(p.name + ".lagged_force");
  if (a.dead_time > 0.0) p.delayed = d.add_state(p.name + ".delayed_velocity");
  if (a.travel > 0.0) p.surface_travel = d.add_state(p.name + ".presliding");
  if (a.dwell > 0.0) {
    p.aged = d.add_state(p.name + ".aged");
    p.peak = d.add_state(p.name + ".peak");
    p.entered = d.add_state(p.name + ".stuck_since");
  }
  if (a.load_factor > 0.0) p.load_per_force = a.load_factor / p.kinetic;
}

// The contact force is the only load: friction of the contact itself, along a further direction.
bool nothing_else_presses(const FrictionElement& f) {
  return is_constant(f.normal_load) && f.normal_load.input.empty() && value(f.normal_load, 0.0) == 0.0 &&
         f.load_expression.outputs.empty() && f.automaton == Automaton{} && f.load_at.empty();
}

void belongs(const Draft& d, const FrictionElement& f, Friction& p) {
  const std::string what = "normal_load of '" + f.name + "'";
  if (yields(d.all<ContactElement>()[p.load_contact]->compliance))
    reject(what, "is the force of a compliant contact: use tangent and friction of that contact instead");
  p.contact = std::exchange(p.load_contact, -1);
}

// The load force: a contact's normal force alone, or a linear form.
void find_load_contact(const Draft& d, const FrictionElement& f, Friction& p) {
  for (const Part& part : f.load.parts) {
    if (!part.name.ends_with(".normal_force")) continue;
    const std::string what = "load of '" + f.name + "'", contact = part.name.substr(0, part.name.size() - 13);
    List<std::string> known;
    for (const ContactElement* c : d.all<ContactElement>()) known.push_back(c->name);
    const auto at = std::find(known.begin(), known.end(), contact);
    if (at == known.end())
      throw UnknownName(what + ": unknown contact '" + contact + "'; known are: " + quoted(known));
    if (f.load.parts.size() > 1 || part.factor != 1.0)
      reject(what, "combines '" + part.name +
                       "' with other terms: a contact's normal force must be the only term, with factor 1");
    p.load_contact = at - known.begin();
    if (nothing_else_presses(f)) belongs(d, f, p);
  }
}

// Matrix notation: a direct feed-through of inputs to the velocity is a surface that moves.
Signal surface_of(const Draft& d, const FrictionElement& f, const Reading& velocity) {
  Signal surface = f.surface_velocity;
  for (const auto& [signal, factor] : velocity.signals) surface = surface + (-factor) * d.sys.signals[signal];
  if (!velocity.outputs.empty())
    reject(velocity.text,
           "is not allowed: it must be an output that no controller acts on directly (its row of "
           "D), but '" +
               velocity.outputs.front().controller + "' does");
  return surface;
}

// Rejects friction whose column accelerates its own velocity in the direction of the force (C A_NL >= 0).
void check_column(const FrictionElement& f, const Vector& row, const Vector& column) {
  const double reaction = row.dot(column);
  if (!(reaction < -tolerance::product * row.cwiseAbs().dot(column.cwiseAbs())))
    reject("column", "of '" + f.name + "' acts on its own velocity by C A_NL = " + number_text(reaction) +
                         ", which must be < 0, so that friction decelerates the velocity that it opposes");
}

// The column of A_NL over the plant's states.
Vector matrix_column(const Draft& d, const FrictionElement& f) {
  if (f.column.empty()) return -d.direction(f.on);
  Vector column = Vector::Zero(d.width());
  for (const Part& p : f.column.parts)
    column(find_name(d.machine.matrices()->states, p.name, "state")) += p.factor;
  return column;
}

void set_velocity(Draft& d, Friction& p, const Vector& w, Index first) {
  p.velocity.x = Vector::Zero(d.sys.nx);
  p.velocity.x.segment(first, w.size()) = w;
  p.velocity.s = p.acceleration_s = Vector::Zero(d.sys.ns());
  p.velocity.s(p.surface) = -1.0;
  p.acceleration_s(p.surface_rate) = -1.0;
}

// Where constraints prescribe the velocity along w, it is a form of their rates.
void prescribe(const Draft& d, Friction& p, const Vector& w) {
  const Vector factors = d.prescribed_along(w);
  if (factors.size() == 0 || w.isZero(0.0)) return;
  p.prescribed = true;
  p.drives = -w;
  p.effect.setZero();
  p.velocity.x.setZero();
  for (Index k = 0; k < factors.size(); ++k) {
    const Constraint& c = d.sys.constraints.all[k];
    p.velocity.s(c.rate) += factors(k);
    p.acceleration_s(c.acceleration) += factors(k);
  }
}

} // namespace

// A formula whose steady state still changes by this share between its slowest speed and this one has no limit for
// v -> 0: a logarithm.
constexpr double no_longer_creeping = 1e-10, has_limit = 1e-3;

double fine_structure(const Law& law, const LawTraits& traits) {
  if (traits.affine) return 0.0;
  const auto steady_at = [&](double v) { // internal states and force
    List<double> z = state_buffer(traits);
    z.push_back(steady(law, v, z.data(), 1.0).dry);
    return z;
  };
  const List<double> near = steady_at(tolerance::creep_velocity), far = steady_at(tolerance::fast_velocity);
  const int halvings = traits.searches ? 15 : 60;
  const List<double> less_near = traits.searches ? steady_at(no_longer_creeping) : near;
  double finest = 0.0;
  for (Index k = 0; k < near.size(); ++k) {
    const double all = std::abs(near[k] - far[k]);
    if (!(all > 0.0) || std::abs(less_near[k] - near[k]) > has_limit * all) continue; // or it has no limit
    double lo = tolerance::creep_velocity, hi = tolerance::fast_velocity;             // in the logarithm
    for (int i = 0; i < halvings; ++i) {
      const double v = std::sqrt(lo) * std::sqrt(hi);
      (std::abs(steady_at(v)[k] - near[k]) < 0.05 * all ? lo : hi) = v;
    }
    finest = finest > 0.0 ? std::min(finest, lo) : lo;
  }
  return few_digits(finest);
}

Friction declare_element(Draft& d, const std::string& name, const Law& law, const Automaton& automaton,
                         const Signal& load, const Signal& surface) {
  Friction p;
  p.name = name;
  p.law = law;
  p.traits = traits(law);
  p.automaton = automaton;
  p.break_away = std::max(std::abs(p.traits.break_away.lo), std::abs(p.traits.break_away.hi));
  p.fine = fine_structure(law, p.traits);
  p.corners = velocity_breakpoints(law);
  p.load =
      is_constant(load) ? d.add_signal(load) : d.add_own_signal(load); // the real-time form clips it at zero
  p.surface = d.add_signal(surface);
  declare_automaton(d, p);
  declare_bristles(d, p);
  return p;
}

void declare_bristles(Draft& d, Friction& p) {
  const Index n = p.traits.states;
  if (n > 0) p.states = d.sys.states.size();
  for (Index i = 0; i < n; ++i) d.add_state(p.name + ".z" + (n > 1 ? std::to_string(i) : ""));
  d.sys.needs_interpreter = d.sys.needs_interpreter || p.traits.needs_interpreter;
}

void declare(Draft& d, const FrictionElement& f) {
  Signal surface = f.surface_velocity;
  if (d.machine.matrices()) surface = surface_of(d, f, d.read("velocity of '" + f.name + "'", f.velocity));
  Friction p = declare_element(d, f.name, f.law, f.automaton, f.normal_load, surface);
  if (!f.load_expression.outputs.empty() || !f.load_across.empty()) p.load = d.add_own_signal();
  find_load_contact(d, f, p);
  if (!f.load_at.empty()) {
    if (d.sys.one < 0) d.sys.one = d.add_signal(constant_signal(1.0));
    p.table_load = *std::max_element(f.load_there.begin(), f.load_there.end());
    if (f.load_periodic) {
      p.load_shift = d.add_state(p.name + ".load_shift");
      p.load_period = f.load_at.back() - f.load_at.front();
    }
  }
  d.sys.friction.push_back(std::move(p));
}

void wire(Draft& d, const FrictionElement& f, Index number) {
  Friction& p = d.sys.friction[number];
  if (d.machine.matrices()) {
    const Vector row = d.read("velocity of '" + f.name + "'", f.velocity).state, column = matrix_column(d, f);
    check_column(f, row, column);
    p.effect = d.column(column);
    set_velocity(d, p, row, 0);
    return;
  }
  const Vector w = d.direction(f.on);
  if (w.isZero(0.0) && f.on_expression.outputs.empty())
    reject("on of '" + f.name + "'", "is zero: its factors cancel");
  wire_tangent(d, p, w);
}

void wire_tangent(Draft& d, Friction& p, const Vector& w) {
  p.effect = -d.column(w);
  set_velocity(d, p, w, d.sys.n_coordinates);
  prescribe(d, p, w);
}

} // namespace stickslip
