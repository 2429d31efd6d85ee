#include "run/sample_grid.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "dynamics/constraints.hpp"
#include "run/reading.hpp"
#include "transition/event.hpp"
#include "transition/springs.hpp"

#include <limits>

namespace stickslip {

SampleGrid::SampleGrid(std::shared_ptr<const Trajectory> of, List<double> at)
    : run(std::move(of)), sys(run->system()), times(std::move(at)), n_times(times.size()),
      n_elements(sys.friction.size()), n_contacts(sys.contacts.size()) {
  Index k = 0;
  for (Index j = 0; j < n_times; ++j) {
    const double t = times[j];
    if (!(t >= run->t_begin && t <= run->t_end)) reject("t_eval", t, "within the run");
    if (j > 0 && t < times[j - 1]) reject("t_eval", t, "not less than the time before");
    if (j == 0)
      k = run->segment_at(t);
    else
      while (k + 1 < run->segments.size() && run->segments[k + 1].t0 <= t) ++k;
    const Segment* segment = &run->segments[k];
    if (spans.empty() || spans.back().segment != segment) spans.push_back({segment, j, 0});
    ++spans.back().count;
  }
}

// Horner's rule for all times of a segment at once, with the same roundings as segment_state().
Rows SampleGrid::states() {
  Rows y(sys.nx, n_times);
  List<double> theta;
  Vector room;
  for (const Span& span : spans) {
    const Segment& seg = *span.segment;
    const double* const C = run->polynomials(seg, room);
    const auto m = span.count;
    theta.resize(m);
    const double* const t = times.data() + span.first;
    for (Index j = 0; j < m; ++j) theta[j] = seg.h > 0.0 ? (t[j] - seg.t0) / seg.h : 0.0;
    for (Index i = 0; i < sys.nx; ++i) {
      double* const x = y.row(i).data() + span.first;
      std::fill_n(x, m, C[(seg.columns - 1) * sys.nx + i]);
      for (Index k = seg.columns - 2; k >= 0; --k) {
        const double c = C[k * sys.nx + i];
        for (Index j = 0; j < m; ++j) x[j] = x[j] * theta[j] + c;
      }
    }
  }
  meet_constraints(y);
  return y;
}

// Between the ends of steps the polynomials are as accurate as the steps: held gaps and velocities are projected as at
// the ends.
void SampleGrid::meet_constraints(Rows& y) {
  if (!sys.smooth && !sys.constraints.any()) return;
  make_tangent();
  Vector x(sys.nx);
  for (const Span& span : spans)
    for (Index j = span.first; j < span.first + span.count; ++j) {
      x = y.col(j);
      if (tangent && span.segment->kind == FlowKind::time_stepping)
        tangent->keep_constraints(times[j], x);
      else if (tangent)
        tangent->project(times[j], x, span.segment->regime->modes);
      keep_constraints(sys, times[j], x.data());
      y.col(j) = x;
    }
}

Rows SampleGrid::signals() const {
  Rows s(sys.ns(), n_times);
  for (Index i = 0; i < sys.ns(); ++i) {
    const Signal& signal = sys.signals[i];
    if (is_constant(signal))
      s.row(i).setConstant(value(signal, 0.0));
    else
      for (Index j = 0; j < n_times; ++j) s(i, j) = value(signal, times[j]);
  }
  return s;
}

void SampleGrid::make_tangent() {
  if (sys.smooth && !tangent) tangent = std::make_unique<Tangent>(sys);
}

template <class Use> void SampleGrid::at_every_time(const Motion& motion, Index elements, Use&& use) {
  if (elements == 0) return;
  Vector x(sys.nx), s(sys.ns());
  Scratch w(sys);
  make_tangent();
  for (const Span& span : spans)
    for (Index j = span.first; j < span.first + span.count; ++j) {
      x = motion.states.col(j);
      s = motion.signals.col(j);
      if (tangent)
        tangent->move_to(times[j], x.data(), span.segment->regime->modes.sides), tangent->write(s.data());
      follow_reactions(sys, span.segment->regime->modes, times[j], x.data(), s.data(), w);
      use(*span.segment->regime, j, times[j], x, s);
    }
}

std::pair<Rows, Rows> SampleGrid::rates_and_forces(const Motion& motion) {
  std::pair<Rows, Rows> out(Rows(sys.nx, n_times), Rows(n_elements + n_contacts, n_times));
  Scratch w(sys);
  at_every_time(motion, sys.nx, [&](const Regime& r, Index j, double t, const Vector& x, const Vector& s) {
    w.force.setZero();
    evaluate(sys, r, t, x.data(), s.data(), w.xdot.data(), w.force.data(), w);
    share_forces(sys, r, t, x.data(), s.data(), w.force.data(), w);
    out.first.col(j) = w.xdot;
    out.second.col(j) = w.force;
  });
  return out;
}

std::map<Read, Rows> SampleGrid::readings(const Motion& motion) {
  const Index springs = sys.springs.size();
  const std::pair<Read, Index> kinds[] = {{Read::velocity, n_elements}, {Read::gap, n_contacts},
                                          {Read::gap_rate, n_contacts}, {Read::spring_force, springs},
                                          {Read::elongation, springs},  {Read::elongation_rate, springs}};
  std::map<Read, Rows> out;
  for (const auto& [what, count] : kinds) out.emplace(what, Rows(count, n_times));
  at_every_time(motion, n_elements + n_contacts + springs,
                [&](const Regime& r, Index j, double, const Vector& x, const Vector& s) {
                  for (auto& [what, rows] : out)
                    for (Index i = 0; i < rows.rows(); ++i)
                      rows(i, j) = reading(here(), r.modes, what, i, x.data(), s.data(), nullptr);
                });
  return out;
}

Rows SampleGrid::loads(const Motion& motion, const Rows& held) {
  Rows out(n_elements, n_times);
  Vector force(n_elements + n_contacts);
  at_every_time(motion, n_elements, [&](const Regime& r, Index j, double, const Vector& x, const Vector& s) {
    force = held.col(j);
    for (Index i = 0; i < n_elements; ++i)
      out(i, j) = reading(here(), r.modes, Read::load, i, x.data(), s.data(), force.data());
  });
  return out;
}

std::pair<Rows, Rows> SampleGrid::limits(const Motion& motion, const Rows& held) {
  const Rows none = Rows::Constant(n_elements, n_times, std::numeric_limits<double>::quiet_NaN());
  std::pair<Rows, Rows> out(none, none);
  Vector force(n_elements + n_contacts);
  at_every_time(
      motion, n_elements, [&](const Regime& r, Index j, double t, const Vector& x, const Vector& s) {
        force = held.col(j);
        for (Index i = 0; i < n_elements; ++i) {
          if (!sys.friction[i].traits.sticks || !r.modes.friction[i].sticks()) continue;
          const Interval limits = holding_limits(here(), r.modes, i, t, x.data(), s.data(), force.data());
          out.first(i, j) = limits.lo, out.second(i, j) = limits.hi;
        }
      });
  return out;
}

// For a law without a jump the mode is the sign of the velocity.
ModeRows SampleGrid::friction_modes(const std::function<const Rows&()>& velocities) const {
  ModeRows mode(n_elements, n_times);
  for (Index i = 0; i < n_elements; ++i) {
    const bool sticks = sys.friction[i].traits.sticks;
    for (const Span& span : spans) {
      const FrictionMode& here = span.segment->regime->modes.friction[i];
      auto part = mode.row(i).segment(span.first, span.count);
      if (sticks || here.open())
        part.setConstant(static_cast<std::int8_t>(friction_mode(sys, span.segment->regime->modes, i)));
      else
        part = velocities().row(i).segment(span.first, span.count).array().sign().cast<std::int8_t>();
    }
  }
  return mode;
}

template <class Of> ModeRows SampleGrid::fill_modes(Index count, Of&& mode) const {
  ModeRows into(count, n_times);
  for (const Span& span : spans)
    for (Index k = 0; k < count; ++k)
      into.row(k)
          .segment(span.first, span.count)
          .setConstant(static_cast<std::int8_t>(mode(span.segment->regime->modes, k)));
  return into;
}

ModeRows SampleGrid::contact_modes() const {
  return fill_modes(n_contacts, [&](const Modes& modes, Index k) { return contact_mode(sys, modes, k); });
}

ModeRows SampleGrid::spring_modes() const {
  return fill_modes(sys.springs.size(),
                    [&](const Modes& modes, Index k) { return mode_of(sys, sys.springs[k], modes); });
}

template <class Add> Rows SampleGrid::accumulate(Index count, Add&& add) const {
  Rows sums(count, n_times);
  if (count == 0) return sums;
  Vector so_far = Vector::Zero(count);
  auto event = run->events.rows.begin();
  for (Index j = 0; j < n_times; ++j) {
    for (; event != run->events.rows.end() && event->time <= times[j]; ++event) add(*event, so_far);
    sums.col(j) = so_far;
  }
  return sums;
}

Rows SampleGrid::normal_impulses() const {
  return accumulate(n_contacts, [&](const EventRow& event, Vector& sum) {
    if (event.impact) sum(event.element - n_elements) += event.normal_impulse;
  });
}

Rows SampleGrid::constraint_forces(const Motion& motion, const Rows& rate, const Rows& force) {
  Rows held(sys.constraints.all.size(), n_times);
  Vector xdot(sys.nx), now(n_elements + n_contacts);
  at_every_time(motion, sys.constraints.all.size(),
                [&](const Regime& r, Index j, double, const Vector& x, const Vector& s) {
                  xdot = rate.col(j), now = force.col(j);
                  held.col(j) =
                      stickslip::constraint_forces(here(), r, x.data(), s.data(), xdot.data(), now.data());
                });
  return held;
}

Vector SampleGrid::impulses_of(const EventRow& impact) {
  make_tangent();
  if (tangent) {
    Vector x(sys.nx);
    const Segment& segment = run->segments[run->segment_at(impact.time)];
    run->state_at(segment, impact.time, x.data());
    tangent->move_to(impact.time, x.data(), segment.regime->modes.sides);
  }
  const Vector given = impact.impact ? impulse_of_contact(here(), impact.element - n_elements,
                                                          impact.normal_impulse, impact.tangential_impulse)
                                     : impulse_of_friction(here(), impact.element, impact.tangential_impulse);
  return stickslip::constraint_impulses(here(), given);
}

Rows SampleGrid::constraint_impulses() {
  return accumulate(sys.constraints.all.size(), [&](const EventRow& event, Vector& sum) {
    if (event.impact || event.tangential_impulse != 0.0) sum += impulses_of(event);
  });
}

LoopSamples SampleGrid::loops(const Motion& motion) {
  LoopSamples out(sys, n_times);
  at_every_time(motion, sys.loops.size(),
                [&](const Regime& r, Index j, double, const Vector& x, const Vector& s) {
                  out.set(sys, r, x.data(), s.data(), j);
                });
  return out;
}

} // namespace stickslip
