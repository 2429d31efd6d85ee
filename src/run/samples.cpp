#include "run/samples.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "dynamics/constraints.hpp"
#include "run/reading.hpp"
#include "transition/event.hpp"
#include "transition/springs.hpp"

#include <limits>

namespace stickslip {

Samples::Samples(std::shared_ptr<const Trajectory> of, List<double> at)
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
void Samples::evaluate_states() {
  Rows& y = kept_states.emplace(sys.nx, n_times);
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
}

// Between the ends of steps the polynomials are as accurate as the steps: held gaps and velocities are projected as at
// the ends.
void Samples::meet_constraints(Rows& y) {
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

void Samples::evaluate_signals() {
  Rows& s = kept_signals.emplace(sys.ns(), n_times);
  for (Index i = 0; i < sys.ns(); ++i) {
    const Signal& signal = sys.signals[i];
    if (is_constant(signal))
      s.row(i).setConstant(value(signal, 0.0));
    else
      for (Index j = 0; j < n_times; ++j) s(i, j) = value(signal, times[j]);
  }
}

void Samples::make_tangent() {
  if (sys.smooth && !tangent) tangent = std::make_unique<Tangent>(sys);
}

const System& Samples::here() const {
  return tangent ? tangent->system : sys;
}

template <class Use> void Samples::at_every_time(Use&& use) {
  const Rows &y = states(), &values = signals();
  Vector x(sys.nx), s(sys.ns());
  make_tangent();
  for (const Span& span : spans)
    for (Index j = span.first; j < span.first + span.count; ++j) {
      x = y.col(j);
      s = values.col(j);
      if (tangent)
        tangent->move_to(times[j], x.data(), span.segment->regime->modes.sides), tangent->write(s.data());
      use(*span.segment->regime, j, times[j], x, s);
    }
}

void Samples::evaluate_motion() {
  Rows &rate = kept_rates.emplace(sys.nx, n_times),
       &force = kept_forces.emplace(n_elements + n_contacts, n_times);
  Scratch w(sys);
  at_every_time([&](const Regime& r, Index j, double t, const Vector& x, const Vector& s) {
    w.force.setZero();
    evaluate(sys, r, t, x.data(), s.data(), w.xdot.data(), w.force.data(), w);
    share_forces(sys, r, t, x.data(), s.data(), w.force.data(), w);
    rate.col(j) = w.xdot;
    force.col(j) = w.force;
  });
}

Rows& Samples::readings(Read what, Index count) {
  const std::lock_guard lock(access);
  if (const auto known = kept_readings.find(what); known != kept_readings.end()) return known->second;
  const Rows* const held = what == Read::load ? &forces() : nullptr;
  Rows out(count, n_times);
  Vector force;
  at_every_time([&](const Regime& r, Index j, double, const Vector& x, const Vector& s) {
    if (held != nullptr) force = held->col(j);
    for (Index i = 0; i < count; ++i)
      out(i, j) = reading(here(), r.modes, what, i, x.data(), s.data(), force.data());
  });
  return kept_readings.emplace(what, std::move(out)).first->second;
}

void Samples::evaluate_limits() {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const Rows& held = forces();
  Rows &low = kept_lower.emplace(Rows::Constant(n_elements, n_times, none)), &high = kept_upper.emplace(low);
  Vector force(n_elements + n_contacts);
  at_every_time([&](const Regime& r, Index j, double t, const Vector& x, const Vector& s) {
    force = held.col(j);
    for (Index i = 0; i < n_elements; ++i) {
      if (!sys.friction[i].traits.sticks || !r.modes.friction[i].sticks()) continue;
      const Interval limits = holding_limits(sys, r.modes, i, t, x.data(), s.data(), force.data());
      low(i, j) = limits.lo, high(i, j) = limits.hi;
    }
  });
}

// For a law without a jump the mode is the sign of the velocity.
void Samples::evaluate_modes() {
  ModeRows& mode = kept_modes.emplace(n_elements, n_times);
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
}

template <class Of> void Samples::fill_modes(ModeRows& into, Of&& mode) {
  for (const Span& span : spans)
    for (Index k = 0; k < into.rows(); ++k)
      into.row(k)
          .segment(span.first, span.count)
          .setConstant(static_cast<std::int8_t>(mode(span.segment->regime->modes, k)));
}

void Samples::evaluate_contact_modes() {
  fill_modes(kept_contact_modes.emplace(n_contacts, n_times),
             [&](const Modes& modes, Index k) { return contact_mode(sys, modes, k); });
}

template <class Add> void Samples::accumulate(Rows& sums, Add&& add) {
  Vector so_far = Vector::Zero(sums.rows());
  auto event = run->events.rows.begin();
  for (Index j = 0; j < n_times; ++j) {
    for (; event != run->events.rows.end() && event->time <= times[j]; ++event) add(*event, so_far);
    sums.col(j) = so_far;
  }
}

void Samples::evaluate_normal_impulses() {
  accumulate(kept_impulses.emplace(n_contacts, n_times), [&](const EventRow& event, Vector& sum) {
    if (event.impact) sum(event.element - n_elements) += event.normal_impulse;
  });
}

void Samples::evaluate_spring_modes() {
  fill_modes(kept_spring_modes.emplace(sys.springs.size(), n_times),
             [&](const Modes& modes, Index k) { return mode_of(sys, sys.springs[k], modes); });
}

void Samples::evaluate_constraint_forces() {
  const Rows &rate = rates(), &force = forces();
  Rows& held = kept_constraint_forces.emplace(sys.constraints.all.size(), n_times);
  Vector xdot(sys.nx), now(n_elements + n_contacts);
  at_every_time([&](const Regime& r, Index j, double, const Vector& x, const Vector& s) {
    xdot = rate.col(j), now = force.col(j);
    held.col(j) = stickslip::constraint_forces(here(), r, x.data(), s.data(), xdot.data(), now.data());
  });
}

Vector Samples::impulses_of(const EventRow& impact) {
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

void Samples::evaluate_constraint_impulses() {
  accumulate(kept_constraint_impulses.emplace(sys.constraints.all.size(), n_times),
             [&](const EventRow& event, Vector& sum) {
               if (event.impact || event.tangential_impulse != 0.0) sum += impulses_of(event);
             });
}

void Samples::evaluate_loops() {
  LoopSamples& out = kept_loops.emplace(sys, n_times);
  at_every_time([&](const Regime& r, Index j, double, const Vector& x, const Vector& s) {
    out.set(sys, r, x.data(), s.data(), j);
  });
}

} // namespace stickslip
