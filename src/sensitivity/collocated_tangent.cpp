#include "sensitivity/collocated_tangent.hpp"

#include "core/small_lu.hpp"
#include "core/tolerances.hpp"
#include "friction/law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stickslip {

namespace {

constexpr Index most_sweeps = 40, usual_sweeps = 12;
constexpr double swept = 1e-15;       // last change of a rate, of its size
constexpr double swept_noise = 1e-12; // the same where changes become no smaller

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Ends sweeps: true once the changes are noise; `failed` if they do not become so.
class Sweeps {
public:
  bool failed = false;

  bool end(double change) {
    if (change <= swept || (change >= 0.5 * last && change <= swept_noise)) return true;
    failed = ++count >= most_sweeps || !(change < 1e3 * first);
    last = change;
    if (count == 1) first = change;
    return failed;
  }

private:
  Index count = 0;
  double last = std::numeric_limits<double>::infinity(), first = last;
};

// Greatest change of an entry, of its size or that of the term `given` in it.
template <class Of, class Given> double change_of(const Of& before, const Of& after, const Given& given) {
  double most = 0.0;
  for (Index k = 0; k < after.size(); ++k) {
    const double change = std::abs(after.data()[k] - before.data()[k]);
    if (change == 0.0) continue;
    most = std::max(most, change / std::max(std::abs(after.data()[k]), std::abs(given.data()[k])));
  }
  return most;
}

template <Index n> std::array<StageSlopes, n> stages_of(Replica& base) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::array<StageSlopes, n>{((void)i, StageSlopes(base))...};
  }(std::make_index_sequence<n>{});
}

} // namespace

template <Index n>
CollocatedTangent<n>::CollocatedTangent(Replica& base, Index parameters, SlopesOf& slopes_of,
                                        RateChanges& rate_changes)
    : machine(base), slopes(slopes_of), rates(rate_changes), J(stages_of<n>(base)) {
  const Index nx = base.system().nx;
  for (Index i = 0; i < n; ++i) {
    x[i].resize(nx);
    f[i].resize(nx, parameters), K[i].resize(nx, parameters);
  }
}

// On which sides of the corners and bends of its laws a motion is.
template <Index n>
const List<int>& CollocatedTangent<n>::sides_of(const Modes& modes, double frame, double at,
                                                const Vector& state) {
  const Vector& s = machine.signals(frame, at);
  std::array<double, max_elements> values;
  const auto note = [this](double value, double size) {
    const double rounding = tolerance::few_terms * size;
    sides.push_back(value > rounding ? 1 : value < -rounding ? -1 : 0);
  };
  sides.clear();
  for (const Index i : machine.regime(modes).sliding) {
    const Friction& p = machine.system().friction[i];
    const int mode = modes.friction[i].force_side();
    const bool bends_somewhere = p.traits.bends > 0 && mode != 0;
    if (p.corners.empty() && !bends_somewhere) continue;
    const double v = relative_velocity(p, state.data(), s.data());
    for (const double c : p.corners) note((p.delayed >= 0 ? state(p.delayed) : v) - c, std::abs(c));
    if (!bends_somewhere) continue;
    const double N = normal_load(p, modes.friction[i].load_stretch, state.data(), s.data());
    bends(p.law, v, mode, state.data() + p.states, N, values.data());
    const double level = std::max(p.traits.break_away.hi, -p.traits.break_away.lo);
    for (Index k = 0; k < p.traits.bends; ++k) note(values[static_cast<std::size_t>(k)], level);
  }
  return sides;
}

// A step of the run begins and ends at a corner, or just beside it as well as it was located, where slopes may be those
// of the next step: the first and the last point are then evaluated where the sides of the middle one hold.
template <Index n>
double CollocatedTangent<n>::within(const Segment& segment, const Trajectory& run, double t0, double t1,
                                    End end) {
  constexpr std::array<double, 5> beside{0.0, 1e-9, 1e-7, 1e-5, 1e-3}; // of the step
  const Modes& modes = segment.regime->modes;
  const double last = end == End::last ? t1 : t0, step = end == End::last ? t0 - t1 : t1 - t0;
  if (sides_of(modes, segment.t0, t[n / 2], x[n / 2]).empty()) return last;
  const List<int> middle = sides;
  for (const double share : beside) {
    const double at = last + share * step;
    run.state_at(segment, at, x[n - 1].data());
    if (sides_of(modes, segment.t0, at, x[n - 1]) == middle) return at;
  }
  return last;
}

template <Index n>
void CollocatedTangent<n>::look_along(const Trajectory& run, const Segment& segment, double t0, double t1) {
  const Points& points = radau<n>();
  const RegimeSlopes& r = slopes(machine.regime(segment.regime->modes));
  for (Index i = 0; i < n; ++i) {
    t[i] = i == n - 1 ? within(segment, run, t0, t1, End::last) : t0 + points.c(i) * (t1 - t0);
    run.state_at(segment, t[i], x[i].data());
    J[i].find(r, t0, t[i], x[i]);
  }
}

// By their numbers of products.
template <Index n> bool CollocatedTangent<n>::prefers_sweeps(const Segment& segment, Index columns) const {
  if (segment.kind != FlowKind::explicit_pair) return false;
  const auto nx = static_cast<double>(x[0].size()), np = static_cast<double>(columns);
  const double rows = n * (nx - static_cast<double>(machine.system().n_coordinates));
  return usual_sweeps * n * np * (J[0].products() + n * nx) < rows * rows * (2.0 / 3.0 * rows + np);
}

// Gauss-Seidel sweeps over the points, from K_i = J_i S + f_p,i in f and K.
template <Index n> bool CollocatedTangent<n>::sweep(double h) {
  const Points& points = radau<n>();
  for (Sweeps sweeps;;) {
    double change = 0.0;
    for (Index i = 0; i < n; ++i) {
      sum = (h * points.a(i, 0)) * K[0];
      for (Index j = 1; j < n; ++j) sum += (h * points.a(i, j)) * K[j];
      J[i].multiply(sum, product);
      product += f[i];
      change = std::max(change, change_of(K[i], product, f[i]));
      K[i].swap(product);
    }
    if (sweeps.end(change)) return !sweeps.failed;
  }
}

// The transpose: owed_j = h (a_nj lambda + sum_i a_ij J_i^T owed_i), and J_i^T owed_i in `back`.
template <Index n> bool CollocatedTangent<n>::sweep_back(double h, const Vector& lambda) {
  const Points& points = radau<n>();
  for (Index i = 0; i < n; ++i) {
    owed[i] = h * points.a(n - 1, i) * lambda;
    J[i].multiply_transposed(owed[i], back[i]);
  }
  for (Sweeps sweeps;;) {
    double change = 0.0;
    for (Index j = n; j-- > 0;) {
      owed_sum = (h * points.a(n - 1, j)) * lambda;
      const Vector given = owed_sum;
      for (Index i = 0; i < n; ++i) owed_sum += (h * points.a(i, j)) * back[i];
      change = std::max(change, change_of(owed[j], owed_sum, given));
      owed[j].swap(owed_sum);
      J[j].multiply_transposed(owed[j], back[j]);
    }
    if (sweeps.end(change)) return !sweeps.failed;
  }
}

// Number of positions, the first ones of x, where they change by their velocities alone, the next ones: their rates need
// not be solved for, since positions are S + h c_i S_v + h^2 sum_l (a a)_il K_v,l.
template <Index n> Index CollocatedTangent<n>::positions() const {
  const Index m = machine.system().n_coordinates;
  for (const StageSlopes& one : J) {
    if (one.rates_are_velocities()) continue;
    const Matrix& of = one.known();
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < of.cols(); ++j)
        if (of(i, j) != (j == m + i ? 1.0 : 0.0)) return 0;
  }
  return m;
}

// Makes the matrix of the equations; returns the number of positions that are eliminated.
template <Index n> Index CollocatedTangent<n>::eliminate(double h) {
  const Points& points = radau<n>();
  for (StageSlopes& one : J) one.matrix();
  const Index m = positions(), q = x[0].size() - m;
  M.resize(n * q, n * q);
  order.resize(static_cast<std::size_t>(n * q));
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const Matrix& of = J[i].known();
      const double by_rate = h * points.a(i, j), by_position = h * h * points.aa(i, j);
      for (Index column = 0; column < q; ++column)
        for (Index row = 0; row < q; ++row) {
          double entry = -by_rate * of(m + row, m + column);
          if (column < m) entry -= by_position * of(m + row, column);
          M(i * q + row, j * q + column) = entry;
        }
    }
  M.diagonal().array() += 1.0;
  return m;
}

template <Index n>
void CollocatedTangent<n>::advance(const Trajectory& run, const Segment& segment, double t0, double t1,
                                   TangentsRef S, By kind) {
  const Points& points = radau<n>();
  const Index nx = S.rows(), np = S.cols();
  const double h = t1 - t0;
  look_along(run, segment, t0, t1);
  for (Index i = 0; i < n; ++i) {
    f[i].setZero(nx, np);
    if (kind == By::parameters)
      rates.add(segment.regime->modes, t0, t[i], x[i], f[i]);
    else
      f[i].col(0) = machine.slope_in_time(segment.regime->modes, t0, t[i], x[i].data());
  }
  if (prefers_sweeps(segment, np)) {
    sum = S;
    for (Index i = 0; i < n; ++i) {
      J[i].multiply(sum, product);
      f[i] += product;
      K[i] = f[i];
    }
    if (sweep(h)) {
      for (Index j = 0; j < n; ++j) S += (h * points.a(n - 1, j)) * K[j];
      return;
    }
    for (Index i = 0; i < n; ++i) {
      J[i].multiply(S, product);
      f[i] -= product;
    }
  }
  const Index m = eliminate(h), q = nx - m;
  right.resize(n * q, np), solution.resize(n * q, np);
  for (Index i = 0; i < n; ++i) {
    sum = S;
    if (m > 0) sum.topRows(m) += h * points.c(i) * S.middleRows(m, m);
    J[i].multiply(sum, product);
    right.middleRows(i * q, q) = f[i].bottomRows(q) + product.bottomRows(q);
  }
  if (!lu_factor(M.data(), n * q, order.data())) {
    S.setConstant(not_a_number);
    return;
  }
  lu_solve_rows(M.data(), n * q, order.data(), right.data(), np, solution.data());
  if (m > 0) S.topRows(m) += h * S.middleRows(m, m);
  for (Index j = 0; j < n; ++j) {
    S.bottomRows(q) += h * points.a(n - 1, j) * solution.middleRows(j * q, q);
    S.topRows(m) += h * h * points.aa(n - 1, j) * solution.middleRows(j * q, m);
  }
}

template <Index n>
void CollocatedTangent<n>::retreat(const Trajectory& run, const Segment& segment, double t0, double t1,
                                   Vector& lambda, Cotangents& into) {
  const Points& points = radau<n>();
  const double h = t1 - t0;
  const Modes& modes = segment.regime->modes;
  look_along(run, segment, t0, t1);
  if (prefers_sweeps(segment, 1) && sweep_back(h, lambda)) {
    for (Index i = 0; i < n; ++i) {
      lambda += back[i];
      rates.gather(modes, t0, t[i], x[i], owed[i], into);
    }
    return;
  }
  const Index m = eliminate(h), q = lambda.size() - m;
  M.transposeInPlace();
  Vector of_rates(n * q), solved(n * q);
  for (Index j = 0; j < n; ++j) {
    auto part = of_rates.segment(j * q, q);
    part = h * points.a(n - 1, j) * lambda.tail(q);
    part.head(m) += h * h * points.aa(n - 1, j) * lambda.head(m);
  }
  if (!lu_factor(M.data(), n * q, order.data())) {
    lambda.setConstant(not_a_number);
    return;
  }
  lu_solve(M.data(), n * q, order.data(), of_rates.data(), solved.data());
  lambda.segment(m, m) += h * lambda.head(m);
  Vector weight = Vector::Zero(lambda.size());
  for (Index i = 0; i < n; ++i) {
    const auto part = solved.segment(i * q, q);
    const Matrix& by_state = J[i].known();
    lambda.tail(q) += by_state.bottomRightCorner(q, q).transpose() * part;
    if (m > 0) {
      const Vector by_position = by_state.bottomLeftCorner(q, m).transpose() * part;
      lambda.head(m) += by_position;
      lambda.segment(m, m) += h * points.c(i) * by_position;
    }
    weight.tail(q) = part;
    rates.gather(modes, t0, t[i], x[i], weight, into);
  }
}

namespace {

constexpr std::size_t few_samples = 3; // of a step, each of which is a step of its own

// Many samples lie on the polynomial of degree 5 with the values and rates at the start, in the middle and at the end of
// the step: Hermite's basis there, for values and for rates times the step.
struct Basis {
  std::array<double, 3> value, rate;

  explicit Basis(double u) {
    constexpr std::array<double, 3> node{0.0, 0.5, 1.0}, slope{-3.0, 0.0, 3.0}; // of Lagrange's polynomials
    const std::array<double, 3> lagrange{2.0 * (u - 0.5) * (u - 1.0), 4.0 * u * (1.0 - u),
                                         2.0 * u * (u - 0.5)};
    for (std::size_t i = 0; i < 3; ++i) {
      const double square = lagrange[i] * lagrange[i], from = u - node[i];
      value[i] = (1.0 - 2.0 * slope[i] * from) * square;
      rate[i] = from * square;
    }
  }
};

} // namespace

// Rates of S at one time.
template <Index n>
void CollocatedTangent<n>::rates_at(const Trajectory& run, const Segment& segment, double frame, double at,
                                    const Tangents& S, Tangents& out) {
  const Modes& modes = segment.regime->modes;
  run.state_at(segment, at, x[0].data());
  J[0].find(slopes(machine.regime(modes)), frame, at, x[0]);
  J[0].multiply(S, out);
  f[0].setZero(S.rows(), S.cols());
  rates.add(modes, frame, at, x[0], f[0]);
  out += f[0];
}

// The transpose.
template <Index n>
void CollocatedTangent<n>::gather_rates_at(const Trajectory& run, const Segment& segment, double frame,
                                           double at, const Vector& weight, Vector& lambda,
                                           Cotangents& into) {
  const Modes& modes = segment.regime->modes;
  run.state_at(segment, at, x[0].data());
  J[0].find(slopes(machine.regime(modes)), frame, at, x[0]);
  J[0].multiply_transposed(weight, owed_sum);
  lambda += owed_sum;
  rates.gather(modes, frame, at, x[0], weight, into);
}

template <Index n>
void CollocatedTangent<n>::sample(const Trajectory& run, const Segment& segment, double t0, double t1,
                                  std::span<const double> times, std::span<const Index> rows,
                                  const Tangents& S, const Tangents* end, const Sink& sink) {
  const auto count = static_cast<Index>(rows.size());
  Tangents out(count, S.cols());
  const auto take = [&](const Tangents& from, Tangents& to) {
    to.resize(count, S.cols());
    for (Index i = 0; i < count; ++i) to.row(i) = from.row(rows[static_cast<std::size_t>(i)]);
  };
  if (times.size() <= few_samples) {
    for (std::size_t k = 0; k < times.size(); ++k) {
      Tangents there = S;
      if (times[k] > t0) advance(run, segment, t0, times[k], there);
      take(there, out);
      sink(static_cast<Index>(k), out);
    }
    return;
  }
  const double h = t1 - t0;
  std::array<Tangents, 3> value, rate;
  Tangents all;
  const auto note = [&](std::size_t i, const Tangents& there, double at) {
    take(there, value[i]);
    rates_at(run, segment, t0, at, there, all);
    take(all, rate[i]);
  };
  t[n / 2] = t0 + radau<n>().c(n / 2) * h;
  run.state_at(segment, t[n / 2], x[n / 2].data());
  const double first = within(segment, run, t0, t1, End::first),
               last = within(segment, run, t0, t1, End::last);
  note(0, S, first);
  Tangents there = S;
  advance(run, segment, t0, t0 + 0.5 * h, there);
  note(1, there, t0 + 0.5 * h);
  if (end == nullptr) {
    there = S;
    advance(run, segment, t0, t1, there);
  }
  note(2, end != nullptr ? *end : there, last);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const Basis basis((times[k] - t0) / h);
    out.setZero();
    for (std::size_t i = 0; i < 3; ++i) out += basis.value[i] * value[i] + (h * basis.rate[i]) * rate[i];
    sink(static_cast<Index>(k), out);
  }
}

// The transpose of `sample`.
template <Index n>
void CollocatedTangent<n>::retreat(const Trajectory& run, const Segment& segment, double t0, double t1,
                                   std::span<const Reading> readings, Vector& lambda, Cotangents& into) {
  const auto weight = [&](const Reading& one) { return Eigen::Map<const Vector>(one.weight, lambda.size()); };
  if (readings.size() <= few_samples) {
    retreat(run, segment, t0, t1, lambda, into);
    for (const Reading& one : readings) {
      Vector own = weight(one);
      if (one.t > t0) retreat(run, segment, t0, one.t, own, into);
      lambda += own;
    }
    return;
  }
  const double h = t1 - t0;
  std::array<Vector, 3> value, rate;
  for (std::size_t i = 0; i < 3; ++i) value[i] = rate[i] = Vector::Zero(lambda.size());
  for (const Reading& one : readings) {
    const Basis basis((one.t - t0) / h);
    for (std::size_t i = 0; i < 3; ++i) {
      value[i] += basis.value[i] * weight(one);
      rate[i] += h * basis.rate[i] * weight(one);
    }
  }
  t[n / 2] = t0 + radau<n>().c(n / 2) * h;
  run.state_at(segment, t[n / 2], x[n / 2].data());
  const double first = within(segment, run, t0, t1, End::first);
  lambda += value[2];
  gather_rates_at(run, segment, t0, within(segment, run, t0, t1, End::last), rate[2], lambda, into);
  retreat(run, segment, t0, t1, lambda, into);
  gather_rates_at(run, segment, t0, t0 + 0.5 * h, rate[1], value[1], into);
  retreat(run, segment, t0, t0 + 0.5 * h, value[1], into);
  lambda += value[1] + value[0];
  gather_rates_at(run, segment, t0, first, rate[0], lambda, into);
}

template class CollocatedTangent<3>;
template class CollocatedTangent<5>;

} // namespace stickslip
