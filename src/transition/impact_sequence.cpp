#include "transition/impact_sequence.hpp"

#include "core/linalg.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::contact {

NextImpact next_impact(const List<Near>& contacts, const Vector& rates, const Vector& approach,
                       double horizon) {
  NextImpact next;
  next.flight = std::numeric_limits<double>::infinity();
  const auto flight = [&](Index j) { return contacts[j].gap / -rates(j); };
  const auto approaches = [&](Index j) {
    return rates(j) < -approach(j) && (contacts[j].gap <= contacts[j].no_gap || flight(j) <= horizon);
  };
  for (Index j = 0; j < contacts.size(); ++j)
    if (approaches(j)) next.flight = std::min(next.flight, flight(j));
  for (Index j = 0; j < contacts.size(); ++j)
    if (approaches(j) && flight(j) <= next.flight * (1.0 + tolerance::same)) next.contacts.push_back(j);
  if (!(next.flight <= horizon)) next.flight = 0.0;
  return next;
}

namespace {

// Unknown impulses of a phase in these modes: normal ones, with their sliding friction, and tangential ones of sticking
// elements; and the rows that they bring to rest.
struct Active {
  Matrix columns;
  List<Index> rows;
};

double sliding_coefficient(const Impact& p, const List<Mode>& modes, Index q) {
  return -direction(modes[p.contacts + q]) * p.friction(q);
}

Active active_impulses(const Impact& p, const List<Mode>& modes) {
  const Index n = p.G.rows();
  Active a;
  a.columns = Matrix::Zero(n, n);
  const auto add = [&](Index row) {
    a.columns(row, a.rows.size()) = 1.0;
    a.rows.push_back(row);
  };
  for (Index k = 0; k < p.contacts; ++k) {
    if (modes[k] != Mode::closed) continue;
    for (Index q = 0; q < p.contact_of.size(); ++q)
      if (p.contact_of[q] == k) a.columns(p.contacts + q, a.rows.size()) = sliding_coefficient(p, modes, q);
    add(k);
  }
  for (Index q = 0; q < p.contact_of.size(); ++q)
    if (modes[p.contacts + q] == Mode::stick) add(p.contacts + q);
  a.columns.conservativeResize(n, a.rows.size());
  return a;
}

// Signed impulses that bring the active rows of `velocity` (each column one case) to rest.
Matrix stopping(const Impact& p, const Active& a, const Matrix& velocity) {
  if (a.rows.empty()) return Matrix::Zero(p.G.rows(), velocity.cols());
  const Matrix rates = p.G(a.rows, Eigen::all) * a.columns;
  return -a.columns * (linalg::pseudo_inverse(rates) * velocity(a.rows, Eigen::all));
}

} // namespace

Matrix impulse_response(const Impact& p, const ImpactSolution& solution) {
  const Index n = p.G.rows();
  const Matrix identity = Matrix::Identity(n, n);
  Matrix out;
  if (p.law == ImpactLaw::newton) {
    Vector factor = Vector::Ones(n);
    for (Index k = 0; k < p.contacts; ++k)
      if (p.velocity(k) < 0.0) factor(k) += p.restitution(k);
    out = stopping(p, active_impulses(p, solution.compression), factor.asDiagonal());
  } else {
    out = stopping(p, active_impulses(p, solution.compression), identity);
    Matrix given =
        Matrix::Zero(n, n); // share of the compression impulse that expansion returns, with its friction
    given.topRows(p.contacts) = p.restitution.asDiagonal() * out.topRows(p.contacts);
    for (Index q = 0; q < p.contact_of.size(); ++q)
      given.row(p.contacts + q) = sliding_coefficient(p, solution.expansion, q) * given.row(p.contact_of[q]);
    out += given;
    const Matrix after = identity + p.G * out;
    out += stopping(p, active_impulses(p, solution.expansion), after);
  }
  Vector signed_impulse = solution.impulse;
  signed_impulse.tail(n - p.contacts) *= -1.0;
  const double off = (out * p.velocity - signed_impulse).cwiseAbs().maxCoeff();
  return off <= tolerance::same * signed_impulse.cwiseAbs().maxCoeff() ? out : Matrix();
}

namespace {

// The rates and, below them, the sum of impulses, mapped by a period of impacts.
Matrix map_of(const RepeatingImpacts& s) {
  const Index n = s.problem.G.rows();
  Matrix map = Matrix::Identity(2 * n, 2 * n);
  for (const LinearImpact& one : s.period) {
    const Matrix impulse = one.response * map.topRows(n);
    map.topRows(n) += s.problem.G * impulse;
    map.bottomRows(n) += impulse;
  }
  return map;
}

// Every impact of every future period finds its contacts approaching. The rates tend to an eigenvector of the map; they
// are iterated until they have reached it.
bool goes_on(const RepeatingImpacts& s, const Matrix& map) {
  constexpr Index most_followed = 100'000; // impacts: the same as the limit of impacts one by one
  const Index n = s.problem.G.rows();
  const Matrix period = map.topLeftCorner(n, n);
  Vector rates = Vector::Zero(n);
  rates(s.at_rest) = s.rates(s.at_rest); // other rates do not change the impulses
  for (Index k = 0; k < most_followed; k += s.period.size()) {
    const double largest = rates.cwiseAbs().maxCoeff();
    if (!(largest > 0.0)) return false;
    rates /= largest;
    Vector within = rates;
    double least = 1.0;
    for (const LinearImpact& one : s.period) {
      const double fastest = within.cwiseAbs().maxCoeff();
      for (const Index row : one.approaching) least = std::min(least, -within(row) / fastest);
      within += s.problem.G * (one.response * within);
    }
    if (!(least > 0.0)) return false;
    Vector next = Vector::Zero(n);
    next(s.at_rest) = (period * rates)(s.at_rest);
    const double factor = next.cwiseAbs().maxCoeff();
    if (!(factor > 0.0 && factor <= 1.0 + tolerance::product)) return false;
    if ((next / factor - rates).cwiseAbs().maxCoeff() <= tolerance::product) return least > tolerance::same;
    rates = next;
  }
  return false;
}

constexpr int most_doublings = 60; // of the number of periods

// Sum of the impulses of all future periods. NaN if it does not converge.
Vector impulses_to_come(const RepeatingImpacts& s, Matrix power) {
  const Index n = s.problem.G.rows();
  Vector sum = power.bottomLeftCorner(n, n) * s.rates;
  for (int k = 0; k < most_doublings; ++k) {
    power = power * power;
    const Vector more = power.bottomLeftCorner(n, n) * s.rates;
    if ((more - sum).cwiseAbs().maxCoeff() <= tolerance::same * sum.cwiseAbs().maxCoeff()) return more;
    sum = more;
  }
  return Vector::Constant(n, std::numeric_limits<double>::quiet_NaN());
}

} // namespace

Collapse collapse_of(const RepeatingImpacts& s) {
  const Index n = s.problem.G.rows();
  const Matrix map = map_of(s);
  Collapse out;
  if (!goes_on(s, map)) return out;
  out.limit = Limit::none;
  if (!s.loses) return out;
  const Vector start = s.rates(s.at_rest);
  const double fastest = start.cwiseAbs().maxCoeff();
  const Matrix rates = s.problem.G(s.at_rest, Eigen::all) * s.columns;
  // `given` plus the impulses of least norm that bring the rows to rest.
  const auto projected = [&](const Vector& given) -> Vector {
    const Vector left = start + s.problem.G(s.at_rest, Eigen::all) * given;
    return given - s.columns * linalg::least_norm_solution(rates, left);
  };
  // If rest does not determine the impulses (dependent contacts, sticking tangents), they are the sum of the future
  // impacts.
  const bool determined = linalg::full_rank(rates, tolerance::rank);
  const Vector given = determined ? Vector(Vector::Zero(n)) : impulses_to_come(s, map);
  out.impulse = projected(projected(given)); // twice, to remove rounding errors
  const double off = (start + s.problem.G(s.at_rest, Eigen::all) * out.impulse).cwiseAbs().maxCoeff();
  if (off > tolerance::same * fastest) return out; // walls approach each other
  // Every impact of the sequence keeps its impulses within their limits, and so does their sum.
  const double none = tolerance::same * out.impulse.cwiseAbs().maxCoeff();
  bool within = out.impulse.allFinite();
  for (Index k = 0; k < n; ++k) within = within && beyond(s.problem, out.impulse, k) <= none;
  if (!within) {
    out.limit = Limit::unknown;
    return out;
  }
  // Rounding errors that grow from period to period also end a sequence.
  const auto undisturbed = [&](const Vector& later) {
    return later.allFinite() && later(s.at_rest).cwiseAbs().maxCoeff() <= fastest &&
           std::all_of(s.watched.begin(), s.watched.end(),
                       [&](Index row) { return later(row) * s.rates(row) >= 0.0; });
  };
  if (undisturbed(s.rates + s.problem.G * out.impulse)) {
    out.limit = Limit::reached;
    return out;
  }
  List<Matrix> powers = {map};
  Vector now = Vector::Zero(2 * n);
  now.head(n) = s.rates;
  while (powers.size() < most_doublings && undisturbed(powers.back() * now))
    powers.push_back(powers.back() * powers.back());
  for (Index k = powers.size() - 1; k >= 0; --k)
    if (const Vector later = powers[k] * now; undisturbed(later)) now = later;
  out.impulse = now.tail(n);
  const double missed = (s.rates + s.problem.G * out.impulse - now.head(n)).cwiseAbs().maxCoeff();
  const bool known = missed <= tolerance::same * fastest && !out.impulse.isZero(0.0);
  out.limit = known ? Limit::interrupted : Limit::unknown;
  return out;
}

} // namespace stickslip::contact
