// A function of time with known breakpoints and derivatives: polynomial pieces plus harmonics. Every signal
// of the user (constant, ramp, sine, point-to-point, samples, ...) is compiled to this one form, which
// gives exact flows its Taylor series and event search its breakpoints. Between breakpoints a signal is
// analytic.
#pragma once

#include "core/fields.hpp"
#include "core/list.hpp"
#include "core/polynomial.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <string>

namespace stickslip {

struct Harmonic {
  double amplitude = 0.0;
  double omega = 0.0; // rad/s
  double phase = 0.0; // rad, of sin(omega * t + phase) with absolute time t

  static constexpr auto fields() {
    return std::tuple{field("amplitude", &Harmonic::amplitude), field("omega", &Harmonic::omega),
                      field("phase", &Harmonic::phase)};
  }
  bool operator==(const Harmonic&) const = default;
};

inline constexpr int signal_max_degree = 5;

using Polynomial = std::array<double, signal_max_degree + 1>;

// Valid from `start` to the start of the next piece: sum_k c[k] (t - anchor)^k + sum of harmonics.
struct Piece {
  double start = 0.0;
  double anchor = 0.0;
  Polynomial c{};
  List<Harmonic> harmonics;

  static constexpr auto fields() {
    return std::tuple{field("start", &Piece::start), field("anchor", &Piece::anchor),
                      field("polynomial", &Piece::c), field("harmonics", &Piece::harmonics)};
  }
  bool operator==(const Piece&) const = default;
};

inline int degree(const Piece& p) {
  int k = signal_max_degree;
  while (k > 0 && p.c[k] == 0.0) --k;
  return k;
}

// Pieces are ordered by start; the first one also holds for all earlier times (pieces built in signal/ start at
// -infinity). Values at a breakpoint are those from the right. A signal that names an input u contains
// input_gain * u, held over each step of the fixed-step form; everywhere else u has its default, which the
// pieces already contain. A signal without pieces is zero. The pieces from number `repeats` on may repeat for
// ever with `period`: their polynomials then move along, while harmonics are functions of the absolute time as
// everywhere.
struct Signal {
  List<Piece> pieces;
  std::string input;
  double input_gain = 1.0, input_default = 0.0;
  double period = 0.0;
  Index repeats = 0; // never the first piece; zero: nothing comes again

  static constexpr auto fields() {
    return std::tuple{
        field("pieces", &Signal::pieces),         field("input", &Signal::input),
        field("input_gain", &Signal::input_gain), field("input_default", &Signal::input_default),
        field("period", &Signal::period),         field("repeats", &Signal::repeats)};
  }
  bool operator==(const Signal&) const = default;
};

Signal constant_signal(double value);

// Correction to `value` if the input is u instead of its default.
inline double input_correction(const Signal& s, double u) {
  return s.input.empty() ? 0.0 : s.input_gain * (u - s.input_default);
}

// A piece of a signal, the polynomial of one that repeats moved by `later`.
struct Held {
  const Piece* piece = nullptr;
  double later = 0.0;
};
// At t, wherever it holds; its terms above `degree` are known to be zero.
inline double value(const Held& h, double t, int degree = signal_max_degree) {
  double sum = polynomial::value(h.piece->c.data(), degree, (t - h.later) - h.piece->anchor);
  for (const Harmonic& w : h.piece->harmonics) sum += w.amplitude * std::sin(w.omega * t + w.phase);
  return sum;
}
// Its derivative of any order.
double derivative(const Held& h, double t, int order);
inline double value(const Piece& p, double t, int degree = signal_max_degree) {
  return value(Held{&p}, t, degree);
}

// The piece that is valid at t. The signal needs at least one piece.
Held piece_at(const Signal& s, double t);

// Calls f(time, piece before, piece after) at each breakpoint, once at each repeating one.
template <class F> void for_each_breakpoint(const Signal& s, F&& f) {
  for (Index k = 1; k < s.pieces.size(); ++k)
    f(s.pieces[k].start, Held{&s.pieces[k - 1]}, Held{&s.pieces[k]});
  if (s.repeats > 0)
    f(s.pieces[s.repeats].start + s.period, Held{&s.pieces.back()}, Held{&s.pieces[s.repeats], s.period});
}

double value(const Signal& s, double t);
double value_before(const Signal& s, double t); // limit from the left
double derivative(const Signal& s, double t, int order);

// Taylor coefficients about t, from the right: out[k] = s^(k)(t) / k!, k = 0 ... count - 1.
void taylor(const Signal& s, double t, int count, double* out);

// The first breakpoint strictly after t, or infinity. The start of the first piece is not a breakpoint.
double next_breakpoint(const Signal& s, double t);

bool is_constant(const Signal& s);

Signal operator+(const Signal& a, const Signal& b); // two different inputs are refused
Signal operator*(double factor, const Signal& s);
Signal differentiate(const Signal& s, int order = 1); // piecewise; jumps of s leave no impulse

void shift(Polynomial& c, double d); // the same polynomial about a point later by d
bool is_flat(const Piece& p);        // a constant

// The same signal without repetition until the given time; after it the last piece continues.
Signal unrolled(const Signal& s, double until);
// Periodic continuation of s over the period that begins at `from`. The pieces of s end there.
Signal repeating(const Signal& s, double from, double period);
// The least time of which both periods are parts, if there is one of no more than a thousand; else zero.
double common_period(double a, double b);

// The one way to write a function: joins neighbours that are the same function, drops harmonics of amplitude
// zero.
void normalise(Signal& s);

} // namespace stickslip
