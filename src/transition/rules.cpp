#include "transition/rules.hpp"

#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/switches.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::contact {

namespace {

struct StaticToKinetic {
  const Problem& p;
  TransitionWorkspace& ws;
  const Admissible& admissible;
  bool complete = true;

  Index round_limit() const { return p.elements.size() + 1; }

  // Acceleration of an element that left rest in this event, positive in its direction of motion; zero if it is zero
  // within rounding or, if its guard has fired, within the error of event location.
  double along(const Candidate& c, Index s) const {
    const Index k = p.contacts + s;
    const double known = at_guard(p, ws.allowed[k]) ? tolerance::event_zero : solution_rounding(p.size());
    const double a = c.modes[k] == Mode::slip_forward ? c.acceleration[k] : -c.acceleration[k];
    return std::abs(a) <= known * c.size[k] ? 0.0 : a;
  }

  bool left_rest(const Candidate& c, Index s) const {
    const Mode m = c.modes[p.contacts + s];
    return p.elements[s].state == Mode::stick && (m == Mode::slip_forward || m == Mode::slip_backward);
  }

  void keep(const Candidate& c) {
    for (Index s = 0; s < p.elements.size(); ++s)
      if (left_rest(c, s) && along(c, s) < 0.0) return; // it accelerates against its direction
    for (Index k = 0; k < ws.answers.size(); ++k)
      if (ws.answers[k].modes == c.modes) return;
    const Index at = ws.answers.size();
    Candidate& copy = ws.answers.next();
    copy = c;
    if (ws.left.size() <= at) ws.left.emplace_back();
    ws.left[at].assign(p.elements.size(), 0);
    for (Index s = 0; s < p.elements.size(); ++s) {
      if (!left_rest(c, s)) continue;
      const Index k = p.contacts + s;
      ws.left[at][s] = 1;
      // Zero acceleration at the start: a higher derivative decides.
      if (along(c, s) == 0.0) copy.touching[k] = 1, copy.acceleration[k] = 0.0;
    }
    ws.answers.keep();
  }

  bool seen(const List<Slip>& slip, const List<Mode>& direction) {
    auto& v = ws.visited;
    if (v.size() <= ws.visited_count) v.emplace_back();
    auto& key = v[ws.visited_count];
    key = direction;
    for (Index s = 0; s < slip.size(); ++s)
      if (slip[s] == Slip::impending) key[s] = Mode::stick;
    for (Index k = 0; k < ws.visited_count; ++k)
      if (v[k] == key) return true;
    ++ws.visited_count;
    return false;
  }

  // If static levels lead to no answer: every set with elements that rest within static levels or leave at kinetic
  // ones.
  void depart() {
    for (Slip& s : ws.slip[0])
      if (s == Slip::impending) s = Slip::departing;
    if (count_modes(p, ws.allowed, ws.slip[0]) > ws.stage.most_modes) return;
    Pool& pool = ws.pool[0];
    pool.clear();
    complete = solve_stage(p, ws.allowed, ws.slip[0], ws.direction[0], ws.stage, pool) && complete;
    for (Index k = 0; k < pool.size(); ++k) keep(pool[k]);
  }

  // In ws.leaving: 1 for each element whose force falls from its static to its kinetic level if it moves as in `c`.
  bool find_leaving(const Candidate& c, const List<Slip>& slip) {
    ws.leaving.assign(p.elements.size(), 0);
    for (Index s = 0; s < p.elements.size(); ++s) {
      if (slip[s] == Slip::sliding || !left_rest(c, s)) continue;
      const Element& e = p.elements[s];
      const bool forward = c.modes[p.contacts + s] == Mode::slip_forward;
      ws.leaving[s] = (forward ? e.high : e.low) != (forward ? e.plus : e.minus);
    }
    return std::find(ws.leaving.begin(), ws.leaving.end(), 1) != ws.leaving.end();
  }

  // True if a candidate holds while the elements that leave are at their static levels; ws.leaving then has the orders in
  // which they leave.
  bool holds_at_static_levels(const Candidate& c) {
    const bool decided = c.unique && std::find(c.touching.begin(), c.touching.end(), 1) == c.touching.end();
    return decided || admissible(c, ws.leaving);
  }

  // Static levels of the elements that have not left; those that leave first take their kinetic levels.
  void round(Index depth) {
    if (depth >= round_limit() || seen(ws.slip[depth], ws.direction[depth])) return;
    Pool& pool = ws.pool[depth];
    pool.clear();
    complete = solve_stage(p, ws.allowed, ws.slip[depth], ws.direction[depth], ws.stage, pool) && complete;
    for (Index k = 0; k < pool.size(); ++k) {
      const Candidate& c = pool[k];
      if (!find_leaving(c, ws.slip[depth])) {
        keep(c);
        continue;
      }
      if (!holds_at_static_levels(c)) continue;
      std::uint8_t first = UINT8_MAX;
      for (const std::uint8_t order : ws.leaving)
        if (order > 0) first = std::min(first, order);
      ws.slip[depth + 1] = ws.slip[depth];
      ws.direction[depth + 1] = ws.direction[depth];
      for (Index s = 0; s < p.elements.size(); ++s) {
        if (ws.leaving[s] != first) continue;
        ws.slip[depth + 1][s] = Slip::sliding;
        ws.direction[depth + 1][s] = c.modes[p.contacts + s];
      }
      round(depth + 1);
    }
  }
};

// For too many mode sets: the present one goes on, apart from elements that have come to rest, elements that their
// guards take out of rest, and contacts that have lost their force.
bool present_goes_on(const Problem& p, const List<Mode>& present, const Admissible& admissible,
                     TransitionWorkspace& ws, Choice& out) {
  List<Mode>& modes = ws.stage.modes;
  List<std::uint8_t>& left = out.left_rest;
  modes = present;
  left.assign(p.elements.size(), 0);
  for (Index k = 0; k < present.size(); ++k) {
    if (k < p.contacts) {
      if (ws.allowed[k] == bit(Mode::open)) modes[k] = Mode::open;
    } else {
      const Index s = k - p.contacts, c = p.elements[s].contact;
      const bool rests = p.elements[s].state == Mode::stick;
      modes[k] = rests && ws.slip[0][s] == Slip::impending ? Mode::stick : ws.direction[0][s];
      if (c >= 0 && p.elements[s].needs_contact && modes[c] == Mode::open) modes[k] = Mode::open;
      left[s] = rests && modes[k] != Mode::stick && modes[k] != Mode::open;
    }
    if ((k < p.contacts || modes[k] == Mode::stick) && (ws.allowed[k] & bit(modes[k])) == 0) return false;
  }
  ws.answers.clear();
  Candidate& c = ws.answers.next();
  if (!solve_modes(p, modes, ws.slip[0], ws.allowed, ws.stage.solve, c)) return false;
  const StaticToKinetic cascade{p, ws, admissible};
  for (Index s = 0; s < left.size(); ++s)
    if (left[s] != 0 && cascade.along(c, s) < 0.0) return false;
  if (!admissible(c)) return false;
  out.answer = c;
  out.rounds = 1;
  out.certified_unique = certified_unique(p);
  const bool leaves = std::find(left.begin(), left.end(), 1) != left.end();
  out.rule = leaves                                     ? Rule::static_to_kinetic
             : out.certified_unique || modes != present ? Rule::unique
                                                        : Rule::present_mode;
  out.solutions = out.certified_unique ? 1 : -1;
  return true;
}

Index changes(const Candidate& c, const List<Mode>& present) {
  Index n = 0;
  for (Index k = 0; k < present.size(); ++k) n += c.modes[k] != present[k];
  return n;
}

} // namespace

std::optional<Mode> impending_motion(double low, double high, double g, double free, double size) {
  const double slack = tolerance::few_terms * (size + g * std::max(std::abs(high), std::abs(low)));
  const double up = free - g * high, down = g * low - free;
  if (up > slack) return Mode::slip_forward;
  if (down > slack) return Mode::slip_backward;
  if (up < -slack && down < -slack) return Mode::stick;
  return std::nullopt;
}

bool certified_unique(const Problem& p) {
  for (const Element& s : p.elements)
    if (s.contact >= 0 && (s.low.b != 0.0 || s.high.b != 0.0 || s.plus.b != 0.0 || s.minus.b != 0.0))
      return false;
  const double top = p.G.cwiseAbs().maxCoeff();
  if (!((p.G - p.G.transpose()).cwiseAbs().maxCoeff() <= tolerance::product * top)) return false;
  const Vector root = p.G.diagonal().cwiseSqrt();
  if (!(root.minCoeff() > 0.0)) return false;
  const Matrix scaled = root.cwiseInverse().asDiagonal() * p.G * root.cwiseInverse().asDiagonal();
  const linalg::Cholesky factor(scaled);
  return factor.definite && factor.L.diagonal().minCoeff() > tolerance::negligible;
}

namespace {

// Shortcut for one element under prescribed load. Strictly inside or outside its static limits the answer is unique;
// true if it was found.
bool choose_single(const Problem& p, const List<Allowed>& allowed, const Admissible& admissible,
                   Choice& out) {
  const Element& element = p.elements[0];
  const double g = p.G(0, 0), free = p.free(0), size = p.free_scale(0);
  const Allowed may = allowed.empty() ? anything : allowed[0];
  Candidate& c = out.answer;
  if (!(g > 0.0)) return false;
  Mode mode = element.state;
  bool left = false;
  if (mode == Mode::stick && (may == bit(Mode::slip_forward) || may == bit(Mode::slip_backward))) {
    mode = may == bit(Mode::slip_forward) ? Mode::slip_forward : Mode::slip_backward;
    left = true;
  } else if (mode == Mode::stick) {
    const std::optional<Mode> goes = impending_motion(element.low.a, element.high.a, g, free, size);
    if (!goes || (may & bit(*goes)) == 0) return false; // degenerate: fall back to the general solver
    mode = *goes;
    left = mode != Mode::stick;
  }
  const double force =
      mode == Mode::stick ? free / g : (mode == Mode::slip_forward ? element.plus.a : element.minus.a);
  const double acceleration = mode == Mode::stick ? 0.0 : free - g * force;
  if (left) {
    const double a = mode == Mode::slip_forward ? acceleration : -acceleration;
    if (!(a > tolerance::event_zero * (size + std::abs(g * force)))) return false;
  }
  c.modes.assign(1, mode);
  c.force.assign(1, force);
  c.acceleration.assign(1, acceleration);
  c.touching.assign(1, 0);
  c.constraint = 0.5 * g * force * force;
  const double limit = force >= 0.0 ? element.high.a : -element.low.a;
  c.utilisation = mode == Mode::stick && force != 0.0 ? std::abs(force) / limit : 0.0;
  c.unique = true;
  out.left_rest.assign(1, left ? 1 : 0);
  out.rounds = left ? 2 : 1;
  out.certified_unique = false;
  const bool good = admissible(c);
  out.rule = !good ? Rule::none : left ? Rule::static_to_kinetic : Rule::unique;
  out.solutions = good ? 1 : 0;
  return true;
}

} // namespace

namespace {

void prepare(const Problem& p, const List<Allowed>& allowed, TransitionWorkspace& ws) {
  const Index n = p.size(), m = p.elements.size();
  ws.allowed = allowed;
  ws.allowed.resize(n, anything);
  ws.answers.clear();
  ws.visited_count = 0;
  if (ws.pool.size() < m + 2) ws.pool.resize(m + 2), ws.slip.resize(m + 2), ws.direction.resize(m + 2);
  ws.slip[0].assign(m, Slip::impending);
  ws.direction[0].assign(m, Mode::stick);
  for (Index s = 0; s < m; ++s) {
    const Allowed a = ws.allowed[p.contacts + s];
    const bool up = a == bit(Mode::slip_forward), down = a == bit(Mode::slip_backward);
    Mode way = p.elements[s].state;
    if (way == Mode::stick && (up || down))
      way = up ? Mode::slip_forward : Mode::slip_backward; // its guard fired: kinetic from the start
    if (way == Mode::stick) continue;
    ws.slip[0][s] = Slip::sliding;
    ws.direction[0][s] = way;
  }
}

} // namespace

void reserve(Index contacts, Index elements, Index sets, TransitionWorkspace& ws, Choice& out) {
  const Index n = contacts + elements, most = sets + 1; // one more is tried than kept
  ws.stage.reserve(n);
  ws.pool.resize(elements + 2), ws.slip.resize(elements + 2), ws.direction.resize(elements + 2);
  for (Pool& one : ws.pool) one.reserve(most, n);
  for (List<Slip>& one : ws.slip) one.reserve(elements);
  for (List<Mode>& one : ws.direction) one.reserve(elements);
  ws.answers.reserve(most, n);
  ws.left.resize(most), ws.visited.resize(most);
  for (List<std::uint8_t>& one : ws.left) one.reserve(elements);
  for (List<Mode>& one : ws.visited) one.reserve(elements);
  ws.order.reserve(most), ws.allowed.reserve(n);
  ws.leaving.reserve(elements);
  out.answer.reserve(n), out.left_rest.reserve(elements);
}

bool transitions(const Problem& p, const List<Allowed>& allowed, TransitionWorkspace& ws,
                 const Admissible& admissible) {
  prepare(p, allowed, ws);
  StaticToKinetic cascade{p, ws, admissible};
  cascade.round(0);
  return cascade.complete;
}

namespace {

// Number of distinct answers in ws.order.
Index distinct(const Problem& p, const TransitionWorkspace& ws) {
  Index n = 0;
  for (Index a = 0; a < ws.order.size(); ++a) {
    bool fresh = true;
    for (Index b = 0; b < a && fresh; ++b)
      fresh = !same_solution(p, ws.answers[ws.order[a]], ws.answers[ws.order[b]]);
    n += fresh;
  }
  return n;
}

// In ws.order.
void find_admissible(const Admissible& admissible, TransitionWorkspace& ws) {
  ws.order.clear();
  for (Index k = 0; k < ws.answers.size(); ++k)
    if (admissible(ws.answers[k])) ws.order.push_back(k);
}

// Rule 3: puts the answer that is taken first in ws.order, which holds one at least.
Rule prefer(const Problem& p, const List<Mode>& present, TransitionWorkspace& ws) {
  auto& order = ws.order;
  if (order.size() == 1) return Rule::unique;
  for (Index& k : order)
    if (changes(ws.answers[k], present) == 0) {
      std::swap(k, order[0]);
      return Rule::present_mode;
    }
  Index fewest = p.size() + 1;
  for (const Index k : order) fewest = std::min(fewest, changes(ws.answers[k], present));
  std::erase_if(order, [&](Index k) { return changes(ws.answers[k], present) > fewest; });
  if (order.size() == 1) return Rule::fewest_changes;
  double least = ws.answers[order[0]].constraint;
  for (const Index k : order) least = std::min(least, ws.answers[k].constraint);
  std::erase_if(
      order, [&](Index k) { return ws.answers[k].constraint > least + tolerance::same * std::abs(least); });
  bool alike = true; // equal forces and motion: labels of one solution
  for (const Index k : order)
    alike = alike && (k == order[0] || same_solution(p, ws.answers[k], ws.answers[order[0]]));
  return order.size() == 1 || alike ? Rule::least_constraint : Rule::ambiguous;
}

} // namespace

void choose(const Problem& p, const List<Mode>& present, const List<Allowed>& allowed,
            const Admissible& admissible, TransitionWorkspace& ws, Choice& out) {
  if (STICKSLIP_RULE("choose_single") && p.contacts == 0 && p.elements.size() == 1 &&
      choose_single(p, allowed, admissible, out))
    return;
  prepare(p, allowed, ws);
  if (count_modes(p, ws.allowed, ws.slip[0]) > largest_mode_count &&
      present_goes_on(p, present, admissible, ws, out))
    return;
  ws.stage.keep_parts = ws.stage.has_dropped = false;
  bool complete = transitions(p, allowed, ws, admissible);
  find_admissible(admissible, ws);
  if (ws.order.empty() &&
      ws.stage.has_dropped) { // a shared answer represents its parts unless it is not admissible
    ws.stage.keep_parts = true;
    complete = transitions(p, allowed, ws, admissible);
    find_admissible(admissible, ws);
  }
  if (ws.order.empty() && ws.departures) {
    prepare(p, allowed, ws);
    ws.stage.keep_parts = true;
    StaticToKinetic cascade{p, ws, admissible, complete};
    cascade.depart();
    complete = cascade.complete;
    find_admissible(admissible, ws);
  }
  auto& order = ws.order;
  out.rounds = ws.visited_count;
  out.certified_unique = !complete && certified_unique(p);
  out.solutions = complete ? distinct(p, ws) : out.certified_unique && !order.empty() ? 1 : -1;
  if (order.empty()) {
    out.rule = Rule::none;
    out.answer.clear();
    out.left_rest.assign(p.elements.size(), 0);
    return;
  }
  out.rule = prefer(p, present, ws);
  out.answer = ws.answers[order[0]];
  out.left_rest = ws.left[order[0]];
  const bool left = std::find(out.left_rest.begin(), out.left_rest.end(), 1) != out.left_rest.end();
  if (out.rule == Rule::unique && left) out.rule = Rule::static_to_kinetic;
}

} // namespace stickslip::contact
