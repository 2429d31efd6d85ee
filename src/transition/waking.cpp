// Machines on which nothing acts until signals begin to: which modes follow is decided by the first terms of these.
#include "core/list.hpp"
#include "transition/decision.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double slight_share = 1e-5; // of what friction of a given level can give: changes no other choice
constexpr double early = 0.1; // of the time in which a signal's next term comes to as much as its first

} // namespace

// Whether an acceleration is one that modes hang on: that of a surface on which something slides is not.
bool Decision::decides(Index k) const {
  return k < closed.size() || rests[elements[k - closed.size()]];
}

// Whether no force acts at this instant on what rests or touches, nor grows with the motion: none that would give more
// than the last digits of a velocity within the machine's own time, where signals begin to do so.
bool Decision::silent() {
  if (here != nullptr) return false;
  const auto noticed = [&](const Vector& change) {
    for (Index k = 0; k < problem.size(); ++k) {
      const Index q = k - closed.size();
      const double speed =
          q < 0 ? rate_size(closed[k]) : velocity_size(sys.friction[elements[q]], state->nominal);
      if (decides(k) && change(k) > tolerance::last_digits * speed) return true;
    }
    return false;
  };
  const Vector acts = state->time_scale * problem.free_size.cwiseMax(problem.free.cwiseAbs());
  if (noticed(acts)) return false;
  const Matrix& A = cache.linear(sys, state->modes).A;
  const Vector grows =
      (state->time_scale * state->time_scale) * (rows.cwiseAbs() * (A.cwiseAbs() * xdot.cwiseAbs()));
  if (noticed(grows)) return false;
  const auto idle = [](const contact::Line& l) { return l.a == 0.0; };
  for (const contact::Element& e : problem.elements) {
    if (e.state != Mode::stick && !(idle(e.plus) && idle(e.minus))) return false;
    if (e.contact < 0 && idle(e.low) && idle(e.high))
      return false; // what it holds may begin with the same power
  }
  return (acts.isZero(0.0) && grows.isZero(0.0)) || signal_terms().col(0).isZero(0.0);
}

// Of the accelerations that signals make, by powers of time.
Matrix Decision::by_signals() {
  const LinearPart& linear = cache.linear(sys, state->modes);
  Matrix made = rows * linear.S;
  for (Index k = 0; k < problem.size(); ++k)
    if (decides(k))
      made.row(k) += own_acceleration(k).transpose();
    else
      made.row(k).setZero();
  return made;
}

Matrix Decision::signal_terms() {
  expand_signals();
  return by_signals().cwiseAbs() * signal_series.cwiseAbs();
}

// Where nothing acts yet, what signals begin to do decides, of whatever power of time: the problem is that of their
// first terms, small beside what friction can give, and the time in which terms count is the signals' own.
void Decision::wake() {
  const Matrix terms_of = signal_terms();
  Index first = 0;
  while (first < series_terms && terms_of.col(first).isZero(0.0)) ++first;
  woken = first > 0 && first < series_terms;
  if (!woken) return;
  const double leads = terms_of.col(first).maxCoeff();
  pace = std::max(std::abs(t), state->time_scale);
  for (Index k = first + 1; k < series_terms; ++k)
    if (const double next = terms_of.col(k).maxCoeff(); next > 0.0)
      pace = std::min(pace, early * std::pow(leads / next, 1.0 / static_cast<double>(k - first)));
  pace = std::max(pace, state->time_scale);
  double least = INFINITY; // acceleration that friction of a given level can give
  for (Index k = 0; k < problem.elements.size(); ++k) {
    const contact::Element& e = problem.elements[k];
    const double given =
        std::max(std::abs(e.low.a), std::abs(e.high.a)) * problem.G(closed.size() + k, closed.size() + k);
    if (given > 0.0) least = std::min(least, given);
  }
  const double share = std::isfinite(least) ? slight_share * least / leads : 1.0;
  problem.free = share * (by_signals() * signal_series.col(first));
  problem.free_size = share * terms_of.col(first);
}

// Whether a force or acceleration that the first terms of what begins to act already give tells of the guard.
bool Decision::settled(const contact::Candidate& c, const Guard& g) const {
  if (!woken || g.kind == GuardKind::shared_limit) return false;
  const Index at = component_of(g);
  return at >= 0 && c.touching[at] == 0;
}

} // namespace stickslip
