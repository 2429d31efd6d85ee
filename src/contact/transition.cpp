#include "contact/transition.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace stickslip::contact {

const char* name(Rule r) {
  switch (r) {
  case Rule::only: return "only";
  case Rule::present: return "present";
  case Rule::fewest_changes: return "fewest_changes";
  case Rule::least_constraint: return "least_constraint";
  case Rule::ambiguous: return "ambiguous";
  case Rule::none: return "none";
  }
  return "";
}

namespace {

using U = std::size_t;

struct Cascade {
  const Problem& p;
  TransitionWorkspace& ws;
  bool complete = true;

  U round_limit() const { return p.places.size() + 1; }

  // Places that left rest in this event must go the way they left.
  bool goes_its_way(const Candidate& c, const std::vector<Slip>& slip) const {
    for (U s = 0; s < p.places.size(); ++s) {
      if (slip[s] != Slip::sliding || p.places[s].state != Mode::stick) continue;
      const U k = static_cast<U>(p.contacts) + s;
      if (c.modes[k] == Mode::open) continue;
      const double a = c.modes[k] == Mode::plus ? c.acceleration[k] : -c.acceleration[k];
      double scale = p.free_scale(static_cast<Index>(k));
      for (Index j = 0; j < p.size(); ++j) scale += std::abs(p.G(static_cast<Index>(k), j) * c.force[static_cast<U>(j)]);
      if (a < -1e-10 * scale) return false;
    }
    return true;
  }

  void keep(const Candidate& c, const std::vector<Slip>& slip) {
    if (!goes_its_way(c, slip)) return;
    for (U k = 0; k < ws.answers.size(); ++k)
      if (ws.answers[k].modes == c.modes) return;
    const U at = ws.answers.size();
    Candidate& copy = ws.answers.next();
    copy = c;
    if (ws.left.size() <= at) ws.left.emplace_back();
    ws.left[at].assign(p.places.size(), 0);
    for (U s = 0; s < p.places.size(); ++s) {
      const U k = static_cast<U>(p.contacts) + s;
      if (slip[s] != Slip::sliding || p.places[s].state != Mode::stick || c.modes[k] == Mode::open) continue;
      ws.left[at][s] = 1;
      // Zero acceleration at the start: only a higher derivative can tell whether it goes.
      const double a = c.acceleration[k];
      double scale = p.free_scale(static_cast<Index>(k));
      for (Index j = 0; j < p.size(); ++j) scale += std::abs(p.G(static_cast<Index>(k), j) * c.force[static_cast<U>(j)]);
      if (std::abs(a) <= 1e-10 * scale) copy.touching[k] = 1, copy.acceleration[k] = 0.0;
    }
    ws.answers.keep();
  }

  bool seen(const std::vector<Slip>& slip, const std::vector<Mode>& direction) {
    auto& v = ws.visited;
    if (v.size() <= ws.visited_count) v.emplace_back();
    auto& key = v[ws.visited_count];
    key = direction;
    for (U s = 0; s < slip.size(); ++s)
      if (slip[s] == Slip::impending) key[s] = Mode::stick;
    for (U k = 0; k < ws.visited_count; ++k)
      if (v[k] == key) return true;
    ++ws.visited_count;
    return false;
  }

  void round(U depth) {
    if (depth >= round_limit() || seen(ws.slip[depth], ws.direction[depth])) return;
    Pool& pool = ws.pool[depth];
    pool.clear();
    complete = solve_stage(p, ws.allowed, ws.slip[depth], ws.direction[depth], ws.stage, pool) && complete;
    for (U k = 0; k < pool.size(); ++k) {
      ws.slip[depth + 1] = ws.slip[depth];
      ws.direction[depth + 1] = ws.direction[depth];
      bool leaves = false;
      for (U s = 0; s < p.places.size(); ++s) {
        const Mode m = pool[k].modes[static_cast<U>(p.contacts) + s];
        if (ws.slip[depth][s] == Slip::sliding || (m != Mode::plus && m != Mode::minus)) continue;
        ws.slip[depth + 1][s] = Slip::sliding;
        ws.direction[depth + 1][s] = m;
        leaves = true;
      }
      if (leaves) round(depth + 1);
      else keep(pool[k], ws.slip[depth]);
    }
  }
};

Index changes(const Candidate& c, const std::vector<Mode>& present) {
  Index n = 0;
  for (U k = 0; k < present.size(); ++k) n += c.modes[k] != present[k];
  return n;
}

} // namespace

bool certified_unique(const Problem& p) {
  for (const Place& s : p.places)
    if (s.contact >= 0 && (s.low.b != 0.0 || s.high.b != 0.0 || s.plus.b != 0.0 || s.minus.b != 0.0)) return false;
  const double top = p.G.cwiseAbs().maxCoeff();
  if (!((p.G - p.G.transpose()).cwiseAbs().maxCoeff() <= 1e-12 * top)) return false;
  const Vector root = p.G.diagonal().cwiseSqrt();
  if (!(root.minCoeff() > 0.0)) return false;
  const Matrix scaled = root.cwiseInverse().asDiagonal() * p.G * root.cwiseInverse().asDiagonal();
  const Eigen::LLT<Matrix> factor(scaled);
  if (factor.info() != Eigen::Success) return false;
  return Matrix(factor.matrixL()).diagonal().minCoeff() > 1e-6;
}

bool transitions(const Problem& p, const std::vector<Allowed>& allowed, TransitionWorkspace& ws) {
  const U n = static_cast<U>(p.size()), m = p.places.size();
  ws.allowed = allowed;
  ws.allowed.resize(n, anything);
  ws.answers.clear();
  ws.visited_count = 0;
  if (ws.pool.size() < m + 2) ws.pool.resize(m + 2), ws.slip.resize(m + 2), ws.direction.resize(m + 2);
  ws.slip[0].assign(m, Slip::impending);
  ws.direction[0].assign(m, Mode::stick);
  for (U s = 0; s < m; ++s) {
    const Allowed a = ws.allowed[static_cast<U>(p.contacts) + s];
    const bool up = a == bit(Mode::plus), down = a == bit(Mode::minus);
    Mode way = p.places[s].state;
    if (way == Mode::stick && (up || down)) way = up ? Mode::plus : Mode::minus; // its guard fired: kinetic from the start
    if (way == Mode::stick) continue;
    ws.slip[0][s] = Slip::sliding;
    ws.direction[0][s] = way;
  }
  Cascade cascade{p, ws};
  cascade.round(0);
  return cascade.complete;
}

void decide(const Problem& p, const std::vector<Mode>& present, const std::vector<Allowed>& allowed,
            const Admissible& admissible, TransitionWorkspace& ws, Decision& out) {
  const bool complete = transitions(p, allowed, ws);
  out.rounds = static_cast<Index>(ws.visited_count);
  out.certified_unique = !complete && certified_unique(p);
  auto& order = ws.order;
  order.clear();
  for (U k = 0; k < ws.answers.size(); ++k)
    if (admissible(ws.answers[k])) order.push_back(k);
  const auto take = [&](U k, Rule rule) {
    out.rule = rule;
    out.answer = ws.answers[k];
    out.left_rest = ws.left[k];
  };
  out.solutions = complete ? 0 : -1;
  if (complete)
    for (U a = 0; a < order.size(); ++a) {
      bool fresh = true;
      for (U b = 0; b < a && fresh; ++b)
        fresh = !(same_motion(p, ws.answers[order[a]], ws.answers[order[b]]) &&
                  same_forces(p, ws.answers[order[a]], ws.answers[order[b]]));
      out.solutions += fresh;
    }
  else if (out.certified_unique && !order.empty()) out.solutions = 1;
  if (order.empty()) {
    out.rule = Rule::none;
    out.answer = Candidate{};
    out.left_rest.assign(p.places.size(), 0);
    return;
  }
  if (order.size() == 1) return take(order[0], Rule::only);
  for (const U k : order)
    if (changes(ws.answers[k], present) == 0) return take(k, Rule::present);
  Index fewest = p.size() + 1;
  for (const U k : order) fewest = std::min(fewest, changes(ws.answers[k], present));
  order.erase(std::remove_if(order.begin(), order.end(),
                             [&](U k) { return changes(ws.answers[k], present) > fewest; }),
              order.end());
  if (order.size() == 1) return take(order[0], Rule::fewest_changes);
  double least = ws.answers[order[0]].constraint;
  for (const U k : order) least = std::min(least, ws.answers[k].constraint);
  order.erase(std::remove_if(order.begin(), order.end(),
                             [&](U k) { return ws.answers[k].constraint > least + 1e-9 * std::abs(least); }),
              order.end());
  bool alike = true; // equal forces and motion: labels of one solution, which of them is a matter of words
  for (const U k : order)
    alike = alike && same_motion(p, ws.answers[k], ws.answers[order[0]]) &&
            same_forces(p, ws.answers[k], ws.answers[order[0]]);
  take(order[0], order.size() == 1 || alike ? Rule::least_constraint : Rule::ambiguous);
}

} // namespace stickslip::contact
