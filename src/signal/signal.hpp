// A function of time with known breakpoints and derivatives: polynomial pieces plus harmonics. Every signal a user can
// write (constant, ramp, sine, point-to-point, samples, ...) is compiled to this one form, so that exact flows know its
// Taylor series and event search knows where it has kinks. Between breakpoints a signal is analytic.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace stickslip {

struct Harmonic {
  double amplitude = 0.0;
  double omega = 0.0; // rad/s
  double phase = 0.0; // rad, of sin(omega * t + phase) with absolute time t

  bool operator==(const Harmonic&) const = default;
};

inline constexpr int signal_max_degree = 5;

// Valid from `start` to the start of the next piece: sum_k c[k] (t - anchor)^k + sum of harmonics.
struct Piece {
  double start = 0.0;
  double anchor = 0.0;
  std::array<double, signal_max_degree + 1> c{};
  std::vector<Harmonic> harmonics;

  bool operator==(const Piece&) const = default;
};

// Pieces are ordered by start; the first one also holds for all earlier times. Values at a breakpoint are those from
// the right. A signal that names an input is a constant whose value the fixed-step form replaces at each step.
struct Signal {
  std::vector<Piece> pieces;
  std::string input;

  bool operator==(const Signal&) const = default;
};

Signal constant_signal(double value);

double value(const Signal& s, double t);
double derivative(const Signal& s, double t, int order);

// Taylor coefficients about t, from the right: out[k] = s^(k)(t) / k!, k = 0 ... count - 1.
void taylor(const Signal& s, double t, int count, double* out);

// The first breakpoint strictly after t, or infinity.
double next_breakpoint(const Signal& s, double t);

// Number of the piece that holds at t.
std::size_t piece_at(const Signal& s, double t);

bool is_constant(const Signal& s);

Signal operator+(const Signal& a, const Signal& b);
Signal operator*(double factor, const Signal& s);
Signal differentiate(const Signal& s); // piecewise; jumps of s leave no impulse

} // namespace stickslip
