#include "transition/impacts.hpp"

#include "core/error.hpp"
#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/restitution.hpp"
#include "model/machine.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

namespace stickslip {

namespace {

constexpr double least_flight = 16.0 * tolerance::last_digits; // relative to the time of the flight

} // namespace

// Moves positions by the least change, in the metric of the masses, that makes the gaps of these contacts zero.
void close_gaps(Instant& at, const List<Index>& contacts) {
  const Index n_q = at.sys.n_coordinates, m = contacts.size();
  Matrix G(m, m), U(n_q, m);
  Vector gaps(m);
  for (Index k = 0; k < m; ++k) {
    U.col(k) = at.sys.contacts[contacts[k]].effect.segment(n_q, n_q);
    gaps(k) = at.gap(contacts[k]);
  }
  for (Index k = 0; k < m; ++k) G.row(k) = at.sys.contacts[contacts[k]].gap.x.head(n_q).transpose() * U;
  at.state->base_x.head(n_q) -= U * linalg::least_norm_solution(G, gaps);
}

// Removes overlaps due to rounded start values: positions move by the least change, in the metric of the masses, that
// closes them. A greater overlap is an error of the input.
void remove_overlaps(Instant& at) {
  constexpr double published = 1e-12; // m: below the resolution of printed values, for machines of any size
  const Index nc = at.sys.contacts.size();
  List<bool> overlaps(nc, false);
  for (int round = 0; round < 3; ++round) { // removing one overlap may cause another
    List<Index> which;
    for (Index j = 0; j < nc; ++j) {
      if (at.sys.contacts[j].yields()) continue;
      const double gap = at.gap(j);
      const double size = gap_size(at.sys.contacts[j], at.state->nominal, at.s());
      const double bearable = std::max(published, at.cutoffs.overlap * size);
      if (gap < -bearable) {
        std::ostringstream what;
        what << "overlaps at the start by " << -gap << " m: its gap must be >= 0; overlaps up to " << bearable
             << " m count as rounding and are removed";
        reject("contact '" + at.sys.contacts[j].name + "'", what.str());
      }
      if (gap < -tolerance::rounding * size) {
        if (!overlaps[j]) at.jump->overlaps.push_back({j, -gap});
        overlaps[j] = true;
      }
      if (overlaps[j]) which.push_back(j);
    }
    if (which.empty()) return;
    close_gaps(at, which);
    at.look_again();
  }
}

// Problem of an impact of these contacts. False, with the reason in the jump, if a restitution is undefined.
bool pose_impact(const Instant& at, const List<Index>& contacts, bool collision, PosedImpact& posed) {
  posed.clear();
  posed.contacts = contacts;
  contact::Impact& p = posed.problem;
  p.contacts = contacts.size();
  p.collision = collision;
  p.restitution.resize(p.contacts);
  Index newton = 0;
  for (Index k = 0; k < p.contacts; ++k) {
    const auto j = contacts[k];
    const Contact& c = at.sys.contacts[j];
    p.restitution(k) = collision ? restitution(c, at.rate(j)) : 0.0;
    if (const double e = p.restitution(k); !(e >= 0.0 && e <= 1.0)) {
      std::ostringstream text;
      text << "restitution of '" << c.name << "' is " << e << " where it is approached with "
           << std::max(-at.rate(j), 0.0) << ": it must be in [0, 1]";
      at.jump->undefined = text.str();
      return false;
    }
    newton += c.impact == ImpactRule::newton;
    posed.add(c.rate.x, c.effect, at.rate(j),
              c.rate.s.dot(at.signals) + prescribed_rate(at.sys, c.rate.x, at.signals));
  }
  const auto tangent = [&](Index k, Index i, double coefficient, const std::optional<double>& restitution) {
    const Friction& element = at.sys.friction[i];
    if (element.prescribed) return posed.riders.push_back({k, i, coefficient});
    p.contact_of.push_back(k);
    posed.friction.push_back(coefficient);
    p.tangential_restitution.push_back(restitution);
    posed.elements.push_back(i);
    posed.add(element.velocity.x, element.effect, at.v(i),
              element.velocity.s.dot(at.signals) + prescribed_rate(at.sys, element.velocity.x, at.signals));
  };
  for (Index k = 0; k < p.contacts; ++k) {
    const Contact& c = at.sys.contacts[contacts[k]];
    if (c.friction >= 0)
      tangent(k, c.friction, c.impulsive_friction, collision ? c.tangential_restitution : std::nullopt);
    for (Index i = 0; i < at.sys.friction.size(); ++i)
      if (i != c.friction && at.sys.friction[i].contact == contacts[k])
        tangent(k, i, std::abs(kinetic_level(at.sys.friction[i].law, 1)), std::nullopt);
  }
  posed.finish();
  // Poisson's law is stated in impulses and Newton's in velocities, so one impact has only one of them. If they differ,
  // Newton's is used, and the event says so.
  p.law = newton > 0 ? contact::ImpactLaw::newton : contact::ImpactLaw::poisson;
  at.jump->mixed_laws = at.jump->mixed_laws || (newton > 0 && newton < p.contacts);
  return true;
}

std::optional<PosedImpact> pose_impact(const Instant& at, const List<Index>& contacts, bool collision) {
  PosedImpact posed;
  if (!pose_impact(at, contacts, collision, posed)) return std::nullopt;
  return posed;
}

namespace {

contact::ImpactAnswer solve_impact(const Instant& at, PosedImpact& posed) {
  contact::Impact& p = posed.problem;
  contact::ImpactWorkspace room;
  contact::ImpactAnswer answers = contact::impact(p, room);
  if (answers.solutions.empty()) {
    room.stage.most_modes = contact::largest_on_failure;
    answers = contact::impact(p, room);
  }
  // Between opposed walls the velocities that Newton's law demands of each contact may contradict each other; impulses
  // of Poisson's law exist.
  if (answers.solutions.empty() && p.law == contact::ImpactLaw::newton) {
    p.law = contact::ImpactLaw::poisson;
    answers = contact::impact(p, room);
    at.jump->poisson_instead = at.jump->poisson_instead || !answers.solutions.empty();
  }
  return answers;
}

} // namespace

// Solution of an impact of these contacts, applied to the velocities. Empty: there is none.
std::optional<contact::ImpactSolution> strike(Instant& at, PosedImpact& posed, Impacts& impacts) {
  const bool collision = posed.problem.collision;
  const contact::ImpactAnswer answers = solve_impact(at, posed);
  impacts.unsolved = answers.solutions.empty();
  if (impacts.unsolved) {
    at.jump->none_exists = (collision || at.jump->none_exists) && answers.complete;
    at.jump->touching = posed.contacts;
    return std::nullopt;
  }
  const contact::ImpactSolution& best = answers.solutions.front();
  impacts.ambiguous = impacts.ambiguous || answers.ambiguous;
  impacts.solutions = answers.complete ? answers.solutions.size() : -1;
  ++at.jump->impacts;
  apply(at, posed, best, impacts);
  note_impulses(at, posed, best);
  return best;
}

void change_velocities(Instant& at, const PosedImpact& posed, const Vector& impulse) {
  for (Index k = 0; k < posed.effects.size(); ++k) {
    at.state->base_x += *posed.effects[k] * impulse(k);
    at.impact_terms = at.impact_terms.cwiseMax((*posed.effects[k] * impulse(k)).cwiseAbs());
  }
}

double least_rebound(const Instant& at, Index j) {
  return at.cutoffs.rebound * size_of(at.sys.contacts[j].rate, at.state->nominal, at.s());
}

// Changes the velocities by the impulses of an impact, and records it.
void apply(Instant& at, const PosedImpact& posed, const contact::ImpactSolution& solution, Impacts& impacts) {
  change_velocities(at, posed, solution.impulse);
  see(at.sys, *at.state);
  impacts.any = true;
  at.look_again();
}

// Friction along a prescribed motion, which the impact does not change: what it dissipates the motion supplies.
static void note_rider(Instant& at, const PosedImpact& posed, const PosedImpact::Rider& rider, Impulse& one) {
  const double v = at.v(rider.element);
  const bool moves = std::abs(v) > tolerance::residual * at.v_size(rider.element);
  const int side = !moves ? at.was(rider.element).force_side() : v > 0.0 ? 1 : -1;
  const double impulse = side * rider.friction * one.normal;
  if (rider.element == at.sys.contacts[posed.contacts[rider.contact]].friction)
    one.tangential = impulse;
  else
    at.jump->add_rub(rider.element, impulse);
  one.loss += impulse * v;
  one.wall_work += impulse * v;
}

void note_impulses(Instant& at, const PosedImpact& posed, const contact::ImpactSolution& best, Sum sum) {
  const contact::Impact& p = posed.problem;
  const double loss = loss_of(best), moved = posed.energy_scale(best);
  at.jump->gains = at.jump->gains || loss < -tolerance::same * moved;
  at.jump->loses = at.jump->loses || loss > tolerance::negligible * moved;
  double left = loss; // reported once, with the first contact that has an impulse
  for (Index k = 0; k < p.contacts; ++k) {
    if (sum != Sum::one && best.impulse(k) == 0.0) continue; // watched contact without an impulse
    Impulse one;
    one.contact = posed.contacts[k];
    one.normal = best.impulse(k);
    one.collision = p.collision;
    one.sum = sum;
    if (one.normal != 0.0) one.loss = std::exchange(left, 0.0);
    one.wall_work = -best.impulse(k) * p.wall(k);
    for (Index q = 0; q < p.contact_of.size(); ++q) {
      const Index row = p.contacts + q;
      if (p.contact_of[q] != k) continue;
      if (posed.elements[q] == at.sys.contacts[posed.contacts[k]].friction)
        one.tangential = best.impulse(row);
      else
        at.jump->add_rub(posed.elements[q], best.impulse(row));
      one.wall_work += best.impulse(row) * p.wall(row);
    }
    for (const PosedImpact::Rider& rider : posed.riders)
      if (rider.contact == k) note_rider(at, posed, rider, one);
    at.jump->add(one);
  }
}

namespace {

// Acceleration of contacts towards each other: without forces of friction and contacts, or, after the start of the
// motion, with those of the previous modes if these make it greater.
List<double> falling_back(Instant& at, const List<Index>& touching) {
  List<double> falls(touching.size(), 0.0);
  const auto look = [&] {
    for (Index k = 0; k < touching.size(); ++k) {
      const Contact& c = at.sys.contacts[touching[k]];
      falls[k] = std::max(falls[k], -(c.rate.x.dot(at.xdot) + c.acceleration_s.dot(at.signals)));
    }
  };
  const LinearPart& linear = at.linear();
  at.xdot.noalias() = linear.A * at.state->base_x;
  at.xdot.noalias() += linear.S * at.signals;
  look();
  if (at.starting) return falls;
  at.evaluate(at.regime(at.before));
  look();
  return falls;
}

// Speed below which a rebound is treated as plastic: the least rebound, or a flight shorter than the resolution of the
// time.
double no_rebound(const Instant& at, Index j, double falls_by) {
  if (!(falls_by > 0.0)) return 0.0; // the contact does not close again
  return std::max(least_rebound(at, j), 0.5 * falls_by * least_flight * std::abs(at.t));
}

// Friction impulse of a tangent per normal impulse while it slides, in the direction in which the impact has left it or,
// if it has come to rest, in which it was moving.
double sliding_share(const contact::Impact& p, const contact::ImpactSolution& best, Index q) {
  const double v = best.velocity(p.contacts + q);
  return std::copysign(p.friction(q), v != 0.0 ? v : best.impulse(p.contacts + q));
}

// Impulses of all rows per unit of one: friction that slides follows its normal impulse.
Vector with_sliding(const contact::Impact& p, const contact::ImpactSolution& best, const List<bool>& slides,
                    Index k) {
  Vector signed_impulse = Vector::Zero(p.G.rows());
  signed_impulse(k) = 1.0;
  for (Index q = 0; q < p.contact_of.size(); ++q)
    if (p.contact_of[q] == k && slides[q]) signed_impulse(p.contacts + q) = -sliding_share(p, best, q);
  return signed_impulse;
}

// Signed impulses, added to those of the impact, that stop the held contacts, and the tangents that sticking friction
// keeps at rest. A tangent whose cone they would violate slides; contacts whose limits they would violate are omitted.
Vector stopping_impulses(const contact::Impact& p, const contact::ImpactSolution& best, List<Index>& held) {
  const Index n = p.G.rows();
  const double none = tolerance::rounding * best.impulse.cwiseAbs().maxCoeff();
  List<bool> slides(p.contact_of.size(), false);
  for (Index q = 0; q < slides.size(); ++q) slides[q] = best.velocity(p.contacts + q) != 0.0;
  Vector released = Vector::Zero(n); // friction beyond the cone of the present normal impulse
  while (!held.empty()) {
    Matrix each(n, held.size());
    for (Index a = 0; a < held.size(); ++a) each.col(a) = with_sliding(p, best, slides, held[a]);
    const Matrix response = p.G(held, Eigen::all) * each;
    const Vector velocity = best.velocity + p.G * released;
    const Vector own = released - each * linalg::least_norm_solution(response, velocity(held));
    Vector whole = best.impulse;
    whole.head(p.contacts) += own.head(p.contacts);
    whole.tail(n - p.contacts) -= own.tail(n - p.contacts);
    Index worst = -1;
    double most = none;
    for (Index k = 0; k < n; ++k) {
      const bool changed = own(k) != 0.0 || (k >= p.contacts && own(p.contact_of[k - p.contacts]) != 0.0);
      if (const double by = beyond(p, whole, k); changed && by > most) most = by, worst = k;
    }
    if (worst < 0) return own;
    const bool tangent = worst >= p.contacts;
    const Index of = tangent ? p.contact_of[worst - p.contacts] : worst;
    const bool itself = tangent && std::find(held.begin(), held.end(), worst) != held.end();
    if (itself) {
      const Index q = worst - p.contacts;
      slides[q] = true;
      released(worst) = best.impulse(worst) - sliding_share(p, best, q) * best.impulse(of);
    } else {
      for (Index q = 0; q < slides.size(); ++q)
        if (p.contact_of[q] == of) released(p.contacts + q) = 0.0;
    }
    std::erase_if(held, [&](Index k) {
      return k == worst || (!itself && (k == of || (k >= p.contacts && p.contact_of[k - p.contacts] == of)));
    });
  }
  return Vector::Zero(n);
}

} // namespace

// Removes rebounds below the threshold: for one contact by a plastic impact, for several by impulses of least norm.
// Their energy is part of the loss of the impact.
void end_rebounds(Instant& at, const PosedImpact& posed, const contact::ImpactSolution& best,
                  Impacts& impacts) {
  const contact::Impact& p = posed.problem;
  const List<double> falls = falling_back(at, posed.contacts);
  List<Index> held; // includes contacts that stay at rest
  for (Index k = 0; k < p.contacts; ++k) {
    if (!(best.velocity(k) <= no_rebound(at, posed.contacts[k], falls[k]))) continue;
    if (best.velocity(k) <= 0.0 || best.impulse(k) * p.G(k, k) > best.velocity(k)) held.push_back(k);
  }
  const auto rebounds = [&](Index k) { return best.velocity(k) > 0.0; };
  if (std::none_of(held.begin(), held.end(), rebounds)) return;
  for (Index q = 0; q < p.contact_of.size(); ++q) // friction continues to hold tangents that it has stopped
    if (best.velocity(p.contacts + q) == 0.0 &&
        std::find(held.begin(), held.end(), p.contact_of[q]) != held.end())
      held.push_back(p.contacts + q);
  const Vector own = stopping_impulses(p, best, held);
  const contact::ImpactSolution more = posed.outcome(best.velocity, own);
  apply(at, posed, more, impacts);
  note_impulses(at, posed, more);
}

// Without an answer and with a sliding contact: velocities may jump without a collision (Painleve).
bool strike_without_collision(Instant& at, const List<Index>& touching, Impacts& impacts) {
  if (std::optional<PosedImpact> posed = pose_impact(at, touching, false)) strike(at, *posed, impacts);
  if (!impacts.any || impacts.unsolved) return false;
  for (const Index j : touching)
    at.state->modes.contact[j] = at.rate(j) <= at.no_rate(j) ? Mode::closed : Mode::open;
  return true;
}

} // namespace stickslip
