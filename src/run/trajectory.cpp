#include "run/trajectory.hpp"

#include "core/error.hpp"
#include "run/powers.hpp"
#include "run/rest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stickslip {

std::string Trajectory::full_message() const {
  std::string text = message;
  if (status == Status::finished)
    if (const std::string rest =
            note_of_rest(system(), compiled->regimes.get(system(), state.modes), t_end, state.x.data());
        !rest.empty())
      text += "; " + rest;
  return text;
}

std::size_t Trajectory::segment_at(double t) const {
  // Last segment that starts at or before t; segments of no length, left by several transitions at one
  // instant, come before the one that counts.
  auto it = std::upper_bound(segments.begin(), segments.end(), t,
                             [](double time, const Segment& s) { return time < s.t0; });
  if (it == segments.begin()) return 0;
  return static_cast<std::size_t>(it - segments.begin()) - 1;
}

void Trajectory::state_at(const Segment& seg, double t, double* x) const {
  segment_state(seg, coefficients.data() + seg.offset, system().nx, t, x);
}

std::vector<double> Trajectory::step_times() const {
  std::vector<double> times;
  for (const Segment& s : segments)
    if (s.t0 >= t_begin && (times.empty() || s.t0 > times.back())) times.push_back(s.t0);
  if (times.empty() || times.front() > t_begin) times.insert(times.begin(), t_begin);
  if (times.back() < t_end) times.push_back(t_end);
  return times;
}

Samples sample(const Trajectory& run, const std::vector<double>& times) {
  const System& sys = run.system();
  const Index m = static_cast<Index>(times.size()), np = static_cast<Index>(sys.places.size());
  Samples out;
  out.y.resize(sys.nx, m);
  out.rate = Matrix::Zero(sys.nx, m);
  const Index nc = static_cast<Index>(sys.contacts.size());
  out.force = Matrix::Zero(np + nc, m);
  out.gap.resize(nc, m);
  out.gap_rate.resize(nc, m);
  out.normal_impulse = Matrix::Zero(nc, m);
  out.contact_mode.resize(nc, m);
  out.velocity.resize(np, m);
  out.load.resize(np, m);
  out.limit_lo = out.limit_hi = Matrix::Constant(np, m, std::numeric_limits<double>::quiet_NaN());
  out.signals.resize(sys.ns(), m);
  out.mode.resize(np, m);
  out.loops.resize(sys, m);
  Scratch w(sys);
  for (Index j = 0; j < m; ++j) {
    const double t = times[static_cast<std::size_t>(j)];
    if (!(t >= run.t_begin && t <= run.t_end)) reject("t_eval", t, "within the run");
    const Segment& seg = run.segments[run.segment_at(t)];
    const Regime& r = *seg.regime;
    run.state_at(seg, t, out.y.col(j).data());
    signal_values(sys, t, out.signals.col(j).data());
    const double *x = out.y.col(j).data(), *s = out.signals.col(j).data();
    evaluate(sys, r, t, x, s, out.rate.col(j).data(), out.force.col(j).data(), w);
    out.loops.set(sys, r, x, s, j);
    share_forces(sys, r, t, x, s, out.force.col(j).data());
    for (Index i = 0; i < np; ++i) {
      const Place& p = sys.places[static_cast<std::size_t>(i)];
      const auto u = static_cast<std::size_t>(i);
      out.velocity(i, j) = relative_velocity(p, x, s);
      // Held by a constraint: the velocity is zero, not what rounding left of it.
      if (p.traits.sticks && p.surface_travel < 0 && r.modes.friction[u].sticks()) out.velocity(i, j) = 0.0;
      const double* force = out.force.col(j).data();
      out.load(i, j) = total_load(sys, p, r.modes.friction[u].load_sign, x, s, force);
      if (p.traits.sticks && r.modes.friction[u].sticks()) {
        const Interval limits = holding_limits(sys, r.modes, u, t, x, s, force);
        out.limit_lo(i, j) = limits.lo, out.limit_hi(i, j) = limits.hi;
      }
      const FrictionMode& now = r.modes.friction[i];
      const double v = out.velocity(i, j);
      out.mode(i, j) = static_cast<std::int8_t>(p.traits.sticks || now.open() ? now.mode
                                                : v == 0.0                    ? Mode::stick
                                                                              : slip(v > 0.0 ? 1 : -1));
    }
    for (Index k = 0; k < nc; ++k) {
      const auto u = static_cast<std::size_t>(k);
      const Contact& c = sys.contacts[u];
      const bool closed = r.modes.contact[u] == Mode::closed;
      // Held by a constraint: zero, not what rounding left of it.
      out.gap(k, j) = closed ? 0.0 : c.gap.x.dot(out.y.col(j)) + c.gap.s.dot(out.signals.col(j));
      out.gap_rate(k, j) = closed ? 0.0 : c.rate.x.dot(out.y.col(j)) + c.rate.s.dot(out.signals.col(j));
      out.contact_mode(k, j) = static_cast<std::int8_t>(contact_mode(sys, r.modes, u));
    }
  }
  for (const Event& e : run.events)
    if (e.impact)
      for (Index j = 0; j < m; ++j)
        if (times[static_cast<std::size_t>(j)] >= e.time)
          out.normal_impulse(e.element - np, j) += e.normal_impulse;
  return out;
}

EnergyBalance energy(const Trajectory& run, const std::vector<double>& times) {
  const System& sys = run.system();
  const Index m = static_cast<Index>(times.size()), nd = static_cast<Index>(sys.drives.size()),
              np = static_cast<Index>(sys.places.size());
  EnergyBalance out;
  out.kinetic.resize(m);
  out.elastic.resize(m);
  out.damping.resize(m);
  out.imbalance.resize(m);
  out.drives.resize(nd, m);
  out.friction.resize(np, m);
  out.surfaces.resize(np, m);
  const Index nc = static_cast<Index>(sys.contacts.size());
  out.walls.resize(nc, m);
  out.impacts = Vector::Zero(m);
  for (const Event& e : run.events)
    for (Index k = 0; k < m; ++k)
      if (e.impact && times[static_cast<std::size_t>(k)] >= e.time) out.impacts(k) += e.loss;
  const Index nl = static_cast<Index>(sys.loops.size());
  out.controllers.resize(nl, m);
  Powers powers(sys);
  auto at = [&](const Segment& seg) { return run.coefficients.data() + seg.offset; };
  Vector sum = Vector::Zero(powers.count()), here(powers.count());
  double absolute = 0.0, largest = 0.0;
  const Segment& first = run.segments[run.segment_at(run.t_begin)];
  double start =
      powers.kinetic(first, at(first), run.t_begin) + powers.elastic(first, at(first), run.t_begin);
  for (const Event& e : run.events) // impacts at the very start come before the first sample
    if (e.impact && e.time == run.t_begin) start += e.loss - e.wall_work;
  Index j = 0;
  auto store = [&](const Segment& seg, double t, const Vector& work) {
    out.kinetic(j) = powers.kinetic(seg, at(seg), t);
    out.elastic(j) = powers.elastic(seg, at(seg), t);
    largest = std::max(largest, out.kinetic(j) + out.elastic(j));
    out.drives.col(j) = work.head(nd);
    out.damping(j) = work(nd);
    double given = work.head(nd).sum() - work(nd);
    for (Index i = 0; i < np; ++i) {
      out.friction(i, j) = work(nd + 1 + 2 * i);
      out.surfaces(i, j) = work(nd + 2 + 2 * i);
      given += out.surfaces(i, j) - out.friction(i, j);
    }
    for (Index i = 0; i < nc; ++i) {
      out.walls(i, j) = work(nd + 1 + 2 * np + i);
      for (const Event& e : run.events)
        if (e.impact && e.element == np + i && e.time <= times[static_cast<std::size_t>(j)])
          out.walls(i, j) += e.wall_work;
      given += out.walls(i, j);
    }
    given -= out.impacts(j);
    out.controllers.col(j) = work.tail(nl);
    given += work.tail(nl).sum();
    out.imbalance(j) = out.kinetic(j) + out.elastic(j) - start - given;
    ++j;
  };
  double ignore = 0.0;
  for (std::size_t k = run.segment_at(run.t_begin); k < run.segments.size(); ++k) {
    const Segment& seg = run.segments[k];
    const double a = std::max(seg.t0, run.t_begin), b = std::min(seg.t1, run.t_end);
    const bool final_segment = k + 1 == run.segments.size();
    while (j < m && (times[static_cast<std::size_t>(j)] < b || final_segment)) {
      const double t = times[static_cast<std::size_t>(j)];
      here = sum;
      powers.integrate(seg, at(seg), a, t, here, ignore);
      store(seg, t, here);
    }
    powers.integrate(seg, at(seg), a, b, sum, absolute);
  }
  // Free vibration does no work: then its own energy is the measure.
  const double size = std::max({absolute, largest, start, powers.negligible()});
  out.residual = m > 0 && size > 0.0 ? out.imbalance.cwiseAbs().maxCoeff() / size : 0.0;
  if (sys.n_coordinates == 0) { // matrices do not say what is stored, nor what the inputs' velocities are
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    for (Vector* v : {&out.kinetic, &out.elastic, &out.damping, &out.imbalance}) v->setConstant(unknown);
    out.drives.setConstant(unknown);
    out.controllers.setConstant(unknown);
    for (Index i = 0; i < np; ++i)
      if (sys.places[static_cast<std::size_t>(i)].compensator) out.friction.row(i).setConstant(unknown);
    out.residual = unknown;
  }
  return out;
}

} // namespace stickslip
