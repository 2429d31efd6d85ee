// M and h of a double pendulum: a tape, the same written by hand and compiled, and the Jacobian in three ways; then its
// right-hand side, the accelerations M^-1 h, alone and with their derivatives.
//
//   tape_pendulum N   evaluates each N times and prints as one line of JSON nanoseconds for one evaluation (the best
//                     of ten runs), numbers of instructions, the greatest difference of the tape to the hand, and
//                     M11, M12, M22, h1, h2 at (0.7, -1.2), (0.4, 2.1)
#include "../double_pendulum.hpp"

#include "expression/motion.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace stickslip;
using P = DoublePendulum;

namespace {

#if defined(_MSC_VER)
__declspec(noinline)
#else
__attribute__((noinline))
#endif
void by_hand(const double* x, double* out) {
  constexpr double k = P::m2 * P::l1 * P::l2;
  const double kc = k * std::cos(x[1]), ks = k * std::sin(x[1]);
  const double g2 = P::m2 * P::weight * P::l2 * std::sin(x[0] + x[1]);
  out[0] = (P::m1 + P::m2) * P::l1 * P::l1 + P::m2 * P::l2 * P::l2 + 2.0 * kc;
  out[1] = P::m2 * P::l2 * P::l2 + kc;
  out[2] = P::m2 * P::l2 * P::l2;
  out[3] =
      ks * (2.0 * (x[2] * x[3]) + x[3] * x[3]) - ((P::m1 + P::m2) * P::weight * P::l1 * std::sin(x[0]) + g2);
  out[4] = -(ks * (x[2] * x[2]) + g2);
}

void place(long i, double* x) {
  const double s = 1e-6 * static_cast<double>(i);
  x[0] = 0.7 + s, x[1] = -1.2 + s, x[2] = 0.4 - s, x[3] = 2.1 - s, x[4] = s;
}

double sum = 0.0; // keeps what is computed

template <class F> double nanoseconds(long count, F&& evaluate) {
  double best = 1e300;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    for (long i = 0; i < count; ++i) sum += evaluate(i);
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count() / static_cast<double>(count));
  }
  return best;
}

struct Running {
  explicit Running(Tape t) : tape(std::move(t)), slots(tape.slots()) { prepare(tape, slots.data()); }
  double operator()(long i) {
    place(i, slots.data());
    evaluate(tape, slots.data());
    return slots[tape.outputs[0]];
  }
  Tape tape;
  List<double> slots;
};

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const long count = std::atol(argv[1]);
  P p;
  Running values(p.g.tape(p.terms, p.names));
  List<Node> all = p.terms;
  const List<Node> states(p.x.begin(), p.x.begin() + 4);
  for (const List<Node>& row : p.g.jacobian(p.terms, states)) all.insert(all.end(), row.begin(), row.end());
  Running jacobian(p.g.tape(all, p.names));

  double hand[5], worst = 0.0, x[5];
  for (long i = 0; i < 1000; ++i) {
    values(i * 1000), place(i * 1000, x), by_hand(x, hand);
    for (Index k = 0; k < 5; ++k)
      worst = std::max(worst, std::abs(values.slots[values.tape.outputs[k]] - hand[k]));
  }
  const double own = nanoseconds(count, [&](long i) { return place(i, x), by_hand(x, hand), hand[3]; });
  const double tape = nanoseconds(count, values);
  const double symbolic = nanoseconds(count, jacobian);
  const Index directions = 4;
  List<double> rates(values.tape.slots() * directions, 0.0), adjoints(values.tape.slots());
  for (Index k = 0; k < directions; ++k) rates[k * directions + k] = 1.0;
  const double forwards = nanoseconds(count, [&](long i) {
    values(i), forward(values.tape, nullptr, values.slots.data(), directions, rates.data());
    return rates.back();
  });
  const double backwards = nanoseconds(count, [&](long i) {
    values(i), reverse(values.tape, nullptr, values.slots.data(), 3, adjoints.data());
    return adjoints[0];
  });
  Motion motion(p.g, {"a", "b"});
  List<std::string> names = p.names;
  List<Node> acceleration_nodes, balance, slope_nodes;
  for (const char* name : {"a.acceleration", "b.acceleration"}) {
    names.push_back(name);
    acceleration_nodes.push_back(p.g.input(name));
  }
  const List<Node> mass{p.terms[0], p.terms[1], p.terms[1], p.terms[2]};
  for (Index k = 0; k < 2; ++k)
    balance.push_back(
        p.g.apply(Operation::add, p.terms[3 + k], motion.balance(k, mass, {}, acceleration_nodes, {})));
  for (const List<Node>& row : p.g.jacobian(balance, states))
    slope_nodes.insert(slope_nodes.end(), row.begin(), row.end());
  Running right(p.g.tape(p.terms, p.names)), slopes(p.g.tape(slope_nodes, names));
  double acceleration[2], derivatives[10];
  const auto solve = [&](double h1, double h2, double* out) {
    const auto at = [&](Index k) { return right.slots[right.tape.outputs[k]]; };
    const double m11 = at(0), m12 = at(1), m22 = at(2), determinant = m11 * m22 - m12 * m12;
    out[0] = (m22 * h1 - m12 * h2) / determinant, out[1] = (m11 * h2 - m12 * h1) / determinant;
  };
  const auto accelerate = [&](long i) {
    right(i);
    solve(right.slots[right.tape.outputs[3]], right.slots[right.tape.outputs[4]], acceleration);
    return acceleration[1];
  };
  const double rhs = nanoseconds(count, accelerate);
  const double with_slopes = nanoseconds(count, [&](long i) {
    accelerate(i);
    std::copy_n(acceleration, 2, slopes.slots.begin() + 5);
    slopes(i);
    for (Index k = 0; k < 4; ++k)
      solve(slopes.slots[slopes.tape.outputs[k]], slopes.slots[slopes.tape.outputs[4 + k]],
            derivatives + 2 * k);
    return derivatives[3];
  });
  values(0);
  std::printf(
      "{\"by_hand\": %.4g, \"tape\": %.4g, \"jacobian_tape\": %.4g, \"forward\": %.4g, \"reverse\": %.4g, "
      "\"instructions\": %d, \"jacobian_instructions\": %d, \"rhs\": %.4g, \"rhs_and_slopes\": %.4g, "
      "\"difference\": %.3g, \"values\": [",
      own, tape, symbolic, forwards, backwards, static_cast<int>(values.tape.code.size()),
      static_cast<int>(jacobian.tape.code.size()), rhs, with_slopes, worst);
  for (Index k = 0; k < 5; ++k)
    std::printf("%s%.17g", k > 0 ? ", " : "", values.slots[values.tape.outputs[k]]);
  std::printf("], \"sum\": %.3g}\n", sum);
  return 0;
}
