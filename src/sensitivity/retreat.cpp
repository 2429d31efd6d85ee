// The motion within one mode backwards: the derivative of a number of the run by the states at the end of a segment
// becomes its derivatives by those at its start and by the parameters. Each step is the transpose of the forward
// variation, so that both agree to rounding.
#include "sensitivity/variation.hpp"

#include "core/small_lu.hpp"

namespace stickslip {

void Variation::retreat(const Trajectory& run, const Segment& segment, double t1,
                        std::span<const Reading> readings, Vector& lambda, Cotangents& into) {
  if (machine.regime(segment.regime->modes).affine)
    return retreat_exactly(run, segment, t1, readings, lambda, into);
  const auto back = [&](double from, Vector& of) {
    const Index parts = steps_of(segment);
    if (from > segment.t0) unproject(run, segment, from, of, into);
    for (Index k = parts; from > segment.t0 && k-- > 0;)
      uncollocate(run, segment, step_part(segment.t0, from, k, parts),
                  step_part(segment.t0, from, k + 1, parts), of, into);
  };
  back(t1, lambda);
  for (const Reading& one : readings) {
    Vector own = Eigen::Map<const Vector>(one.weight, lambda.size());
    back(one.t, own);
    lambda += own;
  }
}

// The transpose of `project`.
void Variation::unproject(const Trajectory& run, const Segment& segment, double t, Vector& lambda,
                          Cotangents& into) {
  if (!look_at_projection(run, segment, t)) return;
  for (Index j = 0; j < by.size(); ++j)
    if (by[j]->changes_machine()) into.gradient(j) += lambda.dot(projected_beside(segment, t, j));
  lambda = (projection.by_state.transpose() * lambda).eval();
}

// Readings within the segment enter with the powers of their time.
void Variation::retreat_exactly(const Trajectory& run, const Segment& segment, double t1,
                                std::span<const Reading> readings, Vector& lambda, Cotangents& into) {
  const double t0 = segment.t0;
  std::size_t left = readings.size();
  const auto add = [&](Matrix& inject, double theta, const auto& weight) {
    double power = 1.0;
    for (Index k = 0; k < inject.cols(); ++k, power *= theta) inject.col(k) += power * weight;
  };
  if (t1 > t0) {
    const RegimeSlopes& r = slopes(machine.regime(segment.regime->modes));
    const double parts = parts_of(r, t0, t1), h = (t1 - t0) / parts;
    for (double part = parts - 1.0; part >= 0.0; --part) {
      const double begin = t0 + part * h;
      expand(r, run, segment, begin, h);
      const Index columns = columns_of(r, t0, t1 - t0, parts);
      injected.setZero(lambda.size(), columns);
      add(injected, 1.0, lambda);
      for (; left > 0 && readings[left - 1].t > begin; --left)
        add(injected, (readings[left - 1].t - begin) / h,
            Eigen::Map<const Vector>(readings[left - 1].weight, lambda.size()));
      give(r, columns, lambda, into);
    }
  }
  for (; left > 0; --left) lambda += Eigen::Map<const Vector>(readings[left - 1].weight, lambda.size());
}

// The transpose of `take`: with the derivatives by S_k,  L_k = injected_k + h / (k+1) A^T L_(k+1).
void Variation::give(const RegimeSlopes& r, Index columns, Vector& lambda, Cotangents& into) {
  RegimeCotangents& of = into.of(*r.regime);
  lambda = injected.col(columns - 1);
  Vector& owed = owed_rates;
  for (Index k = columns - 2; k >= 0; --k) {
    owed = series.h / static_cast<double>(k + 1) * lambda;
    if (k < series.columns)
      for (const Entry& e : r.any_A) of.A(e.row, e.column) += owed(e.row) * series.x(e.column, k);
    if (k <= series.degree) {
      for (const Entry& e : r.any_B) of.B(e.row, e.column) += owed(e.row) * series.s(e.column, k);
      for (Index c = 0; c < changes.size(); ++c)
        if (drive(c, k) != 0.0)
          for (const Entry& e : r.B)
            if (e.column == changes[c].signal)
              into.gradient(changes[c].parameter) += e.value * drive(c, k) * owed(e.row);
    }
    lambda = injected.col(k);
    for (const Entry& e : r.A) lambda(e.column) += e.value * owed(e.row);
  }
}

// The transpose of `collocate`.
void Variation::uncollocate(const Trajectory& run, const Segment& segment, double t0, double t1,
                            Vector& lambda, Cotangents& into) {
  constexpr Index n = Points::stages;
  const Points& points = radau<n>();
  const double h = t1 - t0;
  Collocation& c = collocation;
  look_along(run, segment, t0, t1);
  const Index m = c.positions, q = lambda.size() - m;
  c.M.transposeInPlace();
  Vector right(n * q), rates(n * q);
  for (Index j = 0; j < n; ++j) {
    auto part = right.segment(j * q, q);
    part = h * points.a(n - 1, j) * lambda.tail(q);
    part.head(m) += h * h * points.aa(n - 1, j) * lambda.head(m);
  }
  if (!lu_factor(c.M.data(), n * q, c.order.data())) {
    lambda.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  lu_solve(c.M.data(), n * q, c.order.data(), right.data(), rates.data());
  lambda.segment(m, m) += h * lambda.head(m);
  Vector weight = Vector::Zero(lambda.size());
  for (Index i = 0; i < n; ++i) {
    const auto owed = rates.segment(i * q, q);
    const Matrix& J = c.J[i];
    lambda.tail(q) += J.bottomRightCorner(q, q).transpose() * owed;
    if (m > 0) {
      const Vector by_position = J.bottomLeftCorner(q, m).transpose() * owed;
      lambda.head(m) += by_position;
      lambda.segment(m, m) += h * points.c(i) * by_position;
    }
    weight.tail(q) = owed;
    gather_rates(segment.regime->modes, segment.t0, c.t[i], c.x[i], weight, into);
  }
}

// The transpose of `add_rates`.
void Variation::gather_rates(const Modes& modes, double frame, double t, const Vector& x,
                             const Vector& weight, Cotangents& into) {
  const RegimeSlopes& r = slopes(machine.regime(modes));
  if (!r.complete) {
    for (Index j = 0; j < by.size(); ++j)
      if (by[j]->changes_machine())
        into.gradient(j) += by[j]->derivative([&](Replica& m) {
          m.move(modes, frame, t, x.data(), rates_of, force);
          return rates_of.dot(weight);
        });
    return;
  }
  motion(modes, frame, t, x); // for the forces
  const Vector forces = force;
  const Vector& s = machine.signals(frame, t);
  RegimeCotangents& of = into.of(*r.regime);
  for (const Entry& e : r.any_A) of.A(e.row, e.column) += weight(e.row) * x(e.column);
  for (const Entry& e : r.any_B) of.B(e.row, e.column) += weight(e.row) * s(e.column);
  if (!r.regime->affine)
    for (Index k = 0; k < r.regime->sliding.size(); ++k) of.E.col(k) += forces(r.regime->sliding[k]) * weight;
  Vector column(x.size());
  for (Index j = 0; j < by.size(); ++j)
    for (const Index k : r.by[j].elements) {
      column.setZero();
      add_element(*r.regime, k, j, frame, t, x, column);
      into.gradient(j) += column.dot(weight);
    }
  for (const Change& c : changes) {
    const double rate = rate_of(c, frame, t);
    for (const Entry& e : r.B)
      if (e.column == c.signal) into.gradient(c.parameter) += e.value * rate * weight(e.row);
  }
}

GuardSlope Variation::guard_slope(const Modes& modes, Index k, double frame, double t, const Vector& x,
                                  const State& sizes) {
  const Regime& r = machine.regime(modes);
  GuardSlope out;
  out.size = machine.guard_size(modes, r.guards[k], t, x.data(), sizes.nominal);
  const Vector xdot = motion(modes, frame, t, x);
  if (r.affine && slopes(r).same_guards) {
    out.rate = r.Gx.row(k).dot(xdot) + r.Gs.row(k).dot(machine.signal_rates(frame, t));
    out.by_state = r.Gx.row(k);
    return out;
  }
  out.rate = difference(modes, k, frame, t, x, xdot, 1.0, sizes);
  out.by_state.resize(x.size());
  for (Index i = 0; i < x.size(); ++i)
    out.by_state(i) = difference(modes, k, frame, t, x, Vector::Unit(x.size(), i), 0.0, sizes);
  return out;
}

void Variation::gather_guard(const Modes& modes, Index k, double frame, double t, const Vector& x,
                             double weight, Cotangents& into) {
  const Regime& r = machine.regime(modes);
  if (r.affine && slopes(r).same_guards) {
    RegimeCotangents& of = into.of(r);
    of.Gx.row(k) += weight * x;
    of.Gs.row(k) += weight * machine.signals(frame, t);
    for (const Change& c : changes)
      into.gradient(c.parameter) += weight * r.Gs(k, c.signal) * rate_of(c, frame, t);
    return;
  }
  for (Index j = 0; j < by.size(); ++j)
    if (by[j]->changes_machine())
      into.gradient(j) +=
          weight * by[j]->derivative([&](Replica& m) { return m.guards(modes, frame, t, x.data())(k); });
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
