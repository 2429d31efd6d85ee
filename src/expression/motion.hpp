// Smooth equations of motion as formulas of one graph: M(q, t) q'' = h(q, q', t) + sum of w_i(q, t) lambda_i, with one
// row for each constraint, whose rate gamma_i = w_i'q' + w^_i is linear in the velocities and has the rate
// gamma_i' = w_i'q'' + zeta_i. From M, h and the rows follow all other terms by differentiation.
#pragma once

#include "expression/graph.hpp"

#include <string>

namespace stickslip {

class Motion {
public:
  // Inputs are "<coordinate>.position", "<coordinate>.velocity" and "time".
  Motion(Graph& graph, const List<std::string>& coordinates);

  struct Row {
    List<Node> direction; // w
    Node passing, drift;  // w^ and zeta
  };
  Row of_gap(Node gap);                   // g(q, t): gamma is its rate
  Row of_direction(List<Node> direction); // gamma = w'q', as of a sliding velocity, which needs no potential
  Node kinetic(const List<Node>& mass);   // q'Mq' / 2; M by columns
  Node rate(Node of);                     // of a formula, as far as it does not come from accelerations

  // With q'' and lambda as further inputs: residuals of the equations of motion, and the rates of rows. How the motion
  // changes with (q, q', t) follows from the derivatives of these: q'' changes by M^-1 times that of the balance h +
  // sum of w_i lambda_i - M q'', and by the correction that keeps the rows satisfied.
  Node balance(Index coordinate, const List<Node>& mass, const List<Row>& rows,
               const List<Node>& acceleration, const List<Node>& lambda); // without h; an empty M is constant
  Node velocity(const Row& row);                                          // gamma
  Node acceleration(const Row& row, const List<Node>& acceleration);      // gamma'

private:
  Graph& graph;
  List<Node> q, v;
  Graph::Direction along, passing; // the motion without accelerations, and time alone

  Node sum_of_products(const List<Node>& a, const List<Node>& b);
  Node derivative(Node of, const Graph::Direction& direction);
};

} // namespace stickslip
