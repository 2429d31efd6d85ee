// Impacts in succession at one instant, to the last one or to their limit.
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "transition/impact_sequence.hpp"
#include "transition/impacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace stickslip {

namespace {

constexpr Index most_impacts = 100'000; // computed one by one; with more at one instant the run fails
// Impacts after which a sequence may repeat itself: a light part between contacts close to inelastic collapse hits them
// hundreds of times before they separate.
constexpr Index longest_period = 1000;

bool contains(const List<Index>& list, Index j) {
  return std::find(list.begin(), list.end(), j) != list.end();
}

// An impulse at contact `from`, normal or tangential, changes a velocity of contact `at`.
bool reaches(const System& sys, Index from, Index at) {
  const auto changes = [&](const Vector& effect) {
    if (sys.contacts[at].rate.x.dot(effect) != 0.0) return true;
    return std::any_of(sys.friction.begin(), sys.friction.end(), [&](const Friction& element) {
      return element.contact == at && element.velocity.x.dot(effect) != 0.0;
    });
  };
  return changes(sys.contacts[from].effect) ||
         std::any_of(sys.friction.begin(), sys.friction.end(), [&](const Friction& element) {
           return element.contact == from && changes(element.effect);
         });
}

// An impact that has been made.
struct Made {
  PosedImpact posed;
  contact::ImpactSolution solution;
  List<Index> approaching; // the contacts that struck; the others were closed

  bool like(const Made& o) const {
    return posed.contacts == o.posed.contacts && approaching == o.approaching &&
           solution.compression == o.solution.compression && solution.expansion == o.solution.expansion;
  }
};

// Number of latest impacts that repeat the impacts one period earlier.
Index repeated(const List<Made>& made, Index period) {
  Index k = 0;
  while (k + period < made.size() && made[made.size() - 1 - k].like(made[made.size() - 1 - k - period])) ++k;
  return k;
}

// The directions in which the tangents slide in all impacts of a period; 0: one sticks, or changes its direction.
using Directions = List<std::optional<int>>;

// The unknown impulses of a limit. Its contacts, the first ones of the problem, come to rest with the friction that slides
// under them; so do tangents that stick in some impact.
void pose_limit(const contact::Impact& p, Index contacts, const Directions& slides,
                contact::RepeatingImpacts& out) {
  out.columns = Matrix::Zero(p.G.rows(), p.G.rows());
  const auto add = [&](Index row) {
    out.columns(row, out.at_rest.size()) = 1.0;
    out.at_rest.push_back(row);
  };
  for (Index k = 0; k < contacts; ++k) {
    for (Index q = 0; q < p.contact_of.size(); ++q)
      if (p.contact_of[q] == k && slides[q].value_or(0) != 0) {
        out.columns(p.contacts + q, out.at_rest.size()) = -*slides[q] * p.friction(q);
        out.watched.push_back(p.contacts + q);
      }
    add(k);
  }
  for (Index q = 0; q < p.contact_of.size(); ++q)
    if (slides[q] == 0) add(p.contacts + q);
  for (Index k = contacts; k < p.contacts; ++k) out.watched.push_back(k);
  out.columns.conservativeResize(Eigen::NoChange, out.at_rest.size());
}

// A period of impacts in the rows of `whole`, whose first contacts are the ones that it hits. Empty if an impact is not
// a linear function of the velocities.
std::optional<contact::RepeatingImpacts> repeating_impacts(const PosedImpact& whole, Index contacts,
                                                           std::span<const Made> period) {
  const contact::Impact& p = whole.problem;
  const Index n = p.G.rows();
  contact::RepeatingImpacts out{.problem = p, .rates = p.velocity};
  const auto index = [](const List<Index>& list, Index j) -> Index {
    return std::find(list.begin(), list.end(), j) - list.begin();
  };
  Directions slides(p.contact_of.size());
  double loss = 0.0, moved = 0.0;
  for (const Made& one : period) {
    const contact::Impact& of = one.posed.problem;
    const Matrix response = contact::impulse_response(of, one.solution);
    if (response.size() == 0) return std::nullopt;
    List<Index> at;
    for (const Index j : one.posed.contacts) at.push_back(index(whole.contacts, j));
    for (const Index i : one.posed.elements) at.push_back(p.contacts + index(whole.elements, i));
    contact::LinearImpact linear;
    linear.response = Matrix::Zero(n, n);
    linear.response(at, at) = response;
    for (const Index j : one.approaching) linear.approaching.push_back(index(whole.contacts, j));
    out.period.push_back(std::move(linear));
    for (Index q = 0; q < of.contact_of.size(); ++q) {
      std::optional<int>& known = slides[at[of.contacts + q] - p.contacts];
      const int now = direction(one.solution.expansion[of.contacts + q]);
      known = known.value_or(now) == now ? now : 0;
    }
    loss += loss_of(one.solution);
    moved += one.posed.energy_scale(one.solution);
  }
  // Closed contacts outside the impact may begin to approach during the period.
  for (Index k = contacts; k < p.contacts; ++k)
    out.rates(k) = std::max(out.rates(k), std::numeric_limits<double>::min());
  out.loses = loss > tolerance::same * moved;
  pose_limit(p, contacts, slides, out);
  return out;
}

// The impacts of one instant and the states of contacts between them.
struct Sequence {
  List<contact::Near> near; // of each contact
  List<bool> touched;       // closed or met at this instant, or struck
  Vector rates, approach;
  double horizon = 0.0;
  Index impacts = 0, next_look = 4;
  List<Made> made; // the latest ones
};

// An open contact whose gap has closed at this instant, or is zero at the start.
bool meets(const Instant& at, Index j, const List<Guard>& fired) {
  if (at.starting) return std::abs(at.gap(j)) <= no_gap(at, j);
  return std::any_of(fired.begin(), fired.end(),
                     [j](const Guard& g) { return meets_contact(g) && g.contact == j; });
}

Sequence begin_sequence(const Instant& at, const List<Guard>& fired) {
  const Index nc = at.sys.contacts.size();
  Sequence s;
  s.near.resize(nc);
  s.touched.assign(nc, false);
  s.rates = Vector::Zero(nc), s.approach = Vector::Constant(nc, INFINITY);
  const double since = at.starting ? at.state->time_scale : std::min(at.state->time_scale, std::abs(at.t));
  s.horizon = std::max(tolerance::last_digits * std::abs(at.t), tolerance::product * since);
  for (Index j = 0; j < nc; ++j) {
    if (at.sys.contacts[j].yields()) continue;
    const bool was_closed = at.state->modes.contact[j] == Mode::closed, meets_now = meets(at, j, fired);
    const double rate = at.rate(j), still = at.no_rate(j), gap = at.gap(j);
    s.touched[j] = was_closed || meets_now;
    contact::Near& near = s.near[j];
    const double unknown = tolerance::few_terms * gap_size(at.sys.contacts[j], at.state->nominal, at.s()) +
                           tolerance::last_digits * std::abs(at.t) * at.rate_size(j);
    near.gap = was_closed || meets_now || gap <= unknown ? 0.0 : gap;
    near.no_gap = no_gap(at, j);
    near.held = was_closed && std::abs(rate) <= still;
  }
  return s;
}

void look_at_rates(const Instant& at, Sequence& s) {
  for (Index j = 0; j < s.near.size(); ++j) {
    if (at.sys.contacts[j].yields()) continue;
    s.rates(j) = at.rate(j);
    s.approach(j) = at.no_rate(j);
    s.near[j].at_rest = tolerance::few_terms * at.rate_size(j);
  }
}

// Contacts in an impact: the approaching ones, and closed ones reached by impulses from one contact to the next.
List<Index> taking_part(const System& sys, const Sequence& s, const List<Index>& approaching) {
  List<Index> out = approaching, left;
  for (Index j = 0; j < s.near.size(); ++j) {
    const contact::Near& near = s.near[j];
    const bool is_closed = near.held || (near.gap == 0.0 && s.rates(j) <= near.at_rest);
    if (is_closed && !sys.contacts[j].yields() && !contains(out, j)) left.push_back(j);
  }
  for (Index next = 0; next < out.size(); ++next)
    std::erase_if(left, [&](Index j) {
      if (!reaches(sys, out[next], j)) return false;
      out.push_back(j);
      return true;
    });
  std::sort(out.begin(), out.end());
  return out;
}

// Free flight to the next impact of this instant. The time stays: the flight is below its resolution.
void fly(const Instant& at, Sequence& s, double flight) {
  if (flight == 0.0) return;
  s.horizon -= flight;
  for (Index j = 0; j < s.near.size(); ++j)
    if (contact::Near& near = s.near[j]; !near.held && (near.gap > 0.0 || s.rates(j) > near.at_rest))
      near.gap = std::max(0.0, near.gap + s.rates(j) * flight);
  const Index coordinates = at.sys.n_coordinates;
  at.state->base_x.head(coordinates) += flight * at.state->base_x.segment(coordinates, coordinates);
}

// Without friction no impact of contacts that approach or are closed gains energy, whatever their restitution: with
// Newton's law the gain is 1/2 sum (1 - e) Lambda g' <= 0 beside the work of moving walls.
bool gains_without_friction(const Instant& at, const PosedImpact& posed,
                            const contact::ImpactSolution& solution) {
  const double gain = -loss_of(solution), moved = posed.energy_scale(solution);
  double doubt = 0.0; // work of the impulses on rates that are numerical noise
  for (Index k = 0; k < posed.contacts.size(); ++k)
    doubt += solution.impulse(k) * at.no_rate(posed.contacts[k]);
  if (!posed.elements.empty() || gain <= tolerance::same * moved + doubt) return false;
  at.jump->undefined = "an impact of '" + at.sys.contacts[posed.contacts.front()].name +
                       "' without friction gains energy, which is a defect of this package: please report it";
  return true;
}

bool make_impact(Instant& at, Sequence& s, const List<Index>& approaching, Impacts& impacts) {
  for (const Index j : approaching) s.near[j].gap = 0.0;
  std::optional<PosedImpact> posed = pose_impact(at, taking_part(at.sys, s, approaching), true);
  std::optional<contact::ImpactSolution> solution;
  if (posed) solution = strike(at, *posed, impacts);
  impacts.unsolved = impacts.unsolved || !solution;
  if (impacts.unsolved) return false;
  // If impacts act on each other, their order decides the result.
  const auto row_of = [&](Index j) {
    return std::find(posed->contacts.begin(), posed->contacts.end(), j) - posed->contacts.begin();
  };
  for (const Index a : approaching)
    for (const Index b : approaching)
      impacts.ambiguous = impacts.ambiguous || (a != b && posed->problem.G(row_of(a), row_of(b)) != 0.0);
  impacts.unsolved = gains_without_friction(at, *posed, *solution);
  if (impacts.unsolved) return false;
  for (Index k = 0; k < posed->contacts.size(); ++k) {
    const Index j = posed->contacts[k];
    s.touched[j] = true;
    const contact::Impact& p = posed->problem;
    const double moved = p.G.row(k).cwiseAbs().dot(solution->impulse.cwiseAbs());
    s.near[j].held =
        std::abs(solution->velocity(k)) <= tolerance::few_terms * (std::abs(p.velocity(k)) + moved);
  }
  if (s.made.size() >= 4 * longest_period) s.made.erase(s.made.begin(), s.made.begin() + 2 * longest_period);
  s.made.push_back({std::move(*posed), std::move(*solution), approaching});
  return true;
}

// Fails because the impacts of this instant do not end.
void give_up(const Instant& at, const Sequence& s, Impacts& impacts) {
  List<Index> struck;
  for (const Made& one : s.made)
    for (const Index j : one.approaching)
      if (!contains(struck, j)) struck.push_back(j);
  std::string names;
  for (const Index j : struck) names += (names.empty() ? "'" : ", '") + at.sys.contacts[j].name + "'";
  const bool grows = !std::isfinite(s.rates.squaredNorm());
  at.jump->undefined =
      "the impacts of " + names + " follow each other without end at one instant: " +
      (grows ? "with friction they gain energy, and their velocities grow without bound"
             : "a part without clearance between contacts of restitution 1, or between walls "
               "that approach each other") +
      " (after " + std::to_string(s.impacts) + " impacts)";
  impacts.unsolved = true;
}

// If the latest `length` impacts repeat themselves without end: takes them to their limit or to the impact that
// disturbs them, or fails. False if they do not.
bool reach_limit(Instant& at, Sequence& s, Index length, Impacts& impacts) {
  const std::span<const Made> period(s.made.data() + (s.made.size() - length), static_cast<size_t>(length));
  List<Index> struck_ones, all; // all: also those that separate next to them
  for (const Made& one : period)
    for (const Index j : one.posed.contacts)
      if (!contains(struck_ones, j)) struck_ones.push_back(j);
  all = struck_ones;
  const bool takes_time =
      std::any_of(struck_ones.begin(), struck_ones.end(), [&](Index j) { return s.near[j].gap > 0.0; });
  for (Index j = 0; j < s.near.size(); ++j) {
    // Contacts within reach at this instant may be struck on the way.
    if (at.sys.contacts[j].yields() || contains(all, j) ||
        s.near[j].gap > std::max(s.near[j].no_gap, s.horizon * at.rate_size(j)))
      continue;
    if (s.rates(j) < -s.approach(j)) {
      if (takes_time || s.near[j].gap == 0.0) return false;
      continue; // impacts after these have reached their limit, which takes no time
    }
    all.push_back(j);
  }
  const std::optional<PosedImpact> whole = pose_impact(at, all, true);
  if (!whole) return false;
  const std::optional<contact::RepeatingImpacts> repeating =
      repeating_impacts(*whole, struck_ones.size(), period);
  if (!repeating) return false;
  const contact::Collapse collapse = contact::collapse_of(*repeating);
  if (collapse.limit == contact::Limit::unknown) return false;
  if (collapse.limit == contact::Limit::none) {
    give_up(at, s, impacts);
    return true;
  }
  const contact::ImpactSolution together = whole->outcome(whole->problem.velocity, collapse.impulse);
  ++at.jump->impacts;
  apply(at, *whole, together, impacts);
  const bool reached = collapse.limit == contact::Limit::reached;
  note_impulses(at, *whole, together, reached ? Sum::collapse : Sum::repeated);
  s.made.clear();
  if (!reached) return true;
  for (const Index j : struck_ones) s.near[j].held = true, s.near[j].gap = 0.0;
  close_gaps(at, struck_ones); // closed by the flights that the limit omits
  return true;
}

// The limit of repeated impacts that do not end: of the shortest period, or of a longer one if the shorter period ends
// and begins anew.
void look_for_limit(Instant& at, Sequence& s, Impacts& impacts) {
  s.next_look = s.impacts + std::max<Index>(2, s.impacts / 4);
  look_at_rates(at, s);
  for (Index length = 1; length <= longest_period && 2 * length <= s.made.size();) {
    const Index again = repeated(s.made, length);
    if (again < length)
      ++length;
    else if (reach_limit(at, s, length, impacts))
      return;
    else
      length = (length + again) / 2 + 1; // shorter ones are multiples
  }
}

} // namespace

void make_impacts(Instant& at, const List<Guard>& fired, Impacts& impacts) {
  Sequence s = begin_sequence(at, fired);
  bool rebounds_ended = true;
  for (look_at_rates(at, s); !impacts.unsolved; look_at_rates(at, s)) {
    if (!std::isfinite(s.rates.squaredNorm())) return give_up(at, s, impacts);
    const contact::NextImpact next = contact::next_impact(s.near, s.rates, s.approach, s.horizon);
    if (next.contacts.empty()) {
      if (rebounds_ended || s.impacts > 1) break;
      end_rebounds(at, s.made.back().posed, s.made.back().solution, impacts);
      rebounds_ended = true;
      continue;
    }
    if (++s.impacts > most_impacts) return give_up(at, s, impacts);
    fly(at, s, next.flight);
    if (!make_impact(at, s, next.contacts, impacts)) return;
    rebounds_ended = false;
    if (s.impacts >= s.next_look) look_for_limit(at, s, impacts);
  }
  for (Index j = 0; j < s.near.size(); ++j)
    if (s.touched[j]) {
      const bool together = s.near[j].gap == 0.0 && at.rate(j) <= at.no_rate(j);
      at.state->modes.contact[j] = together ? Mode::closed : Mode::open;
    }
}

} // namespace stickslip
