// Expressions on tapes: values, the folding of what is constant, branches, and derivatives against closed forms,
// complex steps and each other.
#include "check.hpp"
#include "double_pendulum.hpp"

#include "core/error.hpp"
#include "expression/diagnose.hpp"
#include "expression/evaluate.hpp"
#include "expression/graph.hpp"
#include "expression/text.hpp"

#include <complex>
#include <limits>

using namespace stickslip;
using Op = Operation;

namespace {

List<double> run(const Tape& tape, const List<double>& inputs, const Sign* signs = nullptr) {
  List<double> slots(tape.slots());
  prepare(tape, slots.data());
  std::copy(inputs.begin(), inputs.end(), slots.begin());
  signs ? evaluate(tape, signs, slots.data()) : evaluate(tape, slots.data());
  return slots;
}

List<double> outputs(const Tape& tape, const List<double>& inputs, const Sign* signs = nullptr) {
  const List<double> slots = run(tape, inputs, signs);
  List<double> out;
  for (const Slot s : tape.outputs) out.push_back(slots[s]);
  return out;
}

double output(Graph& g, Node n, const List<std::string>& names, const List<double>& inputs) {
  return outputs(g.tape({n}, names), inputs)[0];
}

const List<double> at_pendulum = {0.7, -1.2, 0.4, 2.1, 0.0};

} // namespace

TEST(expressions, values_of_all_operations) {
  Graph g;
  const Node x = g.input("x"), y = g.input("y");
  const double a = 0.37, b = -1.3,
               one_digit = 9e-16; // the compiler may know a function better than the library
  const auto one = [&](Op o) { return output(g, g.apply(o, x), {"x"}, {a}); };
  const auto two = [&](Op o) { return output(g, g.apply(o, x, y), {"x", "y"}, {a, b}); };
  check::same(two(Op::add), a + b);
  check::same(two(Op::subtract), a - b);
  check::same(two(Op::multiply), a * b);
  check::same(two(Op::divide), a / b);
  check::close(two(Op::power), std::pow(a, b), one_digit);
  check::close(two(Op::atan2), std::atan2(a, b), one_digit);
  check::close(two(Op::hypot), std::hypot(a, b), one_digit);
  check::same(one(Op::negate), -a);
  check::same(one(Op::square), a * a);
  check::close(one(Op::sqrt), std::sqrt(a), one_digit);
  check::close(one(Op::exp), std::exp(a), one_digit);
  check::close(one(Op::expm1), std::expm1(a), one_digit);
  check::close(one(Op::log), std::log(a), one_digit);
  check::close(one(Op::log1p), std::log1p(a), one_digit);
  check::close(one(Op::sin), std::sin(a), one_digit);
  check::close(one(Op::cos), std::cos(a), one_digit);
  check::close(one(Op::tan), std::tan(a), one_digit);
  check::close(one(Op::asin), std::asin(a), one_digit);
  check::close(one(Op::acos), std::acos(a), one_digit);
  check::close(one(Op::atan), std::atan(a), one_digit);
  check::close(one(Op::sinh), std::sinh(a), one_digit);
  check::close(one(Op::cosh), std::cosh(a), one_digit);
  check::close(one(Op::tanh), std::tanh(a), one_digit);
  check::close(one(Op::asinh), std::asinh(a), one_digit);
  check::close(one(Op::atanh), std::atanh(a), one_digit);
  check::close(one(Op::erf), std::erf(a), one_digit);
  for (const int n : {-5, -1, 0, 1, 2, 3, 11})
    check::close(output(g, g.integer_power(x, n), {"x"}, {b}), std::pow(b, n),
                 4e-16 * n * n * std::pow(1.3, n));
}

TEST(expressions, what_is_constant_is_folded_and_what_is_equal_is_one) {
  Graph g;
  const Node x = g.input("x"), y = g.input("y"), one = g.constant(1.0), zero = g.constant(0.0);
  const Node sum = g.apply(Op::add, x, y);
  check::that(g.apply(Op::add, x, y) == sum && g.apply(Op::add, y, x) != sum);
  check::that(g.apply(Op::add, x, zero) == x && g.apply(Op::multiply, one, x) == x);
  check::that(g.apply(Op::multiply, zero, x) == zero && g.apply(Op::subtract, sum, sum) == zero);
  check::same(*g.value(g.apply(Op::sqrt, g.constant(2.0))), std::sqrt(2.0));
  const Node minus = g.apply(Op::negate, x);
  check::that(g.apply(Op::negate, minus) == x && g.apply(Op::cos, minus) == g.apply(Op::cos, x));
  check::that(g.apply(Op::sin, minus) == g.apply(Op::negate, g.apply(Op::sin, x)));
  const Node there = g.apply(Op::subtract, x, y), back = g.apply(Op::subtract, y, x);
  check::that(g.apply(Op::negate, there) == back && g.apply(Op::cos, back) == g.apply(Op::cos, there));
  check::that(g.apply(Op::sin, back) == g.apply(Op::negate, g.apply(Op::sin, there)));
  check::that(g.where(x, y, false, x, x) == x);
  check::that(g.where(one, zero, true, x, y) == x && g.where(zero, zero, true, x, y) == y);
  check::throws<InvalidArgument>([&] { g.apply(Op::log, g.constant(-1.0)); }, "log(-1) has no finite value");
  check::throws<InvalidArgument>([&] { g.apply(Op::divide, x, zero); }, "division by zero");
  check::throws<InvalidArgument>([&] { g.constant(std::numeric_limits<double>::quiet_NaN()); }, "nan");
}

TEST(expressions, a_tape_holds_what_its_outputs_need_whatever_was_built_beside_it) {
  const auto of = [](bool more) {
    Graph g;
    Node y = 0;
    if (more) y = g.apply(Op::exp, g.input("y"));
    const Node x = g.input("x");
    if (more) g.apply(Op::hypot, x, y);
    const Node s = g.apply(Op::sin, x);
    return g.tape({g.apply(Op::multiply, s, g.apply(Op::add, s, g.constant(2.0))), s});
  };
  const Tape tape = of(false);
  check::that(tape == of(true) && hash_of(tape) == hash_of(of(true)));
  check::that(tape.code.size() == 3 && tape.inputs == List<std::string>{"x"});
  Graph g;
  const Graph::Loaded back = g.load(tape);
  check::that(g.tape(back.outputs) == tape);
  check::that(text(tape, tape.outputs[0]) == "sin(x)*(sin(x) + 2)");
  check::throws<UnknownName>([&] { g.tape(back.outputs, {"z"}); }, "unknown input 'x'; known are: 'z'");
}

TEST(expressions, corners_are_conditions_with_sides) {
  Graph g;
  const Node x = g.input("x"), y = g.input("y");
  const Tape tape =
      g.tape({g.absolute(x), g.sign(x), g.least(x, y), g.greatest(x, y), g.where(y, x, true, x, y)});
  check::that(tape.conditions.size() == 2); // x, and x - y (or its negative) for all others
  for (const double a : {-1.5, 0.0, 2.0})
    for (const double b : {-2.0, 0.0, 2.0}) {
      const List<double> out = outputs(tape, {a, b});
      check::same(out[0], std::abs(a));
      check::same(out[1], a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : 0.0);
      check::same(out[2], std::min(a, b));
      check::same(out[3], std::max(a, b));
      check::same(out[4], b > a ? a : b);
    }
  const Sign up[] = {1, 1}, down[] = {-1, 1};
  check::same(outputs(tape, {-3.0, 0.0}, up)[0], -3.0); // the branch x >= 0, prolonged
  check::same(outputs(tape, {-3.0, 0.0}, up)[1], 1.0);
  check::same(outputs(tape, {3.0, 0.0}, down)[0], -3.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  check::that(std::isnan(outputs(tape, {nan, 1.0})[1]));
  Graph smooth;
  const auto loaded = smooth.load(tape, down);
  check::that(smooth.tape(loaded.outputs).conditions.empty() && loaded.conditions.size() == 2);
  check::same(output(smooth, loaded.outputs[0], {"x", "y"}, {3.0, 0.0}), -3.0);
}

TEST(expressions, the_branch_that_is_not_taken_may_be_undefined) {
  Graph g;
  const Node x = g.input("x"), zero = g.constant(0.0);
  const Node root = g.where(x, zero, false, g.apply(Op::sqrt, x), zero);
  const Tape tape = g.tape({root, g.jacobian({root}, {x})[0][0]});
  List<double> slots = run(tape, {-1.0}), adjoints(tape.slots()), rates(tape.slots(), 0.0);
  check::same(slots[tape.outputs[0]], 0.0);
  check::same(slots[tape.outputs[1]], 0.0);
  reverse(tape, nullptr, slots.data(), 0, adjoints.data());
  check::same(adjoints[0], 0.0);
  rates[0] = 1.0;
  forward(tape, nullptr, slots.data(), 1, rates.data());
  check::same(rates[tape.outputs[0]], 0.0);
  check::that(!diagnose(tape, nullptr, slots.data()));
  const Sign taken[] = {1};
  slots = run(tape, {-1.0}, taken);
  const auto wrong = diagnose(tape, taken, slots.data());
  check::that(wrong && wrong->text.find("sqrt(x) = sqrt(-1) = ") == 0 &&
              wrong->text.find(" at x = -1") != std::string::npos);
  // The condition inside of a branch matters only there.
  const Node y = g.input("y");
  const Tape nested = g.tape({g.where(x, zero, false, g.absolute(y), zero)});
  const Sign inside[] = {1, 1}, outside[] = {1, -1}; // y, x
  check::that(nested.conditions.size() == 2);
  check::that(live(nested, inside).conditions == List<char>{1, 1});
  check::that(live(nested, outside).conditions == List<char>{0, 1});
}

TEST(expressions, gradients_three_ways_and_by_complex_steps) {
  DoublePendulum p;
  const Tape tape = p.g.tape(p.terms, p.names);
  const List<double> slots = run(tape, at_pendulum);
  const Index n = 5;
  List<double> rates(tape.slots() * n, 0.0), adjoints(tape.slots());
  for (Index k = 0; k < n; ++k) rates[k * n + k] = 1.0;
  forward(tape, nullptr, slots.data(), n, rates.data());
  const auto rows = p.g.jacobian(p.terms, p.x);
  for (Index i = 0; i < p.terms.size(); ++i) {
    reverse(tape, nullptr, slots.data(), i, adjoints.data());
    const List<double> symbolic = outputs(p.g.tape(rows[i], p.names), at_pendulum);
    for (Index k = 0; k < n; ++k) {
      check::close(symbolic[k], rates[tape.outputs[i] * n + k], 1e-14);
      check::close(symbolic[k], adjoints[k], 1e-14);
    }
  }
  const std::complex<double> q1(0.7, 1e-30), q2(-1.2, 0.0); // h1 by hand
  using P = DoublePendulum;
  const double ks = P::m2 * P::l1 * P::l2 * std::sin(-1.2);
  const auto h1 = ks * (2.0 * 0.4 * 2.1 + 2.1 * 2.1) - (P::m1 + P::m2) * P::weight * P::l1 * std::sin(q1) -
                  P::m2 * P::weight * P::l2 * std::sin(q1 + q2);
  check::close(slots[tape.outputs[3]], h1.real(), 1e-14);
  check::close(rates[tape.outputs[3] * n], h1.imag() / 1e-30, 1e-14);
}

TEST(expressions, partial_derivatives_of_all_operations_by_differences) {
  const double b = 1.21, h = 1e-6;
  for (int o = 0; o < static_cast<int>(Op::select_at_least); ++o) {
    const auto op = static_cast<Op>(o);
    const double a = op == Op::acosh ? 1.37 : 0.37; // within the domain of the operation
    Graph g;
    const Node x = g.input("x"), y = g.input("y");
    const Node f = op == Op::integer_power ? g.integer_power(x, -3) : g.apply(op, x, y);
    const Tape tape = g.tape(g.jacobian({f}, {x, y})[0], {"x", "y"});
    const auto at = [&](double u, double v) { return output(g, f, {"x", "y"}, {u, v}); };
    const List<double> slope = outputs(tape, {a, b});
    check::close(slope[0], (at(a + h, b) - at(a - h, b)) / (2.0 * h), 2e-8);
    check::close(slope[1], (at(a, b + h) - at(a, b - h)) / (2.0 * h), 2e-8);
  }
}

TEST(expressions, drift_of_a_circle_on_a_circle) {
  // A point at (x, y) with velocity (u, w), circle of radius R: the gap r - R has the rate r' and, with the point
  // moving on straight on, the drift v_t^2 / r (v_t: tangential speed); its gradients by hand.
  Graph g;
  const List<std::string> names = {"x", "y", "u", "w", "t"};
  List<Node> x;
  for (const std::string& name : names) x.push_back(g.input(name));
  const Node gap = g.apply(Op::subtract, g.apply(Op::hypot, x[0], x[1]), g.constant(2.0));
  const Graph::Direction motion = {{x[0], x[2]}, {x[1], x[3]}, {x[4], g.constant(1.0)}};
  const Node rate = g.derivatives({gap}, motion)[0], drift = g.derivatives({rate}, motion)[0];
  List<Node> all = g.jacobian({drift}, x)[0];
  all.push_back(rate), all.push_back(drift);
  const double px = 1.3, py = -1.7, u = 0.6, w = 2.2;
  const List<double> out = outputs(g.tape(all, names), {px, py, u, w, 0.0});
  const double r = std::hypot(px, py), c = px * w - py * u; // v_t = c / r
  check::close(out[5], (px * u + py * w) / r, 4e-16);
  check::close(out[6], c * c / (r * r * r), 2e-15);
  check::close(out[0], 2.0 * c * w / (r * r * r) - 3.0 * c * c * px / std::pow(r, 5), 1e-14);
  check::close(out[1], -2.0 * c * u / (r * r * r) - 3.0 * c * c * py / std::pow(r, 5), 1e-14);
  check::close(out[2], -2.0 * c * py / (r * r * r), 1e-14);
  check::close(out[3], 2.0 * c * px / (r * r * r), 1e-14);
  check::same(out[4], 0.0);
}

TEST(expressions, a_moving_surface_adds_to_the_drift) {
  // g = y - sin(x - c t): by hand g'' at (u, w, 1) is sin(x - c t) (u - c)^2.
  Graph g;
  const Node x = g.input("x"), y = g.input("y"), u = g.input("u"), w = g.input("w"), t = g.input("t");
  const Node phase = g.apply(Op::subtract, x, g.apply(Op::multiply, g.constant(0.8), t));
  const Node gap = g.apply(Op::subtract, y, g.apply(Op::sin, phase));
  const Graph::Direction motion = {{x, u}, {y, w}, {t, g.constant(1.0)}};
  const Node drift = g.derivatives(g.derivatives({gap}, motion), motion)[0];
  check::close(output(g, drift, {"x", "y", "u", "w", "t"}, {0.3, 9.0, 1.7, 5.0, 2.0}),
               std::sin(0.3 - 1.6) * 0.9 * 0.9, 2e-15);
}

TEST(expressions, several_tapes_share_one_graph) {
  DoublePendulum p;
  const Tape mass = p.g.tape({p.terms[0], p.terms[1]}, p.names),
             force = p.g.tape({p.terms[3], p.terms[4]}, p.names);
  Graph both;
  List<Node> all = both.load(mass).outputs;
  for (const Node n : both.load(force).outputs) all.push_back(n);
  const Tape joined = both.tape(all, p.names);
  check::that(joined.code.size() ==
              mass.code.size() + force.code.size()); // k cos, k sin: nothing is shared here
  for (const Node n : both.derivatives(all, {{both.input("b.position"), both.constant(1.0)}}))
    all.push_back(n);
  const Tape more = both.tape(all, p.names);
  const List<double> x = outputs(more, at_pendulum), y = outputs(joined, at_pendulum);
  for (Index k = 0; k < y.size(); ++k) check::same(x[k], y[k]);
}

TEST(expressions, damaged_tapes_are_refused) {
  DoublePendulum p;
  const Tape sound = p.g.tape({p.terms[0], p.g.absolute(p.terms[3])}, p.names);
  stickslip::check(sound);
  const auto refused = [&](auto&& damage, const char* part) {
    Tape tape = sound;
    damage(tape);
    check::throws<InvalidArgument>([&] { Graph().load(tape); }, part);
  };
  refused([](Tape& t) { t.code[0].a = static_cast<Slot>(t.first_result()); }, "instruction 0 reads slot");
  refused([](Tape& t) { t.code[1].a = -1; }, "instruction 1 reads slot -1");
  refused([](Tape& t) { t.code.back().c = 1; }, "condition that does not exist");
  refused([](Tape& t) { t.code.back().c = -1; }, "condition that does not exist");
  refused([](Tape& t) { t.conditions[0] = static_cast<Slot>(t.slots() - 1); }, "reads slot");
  refused([](Tape& t) { t.code[0] = {Op::integer_power, 0, 0, std::numeric_limits<int>::min()}; },
          "too large");
  refused([](Tape& t) { t.outputs[0] = static_cast<Slot>(t.slots()); }, "an output reads slot");
  refused([](Tape& t) { t.code[0].operation = static_cast<Op>(99); }, "no known operation");
  refused([](Tape& t) { t.inputs[1] = t.inputs[0]; }, "occurs twice");
  refused([](Tape& t) { t.constants[0] = std::numeric_limits<double>::infinity(); }, "inf");
}

TEST(expressions, long_sums_need_no_stack) {
  Graph g;
  const Node x = g.input("x");
  Node sum = x;
  const int n = 200000;
  for (int k = 0; k < n; ++k) sum = g.apply(Op::add, g.apply(Op::sin, sum), x);
  const Tape tape = g.tape({g.derivatives({sum}, {{x, g.constant(1.0)}})[0]});
  check::that(tape.code.size() > n);
  check::that(text(tape, tape.outputs[0]).find("operations on 'x'>") != std::string::npos);
}
