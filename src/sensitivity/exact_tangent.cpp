#include "sensitivity/exact_tangent.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip {

namespace {

constexpr Index tangent_terms = 48; // of a series, at most
constexpr double tangent_reach =
    4.0; // its length in units of the fastest thing: 4^34 / 34! is below the last digit
constexpr double tangent_last = 1e-19; // the first term left out

// Number of terms of a series of length `reach`, in units of the fastest time constant.
Index terms_for(double reach) {
  Index count = 1;
  for (double term = 1.0; term > tangent_last; ++count) term *= reach / static_cast<double>(count);
  return count;
}

} // namespace

ExactTangent::ExactTangent(Replica& base, Index parameters, SlopesOf& slopes_of, const SignalChanges& signals)
    : machine(base), slopes(slopes_of), changes(signals) {
  const System& sys = base.system();
  series.x.setZero(sys.nx, tangent_terms);
  series.s.setZero(sys.ns(), tangent_terms);
  series.s.col(0) = base.signals(0.0, 0.0);
  drive.setZero(changes.all.size(), tangent_terms);
  for (Index k = 0; k < changes.all.size(); ++k) drive(k, 0) = changes.all[k].value;
  now.resize(sys.nx, parameters);
  next.resize(sys.nx, parameters);
}

double ExactTangent::pace_of(const RegimeSlopes& r, double t) const {
  double pace = r.pace;
  for (const List<Index>* which : {&r.drives, &r.guides})
    for (const Index i : *which) {
      const Signal& s = machine.system().signals[i];
      for (const Harmonic& h : piece_at(s, t).piece->harmonics) pace = std::max(pace, std::abs(h.omega));
    }
  return pace;
}

// Taylor series of the signals and of their derivatives by the parameters.
void ExactTangent::expand_signals(const RegimeSlopes& r, double t, double h) {
  std::array<double, tangent_terms> c{};
  const auto expand = [&](const Signal& of, auto&& into, Index& degree) {
    taylor(of, t, static_cast<int>(tangent_terms), c.data());
    double power = 1.0;
    for (Index k = 0; k < tangent_terms; ++k, power *= h) {
      into(k) = c[static_cast<std::size_t>(k)] * power;
      if (into(k) != 0.0) degree = std::max(degree, k);
    }
  };
  series.degree = 0;
  for (const Index i : r.drives) expand(machine.system().signals[i], series.s.row(i), series.degree);
  acting.clear();
  for (Index k = 0; k < changes.all.size(); ++k) {
    const SignalChanges::One& of = changes.all[k];
    if (!of.acts(t) ||
        std::none_of(r.B.begin(), r.B.end(), [&](const Entry& e) { return e.column == of.signal; }))
      continue;
    acting.push_back(k);
    if (!of.constant) expand(*of.of, drive.row(k), series.degree);
  }
  series.guide_degree = series.degree;
  for (const Index i : r.guides) expand(machine.system().signals[i], series.s.row(i), series.guide_degree);
}

// An exact segment keeps its own series.
const ExactTangent::Series& ExactTangent::expand(const RegimeSlopes& r, const Trajectory& run,
                                                 const Segment& segment, double t, double h) {
  if (series.segment == &segment && series.t == t && series.h == h) return series;
  series.segment = &segment, series.t = t, series.h = h;
  expand_signals(r, t, h);
  Matrix& x = series.x;
  const Index nx = x.rows();
  if (segment.kind == FlowKind::exact && t == segment.t0 && segment.columns <= tangent_terms) {
    const Eigen::Map<const Matrix> C(run.polynomials(segment, room), nx, segment.columns);
    const double ratio = segment.h > 0.0 ? h / segment.h : 0.0;
    double power = 1.0;
    for (Index k = 0; k < segment.columns; ++k, power *= ratio)
      for (Index i = 0; i < nx; ++i) x(i, k) = power * C(i, k);
    series.columns = segment.columns;
    return series;
  }
  run.state_at(segment, t, x.data());
  for (Index k = 0; k + 1 < tangent_terms; ++k) {
    const double factor = h / static_cast<double>(k + 1);
    x.col(k + 1).setZero();
    for (const Entry& e : r.A) x(e.row, k + 1) += factor * e.value * x(e.column, k);
    for (const Entry& e : r.B) x(e.row, k + 1) += factor * e.value * series.s(e.column, k);
  }
  series.columns = tangent_terms;
  return series;
}

// Where series begin between t0 and t1: at t0, at knots of the derivatives of signals, and as often as the fastest rate
// asks for; and t1.
const List<double>& ExactTangent::starts_between(const RegimeSlopes& r, double t0, double t1) {
  starts.clear();
  for (double from = t0; from < t1;) {
    const double to = std::min(t1, changes.next_knot(from));
    const double parts = std::max(1.0, std::ceil(pace_of(r, from) * (to - from) / tangent_reach));
    const double h = (to - from) / parts;
    for (double part = 0.0; part < parts; ++part) starts.push_back(from + part * h);
    from = to;
  }
  starts.push_back(t1);
  return starts;
}

// Number of terms of the series that is expanded.
Index ExactTangent::columns_of(const RegimeSlopes& r, double t, double h) const {
  const double reach = pace_of(r, t) * h;
  const Index polynomial = std::min<Index>(series.degree, signal_max_degree); // harmonics count in the pace
  const Index terms =
      reach > 0.0 ? terms_for(reach) + polynomial : series.x.rows() + series.columns + polynomial;
  return std::min(terms + 1, tangent_terms);
}

// Rows are short, of one number along a direction: they are gone through as they lie in memory. `keep`: the terms are
// left in `powers`.
void ExactTangent::take(const RegimeSlopes& r, Index columns, TangentsRef S, bool keep) {
  const Index np = S.cols();
  now = S;
  if (keep) powers.resize(std::max(powers.size(), columns));
  if (keep) powers[0] = S;
  for (Index k = 0; k + 1 < columns; ++k) {
    const double factor = series.h / static_cast<double>(k + 1);
    next.setZero();
    double* const to = next.data();
    const double* const from = now.data();
    for (const Entry& e : r.A) {
      const double f = factor * e.value;
      for (Index j = 0; j < np; ++j) to[e.row * np + j] += f * from[e.column * np + j];
    }
    if (k < series.columns) {
      const double* const x = series.x.col(k).data();
      for (const auto& [j, e] : r.all_A) to[e.row * np + j] += factor * e.value * x[e.column];
    }
    if (k <= series.degree) {
      const double* const s = series.s.col(k).data();
      for (const auto& [j, e] : r.all_B) to[e.row * np + j] += factor * e.value * s[e.column];
      for (const Index c : acting)
        if (const double rate = factor * drive(c, k); rate != 0.0)
          for (const Entry& e : r.B)
            if (e.column == changes.all[c].signal)
              to[e.row * np + changes.all[c].parameter] += e.value * rate;
    }
    S += next;
    if (keep) powers[k + 1] = next;
    now.swap(next);
  }
}

void ExactTangent::advance(const Trajectory& run, const Segment& segment, double t0, double t1,
                           TangentsRef S) {
  const RegimeSlopes& r = slopes(machine.regime(segment.regime->modes));
  starts_between(r, t0, t1);
  for (Index k = 0; k + 1 < starts.size(); ++k) {
    const double h = starts[k + 1] - starts[k];
    expand(r, run, segment, starts[k], h);
    take(r, columns_of(r, starts[k], h), S);
  }
}

void ExactTangent::sample(const Trajectory& run, const Segment& segment, std::span<const double> times,
                          std::span<const Index> rows, Tangents S, const Sink& sink) {
  const RegimeSlopes& r = slopes(machine.regime(segment.regime->modes));
  Tangents out(rows.size(), S.cols());
  const auto give_rows = [&](Index k, const Tangents& from) {
    for (Index i = 0; i < out.rows(); ++i) out.row(i) = from.row(rows[static_cast<std::size_t>(i)]);
    sink(k, out);
  };
  std::size_t k = 0;
  for (; k < times.size() && !(times[k] > segment.t0); ++k) give_rows(static_cast<Index>(k), S);
  if (k == times.size()) return;
  starts_between(r, segment.t0, times.back());
  for (Index part = 0; part + 1 < starts.size(); ++part) {
    const double t = starts[part], h = starts[part + 1] - t;
    expand(r, run, segment, t, h);
    const Index columns = columns_of(r, t, h);
    const bool reads = k < times.size() && times[k] <= starts[part + 1];
    take(r, columns, S, reads);
    for (; k < times.size() && times[k] <= starts[part + 1]; ++k) {
      const double theta = (times[k] - t) / h;
      for (Index i = 0; i < out.rows(); ++i) {
        const Index row = rows[static_cast<std::size_t>(i)];
        out.row(i) = powers[columns - 1].row(row);
        for (Index c = columns - 1; c-- > 0;) out.row(i) = powers[c].row(row) + theta * out.row(i);
      }
      sink(static_cast<Index>(k), out);
    }
  }
}

// Readings within the segment enter with the powers of their time.
void ExactTangent::retreat(const Trajectory& run, const Segment& segment, double t1,
                           std::span<const Reading> readings, Vector& lambda, Cotangents& into) {
  std::size_t left = readings.size();
  const auto add = [&](double theta, const auto& weight) {
    double power = 1.0;
    for (Index k = 0; k < injected.cols(); ++k, power *= theta) injected.col(k) += power * weight;
  };
  const RegimeSlopes& r = slopes(machine.regime(segment.regime->modes));
  starts_between(r, segment.t0, t1);
  for (Index part = starts.size() - 1; part-- > 0;) {
    const double t = starts[part], h = starts[part + 1] - t;
    expand(r, run, segment, t, h);
    const Index columns = columns_of(r, t, h);
    injected.setZero(lambda.size(), columns);
    add(1.0, lambda);
    for (; left > 0 && readings[left - 1].t > t; --left)
      add((readings[left - 1].t - t) / h, Eigen::Map<const Vector>(readings[left - 1].weight, lambda.size()));
    give(r, columns, lambda, into);
  }
  for (; left > 0; --left) lambda += Eigen::Map<const Vector>(readings[left - 1].weight, lambda.size());
}

// The transpose of `take`: with the derivatives by S_k,  L_k = injected_k + h / (k+1) A^T L_(k+1).
void ExactTangent::give(const RegimeSlopes& r, Index columns, Vector& lambda, Cotangents& into) {
  RegimeCotangents& of = into.of(*r.regime);
  lambda = injected.col(columns - 1);
  for (Index k = columns - 2; k >= 0; --k) {
    owed = series.h / static_cast<double>(k + 1) * lambda;
    if (k < series.columns)
      for (const Entry& e : r.any_A) of.A(e.row, e.column) += owed(e.row) * series.x(e.column, k);
    if (k <= series.degree) {
      for (const Entry& e : r.any_B) of.B(e.row, e.column) += owed(e.row) * series.s(e.column, k);
      for (const Index c : acting)
        if (drive(c, k) != 0.0)
          for (const Entry& e : r.B)
            if (e.column == changes.all[c].signal)
              into.gradient(changes.all[c].parameter) += e.value * drive(c, k) * owed(e.row);
    }
    lambda = injected.col(k);
    for (const Entry& e : r.A) lambda(e.column) += e.value * owed(e.row);
  }
}

} // namespace stickslip
