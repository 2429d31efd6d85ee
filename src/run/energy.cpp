#include "run/energy.hpp"

#include "core/list.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

Balance::Balance(const System& sys)
    : powers(sys), known(sys.n_coordinates > 0), work(Vector::Zero(powers.count())) {}

void Balance::begin() {
  begun = false;
  work.setZero();
  start = lost = absolute = largest = worst = before = 0.0;
}

void Balance::segment(const Segment& seg, const double* C, double a, double b) {
  if (!begun) start = powers.kinetic(seg, C, a) + powers.elastic(seg, C, a);
  begun = true;
  powers.integrate(seg, C, a, b, work, absolute);
  const double now = powers.kinetic(seg, C, b) + powers.elastic(seg, C, b);
  largest = std::max(largest, now);
  const double off = std::abs(now - start - (powers.given(work) - lost));
  if (!(off <= worst) && !std::isnan(worst)) worst = off; // NaN stays NaN
}

// Impacts at the very start come before the first state.
void Balance::impact(double loss, double wall_work) {
  if (begun)
    lost += loss - wall_work;
  else
    before += std::abs(loss) + std::abs(wall_work);
}

// Free vibration does no work: then its own energy is the measure.
double Balance::residual() const {
  if (!known) return std::numeric_limits<double>::quiet_NaN();
  const double size = std::max({absolute, largest, start, before, powers.negligible()});
  return size > 0.0 ? worst / size : 0.0;
}

double energy_residual(const Trajectory& run) {
  Balance balance(run.system());
  auto event = run.events.rows.begin();
  const auto impacts_until = [&](double t) {
    for (; event != run.events.rows.end() && event->time <= t; ++event)
      if (event->impact) balance.impact(event->loss, event->wall_work);
  };
  Vector room;
  for (Index k = run.segment_at(run.t_begin); k < run.segments.size(); ++k) {
    const Segment& seg = run.segments[k];
    const double a = std::max(seg.t0, run.t_begin), b = std::min(seg.t1, run.t_end);
    if (!(b > a) && k + 1 < run.segments.size()) continue; // it stands for one of several states at one time
    impacts_until(a);
    balance.segment(seg, run.polynomials(seg, room), a, b);
  }
  return balance.residual();
}

namespace {

// Fills the terms at one time after the other.
class Ledger {
public:
  Ledger(const Trajectory& of, const List<double>& at)
      : run(of), sys(of.system()), times(at), powers(sys), lost_at_walls(Vector::Zero(contacts())),
        event(run.events.rows.begin()) {
    const auto m = times.size();
    for (Vector* v : {&out.kinetic, &out.elastic, &out.damping, &out.impacts, &out.imbalance}) v->resize(m);
    out.drives.resize(drives(), m);
    out.friction.resize(elements(), m);
    out.surfaces.resize(elements(), m);
    out.dampers.resize(springs(), m);
    out.supports.resize(springs(), m);
    out.compliances.resize(contacts(), m);
    out.walls.resize(contacts(), m);
    out.controllers.resize(controllers(), m);
    out.constraints.resize(constraints(), m);
  }

  EnergyBalance fill() {
    const Index first = run.segment_at(run.t_begin);
    start = stored(run.segments[first], run.t_begin);
    for (const EventRow& e : run.events.rows) // impacts at the very start come before the first sample
      if (e.impact && e.time == run.t_begin) start += e.loss - e.wall_work;
    Vector sum = Vector::Zero(powers.count());
    double unused = 0.0;
    for (Index k = first; k < run.segments.size(); ++k) {
      const Segment& seg = run.segments[k];
      const double a = std::max(seg.t0, run.t_begin), b = std::min(seg.t1, run.t_end);
      Index count = 0; // of times in this segment
      for (Index i = j; i < times.size() && (times[i] < b || k + 1 == run.segments.size()); ++i) ++count;
      if (count > 0) {
        const double* const t = times.data() + j;
        Matrix works = Matrix::Zero(powers.count(), count);
        if (t[count - 1] > a) works = works_of(powers.series(seg, coefficients(seg), a, b), a, b, t, count);
        works.colwise() += sum;
        for (Index i = 0; i < count; ++i, ++j) store(seg, t[i], works.col(i));
      }
      if (j == times.size()) break;
      powers.integrate(seg, coefficients(seg), a, b, sum, unused);
    }
    forget_what_matrices_do_not_tell();
    return std::move(out);
  }

private:
  const Trajectory& run;
  const System& sys;
  const List<double>& times;
  Powers powers;
  EnergyBalance out;
  Vector lost_at_walls; // by the walls of contacts
  double lost = 0.0, start = 0.0;
  List<EventRow>::const_iterator event;
  Index j = 0;
  Vector room; // of coefficients

  Index drives() const { return sys.drives.size(); }
  Index elements() const { return sys.friction.size(); }
  Index springs() const { return sys.springs.size(); }
  Index contacts() const { return sys.contacts.size(); }
  Index controllers() const { return sys.loops.size(); }
  Index constraints() const { return sys.constraints.all.size(); }
  const double* coefficients(const Segment& seg) { return run.polynomials(seg, room); }
  double stored(const Segment& seg, double t) {
    return powers.kinetic(seg, coefficients(seg), t) + powers.elastic(seg, coefficients(seg), t);
  }

  void impacts_until(double t) {
    for (; event != run.events.rows.end() && event->time <= t; ++event)
      if (event->impact) {
        lost += event->loss;
        lost_at_walls(event->element - elements()) += event->wall_work;
      }
  }

  void store(const Segment& seg, double t, const VectorRef& done) {
    const auto at = j;
    const Index nd = drives();
    impacts_until(t);
    out.kinetic(at) = powers.kinetic(seg, coefficients(seg), t);
    out.elastic(at) = powers.elastic(seg, coefficients(seg), t);
    out.drives.col(at) = done.head(nd);
    out.damping(at) = done(nd);
    Index next = nd + 1;
    const auto pairs = [&](Rows& taken, Rows& given) {
      for (Index i = 0; i < taken.rows(); ++i) taken(i, at) = done(next++), given(i, at) = done(next++);
    };
    pairs(out.friction, out.surfaces);
    pairs(out.dampers, out.supports);
    pairs(out.compliances, out.walls);
    out.walls.col(at) += lost_at_walls;
    out.controllers.col(at) = done.segment(next, controllers());
    out.constraints.col(at) = done.tail(constraints());
    out.impacts(at) = lost;
    const double given = powers.given(done) + lost_at_walls.sum() - lost;
    out.imbalance(at) = out.kinetic(at) + out.elastic(at) - start - given;
  }

  // Stored energy and the velocities of the inputs are unknown.
  void forget_what_matrices_do_not_tell() {
    if (sys.n_coordinates > 0) return;
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    for (Vector* v : {&out.kinetic, &out.elastic, &out.damping, &out.imbalance}) v->setConstant(unknown);
    out.drives.setConstant(unknown);
    out.controllers.setConstant(unknown);
    for (Index i = 0; i < elements(); ++i)
      if (sys.friction[i].compensator) out.friction.row(i).setConstant(unknown);
  }
};

} // namespace

EnergyBalance energy(const Trajectory& run, const List<double>& times) {
  return Ledger(run, times).fill();
}

} // namespace stickslip
