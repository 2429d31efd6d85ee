#include "expression/motion.hpp"

#include "core/error.hpp"
#include "expression/graph.hpp"

namespace stickslip {

namespace {

Index triangle(Index n) {
  return n * (n + 1) / 2;
}

void check(const SmoothTerms& terms) {
  const Index n = terms.coordinates.size();
  if (terms.mass.outputs.size() != triangle(n))
    reject("mass", "must have one formula for each entry on or below the diagonal");
  if (terms.force.outputs.size() != n) reject("force", "must have one formula for each coordinate");
  if (terms.rows.outputs.size() != terms.kinds.size()) reject("rows", "must have one kind for each formula");
}

class Builder {
public:
  Builder(const SmoothTerms& t, const Tape& joined, const Sign* signs) : terms(t), n(t.coordinates.size()) {
    for (const char* kind : {".position", ".velocity"})
      for (const std::string& name : t.coordinates) inputs.push_back(name + kind);
    inputs.push_back("time");
    for (const std::string& name : inputs) state.push_back(graph.input(name));
    for (Index k = 0; k < n; ++k) along.emplace(q(k), v(k));
    along.emplace(state[2 * n], graph.constant(1.0));
    const Graph::Loaded loaded = signs ? graph.load(joined, signs) : graph.load(joined);
    given = loaded.outputs;
    conditions = loaded.conditions;
  }

  Motion build() {
    read_rows();
    Motion out{n, terms.kinds.size(), values(), slopes(), graph.tape(conditions, inputs)};
    return out;
  }

private:
  struct Terms {
    Node gap, rate, drift;
    List<Node> direction;
  };

  Node q(Index k) const { return state[k]; }
  Node v(Index k) const { return state[n + k]; }
  Node mass(Index i, Index j) const { return given[i >= j ? triangle(i) + j : triangle(j) + i]; }
  Node force(Index i) const { return given[triangle(n) + i]; }
  List<Node> velocities() const { return {state.begin() + n, state.begin() + 2 * n}; }

  Node plus(Node a, Node b) { return graph.apply(Operation::add, a, b); }
  Node minus(Node a, Node b) { return graph.apply(Operation::subtract, a, b); }
  Node times(Node a, Node b) { return graph.apply(Operation::multiply, a, b); }

  void read_rows() {
    if (reads_velocities({given.begin(), given.begin() + triangle(n)}))
      reject("mass", "may not depend on velocities");
    for (Index i = 0; i < terms.kinds.size(); ++i)
      rows.push_back(row(given[triangle(n) + n + i], terms.kinds[i]));
  }

  Terms row(Node formula, Row kind) {
    const bool is_gap = kind == Row::gap;
    if (is_gap && reads_velocities({formula})) reject("gap", "may not depend on velocities");
    Terms out;
    out.gap = is_gap ? formula : graph.constant(0.0);
    out.rate = is_gap ? graph.derivatives({formula}, along)[0] : formula;
    out.drift = graph.derivatives({out.rate}, along)[0];
    out.direction = graph.jacobian({out.rate}, velocities())[0];
    if (reads_velocities(out.direction)) reject("rate", "must be linear in the velocities");
    return out;
  }

  bool reads_velocities(const List<Node>& nodes) {
    for (const List<Node>& slopes_of_one : graph.jacobian(nodes, velocities()))
      for (const Node slope : slopes_of_one)
        if (graph.value(slope) != 0.0) return true;
    return false;
  }

  Tape values() {
    List<Node> out(given.begin(), given.begin() + triangle(n) + n);
    for (const Terms& r : rows) {
      out.insert(out.end(), {r.gap, r.rate, r.drift});
      out.insert(out.end(), r.direction.begin(), r.direction.end());
    }
    return graph.tape(out, inputs);
  }

  Tape slopes() {
    List<std::string> names = inputs;
    List<Node> acceleration, lambda, out;
    for (const std::string& name : terms.coordinates) names.push_back(name + ".acceleration");
    for (Index i = 0; i < rows.size(); ++i) names.push_back("lambda " + std::to_string(i));
    for (Index k = 0; k < n; ++k) acceleration.push_back(graph.input(names[2 * n + 1 + k]));
    for (Index i = 0; i < rows.size(); ++i) lambda.push_back(graph.input(names[3 * n + 1 + i]));

    List<Node> of;
    for (Index i = 0; i < n; ++i) of.push_back(residual(i, acceleration, lambda));
    for (const Terms& r : rows) of.push_back(row_acceleration(r, acceleration));
    for (const Terms& r : rows) of.push_back(r.rate);
    for (const List<Node>& by_state : graph.jacobian(of, state))
      out.insert(out.end(), by_state.begin(), by_state.end());
    return graph.tape(out, names);
  }

  Node residual(Index i, const List<Node>& acceleration, const List<Node>& lambda) {
    Node sum = graph.apply(Operation::negate, force(i));
    for (Index j = 0; j < n; ++j) sum = plus(sum, times(mass(i, j), acceleration[j]));
    for (Index k = 0; k < rows.size(); ++k) sum = minus(sum, times(rows[k].direction[i], lambda[k]));
    return sum;
  }

  Node row_acceleration(const Terms& r, const List<Node>& acceleration) {
    Node sum = r.drift;
    for (Index j = 0; j < n; ++j) sum = plus(sum, times(r.direction[j], acceleration[j]));
    return sum;
  }

  const SmoothTerms& terms;
  Index n;
  Graph graph;
  List<std::string> inputs;
  List<Node> state, given, conditions;
  Graph::Direction along; // the motion without accelerations
  List<Terms> rows;
};

} // namespace

Tape joined(const SmoothTerms& terms) {
  check(terms);
  Graph graph;
  List<Node> all;
  for (const Tape* part : {&terms.mass, &terms.force, &terms.rows}) {
    const List<Node> nodes = graph.load(*part).outputs;
    all.insert(all.end(), nodes.begin(), nodes.end());
  }
  return graph.tape(all);
}

Motion motion(const SmoothTerms& terms, const Tape& joined, const Sign* signs) {
  check(terms);
  return Builder(terms, joined, signs).build();
}

} // namespace stickslip
