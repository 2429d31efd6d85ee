// Construction of expressions: a graph of unique nodes. Constants are folded and neutral operations removed (x + 0, 1
// x, 0 x, sin(-x) = -sin x, ...); all other operations keep their order. Several tapes can be loaded into one graph,
// differentiated there, and written as one tape that shares common subexpressions.
#pragma once

#include "expression/evaluate.hpp"
#include "expression/tape.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace stickslip {

using Node = std::int32_t;

class Graph {
public:
  Node input(const std::string& name);
  Node constant(double value); // finite
  Node parameter(const std::string& name,
                 double value); // a constant that is varied by its name: never folded
  // Choices by `where`; operations undefined for their constants (log(-1), x/0) are rejected.
  Node apply(Operation operation, Node a, Node b);
  Node apply(Operation operation, Node a) { return apply(operation, a, a); }
  Node integer_power(Node a, int exponent);
  // first where a >= b (or a > b), else second; the condition is a - b or b - a, the same for both.
  Node where(Node a, Node b, bool strictly, Node first, Node second);

  Node absolute(Node a);
  Node least(Node a, Node b);
  Node greatest(Node a, Node b);
  Node sign(Node a); // 0 at 0

  std::optional<double> value(Node n) const; // of a constant
  bool is_input(Node n) const { return nodes[n].kind == Kind::input; }
  // The parameter with this name that a node depends on, else the input.
  Node variable(Node of, const std::string& name);
  // Known from how the value is made (x^2, |x|, max(0, x), their sums and products); false: it may be negative.
  bool is_non_negative(Node n) const;

  struct Loaded {
    List<Node> outputs, conditions; // only the conditions that the outputs depend on
  };
  Loaded load(const Tape& tape);
  // With each choice replaced by its branch under these signs: the result is smooth.
  Loaded load(const Tape& tape, const Sign* signs);

  // Derivatives of nodes along a direction: the rate of each input; of others it is zero. As the motion has
  // (q, v, t) -> (v, 0, 1), applying it twice to a gap gives w v + w^ and its drift zeta.
  using Direction = std::map<Node, Node>;
  List<Node> derivatives(const List<Node>& of, const Direction& along);
  // Rows of d of[i] / d with_respect_to[j].
  List<List<Node>> jacobian(const List<Node>& of, const List<Node>& with_respect_to);

  // The tape of these outputs. It has the inputs that it needs in the order of the alphabet, or these ones, of which
  // some may be unused. Throws where a parameter has two values, or the name of an input.
  Tape tape(const List<Node>& outputs) const;
  Tape tape(const List<Node>& outputs, const List<std::string>& inputs) const;
  List<Node> conditions(const List<Node>& outputs) const; // of the choices in such a tape, in its order

  Index size() const { return nodes.size(); }

private:
  enum class Kind : std::uint8_t { input, constant, operation, parameter };
  struct Entry {
    Kind kind = Kind::operation;
    Operation operation = Operation::add;
    Node a = 0, b = 0;
    std::int32_t c =
        0; // of inputs and parameters the number of the name; of choices the node of the condition
    double value = 0.0;

    bool operator==(const Entry&) const = default;
  };
  struct EntryHash {
    std::size_t operator()(const Entry& e) const;
  };

  Node keep(const Entry& e);
  std::int32_t number_of(const std::string& name);
  std::uint64_t mark(const Entry& e) const;
  bool is_turned(Node n) const;
  Node operation(Operation operation, Node a, Node b, std::int32_t c = 0);
  bool is_negated(Node n) const;
  bool is_opposite(Node b, Node c) const;
  bool is(Node n, double constant) const;
  Node negated(Node a);
  Node sum(Node a, Node b);
  Node difference(Node a, Node b);
  Node product(Node a, Node b);
  Node quotient(Node a, Node b);
  Node raised(Node a, Node b);
  Node plain(Operation operation, Node a, Node b);
  Node choice(bool strictly, Node condition, Node first, Node second);
  Loaded load_soundly(const Tape& tape, const Sign* signs);
  Node derivative(Node of, const List<Node>& rates);
  List<Node> order(const List<Node>& outputs) const;
  std::map<std::string, Node> parameters(const List<Node>& all) const;

  List<std::string> names;
  List<Entry> nodes;
  List<std::uint64_t> marks; // of the nodes
  std::unordered_map<Entry, Node, EntryHash> known;
  std::map<std::string, Node> inputs;
};

} // namespace stickslip
