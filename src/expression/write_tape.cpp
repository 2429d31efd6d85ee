// A graph as a tape: the nodes that the outputs need, in the order of the formulas, so that the tape of an expression
// does not depend on other expressions in the graph.
#include "core/error.hpp"
#include "expression/graph.hpp"
#include "expression/text.hpp"

#include <algorithm>
#include <set>

namespace stickslip {

// Nodes that the outputs need, each after all that it reads.
List<Node> Graph::order(const List<Node>& outputs) const {
  List<char> seen(nodes.size(), 0); // 1: its operands are under way, 2: done
  List<Node> out, open(outputs.rbegin(), outputs.rend());
  while (!open.empty()) {
    const Node n = open.back();
    const Entry& e = nodes[n];
    if (seen[n] == 0 && e.kind == Kind::operation) {
      seen[n] = 1;
      if (arity(e.operation) == 2) open.push_back(e.b);
      open.push_back(e.a);
      if (is_select(e.operation)) open.push_back(e.c);
      continue;
    }
    open.pop_back();
    if (seen[n] == 2) continue;
    seen[n] = 2;
    out.push_back(n);
  }
  return out;
}

List<Node> Graph::conditions(const List<Node>& outputs) const {
  List<Node> out;
  for (const Node n : order(outputs))
    if (const Entry& e = nodes[n]; e.kind == Kind::operation && is_select(e.operation))
      if (std::find(out.begin(), out.end(), e.c) == out.end()) out.push_back(e.c);
  return out;
}

std::map<std::string, Node> Graph::parameters(const List<Node>& all) const {
  std::map<std::string, Node> out;
  for (const Node n : all) {
    const Entry& e = nodes[n];
    if (e.kind != Kind::parameter) continue;
    const std::string& name = names[e.c];
    if (const auto [at, fresh] = out.emplace(name, n); !fresh)
      reject("parameter", "'" + name + "' has two values in one formula, " +
                              text_of(nodes[at->second].value) + " and " + text_of(e.value) +
                              ": give it one value, or two names");
  }
  return out;
}

Tape Graph::tape(const List<Node>& outputs) const {
  std::set<std::string> needed;
  for (const Node n : order(outputs))
    if (is_input(n)) needed.insert(names[nodes[n].c]);
  return tape(outputs, List<std::string>(needed.begin(), needed.end()));
}

Tape Graph::tape(const List<Node>& outputs, const List<std::string>& given) const {
  Tape out;
  out.inputs = given;
  List<Slot> slot(nodes.size(), -1);
  for (Index k = 0; k < given.size(); ++k)
    if (const auto at = inputs.find(given[k]); at != inputs.end()) slot[at->second] = static_cast<Slot>(k);
  const List<Node> all = order(outputs);
  for (const auto& [name, n] : parameters(all)) {
    if (std::find(given.begin(), given.end(), name) != given.end())
      reject("parameter", "'" + name + "' has the name of an input: rename one of them");
    slot[n] = static_cast<Slot>(out.first_result());
    out.parameters.push_back(name), out.constants.push_back(nodes[n].value);
  }
  for (const Node n : all) {
    if (is_input(n) && slot[n] < 0)
      throw UnknownName("unknown input '" + names[nodes[n].c] + "'; known are: " + quoted(given));
    if (const auto c = value(n)) {
      slot[n] = static_cast<Slot>(out.first_result());
      out.constants.push_back(*c);
    }
  }
  const List<Node> decisive = conditions(outputs);
  for (const Node n : all) {
    const Entry& e = nodes[n];
    if (e.kind != Kind::operation) continue;
    Instruction i{e.operation, slot[e.a], arity(e.operation) == 2 ? slot[e.b] : 0, e.c};
    if (is_select(e.operation)) {
      i.c = static_cast<std::int32_t>(std::find(decisive.begin(), decisive.end(), e.c) - decisive.begin());
    }
    slot[n] = static_cast<Slot>(out.slots());
    out.code.push_back(i);
  }
  for (const Node n : decisive) out.conditions.push_back(slot[n]);
  for (const Node n : outputs) out.outputs.push_back(slot[n]);
  return out;
}

} // namespace stickslip
