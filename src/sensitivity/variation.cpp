#include "sensitivity/variation.hpp"

#include "sensitivity/restart.hpp"

#include <algorithm>
#include <utility>

namespace stickslip {

Variation::Variation(Replica& base, const Parameters& parameters, std::optional<Direction> along)
    : machine(base), by(parameters), slopes(base, parameters, std::move(along)), changes(parameters),
      rates(base, parameters, slopes, changes), guards(base, parameters, slopes, changes, rates),
      exact(base, parameters.size(), slopes, changes), in_short_steps(base, parameters.size(), slopes, rates),
      in_long_steps(base, parameters.size(), slopes, rates), touches(base, slopes, exact), vertical(base) {}

// The pair of order 8 takes longer steps than the other methods.
bool Variation::takes_long_steps(const Segment& segment) const {
  return machine.system().smooth && segment.kind == FlowKind::explicit_pair;
}

// Steps end at the knots of the derivatives of signals. Polynomials for samples reach over a third of a long step. Where
// a velocity comes to rest on a vertical tangent, steps become shorter with it.
const List<double>& Variation::steps_to(const Trajectory& run, const Segment& segment, double t1,
                                        std::size_t samples) {
  const Index parts = takes_long_steps(segment) && samples > 0 ? 3 : 1;
  ends.assign(1, segment.t0);
  for (double from = segment.t0; from < t1;) {
    const double to = std::min(t1, changes.next_knot(from));
    for (Index k = 1; k < parts; ++k)
      ends.push_back(from + (to - from) * static_cast<double>(k) / static_cast<double>(parts));
    ends.push_back(to);
    from = to;
  }
  if (ends.size() < 2) return ends;
  const double before = ends[ends.size() - 2];
  const Index halvings = vertical.halvings(run, segment, before, t1);
  ends.back() = before;
  ends.pop_back();
  ends.pop_back();
  for (Index k = 0; k <= halvings; ++k) ends.push_back(t1 - std::ldexp(t1 - before, -static_cast<int>(k)));
  ends.push_back(t1);
  return ends;
}

template <class Use> void Variation::with_collocation(const Segment& segment, Use&& use) {
  if (takes_long_steps(segment)) return use(in_long_steps);
  use(in_short_steps);
}

void Variation::advance(const Trajectory& run, const Segment& segment, double t1, TangentsRef S,
                        const Vector* moves) {
  if (!(t1 > segment.t0) || by.empty()) return;
  if (machine.regime(segment.regime->modes).affine) return exact.advance(run, segment, segment.t0, t1, S);
  collocate(run, segment, t1, S, By::parameters);
  if (moves != nullptr) S += defect(run, segment, t1) * moves->transpose();
}

void Variation::collocate(const Trajectory& run, const Segment& segment, double t1, TangentsRef S, By kind) {
  steps_to(run, segment, t1, 0);
  with_collocation(segment, [&](auto& collocated) {
    for (Index k = 0; k + 1 < ends.size(); ++k)
      collocated.advance(run, segment, ends[k], ends[k + 1], S, kind);
  });
  project(run, segment, t1, S, kind);
}

// Error of x' where it is propagated as a tangent. The tangent y = S + x' t_b' in time from an instant of rest is as
// smooth as the motion, and S is not: y is propagated, S = y - x' t_b', by adding this error times t_b' to that of S.
Vector Variation::defect(const Trajectory& run, const Segment& segment, double t1) {
  const Modes& modes = segment.regime->modes;
  if (!(t1 > segment.t0)) return Vector::Zero(machine.system().nx);
  Vector x(machine.system().nx);
  const auto motion = [&](double t) -> const Vector& {
    run.state_at(segment, t, x.data());
    machine.move(modes, segment.t0, t, x.data(), rate, force);
    return rate;
  };
  Tangents along = motion(segment.t0);
  collocate(run, segment, t1, along, By::time);
  return along.col(0) - motion(t1);
}

void Variation::sample(const Trajectory& run, const Segment& segment, std::span<const double> times,
                       std::span<const Index> rows, const Tangents& S, const Tangents* end,
                       const Vector* moves, const Sink& sink) {
  if (times.empty()) return;
  const Modes& modes = segment.regime->modes;
  if (machine.regime(modes).affine) return exact.sample(run, segment, times, rows, S, sink);
  if (machine.projects(modes) || moves != nullptr) {
    Tangents out(rows.size(), S.cols());
    for (std::size_t k = 0; k < times.size(); ++k) {
      Tangents there = S;
      advance(run, segment, times[k], there, moves);
      for (Index i = 0; i < out.rows(); ++i) out.row(i) = there.row(rows[static_cast<std::size_t>(i)]);
      sink(static_cast<Index>(k), out);
    }
    return;
  }
  // Steps as they are to the end of the segment, so that samples do not depend on which others are taken.
  const List<double> all =
      steps_to(run, segment, std::max(times.back(), std::min(segment.t1, run.t_end)), times.size());
  Tangents there = S, next;
  std::size_t first = 0;
  for (Index k = 0; k + 1 < all.size() && first < times.size(); ++k) {
    std::size_t last = first;
    while (last < times.size() && (times[last] <= all[k + 1] || k + 2 == all.size())) ++last;
    const Sink here = [&, first](Index i, const Tangents& values) {
      sink(static_cast<Index>(first) + i, values);
    };
    with_collocation(segment, [&](auto& collocated) {
      const bool is_last = k + 2 == all.size();
      if (!is_last) next = there, collocated.advance(run, segment, all[k], all[k + 1], next);
      const Tangents* const known = !is_last ? &next : takes_long_steps(segment) ? nullptr : end;
      collocated.sample(run, segment, all[k], all[k + 1], times.subspan(first, last - first), rows, there,
                        known, here);
    });
    first = last;
    there.swap(next);
  }
  // Of a segment without a length.
  for (; first < times.size(); ++first) {
    Tangents out(rows.size(), S.cols());
    for (Index i = 0; i < out.rows(); ++i) out.row(i) = S.row(rows[static_cast<std::size_t>(i)]);
    sink(static_cast<Index>(first), out);
  }
}

void Variation::retreat(const Trajectory& run, const Segment& segment, double t1,
                        std::span<const Reading> readings, Vector& lambda, Cotangents& into,
                        double* by_moves) {
  if (machine.regime(segment.regime->modes).affine)
    return exact.retreat(run, segment, t1, readings, lambda, into);
  const auto back = [&](double from, std::span<const Reading> within, Vector& of) {
    const List<double> all = steps_to(run, segment, from, within.size());
    std::size_t left = within.size();
    for (Index k = all.size() - 1; k-- > 0;) {
      std::size_t first = left;
      while (first > 0 && (within[first - 1].t > all[k] || k == 0)) --first;
      with_collocation(segment, [&](auto& collocated) {
        collocated.retreat(run, segment, all[k], all[k + 1], within.subspan(first, left - first), of, into);
      });
      left = first;
    }
    for (; left > 0; --left) of += Eigen::Map<const Vector>(within[left - 1].weight, of.size());
  };
  if (!machine.projects(segment.regime->modes) && by_moves == nullptr) return back(t1, readings, lambda);
  const auto unprojected = [&](double from, Vector& of) {
    if (!(from > segment.t0)) return;
    if (by_moves != nullptr) *by_moves += of.dot(defect(run, segment, from));
    unproject(run, segment, from, of, into);
    back(from, {}, of);
  };
  unprojected(t1, lambda);
  for (const Reading& one : readings) {
    Vector own = Eigen::Map<const Vector>(one.weight, lambda.size());
    unprojected(one.t, own);
    lambda += own;
  }
}

// By each position and velocity, on which alone rows of constraints depend.
bool Variation::look_at_projection(const Trajectory& run, const Segment& segment, double t) {
  const Modes& modes = segment.regime->modes;
  if (!machine.projects(modes)) return false;
  projection.x.resize(machine.system().nx);
  run.state_at(segment, t, projection.x.data());
  projection.by_state = projection_slopes(machine, modes, t, projection.x, run.state.nominal);
  return true;
}

Vector Variation::projected_beside(const Segment& segment, double t, Index parameter) const {
  return by[parameter]->derivative([&](Replica& m) {
    Vector there = projection.x;
    m.project(segment.regime->modes, t, there);
    return there;
  });
}

void Variation::project(const Trajectory& run, const Segment& segment, double t, TangentsRef S, By kind) {
  if (!look_at_projection(run, segment, t)) return;
  S = (projection.by_state * S).eval();
  if (kind == By::time) return;
  for (Index j = 0; j < by.size(); ++j)
    if (by[j]->acts(t)) S.col(j) += projected_beside(segment, t, j);
}

// The transpose of `project`.
void Variation::unproject(const Trajectory& run, const Segment& segment, double t, Vector& lambda,
                          Cotangents& into) {
  if (!look_at_projection(run, segment, t)) return;
  for (Index j = 0; j < by.size(); ++j)
    if (by[j]->acts(t)) into.gradient(j) += lambda.dot(projected_beside(segment, t, j));
  lambda = (projection.by_state.transpose() * lambda).eval();
}

void Variation::contract(Cotangents& all) {
  const auto add = [&](Index j, const List<Entry>& change, const Matrix& of) {
    for (const Entry& e : change) all.gradient(j) += e.value * of(e.row, e.column);
  };
  for (const auto& [regime, of] : all.regimes) {
    const RegimeSlopes& r = slopes(*regime);
    for (Index j = 0; j < by.size(); ++j) {
      const RegimeSlopes::Change& change = r.by[j];
      add(j, change.A, of.A), add(j, change.B, of.B), add(j, change.E, of.E);
      add(j, change.Gx, of.Gx), add(j, change.Gs, of.Gs);
    }
  }
}

} // namespace stickslip
