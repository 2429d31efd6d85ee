#include "signal/signal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stickslip {

namespace {

// d^order/dt^order of A sin(w t + p) = A w^order times sin, cos, -sin, -cos in turn.
double harmonic(const Harmonic& h, double t, int order) {
  const double angle = h.omega * t + h.phase;
  double size = h.amplitude;
  for (int j = 0; j < order; ++j) size *= h.omega;
  const double wave = order % 2 == 0 ? std::sin(angle) : std::cos(angle);
  return order % 4 < 2 ? size * wave : -size * wave;
}

} // namespace

double derivative(const Held& held, double t, int order) {
  // Horner's rule with falling factorials
  const Piece& p = *held.piece;
  const double d = (t - held.later) - p.anchor;
  double sum = 0.0;
  for (int k = signal_max_degree; k >= order; --k) {
    double factor = 1.0;
    for (int j = 0; j < order; ++j) factor *= k - j;
    sum = sum * d + factor * p.c[k];
  }
  for (const Harmonic& h : p.harmonics) sum += harmonic(h, t, order);
  return sum;
}

namespace {

// Number of the piece at t, without repetition.
Index number_at(const Signal& s, double t) {
  if (s.pieces.size() < 2) return 0;
  const auto after = std::upper_bound(s.pieces.begin() + 1, s.pieces.end(), t,
                                      [](double time, const Piece& p) { return time < p.start; });
  return (after - s.pieces.begin()) - 1;
}

bool within_repeats(const Signal& s, double t) {
  return s.repeats > 0 && t >= s.pieces[s.repeats].start;
}

// The repeating piece that holds at t, and the next one.
std::pair<Held, Held> repeat_at(const Signal& s, double t) {
  const double first = s.pieces[s.repeats].start;
  double rounds = std::max(0.0, std::floor((t - first) / s.period));
  while (rounds > 0.0 && t < first + rounds * s.period) --rounds;
  while (t >= first + (rounds + 1.0) * s.period) ++rounds;
  const double later = rounds * s.period;
  const auto after = std::upper_bound(s.pieces.begin() + s.repeats + 1, s.pieces.end(), t,
                                      [=](double time, const Piece& p) { return time < p.start + later; });
  const Held now{&*(after - 1), later};
  if (after != s.pieces.end()) return {now, Held{&*after, later}};
  return {now, Held{&s.pieces[s.repeats], (rounds + 1.0) * s.period}};
}

} // namespace

Held piece_at(const Signal& s, double t) {
  return within_repeats(s, t) ? repeat_at(s, t).first : Held{&s.pieces[number_at(s, t)]};
}

double value(const Signal& s, double t) {
  return s.pieces.empty() ? 0.0 : value(piece_at(s, t), t);
}

double value_before(const Signal& s, double t) {
  if (s.pieces.empty()) return 0.0;
  return value(piece_at(s, std::nextafter(t, -std::numeric_limits<double>::infinity())), t);
}

double derivative(const Signal& s, double t, int order) {
  return s.pieces.empty() ? 0.0 : derivative(piece_at(s, t), t, order);
}

void taylor(const Signal& s, double t, int count, double* out) {
  std::fill(out, out + count, 0.0);
  if (s.pieces.empty()) return;
  const Held held = piece_at(s, t);
  const Piece& p = *held.piece;

  Polynomial c = p.c;
  shift(c, (t - held.later) - p.anchor);
  std::copy_n(c.begin(), std::min(count, signal_max_degree + 1), out);

  for (const Harmonic& h : p.harmonics) {
    const double angle = h.omega * t + h.phase;
    double even = h.amplitude * std::sin(angle);
    double odd = h.amplitude * std::cos(angle);
    double scale = 1.0; // omega^k / k!
    for (int k = 0; k < count; ++k) {
      if (k > 0) scale *= h.omega / k;
      out[k] += scale * even;
      const double next = -even;
      even = odd;
      odd = next;
    }
  }
}

double next_breakpoint(const Signal& s, double t) {
  if (within_repeats(s, t)) {
    const Held next = repeat_at(s, t).second;
    return next.piece->start + next.later;
  }
  const Index next = number_at(s, t) + 1;
  return next < s.pieces.size() ? s.pieces[next].start : std::numeric_limits<double>::infinity();
}

bool is_constant(const Signal& s) {
  return std::all_of(s.pieces.begin(), s.pieces.end(),
                     [&](const Piece& p) { return is_flat(p) && p.c[0] == s.pieces.front().c[0]; });
}

} // namespace stickslip
