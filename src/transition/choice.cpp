// The choice of modes: the complementarity problem over everything that rests or touches, and its answer.
#include "core/list.hpp"
#include "core/switches.hpp"
#include "dynamics/friction_force.hpp"
#include "dynamics/tangent.hpp"
#include "transition/decision.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double small_share = 1e-5; // of what friction can give: changes no other choice

} // namespace

namespace ct = contact;

// Force over the load of a contact with which a resting element starts to slide: its kinetic side, at v = 0. A
// lagged force starts at the level that was reached.
ct::Line Decision::kinetic_line(Index i, int d) {
  const Friction& p = sys.friction[i];
  const double* x = state->base_x.data();
  const double N = normal_load(p, state->modes.friction[i].load_stretch, x, sig.data()),
               per = load_per_normal(p);
  const auto line = [&](double dry, double other) {
    return contact_friction(i) ? ct::Line{other, dry} : ct::Line{dry * N + other, dry * per};
  };
  if (p.lagged >= 0) {
    if (held_by_lag(p, before, i) == d) // it goes on from the lagged force
      return contact_friction(i) ? ct::Line{0.0, d * x[p.lagged]} : ct::Line{d * x[p.lagged], 0.0};
    const Interval unit = unit_limits(p, t, x);
    if (!before.friction[i]
             .sticks()) { // a direct reversal keeps the lagged force, or what rest could hold if that is less
      const double most = (d > 0 ? unit.hi : -unit.lo) * (contact_friction(i) ? 1.0 : load(i));
      const double f = d * std::min(x[p.lagged], most);
      return contact_friction(i) ? ct::Line{0.0, f} : ct::Line{f, 0.0};
    }
    return line(d > 0 ? unit.hi : unit.lo, 0.0);
  }
  const double peak = before.friction[i].sticks() ? aged_share(p, t, x) : peak_of(p, x);
  if (p.delayed >= 0) return line(delayed_dry(p.law, p, d, x[p.delayed], peak), 0.0);
  const Force f = sliding_force(p.law, p, d, state->modes.friction[i].branch, 0.0, peak,
                                p.states >= 0 ? x + p.states : nullptr, w.xdot.data());
  return line(f.dry, f.viscous);
}

ct::Element Decision::element_at_rest(Index i) {
  const Friction& p = sys.friction[i];
  const double* x = state->base_x.data();
  const double N =
      contact_friction(i) ? 0.0 : normal_load(p, state->modes.friction[i].load_stretch, x, sig.data());
  const Interval unit = held(unit_limits(p, t, x), state->modes.friction[i]);
  ct::Element q;
  q.low = {unit.lo * N, unit.lo * load_per_normal(p)};
  q.high = {unit.hi * N, unit.hi * load_per_normal(p)};
  if (const int side = held_by_lag(p, state->modes, i); side > 0)
    q.high = {x[p.lagged], 0.0};
  else if (side < 0)
    q.low = {-x[p.lagged], 0.0};
  q.minus = kinetic_line(i, -1);
  q.plus = kinetic_line(i, 1);
  return q;
}

ct::Element Decision::element_that_slides(Index i) {
  const Friction& p = sys.friction[i];
  const double* x = state->base_x.data();
  const double N = normal_load(p, state->modes.friction[i].load_stretch, x, sig.data());
  ct::Element q;
  // An elastic surface that sticks has a force of its own as well: nothing is to be decided about it.
  q.state = slip(state->modes.friction[i].direction() < 0 ? -1 : 1);
  ElementForce<double> f;
  if (starting && p.lagged >= 0) { // the lag starts on the curve
    const Force curve = sliding_force(p.law, p, state->modes.friction[i].direction(),
                                      state->modes.friction[i].branch, v(i), peak_of(p, x), nullptr, nullptr);
    f = {curve.dry, curve.viscous};
    if (contact_friction(i)) f = {curve.dry + curve.viscous, 0.0};
  } else {
    f = friction_force(p, state->modes.friction[i].direction(), state->modes.friction[i].branch, v(i), N, x,
                       w.xdot.data());
  }
  const double given = contact_friction(i) ? 0.0 : N;
  q.low = q.high = q.minus = q.plus = ct::Line{f.other + f.dry * given, f.dry * load_per_normal(p)};
  return q;
}

// a = free + G [lambda_N; -F] over the contacts that touch, the elements that rest, and those that slide under
// a contact's force.
void Decision::assemble() {
  woken = false;
  closed.clear();
  elements.clear();
  number.assign(sys.contacts.size(), -1);
  for (Index j = 0; j < sys.contacts.size(); ++j)
    if (candidate[j]) {
      number[j] = closed.size();
      closed.push_back(j);
    }
  for (Index i = 0; i < n; ++i)
    if (rests[i] || loaded_by_contact(i)) elements.push_back(i);
  const auto nc = closed.size(), m = nc + elements.size();
  ct::Problem& p = problem;
  p.contacts = nc;
  p.elements.clear();
  p.free.resize(m);
  p.free_size.resize(m);
  p.unnoticed.setZero(m);
  rows.resize(m, sys.nx);
  columns.resize(sys.nx, m);
  present.clear();
  if (m == 0) return;
  free_acceleration(xdot);
  for (Index k = 0; k < nc; ++k) {
    const Index j = closed[k];
    const Contact& c = sys.contacts[j];
    rows.row(k) = c.rate.x.transpose();
    columns.col(k) = c.effect;
    p.free(k) = c.rate.x.dot(xdot) + c.acceleration_s.dot(sig);
    // What touches at the start counts as having touched before.
    const bool apart = before.contact[j] == Mode::open && !struck && !starting;
    present.push_back(apart ? Mode::open : Mode::closed);
  }
  for (Index k = nc; k < m; ++k) {
    const Index i = elements[k - nc];
    const Friction& element = sys.friction[i];
    rows.row(k) = element.velocity.x.transpose();
    columns.col(k) = -element.effect;
    p.free(k) = relative_acceleration(element, xdot, sig);
    if (STICKSLIP_RULE("unnoticed"))
      p.unnoticed(k) = tolerance::rest * velocity_size(element, state->nominal) / state->time_scale;
    ct::Element q = rests[i] ? element_at_rest(i) : element_that_slides(i);
    const Index c = loading_contact(element);
    q.contact = c >= 0 ? number[c] : -1;
    q.needs_contact = contact_friction(i);
    present.push_back(!rests[i]                    ? q.state
                      : before.friction[i].slips() ? before.friction[i].mode
                                                   : Mode::stick);
    p.elements.push_back(q);
  }
  p.free_size.noalias() = rows.cwiseAbs().lazyProduct(terms);
  woken = silent();
  size_by_rates();
  p.G.noalias() = rows.lazyProduct(columns);
  if (here != nullptr) size_by_turning_rows();
  if (woken) wake();
}

// Where everything that loads a contact passes through zero at this instant, the terms tell nothing of their
// own rounding: they are known no better than the instant, whose last digits make them what they are. So it is with what
// friction then would have to hold.
void Decision::size_by_rates() {
  const auto nc = closed.size();
  if (!STICKSLIP_RULE("size_by_rates") || nc == 0) return;
  const LinearPart& linear = cache.linear(sys, state->modes);
  const double moment = std::max(std::abs(t), state->time_scale);
  signal_rates(sys, t, w.rate.data());
  w.rate = moment * w.rate.cwiseAbs();
  w.row.noalias() = moment * linear.A.cwiseAbs().lazyProduct(xdot.cwiseAbs());
  w.row.noalias() += linear.S.cwiseAbs().lazyProduct(w.rate);
  w.rate += sig.cwiseAbs();
  for (Index k = 0; k < problem.size(); ++k)
    problem.free_size(k) += rows.row(k).cwiseAbs().dot(w.row) + own_acceleration(k).cwiseAbs().dot(w.rate);
}

// Of a wall or surface, which signals make.
const Vector& Decision::own_acceleration(Index k) const {
  const Index q = k - closed.size();
  return q < 0 ? sys.contacts[closed[k]].acceleration_s : sys.friction[elements[q]].acceleration_s;
}

// What follows the state has no rate of its own: how fast free contacts would gain acceleration, and loads that formulas
// make change, by differences. That can be so fast that the last digits of the instant decide about the sign of what is
// balanced there.
void Decision::size_by_turning_rows() {
  if (!STICKSLIP_RULE("size_by_turning_rows")) return;
  const double h = short_time * state->time_scale, moment = std::max(std::abs(t), state->time_scale),
               digits = tolerance::last_digits * std::abs(t);
  const auto nc = closed.size();
  Tangent& next = w.tangent(sys);
  const Vector x = state->base_x + h * xdot;
  Vector s(sys.ns());
  signals_beside(sys, t, t + h, s.data());
  next.move_to(t + h, x.data(), state->modes.sides);
  next.write(s.data());
  const auto free = [](const System& at, Index contact, const Vector& place, const Vector& signals) {
    const Contact& c = at.contacts[contact];
    return c.rate.x.dot(at.A * place + at.S * signals) + c.acceleration_s.dot(signals);
  };
  Vector unresolved(problem.size()), load_size = Vector::Zero(problem.size()); // forces
  for (Index k = 0; k < nc; ++k) {
    const double rate =
        std::abs(free(next.system, closed[k], x, s) - free(sys, closed[k], state->base_x, sig)) / h;
    problem.free_size(k) += moment * rate;
    unresolved(k) = digits * rate / problem.G(k, k);
  }
  for (Index q = 0; q < elements.size(); ++q) {
    const Index i = elements[q], c = problem.elements[q].contact;
    const int stretch = state->modes.friction[i].load_stretch;
    const Interval unit = unit_limits(sys.friction[i], t, state->base_x.data());
    const double change = normal_load(next.system.friction[i], stretch, x.data(), s.data()) -
                          normal_load(sys.friction[i], stretch, state->base_x.data(), sig.data());
    const double by_contact = c < 0 ? 0.0 : load_per_normal(sys.friction[i]) * unresolved(c);
    const double most = std::max(-unit.lo, unit.hi);
    if (c >= 0)
      load_size(nc + q) = most * load_per_normal(sys.friction[i]) * problem.free_size(c) / problem.G(c, c);
    unresolved(nc + q) = most * (digits * std::abs(change) / h + by_contact);
  }
  problem.unresolved = problem.G.cwiseAbs() * unresolved;
  problem.load_size = problem.G.diagonal().cwiseProduct(load_size);
}

// What a guard that fired leaves open.
void Decision::narrow(const List<Guard>& fired) {
  problem.located.assign(problem.size(), 0);
  const auto leave = [&](Index k, ct::Allowed may) {
    allowed[k] = may;
    problem.located[k] = STICKSLIP_RULE("located");
  };
  for (const Guard& g : fired) {
    if (g.kind == GuardKind::lifts_off && candidate[g.contact]) leave(number[g.contact], ct::bit(Mode::open));
    for (Index q = 0; q < elements.size(); ++q) {
      if (!rests[elements[q]]) continue;
      const Index k = closed.size() + q;
      if (g.kind == GuardKind::shared_limit && dir[elements[q]] != 0) // all reach their limits together
        leave(k, ct::bit(dir[elements[q]] > 0 ? Mode::slip_forward : Mode::slip_backward));
      else if (g.kind == GuardKind::breaks_away && elements[q] == g.friction)
        leave(k, ct::bit(slip(g.direction)));
      else if (g.kind == GuardKind::slip_ends && elements[q] == g.friction)
        allowed[k] = static_cast<ct::Allowed>(allowed[k] & ~ct::bit(slip(g.direction)));
    }
  }
}

void Decision::apply(const ct::Candidate& c) {
  for (Index k = 0; k < closed.size(); ++k)
    state->modes.contact[closed[k]] = c.modes[k] == Mode::open ? Mode::open : Mode::closed;
  for (Index q = 0; q < elements.size(); ++q) {
    const Mode mode = c.modes[closed.size() + q];
    if (mode == Mode::open || rests[elements[q]]) state->modes.friction[elements[q]].mode = mode;
  }
}

bool Decision::try_choice() {
  auto holds = [this](const ct::Candidate& c) { return admissible(c); };
  entry = state->modes;
  entry_x = state->base_x;
  sharings.clear();
  ct::choose(problem, present, allowed, ct::admissible_by(holds), work, answer);
  state->modes = entry;
  state->base_x = entry_x;
  return answer.found();
}

// Surfaces that part only by a higher derivative: a short time later they do so by an acceleration, which is
// small against what friction can give. True if there are any.
bool Decision::part() {
  if (!STICKSLIP_RULE("part") || parting.size() != problem.size()) return false;
  double least = INFINITY;
  for (Index k = 0; k < parting.size(); ++k) {
    if (parting(k) == 0.0) continue;
    if (k < closed.size()) {
      if (problem.free_scale(k) > 0.0) least = std::min(least, problem.free_scale(k));
      continue;
    }
    const ct::Element& element = problem.elements[k - closed.size()];
    const Index c = element.contact; // its force: as it was, or as what presses makes it
    const double N = c < 0 ? 0.0 : std::max(normal(closed[c]), problem.free_scale(c) / problem.G(c, c));
    least = std::min(least, problem.G(k, k) * (element.high.at(N) - element.low.at(N)));
  }
  if (!(least > 0.0 && std::isfinite(least))) return false;
  problem.free += (small_share * least / parting.cwiseAbs().maxCoeff()) * parting;
  return true;
}

bool Decision::leave_at_limit() {
  if (!STICKSLIP_RULE("leave_at_limit") || overrun.size() != elements.size()) return false;
  for (Index q = 0; q < elements.size(); ++q)
    if (overrun[q] != 0 && rests[elements[q]])
      allowed[closed.size() + q] = ct::bit(overrun[q] > 0 ? Mode::slip_forward : Mode::slip_backward);
  return true;
}

// With a lag, friction at break-away goes on where it is: a limit that falls below the force, or a force that grows
// slower than the lagged friction would, moves nothing. Such an element is held by its lagged force.
bool Decision::hold_by_lag() {
  if (!STICKSLIP_RULE("hold_by_lag") || overrun.size() != elements.size()) return false;
  bool any = false;
  for (Index q = 0; q < elements.size(); ++q) {
    const Index i = elements[q];
    const Friction& p = sys.friction[i];
    if (overrun[q] == 0 || !rests[i] || p.lagged < 0 || contact_friction(i) || p.traits.switches > 0)
      continue;
    const ct::Element& at = problem.elements[q];
    const double N = at.contact < 0 ? 0.0 : normal(p.load_contact);
    state->base_x(p.lagged) = overrun[q] > 0 ? at.high.at(N) : -at.low.at(N);
    state->modes.friction[i].hold = above_limit(overrun[q]);
    any = true;
  }
  std::fill(allowed.begin(), allowed.end(), ct::anything);
  return any;
}

// The same at a stop: while the load fell, sliding friction lagged behind, above what rest could hold now. So what
// comes to rest is held by its lagged force, which goes on towards the static level.
bool Decision::stop_by_lag() {
  if (!STICKSLIP_RULE("stop_by_lag")) return false;
  bool any = false;
  for (Index q = 0; q < elements.size(); ++q) {
    const Index i = elements[q];
    const Friction& p = sys.friction[i];
    const int side = before.friction[i].direction();
    if (!rests[i] || side == 0 || p.lagged < 0 || contact_friction(i) || p.traits.switches > 0) continue;
    ct::Element& at = problem.elements[q];
    ct::Line& limit = side > 0 ? at.high : at.low;
    const double N = at.contact < 0 ? 0.0 : normal(p.load_contact);
    const double held = state->base_x(p.lagged);
    if (!(held > side * limit.at(N))) continue;
    limit = {side * held, 0.0};
    state->modes.friction[i].hold = above_limit(side);
    any = true;
  }
  return any;
}

// Where nothing else holds, neither rest nor slip, what decides between them is less than is known of it: a motion has
// crept to rest at its limit. It is held as after an accumulation of slips.
bool Decision::try_firmly() {
  if (!STICKSLIP_RULE("try_firmly") || woken) return false; // what begins has no motion yet
  List<Index> changed;
  for (Index q = 0; q < elements.size(); ++q) {
    Hold& hold = state->modes.friction[elements[q]].hold;
    if (!rests[elements[q]] || hold != Hold::by_limit) continue;
    hold = Hold::firmly;
    const ct::Element firm = element_at_rest(elements[q]);
    problem.elements[q].low = firm.low, problem.elements[q].high = firm.high;
    changed.push_back(q);
  }
  const bool found = !changed.empty() && try_choice();
  if (found) jump->none_exists = false;
  for (const Index q : changed)
    if (!found || answer.answer.modes[closed.size() + q] != Mode::stick)
      state->modes.friction[elements[q]].hold = Hold::by_limit;
  return found;
}

// Guards of one instant may have been located a few digits apart: then everything is zero as well as events are located.
bool Decision::try_as_located() {
  if (!STICKSLIP_RULE("try_as_located")) return false;
  std::fill(allowed.begin(), allowed.end(), ct::anything);
  problem.located.assign(problem.size(), 1);
  return try_choice();
}

// Every mode set one by one, as far as there are not too many: an answer that no path has led to, or the proof that
// there is none.
bool Decision::try_everything() {
  if (!STICKSLIP_RULE("try_everything")) return false;
  std::fill(allowed.begin(), allowed.end(), ct::anything);
  work.stage.most_modes = ct::largest_on_failure;
  work.departures = STICKSLIP_RULE("departures");
  const bool found = try_choice();
  work.stage.most_modes = ct::largest_mode_count;
  work.departures = false;
  if (found) return true;
  // Proven where equations and inequalities have no answer, those of the instant itself or, where surfaces only begin to
  // part, those with a little of their motion; not where all answers were refused for what follows.
  jump->none_exists = answer.solutions == 0 && work.answers.size() == 0;
  jump->touching = closed;
  return false;
}

bool Decision::choose_modes(const List<Guard>& fired) {
  rule = Rule::unique;
  assemble();
  if (problem.size() == 0) return true;
  parting.resize(0);
  overrun.clear();
  allowed.assign(problem.size(), ct::anything);
  narrow(fired);
  if (!try_choice()) {
    // Guards that fired together need not all have their way.
    std::fill(allowed.begin(), allowed.end(), ct::anything);
    if (!try_choice() && !(part() && try_choice()) && !(leave_at_limit() && try_choice()) &&
        !(hold_by_lag() && try_choice()) && !(stop_by_lag() && try_choice()) && !try_as_located() &&
        !try_everything() && !try_firmly())
      return false;
  }
  apply(answer.answer);
  for (const Shared& s : sharings)
    if (s.modes == answer.answer.modes) state->modes.at_limit = s.at_limit, state->modes.open = s.open;
  normal.setZero();
  for (Index k = 0; k < closed.size(); ++k) normal(closed[k]) = answer.answer.force[k];
  rule = answer.rule;
  ambiguous = ambiguous || answer.rule == Rule::ambiguous;
  if (!struck) solutions = answer.solutions;
  shared = !answer.answer.unique;
  return true;
}

} // namespace stickslip
