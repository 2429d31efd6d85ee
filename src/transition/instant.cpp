#include "transition/instant.hpp"

#include "core/switches.hpp"
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/tangent.hpp"
#include "transition/corners.hpp"
#include "transition/motion_series.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

// Forces that held until now. For a coordinate with constraint forces only they determine the rounding error.
void size_constraints(Instant& at) {
  const System& sys = at.sys;
  at.contact_force.setZero();
  at.constraint_terms.setZero(sys.nx);
  if (at.starting || !STICKSLIP_RULE("size_constraints")) return;
  const Regime& r = at.regime(at.before);
  const bool several = r.sticking.size() + r.closed.size() > 1,
             any_load_contact = std::any_of(sys.friction.begin(), sys.friction.end(),
                                            [](const Friction& p) { return p.load_contact >= 0; });
  if (!several && !any_load_contact) return;
  at.evaluate(r);
  at.contact_force = at.w.force.tail(at.contact_force.size());
  for (const Index i : r.sticking)
    at.constraint_terms += std::abs(at.w.force(i)) * sys.friction[i].effect.cwiseAbs();
  for (const Index j : r.closed)
    at.constraint_terms += std::abs(at.contact_force(j)) * sys.contacts[j].effect.cwiseAbs();
}

// Sum of the terms of a velocity, impulses of this instant included; rounding errors are relative to it.
double size_along(const Instant& at, const Vector& row) {
  return row.cwiseAbs().dot(at.state->nominal.cwiseMax(at.impact_terms));
}

} // namespace

void Instant::begin(State& at, Jump& record) {
  state = &at;
  jump = &record;
  t = state->base_t;
  before = state->modes;
  starting = jump->occasion == Occasion::start;
  impact_terms.setZero(sys.nx);
  signal_values(sys, t, signals.data());
  look_again();
}

void Instant::size_terms() {
  const LinearPart& part = linear();
  terms.setZero(sys.nx); // by columns, which takes no memory
  for (Index j = 0; j < sys.nx; ++j) terms += std::abs(state->base_x(j)) * part.A.col(j).cwiseAbs();
  for (Index j = 0; j < sys.ns(); ++j) terms += std::abs(signals(j)) * part.S.col(j).cwiseAbs();
  size_constraints(*this);
}

void Instant::look_again() {
  if (tangent == nullptr) return;
  if (corners != nullptr) corners->follow(*state);
  tangent->move_to(t, x(), state->modes.sides);
  tangent->write(signals.data());
  cache.clear();
  follow_reactions(*this);
}

void Instant::expand_signals() {
  stickslip::expand_signals(sys, t, signal_series);
  if (tangent != nullptr)
    signal_series.col(0) = signals; // signals that follow the state; the flow knows their rates
}

double Instant::load(Index i) const {
  const Friction& p = sys.friction[i];
  const double N = normal_load(p, mode(i).load_stretch, x(), s());
  return p.load_contact < 0 ? N : N + p.load_per_force * contact_force(p.load_contact);
}

double Instant::v_size(Index i) const {
  return size_along(*this, sys.friction[i].velocity.x) + sys.friction[i].speed;
}

double Instant::rate_size(Index j) const {
  const Form& rate = sys.contacts[j].rate;
  return size_along(*this, rate.x) + rate.s.cwiseAbs().dot(signals.cwiseAbs());
}

bool follow_reactions(Instant& at) {
  if (at.tangent == nullptr || at.tangent->reaction_loads.size() == 0) return false;
  const Vector old = at.signals;
  follow_reactions(at.sys, at.state->modes, at.t, at.x(), at.signals.data(), at.w);
  return ((at.signals - old).array().abs() > tolerance::product * old.array().abs()).any();
}

void move_onto(Instant& at, const Form& zero, const Vector& effect) {
  const Index n = at.sys.n_coordinates;
  if (n == 0) { // of a plant in matrix notation
    const Vector moved = at.linear().A * effect;
    at.state->base_x -= moved * (value(zero, at.x(), at.s()) / zero.x.dot(moved));
    return;
  }
  const auto moved = effect.segment(n, n);
  const double per_force = zero.x.head(n).dot(moved);
  if (per_force != 0.0) at.state->base_x.head(n) -= moved * (value(zero, at.x(), at.s()) / per_force);
}

double no_gap(const Instant& at, Index j) {
  return tolerance::residual * gap_size(at.sys.contacts[j], at.state->nominal, at.s());
}

double Instant::no_rate(Index j) const {
  const double rounding = tolerance::residual * rate_size(j);
  const bool was_closed = state->modes.contact[j] == Mode::closed;
  return was_closed ? std::max(rounding, drift(*this, sys.contacts[j].rate.x)) : rounding;
}

// Constraints are solved to about a hundred units in the last place if they are badly conditioned.
double drift(const Instant& at, const Vector& row) {
  return tolerance::constrained * std::max(at.state->time_scale, std::abs(at.t)) *
         row.cwiseAbs().dot(at.terms + at.constraint_terms);
}

} // namespace stickslip
