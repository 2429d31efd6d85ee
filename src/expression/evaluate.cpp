#include "expression/evaluate.hpp"

#include "core/dual.hpp"
#include "expression/rules.hpp"

#include <algorithm>

namespace stickslip {

// The derivatives of partial derivatives.
using Moving = Dual<1>;

static Moving constant_like(const Moving&, double value) {
  return value;
}
static Moving integer_power_of(const Moving& a, int n) {
  return chain(a, integer_power(a.x, n), n * integer_power(a.x, n - 1));
}
static Moving cos(const Moving& a) {
  return chain(a, std::cos(a.x), -std::sin(a.x));
}
static Moving sin(const Moving& a) {
  return sine(a);
}
static Moving cosh(const Moving& a) {
  return chain(a, std::cosh(a.x), std::sinh(a.x));
}
static Moving sinh(const Moving& a) {
  return chain(a, std::sinh(a.x), std::cosh(a.x));
}
static Moving sqrt(const Moving& a) {
  const double root = std::sqrt(a.x);
  return chain(a, root, 0.5 / root);
}
static Moving exp(const Moving& a) {
  return exponential(a);
}
static Moving log(const Moving& a) {
  return chain(a, std::log(a.x), 1.0 / a.x);
}
static Moving pow(const Moving& a, const Moving& b) {
  const double p = std::pow(a.x, b.x);
  const Moving out = chain(a, p, b.x * std::pow(a.x, b.x - 1.0));
  return b.d[0] == 0.0 ? out : out + chain(b, 0.0, p * std::log(a.x));
}

namespace {

double chosen(const Tape& tape, const Instruction& i, const double* s) {
  const double g = s[tape.conditions[i.c]];
  if (g > 0.0) return s[i.a];
  if (g < 0.0) return s[i.b];
  if (g == 0.0) return s[i.operation == Operation::select_at_least ? i.a : i.b];
  return g;
}

bool takes_first(const Tape& tape, const Instruction& i, const Sign* signs, const double* s) {
  if (signs) return signs[i.c] > 0;
  const double g = s[tape.conditions[i.c]];
  return i.operation == Operation::select_at_least ? g >= 0.0 : g > 0.0;
}

// A slope that is infinite where nothing moves (sqrt(x) at 0 along y) adds nothing.
void add_scaled(double slope, const double* rates, Index count, double* out) {
  if (std::isfinite(slope))
    for (Index d = 0; d < count; ++d) out[d] += slope * rates[d];
  else
    for (Index d = 0; d < count; ++d) out[d] += rates[d] == 0.0 ? 0.0 : slope * rates[d];
}

// `choose` gives the value of a choice.
template <class Choose> void run(const Tape& tape, const Choose& choose, Index from, Index to, double* s) {
  double* out = s + tape.first_result() + from;
  for (const Instruction *at = tape.code.data() + from, *end = tape.code.data() + to; at != end; ++at) {
    const Instruction& i = *at;
    const double a = s[i.a];
    switch (i.operation) {
    case Operation::add:
      *out = a + s[i.b];
      break;
    case Operation::subtract:
      *out = a - s[i.b];
      break;
    case Operation::multiply:
      *out = a * s[i.b];
      break;
    case Operation::divide:
      *out = a / s[i.b];
      break;
    case Operation::negate:
      *out = -a;
      break;
    case Operation::square:
      *out = a * a;
      break;
    case Operation::sin:
      *out = std::sin(a);
      break;
    case Operation::cos:
      *out = std::cos(a);
      break;
    case Operation::select_at_least:
    case Operation::select_above:
      *out = choose(i);
      break;
    default:
      *out = applied(i.operation, a, s[i.b], i.c);
    }
    ++out;
  }
}

} // namespace

void prepare(const Tape& tape, double* slots) {
  std::copy(tape.constants.begin(), tape.constants.end(), slots + tape.inputs.size());
}

void evaluate(const Tape& tape, double* slots) {
  evaluate(tape, 0, tape.code.size(), slots);
}

void evaluate(const Tape& tape, Index from, Index to, double* slots) {
  run(tape, [&](const Instruction& i) { return chosen(tape, i, slots); }, from, to, slots);
}

void evaluate_on_side(const Tape& tape, Slot held, Sign sign, double* slots) {
  const auto choose = [&](const Instruction& i) {
    return tape.conditions[i.c] != held ? chosen(tape, i, slots) : slots[sign > 0 ? i.a : i.b];
  };
  run(tape, choose, 0, tape.code.size(), slots);
}

void evaluate(const Tape& tape, const Sign* signs, double* slots) {
  const auto choose = [&](const Instruction& i) { return slots[signs[i.c] > 0 ? i.a : i.b]; };
  run(tape, choose, 0, tape.code.size(), slots);
}

void read_signs(const Tape& tape, const double* slots, Sign* signs) {
  for (const Slot s : tape.conditions) *signs++ = slots[s] >= 0.0 ? Sign{1} : Sign{-1};
}

void forward(const Tape& tape, const Sign* signs, const double* s, Index directions, double* rates) {
  const auto row = [&](Index slot) { return rates + slot * directions; };
  std::fill(row(tape.inputs.size()), row(tape.first_result()), 0.0);
  Index slot = tape.first_result();
  for (const Instruction& i : tape.code) {
    double* out = row(slot);
    if (is_select(i.operation)) {
      std::copy_n(row(takes_first(tape, i, signs, s) ? i.a : i.b), directions, out);
    } else {
      std::fill_n(out, directions, 0.0);
      for (const bool by_b : {false, true}) {
        const Slot from = by_b ? i.b : i.a;
        if ((by_b && arity(i.operation) == 1) || tape.is_constant(from)) continue;
        const double slope = partial(i.operation, by_b, s[i.a], s[i.b], i.c, s[slot]);
        add_scaled(slope, row(from), directions, out);
      }
    }
    ++slot;
  }
}

void forward_twice(const Tape& tape, const Sign* signs, const double* s, const double* rates,
                   double* second) {
  std::fill(second + tape.inputs.size(), second + tape.first_result(), 0.0);
  const auto moving = [&](Index k) {
    Moving out(s[k]);
    out.d[0] = rates[k];
    return out;
  };
  Index slot = tape.first_result();
  for (const Instruction& i : tape.code) {
    double& out = second[slot];
    if (is_select(i.operation)) {
      out = second[takes_first(tape, i, signs, s) ? i.a : i.b];
    } else {
      out = 0.0;
      for (const bool by_b : {false, true}) {
        const Slot from = by_b ? i.b : i.a;
        if ((by_b && arity(i.operation) == 1) || tape.is_constant(from)) continue;
        const Moving slope = partial(i.operation, by_b, moving(i.a), moving(i.b), i.c, moving(slot));
        add_scaled(slope.x, second + from, 1, &out);
        add_scaled(slope.d[0], rates + from, 1, &out);
      }
    }
    ++slot;
  }
}

void reverse(const Tape& tape, const Sign* signs, const double* s, Index output, double* adjoints) {
  std::fill_n(adjoints, tape.slots(), 0.0);
  adjoints[tape.outputs[output]] = 1.0;
  for (Index k = tape.code.size(); k-- > 0;) {
    const Instruction& i = tape.code[k];
    const Index slot = tape.first_result() + k;
    const double weight = adjoints[slot];
    if (weight == 0.0) continue; // a branch that is not taken may be undefined
    if (is_select(i.operation)) {
      adjoints[takes_first(tape, i, signs, s) ? i.a : i.b] += weight;
      continue;
    }
    for (const bool by_b : {false, true}) {
      const Slot to = by_b ? i.b : i.a;
      if ((by_b && arity(i.operation) == 1) || tape.is_constant(to)) continue;
      adjoints[to] += weight * partial(i.operation, by_b, s[i.a], s[i.b], i.c, s[slot]);
    }
  }
}

Slot chosen_slot(const Tape& tape, const Sign* signs, Index output) {
  Slot s = tape.outputs[output];
  while (s >= tape.first_result()) {
    const Instruction& i = tape.code[s - tape.first_result()];
    if (!is_select(i.operation)) break;
    s = signs[i.c] > 0 ? i.a : i.b;
  }
  return s;
}

Live live(const Tape& tape, const Sign* signs) {
  Live out{List<char>(tape.slots(), 0), List<char>(tape.conditions.size(), 0)};
  for (const Slot s : tape.outputs) out.slots[s] = 1;
  for (Index k = tape.code.size(); k-- > 0;) {
    if (!out.slots[tape.first_result() + k]) continue;
    const Instruction& i = tape.code[k];
    if (is_select(i.operation)) {
      out.conditions[i.c] = 1;
      out.slots[tape.conditions[i.c]] = 1;
      if (!signs || signs[i.c] > 0) out.slots[i.a] = 1;
      if (!signs || signs[i.c] < 0) out.slots[i.b] = 1;
    } else {
      out.slots[i.a] = 1;
      if (arity(i.operation) == 2) out.slots[i.b] = 1;
    }
  }
  return out;
}

} // namespace stickslip
