#include "dynamics/constraints.hpp"

#include "core/error.hpp"
#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "dynamics/spring_force.hpp"
#include "dynamics/tangent.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace stickslip {

namespace {

double sum(const Dependence& d, Index k, const double* others, Index n) {
  double total = 0.0;
  for (Index j = 0; j < n; ++j)
    if (const double w = d.others(k, j); w != 0.0) total += w * others[j];
  return total;
}

} // namespace

ForceDirections force_directions(const System& sys, const List<Index>& contacts,
                                 const List<Index>& elements) {
  const Index nc = contacts.size(), m = nc + elements.size();
  ForceDirections out{Matrix(m, sys.nx), Matrix(m, sys.ns()), Matrix(sys.nx, m)};
  for (Index k = 0; k < m; ++k) {
    const bool normal = k < nc;
    const Form& rate = normal ? sys.contacts[contacts[k]].rate : sys.friction[elements[k - nc]].velocity;
    out.rows.row(k) = rate.x.transpose();
    out.signals.row(k) = rate.s.transpose();
    if (normal)
      out.columns.col(k) = sys.contacts[contacts[k]].effect;
    else
      out.columns.col(k) = -sys.friction[elements[k - nc]].effect;
  }
  return out;
}

void keep_constraints(const System& sys, double t, double* x) {
  const Constraints& c = sys.constraints;
  if (!c.any()) return;
  const Index n = sys.n_coordinates, m = c.all.size();
  const auto keep = [&](const Dependence& d, double* of, auto&& signal) {
    for (Index k = 0; k < d.which.size(); ++k) {
      double total = sum(d, k, of, n);
      for (Index j = 0; j < m; ++j)
        if (const double w = d.values(k, j); w != 0.0) total += w * value(sys.signals[signal(c.all[j])], t);
      of[d.which[k]] = total;
    }
  };
  keep(c.positions, x, [](const Constraint& one) { return one.value; });
  keep(c.velocities, x + n, [](const Constraint& one) { return one.rate; });
}

void follow_constraints(const System& sys, Matrix& A, Matrix& S, Matrix& E) {
  const Constraints& c = sys.constraints;
  if (!c.any()) return;
  const Index n = sys.n_coordinates;
  for (Index k = 0; k < c.velocities.which.size(); ++k) {
    const Index row = n + c.velocities.which[k];
    const auto others = c.velocities.others.row(k);
    A.row(row) = (others * A.middleRows(n, n)).eval();
    S.row(row) = (others * S.middleRows(n, n)).eval();
    E.row(row) = (others * E.middleRows(n, n)).eval();
    for (Index j = 0; j < c.all.size(); ++j) S(row, c.all[j].acceleration) += c.velocities.values(k, j);
  }
}

void follow_constraints(const System& sys, const double* s, double* xdot) {
  const Constraints& c = sys.constraints;
  const Index n = sys.n_coordinates;
  for (Index k = 0; k < c.velocities.which.size(); ++k) {
    double total = sum(c.velocities, k, xdot + n, n);
    for (Index j = 0; j < c.all.size(); ++j) total += c.velocities.values(k, j) * s[c.all[j].acceleration];
    xdot[n + c.velocities.which[k]] = total;
  }
}

namespace {

// All constraints, those that are two opposite contacts too.
List<Constraint> all_constraints(const System& sys) {
  List<Constraint> out = sys.constraints.all;
  for (const Contact& c : sys.contacts) {
    if (c.constraint.empty()) continue;
    Constraint& one = out.emplace_back();
    one.name = one.text = c.constraint;
    one.row = -c.rate.x.segment(sys.n_coordinates, sys.n_coordinates);
    one.value = c.gap_signal, one.rate = c.gap_rate, one.acceleration = c.gap_acceleration;
  }
  return out;
}

// Positions or velocities (from `first` on) at one instant, of rows w . q = demanded. Values that are not given change
// least from `begin`.
class Completion {
public:
  Completion(const System& system, Vector& state, Index from, const Vector& start)
      : sys(system), x(state), first(from), begin(start) {}

  void demand(const Constraint& one, double value) {
    rows.push_back(&one);
    demanded.push_back(value);
  }

  void check(const char* what) const {
    for (Index k = 0; k < rows.size(); ++k) check(*rows[k], demanded[k], what);
  }

  void fill() {
    List<Index> open;
    for (Index i = 0; i < sys.n_coordinates; ++i)
      if (std::isnan(x(first + i))) open.push_back(i), x(first + i) = begin(first + i);
    if (open.empty() || rows.empty()) return;
    Matrix W(rows.size(), open.size());
    Vector left(rows.size());
    for (Index k = 0; k < rows.size(); ++k) {
      for (Index j = 0; j < open.size(); ++j) W(k, j) = rows[k]->row(open[j]);
      left(k) = demanded[k] - rows[k]->row.dot(x.segment(first, sys.n_coordinates));
    }
    const Vector light = lightness(sys.mass)(open);
    const Vector change =
        light.asDiagonal() * (linalg::pseudo_inverse(W * light.asDiagonal(), tolerance::rank) * left);
    for (Index j = 0; j < open.size(); ++j) x(first + open[j]) += change(j);
  }

private:
  const System& sys;
  Vector& x;
  Index first;
  const Vector& begin;
  List<const Constraint*> rows;
  List<double> demanded;

  void check(const Constraint& one, double value, const char* what) const {
    const auto q = x.segment(first, sys.n_coordinates);
    const double is = one.row.dot(q);
    const double bearable =
        tolerance::matrix_zero * (one.row.cwiseAbs().dot(q.cwiseAbs()) + std::abs(value)) +
        tolerance::rounding * one.row.cwiseAbs().sum() * q.cwiseAbs().maxCoeff();
    if (std::abs(is - value) <= bearable) return;
    std::ostringstream text;
    text << "is violated by the initial values: " << one.text << " of the " << what << " is " << is
         << ", but must be " << value << " (within " << bearable
         << "); give consistent values, or leave some out: they follow";
    reject("constraint '" + one.name + "'", text.str());
  }
};

// Initial values for constraints that depend on the motion: Newton's method from zero for the missing values.
class Assembly {
public:
  Assembly(const System& system, double time, const Vector& values)
      : at(system), t(time), given(values), begin(Vector::Zero(values.size())), x(values), s(system.ns()) {}

  Vector run() {
    constexpr int most_rounds = 50;
    const bool complete = given.head(n()).allFinite();
    for (int round = 0; round < most_rounds; ++round) {
      place();
      const Vector before = x.head(n());
      x.head(n()) = given.head(n());
      positions([](Completion& of) { of.fill(); });
      begin.head(n()) = x.head(n());
      if (complete || (x.head(n()) - before).norm() <= tolerance::rounding * before.norm()) break;
    }
    place();
    positions([](Completion& of) { of.check("positions"); });
    Completion velocities(at.system, x, n(), begin);
    const List<Constraint> all = all_constraints(at.system);
    for (const Constraint& one : all) velocities.demand(one, s(one.rate));
    velocities.fill();
    velocities.check("velocities");
    at.keep_constraints(t, x);
    return x;
  }

private:
  Tangent at;
  double t;
  const Vector& given;
  Vector begin, x, s;

  Index n() const { return at.system.n_coordinates; }

  void place() {
    for (Index i = 0; i < n(); ++i) x(i) = std::isnan(given(i)) ? begin(i) : given(i);
    Vector whole = x; // rows do not depend on velocities
    whole.tail(whole.size() - n()).setZero();
    at.move_to(t, whole.data(), {});
    signal_values(at.system, t, s.data());
    at.write(s.data());
  }

  template <class Use> void positions(Use&& use) {
    Completion of(at.system, x, 0, begin);
    const List<Constraint> all = all_constraints(at.system);
    for (const Constraint& one : all)
      if (one.value >= 0) of.demand(one, s(one.value));
    use(of);
  }
};

} // namespace

bool completes_start(const System& sys) {
  return sys.constraints.any() ||
         std::ranges::any_of(sys.contacts, [](const Contact& c) { return !c.constraint.empty(); });
}

Vector consistent(const System& sys, double t, const Vector& given) {
  if (!completes_start(sys) || sys.tangent) return given;
  if (sys.smooth && (sys.smooth->bound || !sys.smooth->gaps.empty())) return Assembly(sys, t, given).run();
  const List<Constraint> all = all_constraints(sys);
  Vector x = given;
  const Index n = sys.n_coordinates;
  const Vector zero = Vector::Zero(sys.nx);
  Completion positions(sys, x, 0, zero), velocities(sys, x, n, zero);
  for (const Constraint& one : all) {
    if (one.value >= 0) positions.demand(one, value(sys.signals[one.value], t));
    velocities.demand(one, value(sys.signals[one.rate], t));
  }
  positions.fill();
  positions.check("positions");
  velocities.fill();
  velocities.check("velocities");
  keep_constraints(sys, t, x.data());
  return x;
}

void check_constraints(const System& sys, double t0, double t1) {
  for (const Constraint& one : sys.constraints.all) {
    const Signal& rate = sys.signals[one.rate];
    double start = t0; // of the piece that ends at t
    for (double t = next_breakpoint(rate, t0); t <= t1; start = t, t = next_breakpoint(rate, t)) {
      const double before = value_before(rate, t), after = value(rate, t);
      const double on_the_way = value(rate, start + 0.5 * (t - start));
      double size = std::max({std::abs(before), std::abs(after), std::abs(on_the_way)});
      for (const Harmonic& h : piece_at(rate, t).piece->harmonics)
        size = std::max(size, std::abs(h.amplitude));
      if (std::abs(after - before) <= tolerance::same * size) continue;
      std::ostringstream text;
      text << "would make its velocity jump from " << before << " to " << after << " at t = " << t
           << ", which needs an infinite force: it must be smooth, such as a SmoothStep";
      reject("value of '" + one.name + "'", text.str());
    }
  }
}

Vector constraint_forces(const System& sys, const Regime& r, const double* x, const double* s,
                         const double* xdot, const double* force) {
  const Index n = sys.n_coordinates, np = sys.friction.size();
  const Eigen::Map<const Vector> q(x, n), v(x + n, n), a(xdot + n, n);
  Vector rest = sys.mass * a + sys.damping * v + sys.stiffness * q;
  for (const System::Drive& d : sys.drives)
    if (d.direction.size() == n) rest -= s[d.signal] * d.direction;
  for (Index i = 0; i < np; ++i) {
    const Friction& p = sys.friction[i];
    if (p.drives.size() > 0)
      rest -= force[i] * p.drives;
    else
      rest += force[i] * p.velocity.x.segment(n, n);
  }
  for (Index j = 0; j < sys.contacts.size(); ++j)
    rest -= force[np + j] * sys.contacts[j].rate.x.segment(n, n);
  for (Index k = 0; k < sys.springs.size(); ++k)
    rest += spring_force(sys, k, r.modes, x, s) * sys.springs[k].rate.x.segment(n, n);
  for (Index b = 0; b < sys.loops.size(); ++b)
    for (Index j = 0; j < sys.loops[b].direction.size(); ++j)
      if (const Vector& on = sys.loops[b].direction[j]; on.size() == n)
        rest -= value(r.linear->outputs[b][j], x, s) * on;
  return sys.constraints.forces * rest;
}

Vector constraint_impulses(const System& sys, const Vector& given) {
  const Constraints& c = sys.constraints;
  return c.forces * (sys.mass * (c.inverse_mass * given) - given);
}

Vector impulse_of_friction(const System& sys, Index element, double tangential) {
  const Friction& p = sys.friction[element];
  const Index n = sys.n_coordinates;
  return p.prescribed ? Vector(tangential * p.drives) : Vector(-tangential * p.velocity.x.segment(n, n));
}

Vector impulse_of_contact(const System& sys, Index contact, double normal, double tangential) {
  const Contact& c = sys.contacts[contact];
  const Vector given = normal * c.rate.x.segment(sys.n_coordinates, sys.n_coordinates);
  return c.friction < 0 ? given : Vector(given + impulse_of_friction(sys, c.friction, tangential));
}

double prescribed_rate(const System& sys, const Vector& row, const Vector& s) {
  const Constraints& c = sys.constraints;
  const Index n = sys.n_coordinates;
  double total = 0.0;
  for (Index k = 0; k < c.all.size(); ++k)
    total += row.segment(n, n).dot(c.prescribed.col(k)) * s(c.all[k].rate);
  return total;
}

} // namespace stickslip
