// The terms of smooth motion that follow from formulas of M, h and rows: against closed forms, and the derivatives of
// accelerations and constraint forces against differences.
#include "check.hpp"
#include "double_pendulum.hpp"

#include "expression/motion.hpp"

#include <Eigen/LU>

using namespace stickslip;
using Op = Operation;

namespace {

Vector outputs(const Tape& tape, const Vector& inputs) {
  Vector slots(tape.slots()), out(tape.outputs.size());
  prepare(tape, slots.data());
  slots.head(inputs.size()) = inputs;
  evaluate(tape, slots.data());
  for (Index k = 0; k < out.size(); ++k) out[k] = slots[tape.outputs[k]];
  return out;
}

// Accelerations and forces lambda with all rows held: M a - W lambda = h, W'a = -zeta; and their derivatives by (q, v, t).
class Solved {
public:
  Solved(Graph& g, const List<std::string>& names, const List<Node>& mass, const List<Node>& force,
         const List<Motion::Row>& rows)
      : n(names.size()), m(rows.size()) {
    List<std::string> inputs;
    List<Node> state, acceleration, lambda, terms = mass, balance;
    const auto input = [&](const std::string& name) {
      inputs.push_back(name);
      return g.input(name);
    };
    for (const char* kind : {".position", ".velocity"})
      for (const std::string& name : names) state.push_back(input(name + kind));
    state.push_back(input("time"));
    terms.insert(terms.end(), force.begin(), force.end());
    for (const Motion::Row& r : rows) terms.push_back(r.drift);
    for (const Motion::Row& r : rows) terms.insert(terms.end(), r.direction.begin(), r.direction.end());
    values = g.tape(terms, inputs);
    Motion motion(g, names);
    for (const std::string& name : names) acceleration.push_back(input(name + ".acceleration"));
    for (Index i = 0; i < m; ++i) lambda.push_back(input("lambda " + std::to_string(i)));
    for (Index k = 0; k < n; ++k)
      balance.push_back(g.apply(Op::add, force[k], motion.balance(k, mass, rows, acceleration, lambda)));
    for (const Motion::Row& r : rows)
      balance.push_back(g.apply(Op::negate, motion.acceleration(r, acceleration)));
    List<Node> all;
    for (const List<Node>& row : g.jacobian(balance, state)) all.insert(all.end(), row.begin(), row.end());
    slopes = g.tape(all, inputs);
  }

  Vector unknowns(const Vector& state) { return solve(state).first; }
  Matrix derivatives(const Vector& state) {
    const auto [unknowns, lu] = solve(state);
    Vector all(state.size() + unknowns.size());
    all << state, unknowns;
    return lu.solve(outputs(slopes, all).reshaped<Eigen::RowMajor>(n + m, state.size()));
  }
  Matrix by_differences(const Vector& state) {
    const double h = 1e-6;
    Matrix out(n + m, state.size());
    for (Index k = 0; k < state.size(); ++k) {
      Vector up = state, down = state;
      up[k] += h, down[k] -= h;
      out.col(k) = (unknowns(up) - unknowns(down)) / (2.0 * h);
    }
    return out;
  }

private:
  std::pair<Vector, Eigen::PartialPivLU<Matrix>> solve(const Vector& state) {
    const Vector at = outputs(values, state);
    Matrix N = Matrix::Zero(n + m, n + m);
    N.topLeftCorner(n, n) = at.head(n * n).reshaped(n, n);
    for (Index i = 0; i < m; ++i) {
      const auto w = at.segment(n * n + n + m + i * n, n);
      N.row(n + i).head(n) = w.transpose();
      N.col(n + i).head(n) = -w;
    }
    Vector right(n + m);
    right << at.segment(n * n, n), -at.segment(n * n + n, m);
    Eigen::PartialPivLU<Matrix> lu(N);
    return {lu.solve(right), lu};
  }

  Index n, m;
  Tape values, slopes;
};

} // namespace

TEST(smooth_motion, derivatives_of_a_double_pendulums_accelerations) {
  DoublePendulum p;
  Solved s(p.g, {"a", "b"}, {p.terms[0], p.terms[1], p.terms[1], p.terms[2]}, {p.terms[3], p.terms[4]}, {});
  const Vector state = (Vector(5) << 0.7, -1.2, 0.4, 2.1, 0.3).finished();
  const Matrix slopes = s.derivatives(state);
  check::all_close(slopes, s.by_differences(state), 2e-8);
  check::close(slopes.col(4).norm(), 0.0, 0.0);
}

TEST(smooth_motion, force_and_drift_of_a_bead_on_a_rising_circle) {
  // A bead of mass m on a circle of radius R about (0, c t), with gravity.
  const double mass = 1.3, R = 2.0, lift = 0.4, weight = 9.81;
  Graph g;
  const Node m = g.constant(mass), zero = g.constant(0.0);
  const Node up =
      g.apply(Op::subtract, g.input("y.position"), g.apply(Op::multiply, g.constant(lift), g.input("time")));
  const Node gap = g.apply(Op::subtract, g.apply(Op::hypot, g.input("x.position"), up), g.constant(R));
  Motion motion(g, {"x", "y"});
  const Motion::Row row = motion.of_gap(gap);
  // At the angle phi from the top with the speed v along the circle, seen from its centre, which moves uniformly.
  const double phi = 0.6, v = 1.7, t = 0.5;
  const Vector state = (Vector(5) << R * std::sin(phi), R * std::cos(phi) + lift * t, v * std::cos(phi),
                        -v * std::sin(phi) + lift, t)
                           .finished();
  List<Node> terms{gap, motion.velocity(row), row.passing, row.drift};
  terms.insert(terms.end(), row.direction.begin(), row.direction.end());
  const Vector at =
      outputs(g.tape(terms, {"x.position", "y.position", "x.velocity", "y.velocity", "time"}), state);
  check::close(at[0], 0.0, 1e-15);                   // gap
  check::close(at[1], 0.0, 1e-15);                   // gamma
  check::close(at[2], -lift * std::cos(phi), 1e-15); // w^
  check::close(at[3], v * v / R, 2e-15);             // zeta
  check::close(at[4], std::sin(phi), 1e-15);         // w
  Solved s(g, {"x", "y"}, {m, zero, zero, m}, {zero, g.constant(-mass * weight)}, {row});
  check::close(s.unknowns(state)[2], mass * (weight * std::cos(phi) - v * v / R), 1e-14); // lambda
  check::all_close(s.derivatives(state), s.by_differences(state), 1e-8);
}

TEST(smooth_motion, a_direction_needs_no_potential) {
  // A knife edge: no velocity across the direction of theta; gamma = y' cos - x' sin.
  Graph g;
  const Node one = g.constant(1.0), zero = g.constant(0.0), theta = g.input("theta.position");
  Motion motion(g, {"x", "y", "theta"});
  const Motion::Row row =
      motion.of_direction({g.apply(Op::negate, g.apply(Op::sin, theta)), g.apply(Op::cos, theta), zero});
  const double th = 0.4, u = 1.1, omega = 2.3;
  const Vector state =
      (Vector(7) << 3.0, -1.0, th, u * std::cos(th), u * std::sin(th), omega, 0.0).finished();
  const Vector at = outputs(
      g.tape({motion.velocity(row), row.drift}, {"x.position", "y.position", "theta.position", "x.velocity",
                                                 "y.velocity", "theta.velocity", "time"}),
      state);
  check::close(at[0], 0.0, 2e-16);
  check::close(at[1], -u * omega, 1e-15);
  Solved s(g, {"x", "y", "theta"}, {one, zero, zero, zero, one, zero, zero, zero, one},
           {g.constant(0.5), zero, zero}, {row});
  // turns the velocity, carries the force across
  check::close(s.unknowns(state)[3], u * omega + 0.5 * std::sin(th), 1e-15);
  check::all_close(s.derivatives(state), s.by_differences(state), 1e-8);
}

TEST(smooth_motion, inertia_that_changes_takes_power) {
  // M = 2 + sin q: q'^2 M / 2, of whose rate q'^3 cos q / 2 comes from the change of M.
  Graph g;
  const Node mass = g.apply(Op::add, g.constant(2.0), g.apply(Op::sin, g.input("x.position")));
  Motion motion(g, {"x"});
  const Node kinetic = motion.kinetic({mass});
  const Vector at = outputs(g.tape({kinetic, motion.rate(kinetic)}, {"x.position", "x.velocity", "time"}),
                            (Vector(3) << 0.3, 1.4, 0.0).finished());
  check::close(at[0], 0.5 * 1.4 * 1.4 * (2.0 + std::sin(0.3)), 1e-15);
  check::close(at[1], 0.5 * 1.4 * 1.4 * 1.4 * std::cos(0.3), 1e-15);
}
