#include "expression/text.hpp"

#include "core/error.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

namespace stickslip {

std::string text_of(double value) {
  if (std::isnan(value)) return "nan"; // without the sign that it may have
  char digits[32];
  for (const int count : {15, 16, 17}) {
    std::snprintf(digits, sizeof digits, "%.*g", count, value);
    if (std::strtod(digits, nullptr) == value) break;
  }
  return digits;
}

namespace {

constexpr std::size_t longest = 2000; // characters of a formula

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out += part;
  return out;
}

// Precedence of the outermost operation of a text.
enum Binding { of_sum, of_product, of_sign, of_power, of_atom };

struct Formula {
  std::string text;
  Binding binding = of_atom;
};

class Writer {
public:
  explicit Writer(const Tape& t) : tape(t), formulas(t.slots()) {}

  std::string write(Slot wanted) {
    const List<char> needed = below(wanted);
    for (Slot s = 0; s <= wanted; ++s)
      if (needed[s]) {
        formulas[s] = formula(s);
        if (formulas[s].text.size() > longest) return summary(needed);
      }
    return formulas[wanted].text;
  }

private:
  List<char> below(Slot wanted) const {
    List<char> out(tape.slots(), 0);
    out[wanted] = 1;
    for (Slot s = wanted; s >= tape.first_result(); --s) {
      if (!out[s]) continue;
      const Instruction& i = at(s);
      out[i.a] = 1;
      if (arity(i.operation) == 2) out[i.b] = 1;
      if (is_select(i.operation)) out[tape.conditions[i.c]] = 1;
    }
    return out;
  }

  std::string summary(const List<char>& needed) const {
    Index count = 0;
    List<std::string> names;
    for (Index s = 0; s < tape.slots(); ++s) {
      if (!needed[s]) continue;
      if (s < tape.named()) names.push_back(tape.name(s));
      count += s >= tape.first_result() ? 1 : 0;
    }
    return joined({"<", std::to_string(count), " operations on ", quoted(names), ">"});
  }

  const Instruction& at(Slot s) const { return tape.code[s - tape.first_result()]; }

  // In brackets if it binds less tightly than its place asks for.
  std::string within(Slot s, Binding place) const {
    const Formula& f = formulas[s];
    return f.binding < place ? joined({"(", f.text, ")"}) : f.text;
  }

  Formula formula(Slot s) const {
    if (s < tape.named()) return {tape.name(s), of_atom};
    if (s < tape.first_result()) {
      const double c = tape.constants[s - tape.inputs.size()];
      return {text_of(c), c < 0.0 ? of_sign : of_atom};
    }
    return of_operation(at(s));
  }

  Formula of_operation(const Instruction& i) const {
    switch (i.operation) {
    case Operation::add:
      return {joined({within(i.a, of_sum), " + ", within(i.b, of_product)}), of_sum};
    case Operation::subtract:
      return {joined({within(i.a, of_sum), " - ", within(i.b, of_product)}), of_sum};
    case Operation::multiply:
      return {joined({within(i.a, of_product), "*", within(i.b, of_sign)}), of_product};
    case Operation::divide:
      return {joined({within(i.a, of_product), "/", within(i.b, of_power)}), of_product};
    case Operation::negate:
      return {joined({"-", within(i.a, of_product)}), of_sign};
    case Operation::square:
      return {joined({within(i.a, of_atom), "**2"}), of_power};
    case Operation::integer_power:
      return {joined({within(i.a, of_atom), "**", std::to_string(i.c)}), of_power};
    case Operation::power:
      return {joined({within(i.a, of_atom), "**", within(i.b, of_power)}), of_power};
    case Operation::select_at_least:
    case Operation::select_above:
      return {choice(i), of_atom};
    default:
      return {joined({word(i.operation), "(", formulas[i.a].text, arity(i.operation) == 2 ? ", " : "",
                      arity(i.operation) == 2 ? formulas[i.b].text : "", ")"}),
              of_atom};
    }
  }

  bool is_difference(Slot s) const {
    return s >= tape.first_result() && at(s).operation == Operation::subtract;
  }

  // b = -a, as the graph writes it.
  bool is_opposite(Slot a, Slot b) const {
    if (b < tape.first_result()) return false;
    if (is_difference(a) && is_difference(b)) return at(a).a == at(b).b && at(a).b == at(b).a;
    return at(b).operation == Operation::negate && at(b).a == a;
  }

  // |g|, the greater or the lesser of two, or `where`.
  std::string choice(const Instruction& i) const {
    const Slot g = tape.conditions[i.c];
    if (g == i.a && is_opposite(i.a, i.b)) return joined({"abs(", formulas[g].text, ")"});
    std::string left = formulas[g].text, right = "0";
    if (is_difference(g)) {
      const Instruction& d = at(g);
      const std::string both = joined({"(", formulas[d.a].text, ", ", formulas[d.b].text, ")"});
      if (i.a == d.a && i.b == d.b) return joined({"maximum", both});
      if (i.a == d.b && i.b == d.a) return joined({"minimum", both});
      left = formulas[d.a].text, right = formulas[d.b].text;
    }
    const char* relation = i.operation == Operation::select_above ? " > " : " >= ";
    return joined({"where(", left, relation, right, ", ", formulas[i.a].text, ", ", formulas[i.b].text, ")"});
  }

  const Tape& tape;
  List<Formula> formulas;
};

} // namespace

std::string text(const Tape& tape, Slot slot) {
  return Writer(tape).write(slot);
}

} // namespace stickslip
