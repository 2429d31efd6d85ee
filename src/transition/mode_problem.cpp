#include "transition/mode_problem.hpp"

#include "core/linalg.hpp"
#include "core/switches.hpp"
#include "core/tolerances.hpp"
#include "dynamics/friction_force.hpp"
#include "dynamics/tangent.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace ct = contact;

Index ModeProblem::component_of(const Guard& g) const {
  if (g.contact >= 0) return number[g.contact];
  const auto at = std::find(elements.begin(), elements.end(), g.friction);
  return at == elements.end() ? -1 : closed.size() + (at - elements.begin());
}

void ModeProblem::apply(const ct::Candidate& c, const ActiveSet& active, Modes& modes) const {
  for (Index k = 0; k < closed.size(); ++k)
    modes.contact[closed[k]] = c.modes[k] == Mode::open ? Mode::open : Mode::closed;
  for (Index q = 0; q < elements.size(); ++q) {
    const Mode mode = c.modes[closed.size() + q];
    if (mode == Mode::open || active.rests[elements[q]]) modes.friction[elements[q]].mode = mode;
  }
  for (const Rider& r : riders) {
    modes.friction[r.element] = r.mode;
    if (modes.contact[r.contact] == Mode::open) modes.friction[r.element].enter(Mode::open);
  }
}

namespace {

// Force, as a function of the load, with which a resting element starts to slide: kinetic, at v = 0. A lagged force
// starts at the level reached.
ct::Line kinetic_line(const Instant& at, Index i, int d) {
  const Friction& p = at.sys.friction[i];
  const double* x = at.x();
  const double N = normal_load(p, at.mode(i).load_stretch, x, at.s()), per = load_per_normal(p);
  const auto line = [&](double dry, double other) {
    return at.contact_friction(i) ? ct::Line{other, dry} : ct::Line{dry * N + other, dry * per};
  };
  if (p.lagged >= 0) {
    if (held_by_lag(p, at.before, i) == d) // it continues from the lagged force
      return at.contact_friction(i) ? ct::Line{0.0, d * x[p.lagged]} : ct::Line{d * x[p.lagged], 0.0};
    const Interval unit = unit_limits(p, N, at.t, x);
    // A direct reversal keeps the lagged force, or the limit at rest if that is less.
    if (!at.was(i).sticks()) {
      const double most = (d > 0 ? unit.hi : -unit.lo) * (at.contact_friction(i) ? 1.0 : at.load(i));
      const double f = d * std::min(x[p.lagged], most);
      return at.contact_friction(i) ? ct::Line{0.0, f} : ct::Line{f, 0.0};
    }
    return line(d > 0 ? unit.hi : unit.lo, 0.0);
  }
  const double peak = at.was(i).sticks() ? aged_share(p, at.t, x) : peak_of(p, x);
  if (p.delayed >= 0) return line(delayed_dry(p.law, p, d, x[p.delayed], peak, N), 0.0);
  const Force f = sliding_force(p.law, p, d, at.mode(i).branch, 0.0, peak,
                                p.states >= 0 ? x + p.states : nullptr, at.w.xdot.data(), N);
  return line(f.dry, f.viscous);
}

ct::Element element_that_slides(const Instant& at, Index i) {
  const Friction& p = at.sys.friction[i];
  const FrictionMode& mode = at.mode(i);
  const double* x = at.x();
  const double N = normal_load(p, mode.load_stretch, x, at.s());
  ct::Element q;
  // An elastic surface that sticks also has a force of its own, so there is no decision about it.
  q.state = slip(mode.direction() < 0 ? -1 : 1);
  ElementForce<double> f;
  if (at.starting && p.lagged >= 0) { // the lag starts on the curve
    const Force curve =
        sliding_force(p.law, p, mode.direction(), mode.branch, at.v(i), peak_of(p, x), nullptr, nullptr, N);
    f = {curve.dry, curve.viscous};
    if (at.contact_friction(i)) f = {curve.dry + curve.viscous, 0.0};
  } else {
    f = friction_force(p, mode.direction(), mode.branch, at.v(i), N, x, at.w.xdot.data());
  }
  const double given = at.contact_friction(i) ? 0.0 : N;
  q.low = q.high = q.minus = q.plus = ct::Line{f.other + f.dry * given, f.dry * load_per_normal(p)};
  return q;
}

void add_contact(const Instant& at, bool struck, Index k, ModeProblem& out) {
  const Index j = out.closed[k];
  const Contact& c = at.sys.contacts[j];
  out.rows.row(k) = c.rate.x.transpose();
  out.columns.col(k) = c.effect;
  out.problem.free(k) = c.rate.x.dot(at.xdot) + c.acceleration_s.dot(at.signals);
  // Contacts that touch at the start count as closed before.
  const bool apart = at.before.contact[j] == Mode::open && !struck && !at.starting;
  out.present.push_back(apart ? Mode::open : Mode::closed);
}

void add_element(const Instant& at, const ActiveSet& active, Index k, ModeProblem& out) {
  const Index i = out.elements[k - out.closed.size()];
  const Friction& element = at.sys.friction[i];
  ct::Problem& p = out.problem;
  out.rows.row(k) = element.velocity.x.transpose();
  out.columns.col(k) = -element.effect;
  p.free(k) = relative_acceleration(element, at.xdot, at.signals);
  ct::Element q = active.rests[i] ? element_at_rest(at, i) : element_that_slides(at, i);
  const Index c = loading_contact(element);
  q.contact = c >= 0 ? out.number[c] : -1;
  q.needs_contact = at.contact_friction(i);
  out.present.push_back(!active.rests[i] ? q.state : at.was(i).slips() ? at.was(i).mode : Mode::stick);
  p.elements.push_back(q);
}

// If all loads of a contact pass through zero at this instant, their rounding errors do not follow from the terms,
// which are as uncertain as the time of the instant. The same holds for the forces that friction would have to hold.
void size_by_rates(Instant& at, ModeProblem& posed) {
  if (!STICKSLIP_RULE("size_by_rates") || posed.closed.empty()) return;
  Scratch& w = at.w;
  const double moment = std::max(std::abs(at.t), at.state->time_scale);
  signal_rates(at.sys, at.t, w.rate.data());
  w.rate = moment * w.rate.cwiseAbs();
  w.row.noalias() = moment * at.linear().A.cwiseAbs().lazyProduct(at.xdot.cwiseAbs());
  w.row.noalias() += at.linear().S.cwiseAbs().lazyProduct(w.rate);
  w.rate += at.signals.cwiseAbs();
  for (Index k = 0; k < posed.size(); ++k)
    posed.problem.free_size(k) +=
        posed.rows.row(k).cwiseAbs().dot(w.row) + posed.own_acceleration(at.sys, k).cwiseAbs().dot(w.rate);
}

} // namespace

ct::Element element_at_rest(const Instant& at, Index i) {
  const Friction& p = at.sys.friction[i];
  const double* x = at.x();
  const double N = at.contact_friction(i) ? 0.0 : normal_load(p, at.mode(i).load_stretch, x, at.s());
  const Interval unit = held(unit_limits(p, N, at.t, x), at.mode(i));
  ct::Element q;
  q.low = {unit.lo * N, unit.lo * load_per_normal(p)};
  q.high = {unit.hi * N, unit.hi * load_per_normal(p)};
  if (const int side = held_by_lag(p, at.state->modes, i); side > 0)
    q.high = {x[p.lagged], 0.0};
  else if (side < 0)
    q.low = {-x[p.lagged], 0.0};
  q.minus = kinetic_line(at, i, -1);
  q.plus = kinetic_line(at, i, 1);
  return q;
}

void ModeProblem::allow_all(const System& sys) {
  allowed.assign(closed.size() + elements.size(), ct::anything);
  for (Index k = 0; k < closed.size(); ++k)
    if (holds_constraint(sys, closed[k])) allowed[k] = ct::bit(Mode::closed);
}

void pose_forces(Instant& at, const ActiveSet& active, ModeProblem& out) {
  out.order = 0;
  out.pace = at.state->time_scale;
  out.closed.clear();
  out.elements.clear();
  out.present.clear();
  out.number.assign(at.sys.contacts.size(), -1);
  for (Index j = 0; j < at.sys.contacts.size(); ++j)
    if (active.touching[j]) {
      out.number[j] = out.closed.size();
      out.closed.push_back(j);
    }
  out.riders.clear();
  for (Index i = 0; i < at.sys.friction.size(); ++i) {
    if (!active.rests[i] && !active.loaded_by_contact(at.sys, i)) continue;
    if (!at.sys.friction[i].prescribed)
      out.elements.push_back(i);
    else if (at.contact_friction(i))
      out.riders.push_back({i, at.sys.friction[i].contact, at.mode(i)});
  }
  const Index nc = out.closed.size(), m = nc + out.elements.size();
  ct::Problem& p = out.problem;
  p.contacts = nc;
  p.elements.clear();
  p.located = false;
  p.free.resize(m);
  p.free_size.resize(m);
  out.allow_all(at.sys);
  out.rows.resize(m, at.sys.nx);
  out.columns.resize(at.sys.nx, m);
  if (m == 0) return;
  free_acceleration(at, active);
  for (Index k = 0; k < nc; ++k) add_contact(at, active.struck, k, out);
  for (Index k = nc; k < m; ++k) add_element(at, active, k, out);
  p.free_size.noalias() = out.rows.cwiseAbs().lazyProduct(at.terms);
  linalg::drop_rounding(p.free, p.free_size, tolerance::per_term); // loads that cancel ask for no force
  p.G.noalias() = out.rows.lazyProduct(out.columns);
}

void pose(Instant& at, const ActiveSet& active, ModeProblem& out) {
  pose_forces(at, active, out);
  if (out.size() == 0) return;
  const bool silent = is_silent(at, active, out);
  size_by_rates(at, out);
  if (silent && STICKSLIP_RULE("wake")) wake(at, active, out);
}

void narrow(const ActiveSet& active, const List<Guard>& fired, ModeProblem& posed) {
  if (!STICKSLIP_RULE("narrow")) return;
  const auto leave = [&](Index k, ct::Allowed may) { posed.allowed[k] = may; };
  for (const Guard& g : fired) {
    if (g.kind == GuardKind::lifts_off && active.touching[g.contact])
      leave(posed.number[g.contact], ct::bit(Mode::open));
    for (Index q = 0; q < posed.elements.size(); ++q) {
      const Index i = posed.elements[q], k = posed.closed.size() + q;
      if (!active.rests[i]) continue;
      if (g.kind == GuardKind::shared_limit && active.leaves[i] != 0) // all reach their limits together
        leave(k, ct::bit(slip(active.leaves[i])));
      else if (g.kind == GuardKind::breaks_away && i == g.friction)
        leave(k, ct::bit(slip(g.direction)));
    }
  }
}

} // namespace stickslip
