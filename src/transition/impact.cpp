#include "transition/impact.hpp"

#include "contact/preload.hpp"
#include "core/error.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace stickslip::contact {

namespace {

// Normal impulses press contacts against each other that no load presses together (contact/preload.hpp).
bool is_preloaded(const Vector& normal, const List<List<Index>>& relieving) {
  const double none = tolerance::same * normal.maxCoeff();
  const auto relieved = [&](const List<Index>& set) { return (normal(set).array() <= none).all(); };
  return !relieving.empty() && std::none_of(relieving.begin(), relieving.end(), relieved);
}

List<List<Index>> relieving_of(const Problem& p) {
  const Vector unit = p.G.diagonal().cwiseMax(std::numeric_limits<double>::min()).cwiseSqrt().cwiseInverse();
  return relieving_contacts(unit.asDiagonal() * p.G.leftCols(p.contacts) *
                            unit.head(p.contacts).asDiagonal());
}

// Impulses that solve the problem, vertices of continua included, without preloaded ones.
List<Vector> extreme_impulses(ImpactWorkspace& ws) {
  lcp::RowMatrix M;
  Vector q;
  assemble_stage(ws.problem, ws.slip, ws.direction, M, q);
  const lcp::Enumeration all = lcp::solve_all(lcp::view(M, q), ws.enumeration);
  const List<List<Index>> relieving =
      ws.problem.elements.empty() ? List<List<Index>>() : relieving_of(ws.problem);
  List<Vector> out;
  const auto add = [&](const Vector& z) {
    if (!is_preloaded(z.head(ws.problem.contacts), relieving)) out.push_back(z);
  };
  for (const lcp::Solution& s : all.solutions) {
    if (!s.continuum()) add(s.z);
    for (Index k = 0; k < s.vertices.rows(); ++k) add(s.vertices.row(k).transpose());
  }
  return out;
}

// Appends those of these impulses to the pool that lead to the motion of `shared`.
void append_extreme(ImpactWorkspace& ws, const Candidate& shared, const List<Vector>& impulses) {
  const Problem& p = ws.problem;
  const auto nc = p.contacts, m = p.elements.size();
  for (const Vector& z : impulses) {
    Candidate& c = ws.compression.next();
    c = shared;
    Vector signed_force(p.size());
    for (Index i = 0; i < nc; ++i) c.force[i] = signed_force(i) = z(i);
    for (Index i = 0; i < m; ++i) {
      const Element& s = p.elements[i];
      const double f = s.low.at(z(s.contact)) + z(nc + i);
      c.force[nc + i] = f;
      signed_force(nc + i) = -f;
    }
    const Vector a = p.free + p.G * signed_force;
    const Vector size = p.free.cwiseAbs() + p.G.cwiseAbs() * signed_force.cwiseAbs();
    for (Index i = 0; i < p.size(); ++i) {
      const double v = std::abs(a(i)) <= tolerance::same * size(i) ? 0.0 : a(i);
      c.acceleration[i] = v;
      if (i < nc)
        c.modes[i] = v == 0.0 ? Mode::closed : Mode::open;
      else
        c.modes[i] = v == 0.0 ? Mode::stick : (v > 0.0 ? Mode::slip_forward : Mode::slip_backward);
    }
    if (same_motion(p, c, shared) && !same_forces(p, c, shared)) ws.compression.keep();
  }
}

} // namespace

double beyond(const Impact& p, const Vector& impulse, Index row) {
  if (row < p.contacts) return -impulse(row);
  const Index q = row - p.contacts;
  return std::abs(impulse(row)) - p.friction(q) * impulse(p.contact_of[q]);
}

void validate(const Impact& p) {
  const Index n = p.contacts + p.contact_of.size();
  if (p.G.rows() != n || p.G.cols() != n || p.velocity.size() != n)
    reject("G", "and the velocities must have order " + std::to_string(n) +
                    ": contacts plus tangential directions");
  if (!p.G.allFinite()) reject("G", "must have finite entries only");
  if (!p.velocity.allFinite()) reject("velocity", "must have finite entries only");
  if (p.wall.size() != 0 && p.wall.size() != n) reject("wall", "must have length " + std::to_string(n));
  if (p.restitution.size() != p.contacts) reject("restitution", "must have one entry per contact");
  for (Index i = 0; i < p.contacts; ++i)
    if (!(p.restitution(i) >= 0.0 && p.restitution(i) <= 1.0))
      reject("restitution", p.restitution(i), "in [0, 1]");
  if (!p.tangential_restitution.empty() && p.tangential_restitution.size() != p.contact_of.size())
    reject("tangential_restitution", "must have one entry per tangential direction");
  for (const std::optional<double>& e : p.tangential_restitution)
    if (e && !(*e >= 0.0 && *e <= 1.0)) reject("tangential_restitution", *e, "in [0, 1]");
  if (p.friction.size() != p.contact_of.size())
    reject("friction", "must have one entry per tangential direction");
  for (Index i = 0; i < p.friction.size(); ++i) non_negative("friction", p.friction(i));
  for (const Index c : p.contact_of)
    if (c < 0 || c >= p.contacts) reject("contact", static_cast<double>(c), "the index of a contact");
}

namespace {

class Solver {
public:
  Solver(const Impact& impact, ImpactWorkspace& workspace)
      : p(impact), ws(workspace), nc(p.contacts), n(p.G.rows()), m(n - nc) {}

  void run() {
    ws.found = 0;
    compress();
    for (Index k = 0; k < ws.compression.size(); ++k) {
      const Candidate& c = ws.compression[k];
      if (!p.collision && !pushes(c)) continue;
      if (p.law == ImpactLaw::newton)
        add(c, nullptr, k >= proper);
      else
        expand(c, k >= proper);
    }
    rank();
  }

private:
  const Impact& p;
  ImpactWorkspace& ws;
  Index nc, n;
  Index m;
  Index proper = 0; // answers of compression; after them extreme points of indeterminate impulses

  // Impulses of an answer, with friction that opposes the motion.
  void sign(const Candidate& c, Vector& out) const {
    out = Eigen::Map<const Vector>(c.force.data(), n);
    out.tail(m) *= -1.0;
  }

  // An impulse exceeds the rounding error of the velocities before.
  bool pushes(const Candidate& c) const {
    const double none = tolerance::matrix_zero * p.velocity.cwiseAbs().maxCoeff();
    for (Index i = 0; i < nc; ++i)
      if (c.force[i] * p.G(i, i) > none) return true;
    return false;
  }

  void pose(Problem& q) const {
    q.contacts = nc;
    q.elements.resize(m);
    q.G = p.G;
    for (Index s = 0; s < m; ++s) {
      const double mu = p.friction(s);
      q.elements[s] = {p.contact_of[s], Mode::stick, {0.0, -mu}, {0.0, mu}, {0.0, -mu}, {0.0, mu}, true};
    }
  }

  void compress() {
    ws.allowed.assign(n, anything);
    ws.slip.assign(m, Slip::impending);
    ws.direction.assign(m, Mode::stick);
    pose(ws.problem);
    ws.problem.free = p.velocity;
    rebound(ws.rebound);
    if (p.law == ImpactLaw::newton) ws.problem.free -= ws.rebound;
    ws.compression.clear();
    ws.complete = solve_stage(ws.problem, ws.allowed, ws.slip, ws.direction, ws.stage, ws.compression);
    drop_repeated(ws.problem, ws.compression);
    proper = ws.compression.size();
    List<Index> open; // statically indeterminate impulses
    for (Index k = 0; k < proper; ++k)
      if (!ws.compression[k].unique) open.push_back(k);
    if (open.empty()) return;
    if (nc + 2 * m > largest_extreme_order) {
      ws.complete = false;
      return;
    }
    const List<Vector> impulses = extreme_impulses(ws);
    for (const Index k : open) {
      const Candidate shared = ws.compression[k];
      append_extreme(ws, shared, impulses);
    }
  }

  const double* reversal(Index s) const {
    if (p.tangential_restitution.empty() || !p.tangential_restitution[s]) return nullptr;
    return &*p.tangential_restitution[s];
  }

  // Velocities after an impact by Newton's law; separating contacts do not rebound.
  void rebound(Vector& out) const {
    out.setZero(n);
    out.head(nc) = -p.restitution.cwiseProduct(p.velocity.head(nc).cwiseMin(0.0));
    for (Index s = 0; s < m; ++s)
      if (const double* e = reversal(s)) out(nc + s) = -*e * p.velocity(nc + s);
  }

  // eps Lambda_NC, which is part of the free velocity of the shifted problem.
  void given(const Candidate& compression, Vector& out) const {
    out.setZero(n);
    out.head(nc) = p.restitution.cwiseProduct(Eigen::Map<const Vector>(compression.force.data(), nc));
  }

  void expand(const Candidate& c, bool extreme) {
    pose(ws.second);
    const Eigen::Map<const Vector> lambda(c.force.data(), n), velocity(c.acceleration.data(), n);
    const Vector& shift = ws.given;
    given(c, ws.given);
    // The velocities at the end of compression, with the exact zeros of complementarity; at tangents of open contacts
    // (bodies that rotate about a corner) no impulse could remove numerical noise.
    ws.end = p.velocity.cwiseAbs();
    for (Index j = 0; j < n; ++j) ws.end += std::abs(lambda(j)) * p.G.col(j).cwiseAbs();
    ws.end = (velocity.array().abs() <= tolerance::rounding * ws.end.array()).select(0.0, velocity);
    ws.second.free.noalias() = p.G * shift;
    ws.second.free += ws.end;
    for (Index s = 0; s < m; ++s) {
      const double left = p.friction(s) * shift(p.contact_of[s]);
      Element& element = ws.second.elements[s];
      element.needs_contact = false;
      element.low.a = -left, element.high.a = left;
      const double* e = reversal(s);
      const double stored = lambda(nc + s);
      if (e == nullptr || stored == 0.0) continue;
      const Line back{*e * p.restitution(p.contact_of[s]) * stored, 0.0};
      (stored > 0.0 ? element.low : element.high) = back;
      (stored > 0.0 ? element.minus : element.plus) = back;
    }
    ws.expansion.clear();
    ws.complete =
        solve_stage(ws.second, ws.allowed, ws.slip, ws.direction, ws.stage, ws.expansion) && ws.complete;
    drop_repeated(ws.second, ws.expansion);
    for (Index e = 0; e < ws.expansion.size(); ++e) add(c, &ws.expansion[e], extreme);
  }

  // One outcome; e: of expansion, null by Newton's law.
  void add(const Candidate& c, const Candidate* e, bool extreme) {
    if (ws.found == ws.outcomes.size()) ws.outcomes.emplace_back();
    RankedImpact& one = ws.outcomes[ws.found];
    ImpactSolution& s = one.solution;
    s.compression = c.modes;
    s.compression_impulse = Eigen::Map<const Vector>(c.force.data(), n);
    s.impulse = s.compression_impulse;
    Vector& total = ws.signed_impulse;
    sign(c, total);
    s.unique_impulse = c.unique;
    s.expansion = c.modes;
    one.first = c.constraint, one.extreme = extreme, one.second = 0.0;
    if (e != nullptr) {
      Vector& signed_shifted = ws.expansion_impulse;
      sign(*e, signed_shifted);
      given(c, ws.given);
      signed_shifted += ws.given;
      s.impulse += Eigen::Map<const Vector>(e->force.data(), n) + ws.given;
      total += signed_shifted;
      s.expansion = e->modes;
      s.unique_impulse = s.unique_impulse && e->unique;
      ws.work.noalias() = p.G * signed_shifted;
      one.second = 0.5 * signed_shifted.dot(ws.work);
    }
    move(s, total, e != nullptr ? *e : c);
    if (e == nullptr) name_sliding(s);
    if (!known(s)) ++ws.found;
  }

  // Velocities after, and energies.
  void move(ImpactSolution& s, const Vector& total, const Candidate& last) const {
    s.velocity.noalias() = p.G * total;
    s.velocity += p.velocity;
    // Quantities that complementarity sets to zero are zero.
    const bool shifted = p.law == ImpactLaw::newton;
    for (Index i = 0; i < n; ++i)
      if (last.acceleration[i] == 0.0) s.velocity(i) = shifted ? ws.rebound(i) : 0.0;
    s.impulse.array() += 0.0; // no negative zeros
    s.velocity.array() += 0.0;
    Vector& mean = ws.work;
    mean = 0.5 * (p.velocity + s.velocity);
    s.wall_work = 0.0;
    if (p.wall.size() > 0) {
      s.wall_work = 0.0 - total.dot(p.wall);
      mean -= p.wall;
    }
    s.energy_change = total.dot(mean);
  }

  // By Newton's law a reversed velocity is zero in the shifted problem.
  void name_sliding(ImpactSolution& s) const {
    for (Index k = 0; k < m; ++k) {
      Mode& mode = s.expansion[nc + k];
      if (reversal(k) == nullptr || mode == Mode::open) continue;
      const double v = s.velocity(nc + k);
      mode = v == 0.0 ? Mode::stick : v > 0.0 ? Mode::slip_forward : Mode::slip_backward;
    }
    s.compression = s.expansion;
  }

  // One outcome: the same velocities by the same (or by statically indeterminate) impulses, in either phase.
  bool known(const ImpactSolution& s) const {
    const double fast = std::max(s.velocity.cwiseAbs().maxCoeff(), p.velocity.cwiseAbs().maxCoeff());
    const double pushed = s.impulse.cwiseAbs().maxCoeff();
    return std::any_of(ws.outcomes.begin(), ws.outcomes.begin() + ws.found, [&](const RankedImpact& r) {
      const bool open = !s.unique_impulse && !r.solution.unique_impulse;
      return (r.solution.velocity - s.velocity).cwiseAbs().maxCoeff() <= tolerance::same * fast &&
             (open || (r.solution.impulse - s.impulse).cwiseAbs().maxCoeff() <= tolerance::same * pushed);
    });
  }

  void rank() {
    const std::span all(ws.outcomes.data(), static_cast<std::size_t>(ws.found));
    const auto key = [](const RankedImpact& r) { return std::tuple(r.first, r.extreme, r.second); };
    const auto sort = [&] { // stable insertion sort of few elements
      for (std::size_t k = 1; k < all.size(); ++k)
        for (std::size_t j = k; j > 0 && key(all[j]) < key(all[j - 1]); --j) std::swap(all[j], all[j - 1]);
    };
    sort();
    for (std::size_t k = 1; k < all.size(); ++k) // equal within rounding: the second key decides
      if (all[k].first - all[k - 1].first <= tolerance::same * std::abs(all[k].first))
        all[k].first = all[k - 1].first;
    sort();
    const auto ties = [&](const RankedImpact& r) {
      const double slack = tolerance::same * (std::abs(all[0].first) + std::abs(all[0].second));
      return std::abs(r.first - all[0].first) <= slack &&
             (r.extreme || std::abs(r.second - all[0].second) <= slack);
    };
    // Other outcomes of the chosen compression may lie between it and those of its extreme impulses.
    ws.ambiguous = !all.empty() && std::any_of(all.begin() + 1, all.end(), ties);
  }
};

} // namespace

void ImpactWorkspace::reserve(Index contacts, Index tangents, Index sets) {
  constexpr Index most_outcomes = 16;                   // different ones of one impact
  const Index n = contacts + tangents, most = sets + 1; // one more is tried than kept
  stage.reserve(n);
  compression.reserve(most, n);
  expansion.reserve(most, n);
  Impact any; // sizes what is left
  any.contacts = contacts;
  for (Index s = 0; s < tangents; ++s) any.contact_of.push_back(s % contacts);
  any.friction.setZero(tangents), any.restitution.setZero(contacts);
  any.G.setIdentity(n, n);
  any.velocity.setConstant(n, -1.0), any.wall.setZero(n);
  find_outcomes(any, *this);
  outcomes.resize(most_outcomes, outcomes.front());
}

void find_outcomes(const Impact& p, ImpactWorkspace& ws) {
  Solver(p, ws).run();
}

ImpactAnswer impact(const Impact& p, ImpactWorkspace& ws) {
  find_outcomes(p, ws);
  ImpactAnswer answer{{}, ws.ambiguous, ws.complete};
  for (Index k = 0; k < ws.found; ++k) answer.solutions.push_back(std::move(ws.outcomes[k].solution));
  return answer;
}

} // namespace stickslip::contact
