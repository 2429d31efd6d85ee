// Derivatives of a run at given times.
#include "sensitivity/sensitivity.hpp"
#include "sensitivity/thresholds.hpp"

namespace stickslip {

Vector Sensitivity::impulse_at(Index contact, double t) const {
  if (t >= valid_until || starts.empty()) return Vector::Constant(by.size(), not_determined);
  Vector sum = Vector::Zero(by.size());
  for (Index e = 0; e < run->events.rows.size() && run->events.rows[e].time <= t; ++e) {
    const EventRow& row = run->events.rows[e];
    if (row.impact && row.element == machine->system().friction.size() + contact)
      sum += events.impulses.col(e);
  }
  return sum;
}

Vector Sensitivity::constraint_impulse_at(Index constraint, double t) const {
  if (t >= valid_until || starts.empty()) return Vector::Constant(by.size(), not_determined);
  Vector sum = Vector::Zero(by.size());
  for (const auto& [when, slopes] : constraint_impulses)
    if (when <= t) sum += slopes.row(constraint).transpose();
  return sum;
}

Matrix Sensitivity::at_end() const {
  if (valid_until <= run->t_end) return Matrix::Constant(now.S.rows(), by.size(), not_determined);
  return now.S;
}

void Sensitivity::sample(const List<double>& times, const List<Index>& rows, const Sink& sink) {
  const Tangents unknown = Tangents::Constant(rows.size(), by.size(), not_determined);
  for (Index k = 0; k < times.size();) {
    const Index i = run->segment_at(times[k]);
    if (i >= starts.size() || times[k] >= valid_until) {
      sink(k++, unknown);
      continue;
    }
    Index last = k + 1;
    while (last < times.size() && times[last] < valid_until && run->segment_at(times[last]) == i) ++last;
    const std::span<const double> within(times.data() + k, static_cast<std::size_t>(last - k));
    const bool known = i + 1 < starts.size() && starts[i + 1].goes_on;
    variation->sample(*run, run->segments[i], within, std::span<const Index>(rows), starts[i].S,
                      known ? &starts[i + 1].S : nullptr, starts[i].moves(),
                      [&](Index n, const Tangents& S) { sink(k + n, S); });
    k = last;
  }
}

namespace {

std::shared_ptr<Trajectory> motionless(const std::shared_ptr<Compiled>& machine, const List<double>& times,
                                       const List<Vector>& states, const List<const Modes*>& modes) {
  auto out = std::make_shared<Trajectory>();
  out->compiled = machine;
  out->t_begin = times.front(), out->t_end = times.back();
  for (Index k = 0; k < times.size(); ++k) {
    const Regime& regime = machine->regimes.get(machine->system, *modes[k]);
    out->segments.push_back({times[k], times[k], 0.0, &regime, out->coefficients.size(), 1, FlowKind::exact});
    out->coefficients.insert(out->coefficients.end(), states[k].begin(), states[k].end());
  }
  return out;
}

} // namespace

Sensitivity::Beside Sensitivity::beside(Index j, const List<double>& times) {
  const Index n = times.size();
  List<Vector> x(n), along(n);
  List<const Modes*> modes(n);
  Vector step = Vector::Zero(n);
  List<Matrix> tangents(n);
  List<Index> rows(machine->system().nx);
  for (Index i = 0; i < rows.size(); ++i) rows[i] = i;
  sample(times, rows, [&](Index k, const Tangents& S) { tangents[k] = S; });
  for (Index k = 0; k < n; ++k) {
    const Segment& segment = run->segments[run->segment_at(times[k])];
    x[k].resize(machine->system().nx);
    run->state_at(segment, times[k], x[k].data());
    modes[k] = &segment.regime->modes;
    along[k] = tangents[k].col(j);
    if (!along[k].allFinite()) along[k].setConstant(not_determined);
    const double speed = in_sizes(along[k], run->state.nominal);
    step(k) = speed > 0.0 ? close_beside / speed : 0.0;
    if (along[k].hasNaN()) step(k) = 1.0;
  }
  Beside out;
  const Stencil& central = central_stencil();
  const Index own = by[j]->beside.size();
  out.weights = Matrix::Zero(central.offsets.size() + own, n);
  for (Index i = 0; i < central.offsets.size(); ++i) {
    List<Vector> moved_states = x;
    for (Index k = 0; k < n; ++k) {
      if (!(step(k) > 0.0)) continue;
      moved_states[k] += central.offsets[i] * step(k) * along[k];
      out.weights(i, k) = central.weights[i] / step(k);
    }
    out.runs.push_back(motionless(machine->machine(), times, moved_states, modes));
  }
  for (Index i = 0; i < own; ++i) {
    out.runs.push_back(motionless(by[j]->beside[i]->machine(), times, x, modes));
    for (Index k = 0; k < n; ++k)
      if (by[j]->acts(times[k])) out.weights(central.offsets.size() + i, k) = by[j]->weights[i];
  }
  return out;
}

} // namespace stickslip
