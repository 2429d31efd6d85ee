#include "run/samples.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/spring_force.hpp"
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
Rows& Samples::states() {
  const std::lock_guard lock(access);
  if (kept_states) return *kept_states;
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
  return y;
}

// Between the ends of steps the polynomials are as accurate as the steps: what is held is brought back to what it must
// be, as at the ends.
void Samples::meet_constraints(Rows& y) {
  if (!sys.smooth && !sys.constraints.any()) return;
  if (sys.smooth && !tangent) tangent = std::make_unique<Tangent>(sys);
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

Rows& Samples::signals() {
  const std::lock_guard lock(access);
  if (kept_signals) return *kept_signals;
  Rows& s = kept_signals.emplace(sys.ns(), n_times);
  for (Index i = 0; i < sys.ns(); ++i) {
    const Signal& signal = sys.signals[i];
    if (is_constant(signal))
      s.row(i).setConstant(value(signal, 0.0));
    else
      for (Index j = 0; j < n_times; ++j) s(i, j) = value(signal, times[j]);
  }
  return s;
}

const System& Samples::here() const {
  return tangent ? tangent->system : sys;
}

template <class Use> void Samples::at_every_time(Use&& use) {
  const Rows &y = states(), &values = signals();
  Vector x(sys.nx), s(sys.ns());
  if (sys.smooth && !tangent) tangent = std::make_unique<Tangent>(sys);
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

Rows& Samples::rates() {
  const std::lock_guard lock(access);
  if (!kept_rates) evaluate_motion();
  return *kept_rates;
}

Rows& Samples::forces() {
  const std::lock_guard lock(access);
  if (!kept_forces) evaluate_motion();
  return *kept_forces;
}

Rows& Samples::velocities() {
  const std::lock_guard lock(access);
  if (kept_velocities) return *kept_velocities;
  Rows& v = kept_velocities.emplace(n_elements, n_times);
  at_every_time([&](const Regime& r, Index j, double, const Vector& x, const Vector& s) {
    for (Index i = 0; i < n_elements; ++i) {
      const Friction& p = here().friction[i];
      // Held by a constraint: the velocity is zero, not what rounding left of it.
      const bool held = p.traits.sticks && p.surface_travel < 0 && r.modes.friction[i].sticks();
      v(i, j) = held ? 0.0 : relative_velocity(p, x.data(), s.data());
    }
  });
  return v;
}

Rows& Samples::loads() {
  const std::lock_guard lock(access);
  if (kept_loads) return *kept_loads;
  const Rows& held = forces();
  Rows& load = kept_loads.emplace(n_elements, n_times);
  Vector force(n_elements + n_contacts);
  at_every_time([&](const Regime& r, Index j, double, const Vector& x, const Vector& s) {
    force = held.col(j);
    for (Index i = 0; i < n_elements; ++i) {
      load(i, j) = total_load(here(), here().friction[i], r.modes.friction[i].load_stretch, x.data(),
                              s.data(), force.data());
    }
  });
  return load;
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

Rows& Samples::lower_limits() {
  const std::lock_guard lock(access);
  if (!kept_lower) evaluate_limits();
  return *kept_lower;
}

Rows& Samples::upper_limits() {
  const std::lock_guard lock(access);
  if (!kept_upper) evaluate_limits();
  return *kept_upper;
}

// Of a law without a jump the mode is the side of the velocity.
ModeRows& Samples::modes() {
  const std::lock_guard lock(access);
  if (kept_modes) return *kept_modes;
  ModeRows& mode = kept_modes.emplace(n_elements, n_times);
  for (Index i = 0; i < n_elements; ++i) {
    const bool sticks = sys.friction[i].traits.sticks;
    for (const Span& span : spans) {
      const FrictionMode& here = span.segment->regime->modes.friction[i];
      auto part = mode.row(i).segment(span.first, span.count);
      if (sticks || here.open())
        part.setConstant(static_cast<std::int8_t>(here.shown()));
      else
        part = velocities().row(i).segment(span.first, span.count).array().sign().cast<std::int8_t>();
    }
  }
  return mode;
}

void Samples::evaluate_gaps() {
  Rows &gap = kept_gaps.emplace(n_contacts, n_times), &rate = kept_gap_rates.emplace(n_contacts, n_times);
  at_every_time([&](const Regime& r, Index j, double, const Vector& x, const Vector& s) {
    for (Index k = 0; k < n_contacts; ++k) {
      const Contact& c = here().contacts[k];
      // Held by a constraint: zero, not what rounding left of it.
      const bool closed = r.modes.contact[k] == Mode::closed && !c.yields();
      gap(k, j) = closed ? 0.0 : value(c.gap, x.data(), s.data());
      rate(k, j) = closed ? 0.0 : value(c.rate, x.data(), s.data());
    }
  });
}

Rows& Samples::gaps() {
  const std::lock_guard lock(access);
  if (!kept_gaps) evaluate_gaps();
  return *kept_gaps;
}

Rows& Samples::gap_rates() {
  const std::lock_guard lock(access);
  if (!kept_gap_rates) evaluate_gaps();
  return *kept_gap_rates;
}

ModeRows& Samples::contact_modes() {
  const std::lock_guard lock(access);
  if (kept_contact_modes) return *kept_contact_modes;
  ModeRows& mode = kept_contact_modes.emplace(n_contacts, n_times);
  for (const Span& span : spans)
    for (Index k = 0; k < n_contacts; ++k)
      mode.row(k)
          .segment(span.first, span.count)
          .setConstant(static_cast<std::int8_t>(contact_mode(sys, span.segment->regime->modes, k)));
  return mode;
}

Rows& Samples::normal_impulses() {
  const std::lock_guard lock(access);
  if (kept_impulses) return *kept_impulses;
  Rows& sum = kept_impulses.emplace(n_contacts, n_times);
  Vector so_far = Vector::Zero(n_contacts);
  auto event = run->events.rows.begin();
  for (Index j = 0; j < n_times; ++j) {
    for (; event != run->events.rows.end() && event->time <= times[j]; ++event)
      if (event->impact) so_far(event->element - n_elements) += event->normal_impulse;
    sum.col(j) = so_far;
  }
  return sum;
}

void Samples::evaluate_springs() {
  const Index m = sys.springs.size();
  Rows &force = kept_spring_forces.emplace(m, n_times), &elongation = kept_elongations.emplace(m, n_times),
       &rate = kept_elongation_rates.emplace(m, n_times);
  at_every_time([&](const Regime& r, Index j, double, const Vector& x, const Vector& s) {
    for (Index k = 0; k < m; ++k) {
      force(k, j) = spring_force(sys, k, r.modes, x.data(), s.data());
      elongation(k, j) = value(sys.springs[k].elongation, x.data(), s.data());
      rate(k, j) = value(sys.springs[k].rate, x.data(), s.data());
    }
  });
}

Rows& Samples::spring_forces() {
  const std::lock_guard lock(access);
  if (!kept_spring_forces) evaluate_springs();
  return *kept_spring_forces;
}

Rows& Samples::elongations() {
  const std::lock_guard lock(access);
  if (!kept_elongations) evaluate_springs();
  return *kept_elongations;
}

Rows& Samples::elongation_rates() {
  const std::lock_guard lock(access);
  if (!kept_elongation_rates) evaluate_springs();
  return *kept_elongation_rates;
}

ModeRows& Samples::spring_modes() {
  const std::lock_guard lock(access);
  if (kept_spring_modes) return *kept_spring_modes;
  ModeRows& mode = kept_spring_modes.emplace(sys.springs.size(), n_times);
  for (const Span& span : spans)
    for (Index k = 0; k < sys.springs.size(); ++k)
      mode.row(k)
          .segment(span.first, span.count)
          .setConstant(static_cast<std::int8_t>(mode_of(sys, sys.springs[k], span.segment->regime->modes)));
  return mode;
}

Rows& Samples::constraint_forces() {
  const std::lock_guard lock(access);
  if (kept_constraint_forces) return *kept_constraint_forces;
  const Rows &rate = rates(), &force = forces();
  Rows& held = kept_constraint_forces.emplace(sys.constraints.all.size(), n_times);
  Vector xdot(sys.nx), now(n_elements + n_contacts);
  at_every_time([&](const Regime& r, Index j, double, const Vector& x, const Vector& s) {
    xdot = rate.col(j), now = force.col(j);
    held.col(j) = stickslip::constraint_forces(here(), r, x.data(), s.data(), xdot.data(), now.data());
  });
  return held;
}

Vector Samples::impulses_of(const EventRow& impact) {
  if (sys.smooth && !tangent) tangent = std::make_unique<Tangent>(sys);
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

Rows& Samples::constraint_impulses() {
  const std::lock_guard lock(access);
  if (kept_constraint_impulses) return *kept_constraint_impulses;
  Rows& sum = kept_constraint_impulses.emplace(sys.constraints.all.size(), n_times);
  Vector so_far = Vector::Zero(sum.rows());
  auto event = run->events.rows.begin();
  for (Index j = 0; j < n_times; ++j) {
    for (; event != run->events.rows.end() && event->time <= times[j]; ++event)
      if (event->impact || event->tangential_impulse != 0.0) so_far += impulses_of(*event);
    sum.col(j) = so_far;
  }
  return sum;
}

LoopSamples& Samples::loops() {
  const std::lock_guard lock(access);
  if (kept_loops) return *kept_loops;
  LoopSamples& out = kept_loops.emplace(sys, n_times);
  at_every_time([&](const Regime& r, Index j, double, const Vector& x, const Vector& s) {
    out.set(sys, r, x.data(), s.data(), j);
  });
  return out;
}

} // namespace stickslip
