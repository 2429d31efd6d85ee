#include "sensitivity/variation.hpp"

#include "core/small_lu.hpp"
#include "dynamics/friction_force.hpp"
#include "friction/law.hpp"
#include "sensitivity/restart.hpp"

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

Variation::Variation(Replica& base, const Parameters& parameters)
    : slopes(base, parameters), machine(base), by(parameters) {
  const System& sys = base.system();
  for (Index i = 0; i < sys.ns(); ++i)
    if (!is_constant(sys.signals[i])) series.s.row(i).setZero();
  for (Index j = 0; j < by.size(); ++j)
    for (Index k = 0; k < by[j]->signals.size(); ++k) {
      const auto& [i, change] = by[j]->signals[k];
      const bool constant = is_constant(change);
      changes.push_back({j, i, k, constant, constant ? value(change, 0.0) : 0.0});
    }
  series.x.setZero(sys.nx, tangent_terms);
  series.s.setZero(sys.ns(), tangent_terms);
  series.s.col(0) = base.signals(0.0, 0.0);
  drive.setZero(changes.size(), tangent_terms);
  for (Index k = 0; k < changes.size(); ++k) drive(k, 0) = changes[k].value;
  now.resize(sys.nx, by.size());
  next.resize(sys.nx, by.size());
  rates_of.resize(sys.nx);
  beside_rates.resize(sys.nx);
}

// Greatest rate of the motion and of the signals at t.
double Variation::pace_of(const RegimeSlopes& r, double t) {
  double pace = r.pace;
  for (const List<Index>* which : {&r.drives, &r.guides})
    for (const Index i : *which) {
      const Signal& s = machine.system().signals[i];
      for (const Harmonic& h : piece_at(s, t).piece->harmonics) pace = std::max(pace, std::abs(h.omega));
    }
  return pace;
}

void Variation::advance(const Trajectory& run, const Segment& segment, double t0, double t1, TangentsRef S) {
  if (!(t1 > t0) || by.empty()) return;
  if (machine.regime(segment.regime->modes).affine) return advance_exactly(run, segment, t0, t1, S);
  const Index parts = steps_of(segment);
  for (Index k = 0; k < parts; ++k)
    collocate(run, segment, step_part(t0, t1, k, parts), step_part(t0, t1, k + 1, parts), S);
  project(run, segment, t1, S);
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

void Variation::project(const Trajectory& run, const Segment& segment, double t, TangentsRef S) {
  if (!look_at_projection(run, segment, t)) return;
  S = (projection.by_state * S).eval();
  for (Index j = 0; j < by.size(); ++j)
    if (by[j]->changes_machine()) S.col(j) += projected_beside(segment, t, j);
}

// Steps of the pair of order 8 are longer than those of the others.
Index Variation::steps_of(const Segment& segment) const {
  constexpr Index parts_of_long_steps = 3;
  return machine.system().smooth && segment.kind == FlowKind::explicit_pair ? parts_of_long_steps : 1;
}

// Taylor series of the signals and of their derivatives by the parameters.
void Variation::expand_signals(const RegimeSlopes& r, double t, double h) {
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
  for (Index k = 0; k < changes.size(); ++k) {
    const Change& of = changes[k];
    if (!of.constant &&
        std::any_of(r.B.begin(), r.B.end(), [&](const Entry& e) { return e.column == of.signal; }))
      expand(by[of.parameter]->signals[of.order].second, drive.row(k), series.degree);
  }
  series.guide_degree = series.degree;
  for (const Index i : r.guides) expand(machine.system().signals[i], series.s.row(i), series.guide_degree);
}

// The states over [t, t + h] within a segment: an exact one keeps its own series.
//   x_(k+1) = h / (k+1) (A x_k + B s_k)
void Variation::expand(const RegimeSlopes& r, const Trajectory& run, const Segment& segment, double t,
                       double h) {
  if (series.segment == &segment && series.t == t && series.h == h) return;
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
    return;
  }
  run.state_at(segment, t, x.data());
  for (Index k = 0; k + 1 < tangent_terms; ++k) {
    const double factor = h / static_cast<double>(k + 1);
    x.col(k + 1).setZero();
    for (const Entry& e : r.A) x(e.row, k + 1) += factor * e.value * x(e.column, k);
    for (const Entry& e : r.B) x(e.row, k + 1) += factor * e.value * series.s(e.column, k);
  }
  series.columns = tangent_terms;
}

// Coefficients of powers of tau / h:  S_(k+1) = h / (k+1) (A S_k + A' x_k + B' s_k + B s'_k). Rows are short, of one
// number along a direction: they are gone through as they lie in memory.
void Variation::take(const RegimeSlopes& r, Index columns, TangentsRef S) {
  const Index np = S.cols();
  now = S;
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
      for (Index c = 0; c < changes.size(); ++c)
        if (const double rate = factor * drive(c, k); rate != 0.0)
          for (const Entry& e : r.B)
            if (e.column == changes[c].signal) to[e.row * np + changes[c].parameter] += e.value * rate;
    }
    S += next;
    now.swap(next);
  }
}

double Variation::parts_of(const RegimeSlopes& r, double t0, double t1) {
  return std::max(1.0, std::ceil(pace_of(r, t0) * (t1 - t0) / tangent_reach));
}

// Number of columns of the series of one of these parts, which is expanded already.
Index Variation::columns_of(const RegimeSlopes& r, double t0, double length, double parts) {
  const double reach = pace_of(r, t0) * length;
  const Index polynomial = std::min<Index>(series.degree, signal_max_degree); // harmonics count in the pace
  const Index terms =
      reach > 0.0 ? terms_for(reach / parts) + polynomial : series.x.rows() + series.columns + polynomial;
  return std::min(terms + 1, tangent_terms);
}

void Variation::advance_exactly(const Trajectory& run, const Segment& segment, double t0, double t1,
                                TangentsRef S) {
  const RegimeSlopes& r = slopes(machine.regime(segment.regime->modes));
  const double parts = parts_of(r, t0, t1), h = (t1 - t0) / parts;
  for (double part = 0.0; part < parts; ++part) {
    expand(r, run, segment, t0 + part * h, h);
    take(r, columns_of(r, t0, t1 - t0, parts), S);
  }
}

double Variation::rate_of(const Change& c, double frame, double t) const {
  if (c.constant) return c.value;
  const Signal& of = by[c.parameter]->signals[c.order].second;
  return value(piece_at(of, frame), t);
}

const Vector& Variation::motion(const Modes& modes, double frame, double t, const Vector& x) {
  machine.move(modes, frame, t, x.data(), rates_of, force);
  return rates_of;
}

// Adds the derivatives of x' by the parameters alone.
void Variation::add_rates(const Modes& modes, double frame, double t, const Vector& x, TangentsRef into) {
  const RegimeSlopes& r = slopes(machine.regime(modes));
  if (!r.complete) return add_whole(modes, frame, t, x, into);
  motion(modes, frame, t, x); // for the forces
  const Vector& s = machine.signals(frame, t);
  for (const auto& [j, e] : r.all_A) into(e.row, j) += e.value * x(e.column);
  for (const auto& [j, e] : r.all_B) into(e.row, j) += e.value * s(e.column);
  for (Index j = 0; j < by.size(); ++j) {
    const RegimeSlopes::Change& change = r.by[j];
    for (const Entry& e : change.E) into(e.row, j) += e.value * force(r.regime->sliding[e.column]);
    for (const Index k : change.elements) add_element(*r.regime, k, j, frame, t, x, into.col(j));
  }
  for (const Change& c : changes) {
    const double rate = rate_of(c, frame, t);
    for (const Entry& e : r.B)
      if (e.column == c.signal) into(e.row, c.parameter) += e.value * rate;
  }
}

void Variation::add_whole(const Modes& modes, double frame, double t, const Vector& x, TangentsRef into) {
  for (Index j = 0; j < by.size(); ++j)
    if (by[j]->changes_machine())
      into.col(j) += by[j]->derivative([&](Replica& m) {
        m.move(modes, frame, t, x.data(), rates_of, force);
        return rates_of;
      });
}

// The differences of a smooth number agree to 1e-11 of it and of the greatest that it has been (a rate that comes to
// rest is rounding), near a corner to the width of the stencil.
static bool agree(double slope, double check, double size, double greatest) {
  constexpr double share = 1e-7;
  return std::abs(slope - check) * size <= share * std::max(greatest, std::abs(slope) * size);
}

// The force of the k-th element that slides, and the rates of its own states.
void Variation::add_element(const Regime& r, Index k, Index parameter, double frame, double t,
                            const Vector& x, Column into) {
  const Neighbours& p = *by[parameter];
  const Index i = r.sliding[k];
  const FrictionMode& mode = r.modes.friction[i];
  const Friction& element = machine.system().friction[i];
  const Index memory = memory_of(element, mode.direction());
  const Index own = std::max<Index>(0, element.traits.states) * (element.states >= 0 ? 1 : 0);
  Differences of;        // of the rates of its states, and of its force
  Vector value(own + 1); // these beside
  if (greatest.empty()) greatest.resize(machine.system().friction.size());
  greatest[i].resize(own + 1, 0.0);
  for (Index n = 0; n < p.beside.size(); ++n) {
    Replica& m = *p.beside[n];
    const Friction& other = m.system().friction[i];
    const double* const s = (p.signals.empty() ? machine : m).signals(frame, t).data();
    const double load = normal_load(other, mode.load_stretch, x.data(), s);
    const ElementForce<double> f =
        friction_force(other, mode.direction(), mode.branch, relative_velocity(other, x.data(), s), load,
                       x.data(), beside_rates.data());
    if (own > 0) value.head(own) = beside_rates.segment(element.states, own);
    value(own) = f.dry * load + f.other;
    of.add(p.weights[n], p.check[n], value);
    for (Index z = 0; z <= own; ++z) greatest[i][z] = std::max(greatest[i][z], std::abs(value(z)));
    if (memory >= 0) into(memory) += p.weights[n] * beside_rates(memory);
  }
  for (Index z = 0; z < own; ++z) into(element.states + z) += of.slope(z);
  bool smooth = true;
  for (Index z = 0; z <= own; ++z) smooth = smooth && agree(of.slope(z), of.check(z), p.size, greatest[i][z]);
  if (rough.empty() && !smooth)
    rough = "'" + element.name + "': its law is not smooth next to this value of '" + p.name + "'";
  for (Index row = 0; row < r.E.rows(); ++row)
    if (r.E(row, k) != 0.0) into(row) += r.E(row, k) * of.slope(own);
}

// Positions, the first ones of x, change by their velocities alone, which are the next ones, for any parameters.
bool Variation::is_kinematic(const Matrix& J) const {
  const Index n = machine.system().n_coordinates;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < J.cols(); ++j)
      if (J(i, j) != (j == n + i ? 1.0 : 0.0)) return false;
  return true;
}

double Variation::step_part(double t0, double t1, Index k, Index parts) {
  return k == parts ? t1 : t0 + (t1 - t0) * static_cast<double>(k) / static_cast<double>(parts);
}

// On which sides of the corners and bends of its laws a motion is.
const List<int>& Variation::sides_of(const Modes& modes, double frame, double t, const Vector& x) {
  const Vector& s = machine.signals(frame, t);
  std::array<double, max_elements> values;
  const auto note = [this](double value) { sides.push_back(value > 0.0 ? 1 : value < 0.0 ? -1 : 0); };
  sides.clear();
  for (const Index i : machine.regime(modes).sliding) {
    const Friction& p = machine.system().friction[i];
    const int mode = modes.friction[i].direction();
    const double v = relative_velocity(p, x.data(), s.data());
    for (const double c : p.corners) note((p.delayed >= 0 ? x(p.delayed) : v) - c);
    if (p.traits.bends == 0 || mode == 0) continue;
    bends(p.law, v, mode, x.data() + p.states, values.data());
    for (Index k = 0; k < p.traits.bends; ++k) note(values[static_cast<std::size_t>(k)]);
  }
  return sides;
}

// A step of the run ends at a corner, or just behind it as well as it was located, where slopes are those of the next
// step: the last point is then evaluated before it, where the sides of the middle one still hold.
double Variation::end_within(const Segment& segment, const Trajectory& run, double t0, double t1) {
  constexpr std::array<double, 6> before{0.0, 1e-9, 1e-7, 1e-5, 1e-3, 1e-1}; // of the step
  const Modes& modes = segment.regime->modes;
  Vector& x = collocation.x.back();
  const auto sides_at = [&](double t) -> const List<int>& {
    run.state_at(segment, t, x.data());
    return sides_of(modes, segment.t0, t, x);
  };
  const double middle = t0 + radau<Points::stages>().c(1) * (t1 - t0);
  if (sides_at(middle).empty()) return t1;
  const List<int> within = sides;
  for (const double share : before)
    if (const double t = t1 - share * (t1 - t0); sides_at(t) == within) return t;
  return t1;
}

// K_i = J_i (S + h sum_j a_ij K_j) + f_p,i at the points; S + h sum_j a_nj K_j behind them. Rates K of positions are
// the velocities there and need not be solved for: positions are S + h c_i S_v + h^2 sum_l (a a)_il K_v,l.
// Finds J and the matrix of all of these.
void Variation::look_along(const Trajectory& run, const Segment& segment, double t0, double t1) {
  constexpr Index n = Points::stages;
  const Points& points = radau<n>();
  const Index nx = machine.system().nx;
  const double h = t1 - t0;
  const Modes& modes = segment.regime->modes;
  Collocation& c = collocation;
  c.J.resize(n), c.x.resize(n), c.t.resize(n);
  for (Vector& x : c.x) x.resize(nx);
  bool kinematic = machine.system().n_coordinates > 0;
  for (Index i = 0; i < n; ++i) {
    c.t[i] = i == n - 1 ? end_within(segment, run, t0, t1) : t0 + points.c(i) * h;
    run.state_at(segment, c.t[i], c.x[i].data());
    machine.slopes(modes, segment.t0, c.t[i], c.x[i].data(), c.J[i]);
    kinematic = kinematic && is_kinematic(c.J[i]);
  }
  const Index m = c.positions = kinematic ? machine.system().n_coordinates : 0, q = nx - m;
  c.M.setIdentity(n * q, n * q);
  c.order.resize(static_cast<std::size_t>(n * q));
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      auto block = c.M.block(i * q, j * q, q, q);
      block -= h * points.a(i, j) * c.J[i].bottomRightCorner(q, q);
      block.leftCols(m) -= h * h * points.aa(i, j) * c.J[i].bottomLeftCorner(q, m);
    }
}

void Variation::collocate(const Trajectory& run, const Segment& segment, double t0, double t1,
                          TangentsRef S) {
  constexpr Index n = Points::stages;
  const Points& points = radau<n>();
  const Index nx = S.rows(), np = S.cols();
  const double h = t1 - t0;
  Collocation& c = collocation;
  look_along(run, segment, t0, t1);
  const Index m = c.positions, q = nx - m;
  c.by_parameters.resize(n);
  c.right.resize(n * q, np);
  c.K.resize(n * q, np);
  for (Index i = 0; i < n; ++i) {
    c.by_parameters[i].setZero(nx, np);
    add_rates(segment.regime->modes, segment.t0, c.t[i], c.x[i], c.by_parameters[i]);
    const auto own = c.J[i].bottomRightCorner(q, q), by_position = c.J[i].bottomLeftCorner(q, m);
    auto right = c.right.middleRows(i * q, q);
    right = c.by_parameters[i].bottomRows(q);
    right += own.lazyProduct(S.bottomRows(q));
    if (m > 0) right += by_position.lazyProduct(S.topRows(m) + h * points.c(i) * S.middleRows(m, m));
  }
  if (!lu_factor(c.M.data(), n * q, c.order.data())) {
    S.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  for (Index j = 0; j < np; ++j)
    lu_solve(c.M.data(), n * q, c.order.data(), c.right.col(j).data(), c.K.col(j).data());
  if (m > 0) S.topRows(m) += h * S.middleRows(m, m);
  for (Index j = 0; j < n; ++j) {
    S.bottomRows(q) += h * points.a(n - 1, j) * c.K.middleRows(j * q, q);
    S.topRows(m) += h * h * points.aa(n - 1, j) * c.K.middleRows(j * q, m);
  }
}

GuardAnswer Variation::guard(const Modes& modes, Index k, double frame, double t, const Vector& x,
                             const Eigen::Ref<const Tangents>& S, const Vector& moves, const State& sizes) {
  const Regime& r = machine.regime(modes);
  GuardAnswer out;
  out.size = machine.guard_size(modes, r.guards[k], t, x.data(), sizes.nominal);
  const Vector xdot = motion(modes, frame, t, x);
  out.derivative.resize(by.size());
  out.speed.resize(by.size());
  for (Index j = 0; j < by.size(); ++j)
    out.speed(j) = std::max(std::abs(moves(j)) / sizes.time_scale, in_sizes(S.col(j), sizes.nominal));
  if (r.affine && slopes(r).same_guards) {
    const Vector& s = machine.signals(frame, t);
    const double by_time = r.Gs.row(k).dot(machine.signal_rates(frame, t));
    out.rate = r.Gx.row(k).dot(xdot) + by_time;
    out.derivative = by_time * moves;
    for (Index i = 0; i < x.size(); ++i)
      if (r.Gx(k, i) != 0.0) out.derivative += r.Gx(k, i) * S.row(i).transpose();
    for (Index j = 0; j < by.size(); ++j) {
      const RegimeSlopes::Change& change = slopes(r).by[j];
      for (const Entry& e : change.Gx)
        if (e.row == k) out.derivative(j) += e.value * x(e.column);
      for (const Entry& e : change.Gs)
        if (e.row == k) out.derivative(j) += e.value * s(e.column);
    }
    for (const Change& c : changes) out.derivative(c.parameter) += r.Gs(k, c.signal) * rate_of(c, frame, t);
    return out;
  }
  const auto along = [&](const Vector& dx, double dt) {
    return difference(modes, k, frame, t, x, dx, dt, sizes);
  };
  out.rate = along(xdot, 1.0);
  for (Index j = 0; j < by.size(); ++j) {
    out.derivative(j) = along(S.col(j), moves(j));
    if (by[j]->changes_machine())
      out.derivative(j) +=
          by[j]->derivative([&](Replica& m) { return m.guards(modes, frame, t, x.data())(k); });
  }
  return out;
}

// Difference of sixth order.
double Variation::difference(const Modes& modes, Index k, double frame, double t, const Vector& x,
                             const Vector& dx, double dt, const State& sizes) {
  const double speed = std::max(std::abs(dt) / sizes.time_scale, in_sizes(dx, sizes.nominal));
  if (!(speed > 0.0) && dx.isZero(0.0)) return 0.0;
  const double step =
      speed > 0.0 ? close_beside / speed : close_beside * unknown_size / dx.cwiseAbs().maxCoeff();
  double sum = 0.0;
  const Stencil& central = central_stencil();
  for (Index i = 0; i < central.offsets.size(); ++i) {
    const double e = central.offsets[i] * step;
    const Vector there = x + e * dx;
    sum += central.weights[i] * machine.guards(modes, frame, t + e * dt, there.data())(k);
  }
  return sum / step;
}

} // namespace stickslip
