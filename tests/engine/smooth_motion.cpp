// The terms of smooth motion that follow from formulas of M, h and rows: against closed forms, and the derivatives of
// accelerations and constraint forces against differences.
#include "check.hpp"
#include "double_pendulum.hpp"

#include "core/error.hpp"
#include "expression/motion.hpp"

#include <Eigen/LU>

using namespace stickslip;
using Op = Operation;

namespace {

// The accelerations and forces lambda at a state (q, v, t) with all rows held, and their derivatives.
struct Solved {
  Vector unknowns; // (a, lambda)
  Matrix slopes;   // by (q, v, t)
  Vector values;   // outputs of Motion::values
};

Vector outputs(const Tape& tape, const Vector& inputs) {
  Vector slots(tape.slots()), out(tape.outputs.size());
  prepare(tape, slots.data());
  slots.head(inputs.size()) = inputs;
  evaluate(tape, slots.data());
  for (Index k = 0; k < out.size(); ++k) out[k] = slots[tape.outputs[k]];
  return out;
}

Solved solved(const Motion& m, const Vector& state) {
  const Index n = m.coordinates, size = n + m.rows;
  Solved out;
  out.values = outputs(m.values, state);
  Matrix N = Matrix::Zero(size, size);
  Vector right(size);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) N(i, j) = N(j, i) = out.values[i * (i + 1) / 2 + j];
  right.head(n) = out.values.segment(m.at_force(), n);
  for (Index i = 0; i < m.rows; ++i) {
    const auto w = out.values.segment(m.at_row(i) + 3, n);
    N.row(n + i).head(n) = w.transpose();
    N.col(n + i).head(n) = -w;
    right[n + i] = -out.values[m.at_row(i) + 2];
  }
  const Eigen::PartialPivLU<Matrix> lu(N);
  out.unknowns = lu.solve(right);
  Vector all(state.size() + size);
  all << state, out.unknowns;
  const Vector slopes = outputs(m.slopes, all);
  out.slopes = -lu.solve(slopes.head(size * m.width()).reshaped<Eigen::RowMajor>(size, m.width()));
  return out;
}

Matrix by_differences(const Motion& m, const Vector& state) {
  const double h = 1e-6;
  Matrix out(m.coordinates + m.rows, state.size());
  for (Index k = 0; k < state.size(); ++k) {
    Vector up = state, down = state;
    up[k] += h, down[k] -= h;
    out.col(k) = (solved(m, up).unknowns - solved(m, down).unknowns) / (2.0 * h);
  }
  return out;
}

// A bead of mass m on a circle of radius R about (0, c t), with gravity: coordinates x and y.
struct Bead {
  static constexpr double mass = 1.3, radius = 2.0, lift = 0.4, weight = 9.81;
  SmoothTerms terms{{"x", "y"}, {}, {}, {}, {Row::gap}};

  Bead() {
    Graph g;
    const Node m = g.constant(mass), zero = g.constant(0.0);
    terms.mass = g.tape({m, zero, m});
    terms.force = g.tape({zero, g.constant(-mass * weight)});
    const Node up = g.apply(Op::subtract, g.input("y.position"),
                            g.apply(Op::multiply, g.constant(lift), g.input("time")));
    terms.rows =
        g.tape({g.apply(Op::subtract, g.apply(Op::hypot, g.input("x.position"), up), g.constant(radius))});
  }
};

SmoothTerms pendulum() {
  DoublePendulum p;
  SmoothTerms terms{{"a", "b"}, {}, {}, {}, {}};
  terms.mass = p.g.tape({p.terms[0], p.terms[1], p.terms[2]});
  terms.force = p.g.tape({p.terms[3], p.terms[4]});
  return terms;
}

} // namespace

TEST(smooth_motion, derivatives_of_a_double_pendulums_accelerations) {
  const SmoothTerms terms = pendulum();
  const Motion m = motion(terms, joined(terms), nullptr);
  const Vector state = (Vector(5) << 0.7, -1.2, 0.4, 2.1, 0.3).finished();
  const Solved s = solved(m, state);
  check::all_close(s.slopes, by_differences(m, state), 2e-8);
  check::close(s.slopes.col(4).norm(), 0.0, 0.0);
}

TEST(smooth_motion, force_and_drift_of_a_bead_on_a_rising_circle) {
  const Bead bead;
  const Motion m = motion(bead.terms, joined(bead.terms), nullptr);
  // At the angle phi from the top with the speed v along the circle, seen from its centre, which moves uniformly.
  const double phi = 0.6, v = 1.7, t = 0.5, R = Bead::radius;
  const Vector state = (Vector(5) << R * std::sin(phi), R * std::cos(phi) + Bead::lift * t, v * std::cos(phi),
                        -v * std::sin(phi) + Bead::lift, t)
                           .finished();
  const Solved s = solved(m, state);
  check::close(s.values[m.at_row(0)], 0.0, 1e-15);                                             // gap
  check::close(s.values[m.at_row(0) + 1], 0.0, 1e-15);                                         // its rate
  check::close(s.values[m.at_row(0) + 2], v * v / R, 2e-15);                                   // zeta
  check::close(s.values[m.at_row(0) + 3], std::sin(phi), 1e-15);                               // w
  check::close(s.unknowns[2], Bead::mass * (Bead::weight * std::cos(phi) - v * v / R), 1e-14); // lambda
  check::all_close(s.slopes, by_differences(m, state), 1e-8);
  Vector all(8);
  all << state, s.unknowns;
  const Vector slopes = outputs(m.slopes, all);
  const Vector by_velocity = slopes.segment(m.at_row_rate(0) + 2, 2),
               w = s.values.segment(m.at_row(0) + 3, 2);
  check::all_close(by_velocity, w, 0.0); // d gamma / d v = w
}

TEST(smooth_motion, a_rate_needs_no_potential) {
  // A knife edge: no velocity across the direction of theta; gamma = y' cos - x' sin.
  SmoothTerms terms{{"x", "y", "theta"}, {}, {}, {}, {Row::rate}};
  Graph g;
  const Node one = g.constant(1.0), zero = g.constant(0.0), theta = g.input("theta.position");
  terms.mass = g.tape({one, zero, one, zero, zero, one});
  terms.force = g.tape({g.constant(0.5), zero, zero});
  const auto times = [&](const char* name, Op o) {
    return g.apply(Op::multiply, g.input(name), g.apply(o, theta));
  };
  terms.rows = g.tape({g.apply(Op::subtract, times("y.velocity", Op::cos), times("x.velocity", Op::sin))});
  const Motion m = motion(terms, joined(terms), nullptr);
  const double th = 0.4, u = 1.1, omega = 2.3;
  const Vector state =
      (Vector(7) << 3.0, -1.0, th, u * std::cos(th), u * std::sin(th), omega, 0.0).finished();
  const Solved s = solved(m, state);
  check::close(s.values[m.at_row(0) + 1], 0.0, 2e-16);
  check::close(s.values[m.at_row(0) + 2], -u * omega, 1e-15);
  check::close(s.unknowns[3], u * omega + 0.5 * std::sin(th),
               1e-15); // turns the velocity, carries the force across
  check::all_close(s.slopes, by_differences(m, state), 1e-8);
}

TEST(smooth_motion, each_branch_is_smooth_and_knows_what_ends_it) {
  // A force of quadratic drag, -v |v|, and a step in another's way: max(0, x).
  SmoothTerms terms{{"x"}, {}, {}, {}, {}};
  Graph g;
  const Node x = g.input("x.position"), v = g.input("x.velocity"), zero = g.constant(0.0);
  terms.mass = g.tape({g.constant(2.0)});
  const Node drag = g.apply(Op::negate, g.apply(Op::multiply, v, g.absolute(v)));
  terms.force = g.tape({g.apply(Op::subtract, drag, g.greatest(x, zero))});
  terms.rows = {};
  const Tape all = joined(terms);
  check::that(all.conditions.size() == 2);
  for (const Sign of_v : {Sign{1}, Sign{-1}})
    for (const Sign of_x : {Sign{1}, Sign{-1}}) {
      const Sign signs[] = {of_v, of_x};
      const Motion m = motion(terms, all, signs);
      check::that(m.values.conditions.empty() && m.slopes.conditions.empty() &&
                  m.conditions.outputs.size() == 2);
      const Vector state = (Vector(3) << 0.7, 1.5, 0.0).finished();
      const Solved s = solved(m, state);
      check::close(s.unknowns[0], (-of_v * 1.5 * 1.5 - (of_x > 0 ? 0.7 : 0.0)) / 2.0, 1e-15);
      check::close(s.slopes(0, 0), of_x > 0 ? -0.5 : 0.0, 1e-15);
      check::close(s.slopes(0, 1), -of_v * 1.5, 1e-15);
      check::all_close(outputs(m.conditions, state), (Vector(2) << 1.5, 0.7).finished(), 0.0);
    }
}

TEST(smooth_motion, what_is_not_of_this_form_is_refused) {
  Graph g;
  const Node x = g.input("x.position"), v = g.input("x.velocity"), one = g.constant(1.0);
  const auto with = [&](Node mass, Node row, Row kind) {
    SmoothTerms terms{{"x"}, g.tape({mass}), g.tape({one}), g.tape({row}), {kind}};
    return motion(terms, joined(terms), nullptr).rows;
  };
  check::that(with(g.apply(Op::exp, x), g.apply(Op::multiply, v, x), Row::rate) == 1);
  check::throws<InvalidArgument>([&] { with(v, x, Row::gap); }, "mass may not depend on velocities");
  check::throws<InvalidArgument>([&] { with(one, g.apply(Op::square, v), Row::rate); },
                                 "rate must be linear in the velocities");
  check::throws<InvalidArgument>([&] { with(one, v, Row::gap); }, "gap may not depend on velocities");
  check::throws<UnknownName>([&] { with(g.input("size"), x, Row::gap); }, "unknown input 'size'");
  SmoothTerms few{{"x", "y"}, g.tape({one}), g.tape({one, one}), {}, {}};
  check::throws<InvalidArgument>([&] { joined(few); }, "on or below the diagonal");
}
