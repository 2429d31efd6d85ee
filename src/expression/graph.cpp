#include "expression/graph.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <sstream>

namespace stickslip {

namespace {

[[noreturn]] void undefined(Operation o, double a, std::optional<double> b) {
  std::ostringstream text;
  text << word(o) << "(" << a;
  if (b) text << ", " << *b;
  text << ") has no finite value";
  throw InvalidArgument(text.str());
}

} // namespace

std::size_t Graph::EntryHash::operator()(const Entry& e) const {
  std::uint64_t h = std::bit_cast<std::uint64_t>(e.value);
  const auto mix = [&](std::uint64_t x) {
    h = (h ^ x) * 0xbf58476d1ce4e5b9ULL;
    h ^= h >> 31U;
  };
  mix(static_cast<std::uint64_t>(e.kind) << 8U | static_cast<std::uint64_t>(e.operation));
  mix(static_cast<std::uint64_t>(e.a) << 32U | static_cast<std::uint64_t>(e.b));
  mix(static_cast<std::uint64_t>(static_cast<std::uint32_t>(e.c)));
  return static_cast<std::size_t>(h);
}

Node Graph::keep(const Entry& e) {
  const auto [at, fresh] = known.try_emplace(e, static_cast<Node>(nodes.size()));
  if (fresh) {
    nodes.push_back(e);
    marks.push_back(mark(e));
  }
  return at->second;
}

// A hash that depends on the formula alone, not on other nodes of the graph.
std::uint64_t Graph::mark(const Entry& e) const {
  if (e.kind == Kind::input || e.kind == Kind::parameter) return std::hash<std::string>()(names[e.c]);
  Entry by_marks = e;
  std::uint64_t below = 0;
  if (e.kind == Kind::operation) {
    below = marks[e.a] * 3U + (arity(e.operation) == 2 ? marks[e.b] * 5U : 0U) +
            (is_select(e.operation) ? marks[e.c] * 7U : 0U);
    by_marks.a = by_marks.b = 0;
    if (is_select(e.operation)) by_marks.c = 0;
  }
  return (EntryHash()(by_marks) ^ below) * 0x9e3779b97f4a7c15ULL;
}

// Of two opposite differences one represents both if the sign does not matter: that with names in alphabetical order,
// or with constants and parameters as subtrahends.
bool Graph::is_turned(Node n) const {
  const Entry& e = nodes[n];
  if (e.kind != Kind::operation || e.operation != Operation::subtract) return false;
  const Entry &a = nodes[e.a], &b = nodes[e.b];
  const auto rank = [](Kind k) {
    return k == Kind::input ? 0 : k == Kind::operation ? 1 : k == Kind::parameter ? 2 : 3;
  };
  if (a.kind != b.kind) return rank(a.kind) > rank(b.kind);
  if (a.kind == Kind::input || a.kind == Kind::parameter) return names[b.c] < names[a.c];
  return marks[e.b] < marks[e.a];
}

Node Graph::operation(Operation operation, Node a, Node b, std::int32_t c) {
  return keep({Kind::operation, operation, a, arity(operation) == 2 ? b : 0, c, 0.0});
}

std::int32_t Graph::number_of(const std::string& name) {
  const auto at = std::find(names.begin(), names.end(), name);
  const auto number = static_cast<std::int32_t>(at - names.begin());
  if (at == names.end()) names.push_back(name);
  return number;
}

Node Graph::input(const std::string& name) {
  if (name.empty()) reject("name", "of an input is empty");
  const auto at = inputs.find(name);
  if (at != inputs.end()) return at->second;
  const Node fresh = keep({Kind::input, Operation::add, 0, 0, number_of(name), 0.0});
  inputs.emplace(name, fresh);
  return fresh;
}

Node Graph::parameter(const std::string& name, double value) {
  if (name.empty()) reject("name", "of a parameter is empty");
  if (name.find('.') != std::string::npos || name == "time")
    reject("name",
           "= '" + name + "' is not allowed for a parameter: it must be a name without a dot, not 'time'");
  finite("value of '" + name + "'", value);
  return keep({Kind::parameter, Operation::add, 0, 0, number_of(name), value + 0.0});
}

Node Graph::variable(Node of, const std::string& name) {
  const std::map<std::string, Node> named = parameters(order({of}));
  const auto at = named.find(name);
  return at != named.end() ? at->second : input(name);
}

Node Graph::constant(double value) {
  finite("constant", value);
  return keep({Kind::constant, Operation::add, 0, 0, 0, value + 0.0}); // of the two zeros the positive one
}

std::optional<double> Graph::value(Node n) const {
  if (nodes[n].kind != Kind::constant) return {};
  return nodes[n].value;
}

bool Graph::is(Node n, double constant) const {
  return nodes[n].kind == Kind::constant && nodes[n].value == constant;
}

bool Graph::is_negated(Node n) const {
  return nodes[n].kind == Kind::operation && nodes[n].operation == Operation::negate;
}

Node Graph::negated(Node a) {
  const Entry& e = nodes[a];
  if (is_negated(a)) return e.a;
  if (e.kind == Kind::operation && e.operation == Operation::subtract) return difference(e.b, e.a);
  return operation(Operation::negate, a, a);
}

Node Graph::sum(Node a, Node b) {
  if (is(a, 0.0)) return b;
  if (is(b, 0.0)) return a;
  if (is_negated(b)) return difference(a, nodes[b].a);
  if (is_negated(a)) return difference(b, nodes[a].a);
  if (value(a)) std::swap(a, b); // x + 1
  if (value(b) && *value(b) < 0.0) return difference(a, constant(-*value(b)));
  return operation(Operation::add, a, b);
}

Node Graph::difference(Node a, Node b) {
  if (a == b) return constant(0.0);
  if (is(b, 0.0)) return a;
  if (is(a, 0.0)) return negated(b);
  if (is_negated(b)) return sum(a, nodes[b].a);
  if (value(b) && *value(b) < 0.0) return sum(a, constant(-*value(b)));
  return operation(Operation::subtract, a, b);
}

Node Graph::product(Node a, Node b) {
  if (is(a, 0.0) || is(b, 0.0)) return constant(0.0);
  if (is(a, 1.0)) return b;
  if (is(b, 1.0)) return a;
  if (is(a, -1.0)) return negated(b);
  if (is(b, -1.0)) return negated(a);
  if (is_negated(a) && is_negated(b)) return product(nodes[a].a, nodes[b].a);
  if (is_negated(a))
    return value(b) ? product(constant(-*value(b)), nodes[a].a) : negated(product(nodes[a].a, b));
  if (is_negated(b)) return product(b, a);
  if (a == b) return apply(Operation::square, a);
  if (value(b)) std::swap(a, b); // 2 x
  return operation(Operation::multiply, a, b);
}

Node Graph::quotient(Node a, Node b) {
  if (is(b, 0.0)) throw InvalidArgument("division by zero");
  if (is(a, 0.0)) return a;
  if (is(b, 1.0)) return a;
  if (is(b, -1.0)) return negated(a);
  if (is_negated(a) && is_negated(b)) return quotient(nodes[a].a, nodes[b].a);
  if (is_negated(a)) return negated(quotient(nodes[a].a, b));
  if (is_negated(b)) return negated(quotient(a, nodes[b].a));
  return operation(Operation::divide, a, b);
}

Node Graph::integer_power(Node a, int exponent) {
  if (const auto x = value(a)) {
    const double y = stickslip::integer_power(*x, exponent);
    if (!std::isfinite(y)) undefined(Operation::power, *x, exponent);
    return constant(y);
  }
  if (std::abs(exponent) > largest_exponent) return operation(Operation::power, a, constant(exponent));
  switch (exponent) {
  case -1:
    return quotient(constant(1.0), a);
  case 0:
    return constant(1.0);
  case 1:
    return a;
  case 2:
    return apply(Operation::square, a);
  default:
    if (is_negated(a))
      return exponent % 2 == 0 ? integer_power(nodes[a].a, exponent)
                               : negated(integer_power(nodes[a].a, exponent));
    return operation(Operation::integer_power, a, a, exponent);
  }
}

Node Graph::raised(Node a, Node b) {
  const auto exponent = value(b), base = value(a);
  if (exponent && std::abs(*exponent) <= largest_exponent && *exponent == std::floor(*exponent))
    return integer_power(a, static_cast<int>(*exponent));
  if (exponent && *exponent == 0.5) return apply(Operation::sqrt, a);
  if (base && *base <= 0.0)
    throw InvalidArgument("power of a base that is not positive and a variable exponent");
  return operation(Operation::power, a, b);
}

Node Graph::plain(Operation o, Node a, Node b) {
  if (is_negated(a) || is_turned(a)) {
    if (is_odd(o)) return negated(apply(o, negated(a)));
    if (is_even(o)) return apply(o, negated(a));
  }
  return operation(o, a, b);
}

Node Graph::apply(Operation o, Node a, Node b) {
  const bool two = arity(o) == 2;
  if (const auto x = value(a), y = value(b); x && (!two || y)) {
    const double result = applied(o, *x, y.value_or(0.0), 0);
    if (!std::isfinite(result)) undefined(o, *x, two ? y : std::nullopt);
    return constant(result);
  }
  switch (o) {
  case Operation::add:
    return sum(a, b);
  case Operation::subtract:
    return difference(a, b);
  case Operation::multiply:
    return product(a, b);
  case Operation::divide:
    return quotient(a, b);
  case Operation::negate:
    return negated(a);
  case Operation::power:
    return raised(a, b);
  case Operation::integer_power:
  case Operation::select_at_least:
  case Operation::select_above:
    throw std::logic_error("this operation needs more than two values");
  default:
    return plain(o, a, b);
  }
}

Node Graph::choice(bool strictly, Node condition, Node first, Node second) {
  if (first == second) return first;
  if (const auto g = value(condition)) return (strictly ? *g > 0.0 : *g >= 0.0) ? first : second;
  if (is_negated(condition) || is_turned(condition))
    return choice(!strictly, negated(condition), second, first);
  return operation(strictly ? Operation::select_above : Operation::select_at_least, first, second, condition);
}

Node Graph::where(Node a, Node b, bool strictly, Node first, Node second) {
  return choice(strictly, difference(a, b), first, second);
}

Node Graph::absolute(Node a) {
  if (is_negated(a) || is_turned(a)) a = negated(a);
  return choice(false, a, a, negated(a));
}

Node Graph::least(Node a, Node b) {
  return where(a, b, true, b, a);
}

Node Graph::greatest(Node a, Node b) {
  return where(a, b, false, a, b);
}

Node Graph::sign(Node a) {
  return choice(true, a, constant(1.0), choice(false, a, constant(0.0), constant(-1.0)));
}

// b = -c
bool Graph::is_opposite(Node b, Node c) const {
  const Entry &eb = nodes[b], &ec = nodes[c];
  const bool differences = eb.operation == Operation::subtract && ec.operation == Operation::subtract &&
                           eb.kind == Kind::operation && ec.kind == Kind::operation;
  return (is_negated(b) && eb.a == c) || (differences && eb.a == ec.b && eb.b == ec.a);
}

bool Graph::is_non_negative(Node n) const {
  const Entry& e = nodes[n];
  if (e.kind != Kind::operation) return e.kind == Kind::constant && e.value >= 0.0;
  const auto both = [&] { return is_non_negative(e.a) && is_non_negative(e.b); };
  switch (e.operation) {
  case Operation::square:
  case Operation::sqrt:
  case Operation::exp:
  case Operation::cosh:
  case Operation::hypot:
  case Operation::acos:
  case Operation::power: // of a base that is not negative
    return true;
  case Operation::integer_power:
    return e.c % 2 == 0 || is_non_negative(e.a);
  case Operation::add:
  case Operation::multiply:
  case Operation::divide:
    return both();
  case Operation::expm1:
  case Operation::log1p:
  case Operation::sinh:
  case Operation::tanh:
  case Operation::atan:
  case Operation::asin:
    return is_non_negative(e.a);
  case Operation::select_at_least: // a where the condition is >= 0, else b: |x| is x or -x
  case Operation::select_above:
    return (e.a == e.c || is_non_negative(e.a)) && (is_opposite(e.b, e.c) || is_non_negative(e.b));
  default:
    return false;
  }
}

Graph::Loaded Graph::load(const Tape& tape) {
  check(tape);
  return load_soundly(tape, nullptr);
}

Graph::Loaded Graph::load(const Tape& tape, const Sign* signs) {
  check(tape);
  return load_soundly(tape, signs);
}

Graph::Loaded Graph::load_soundly(const Tape& tape, const Sign* signs) {
  List<Node> at(tape.slots(), -1);
  const Live needed = live(tape, signs);
  Index slot = 0;
  for (const std::string& name : tape.inputs) at[slot++] = input(name);
  for (Index k = 0; k < tape.constants.size(); ++k) {
    const double c = tape.constants[k];
    at[slot++] = k < tape.parameters.size() ? parameter(tape.parameters[k], c) : constant(c);
  }
  for (const Instruction& i : tape.code) {
    Node& out = at[slot];
    if (needed.slots[slot++] == 0) continue;
    if (i.operation == Operation::integer_power)
      out = integer_power(at[i.a], i.c);
    else if (!is_select(i.operation))
      out = apply(i.operation, at[i.a], at[i.b]);
    else if (signs)
      out = at[signs[i.c] > 0 ? i.a : i.b];
    else
      out = choice(i.operation == Operation::select_above, at[tape.conditions[i.c]], at[i.a], at[i.b]);
  }
  Loaded result;
  for (const Slot s : tape.outputs) result.outputs.push_back(at[s]);
  for (Index k = 0; k < tape.conditions.size(); ++k)
    if (needed.conditions[k]) result.conditions.push_back(at[tape.conditions[k]]);
  return result;
}

} // namespace stickslip
