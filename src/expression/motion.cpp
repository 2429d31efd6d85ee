#include "expression/motion.hpp"

namespace stickslip {

Motion::Motion(Graph& g, const List<std::string>& coordinates) : graph(g) {
  for (const std::string& name : coordinates) q.push_back(graph.input(name + ".position"));
  for (const std::string& name : coordinates) v.push_back(graph.input(name + ".velocity"));
  const Node time = graph.input("time");
  for (Index k = 0; k < q.size(); ++k) along.emplace(q[k], v[k]);
  passing.emplace(time, graph.constant(1.0));
  along.merge(Graph::Direction(passing));
}

Node Motion::sum_of_products(const List<Node>& a, const List<Node>& b) {
  Node sum = graph.constant(0.0);
  for (Index k = 0; k < a.size(); ++k)
    sum = graph.apply(Operation::add, sum, graph.apply(Operation::multiply, a[k], b[k]));
  return sum;
}

Node Motion::derivative(Node of, const Graph::Direction& direction) {
  return graph.derivatives({of}, direction).front();
}

Node Motion::rate(Node of) {
  return derivative(of, along);
}

Motion::Row Motion::of_gap(Node gap) {
  return {graph.jacobian({gap}, q).front(), derivative(gap, passing), rate(rate(gap))};
}

Motion::Row Motion::of_direction(List<Node> direction) {
  const Node drift = rate(sum_of_products(direction, v));
  return {std::move(direction), graph.constant(0.0), drift};
}

Node Motion::kinetic(const List<Node>& mass) {
  const Index n = q.size();
  List<Node> momentum;
  for (Index i = 0; i < n; ++i)
    momentum.push_back(sum_of_products({mass.begin() + i * n, mass.begin() + (i + 1) * n}, v));
  return graph.apply(Operation::multiply, graph.constant(0.5), sum_of_products(momentum, v));
}

Node Motion::balance(Index coordinate, const List<Node>& mass, const List<Row>& rows,
                     const List<Node>& acceleration, const List<Node>& lambda) {
  const Index n = q.size();
  Node sum = graph.constant(0.0);
  for (Index i = 0; i < rows.size(); ++i)
    sum = graph.apply(Operation::add, sum,
                      graph.apply(Operation::multiply, rows[i].direction[coordinate], lambda[i]));
  if (mass.empty()) return sum;
  const List<Node> column(mass.begin() + coordinate * n, mass.begin() + (coordinate + 1) * n);
  return graph.apply(Operation::subtract, sum, sum_of_products(column, acceleration));
}

Node Motion::velocity(const Row& row) {
  return graph.apply(Operation::add, sum_of_products(row.direction, v), row.passing);
}

Node Motion::acceleration(const Row& row, const List<Node>& acceleration) {
  return graph.apply(Operation::add, sum_of_products(row.direction, acceleration), row.drift);
}

} // namespace stickslip
