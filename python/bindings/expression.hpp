// An expression in the hands of Python: a node of a graph that it shares with those that it was made of and with.
#pragma once

#include "expression/graph.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stickslip::bindings {

class Expression {
public:
  explicit Expression(const Tape& tape); // its only output
  static Expression input(const std::string& name);
  static Expression constant(double value);
  static Expression parameter(const std::string& name, double value);

  // What `make` does with the nodes of these expressions, in a graph that has them all.
  template <class Make> static Expression of(const std::vector<const Expression*>& parts, Make&& make) {
    const std::shared_ptr<Graph> graph = common(parts);
    std::vector<Node> nodes;
    for (const Expression* part : parts) nodes.push_back(part->in(graph));
    return {graph, make(*graph, nodes)};
  }

  // One tape for several expressions; see Graph::tape.
  static Tape tape_of(const std::vector<const Expression*>& outputs,
                      const std::optional<std::vector<std::string>>& inputs = {});

  const Tape& tape() const; // alone
  std::vector<Expression> conditions() const;
  std::optional<double> value() const { return graph->value(node); }

private:
  Expression(std::shared_ptr<Graph> g, Node n) : graph(std::move(g)), node(n) {}
  static std::shared_ptr<Graph> common(const std::vector<const Expression*>& parts);
  Node in(const std::shared_ptr<Graph>& other) const;

  std::shared_ptr<Graph> graph;
  Node node;
  mutable std::shared_ptr<const Tape> own; // made when it is asked for
};

} // namespace stickslip::bindings
