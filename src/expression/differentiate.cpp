// Derivatives of expressions as expressions of the same graph, forward along a direction. With them as further outputs
// of one tape, gradients, drifts and the gradients of drifts share subexpressions with the values, and zeros cost
// nothing. Backward the graph would be smaller for one result of very many inputs; but the derivative of a branch that
// is not taken, which may be undefined, could not be excluded.
#include "expression/graph.hpp"
#include "expression/rules.hpp"

#include <algorithm>

namespace stickslip {

namespace {

// A node with the arithmetic of numbers, in which `partial` is written.
struct Symbol {
  Graph* graph;
  Node node;
};

Symbol make(Operation o, const Symbol& a, const Symbol& b) {
  return {a.graph, a.graph->apply(o, a.node, b.node)};
}

Symbol make(Operation o, const Symbol& a) {
  return {a.graph, a.graph->apply(o, a.node)};
}

Symbol constant_like(const Symbol& a, double value) {
  return {a.graph, a.graph->constant(value)};
}

Symbol operator*(const Symbol& a, const Symbol& b) {
  return make(Operation::multiply, a, b);
}
Symbol operator+(const Symbol& a, const Symbol& b) {
  return make(Operation::add, a, b);
}
Symbol operator/(const Symbol& a, const Symbol& b) {
  return make(Operation::divide, a, b);
}
Symbol operator-(const Symbol& a) {
  return make(Operation::negate, a);
}
Symbol operator*(double a, const Symbol& b) {
  return constant_like(b, a) * b;
}
Symbol operator+(const Symbol& a, double b) {
  return a + constant_like(a, b);
}
Symbol operator+(double a, const Symbol& b) {
  return b + a;
}
Symbol operator-(double a, const Symbol& b) {
  return make(Operation::subtract, constant_like(b, a), b);
}
Symbol operator-(const Symbol& a, double b) {
  return make(Operation::subtract, a, constant_like(a, b));
}
Symbol operator/(double a, const Symbol& b) {
  return constant_like(b, a) / b;
}
Symbol sin(const Symbol& a) {
  return make(Operation::sin, a);
}
Symbol cos(const Symbol& a) {
  return make(Operation::cos, a);
}
Symbol sinh(const Symbol& a) {
  return make(Operation::sinh, a);
}
Symbol cosh(const Symbol& a) {
  return make(Operation::cosh, a);
}
Symbol sqrt(const Symbol& a) {
  return make(Operation::sqrt, a);
}
Symbol exp(const Symbol& a) {
  return make(Operation::exp, a);
}
Symbol log(const Symbol& a) {
  return make(Operation::log, a);
}
Symbol pow(const Symbol& a, const Symbol& b) {
  return make(Operation::power, a, b);
}
Symbol integer_power_of(const Symbol& a, int n) {
  return {a.graph, a.graph->integer_power(a.node, n)};
}

} // namespace

// The chain rule for one node, whose operands' rates are known; -1 stands for zero.
Node Graph::derivative(Node of, const List<Node>& rates) {
  const Entry e = nodes[of]; // a copy: the following code adds nodes
  if (e.kind != Kind::operation) return rates[of];
  const bool two = arity(e.operation) == 2;
  const Node rate_a = rates[e.a], rate_b = two ? rates[e.b] : -1;
  if (rate_a < 0 && rate_b < 0) return -1;
  const auto or_zero = [&](Node n) { return n < 0 ? constant(0.0) : n; };
  Node out = -1;
  if (is_select(e.operation)) {
    out = choice(e.operation == Operation::select_above, e.c, or_zero(rate_a), or_zero(rate_b));
  } else {
    const Symbol a{this, e.a}, b{this, two ? e.b : e.a}, value{this, of};
    if (rate_a >= 0) out = product(rate_a, partial(e.operation, false, a, b, e.c, value).node);
    if (rate_b >= 0)
      out = sum(or_zero(out), product(rate_b, partial(e.operation, true, a, b, e.c, value).node));
  }
  return is(out, 0.0) ? -1 : out;
}

List<Node> Graph::derivatives(const List<Node>& of, const Direction& along) {
  List<Node> rates(nodes.size(), -1);
  for (const auto& [variable, rate] : along)
    if (!is(rate, 0.0)) rates[variable] = rate;
  for (const Node n : order(of)) rates[n] = derivative(n, rates);
  List<Node> out;
  for (const Node n : of) out.push_back(rates[n] < 0 ? constant(0.0) : rates[n]);
  return out;
}

List<List<Node>> Graph::jacobian(const List<Node>& of, const List<Node>& with_respect_to) {
  List<List<Node>> rows(of.size());
  for (const Node variable : with_respect_to) {
    const List<Node> column = derivatives(of, {{variable, constant(1.0)}});
    for (Index i = 0; i < of.size(); ++i) rows[i].push_back(column[i]);
  }
  return rows;
}

} // namespace stickslip
