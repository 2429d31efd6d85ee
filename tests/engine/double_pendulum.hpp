// A pendulum of two rods with masses at their ends, the second angle relative to the first: M(q) and h(q, v) as
// expressions, for tests and for taking time.
#pragma once

#include "expression/graph.hpp"

#include <string>

struct DoublePendulum {
  static constexpr double m1 = 1.1, m2 = 0.7, l1 = 0.9, l2 = 0.6, weight = 9.81;
  stickslip::Graph g;
  stickslip::List<std::string> names = {"a.position", "b.position", "a.velocity", "b.velocity", "time"};
  stickslip::List<stickslip::Node> x, terms; // M11, M12, M22, h1, h2

  DoublePendulum() {
    using namespace stickslip;
    using Op = Operation;
    for (const std::string& name : names) x.push_back(g.input(name));
    const auto c = [&](double v) { return g.constant(v); };
    const auto times = [&](Node a, Node b) { return g.apply(Op::multiply, a, b); };
    const auto plus = [&](Node a, Node b) { return g.apply(Op::add, a, b); };
    const Node cosine = g.apply(Op::cos, x[1]), sine = g.apply(Op::sin, x[1]), k = c(m2 * l1 * l2);
    const Node m12 = plus(c(m2 * l2 * l2), times(k, cosine));
    const Node m11 = plus(c((m1 + m2) * l1 * l1 + m2 * l2 * l2), times(c(2.0), times(k, cosine)));
    const Node ks = times(k, sine);
    const Node g2 = times(c(m2 * weight * l2), g.apply(Op::sin, plus(x[0], x[1])));
    const Node g1 = plus(times(c((m1 + m2) * weight * l1), g.apply(Op::sin, x[0])), g2);
    const Node va = x[2], vb = x[3];
    const Node coriolis = times(ks, plus(times(c(2.0), times(va, vb)), times(vb, vb)));
    const Node h1 = g.apply(Op::subtract, coriolis, g1);
    const Node h2 = g.apply(Op::negate, plus(times(ks, times(va, va)), g2));
    terms = {m11, m12, c(m2 * l2 * l2), h1, h2};
  }
};
