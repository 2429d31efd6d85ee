// Sums, multiples and derivatives of signals, and the normal form that makes equality mean "the same
// function".
#include "core/error.hpp"
#include "core/list.hpp"
#include "signal/repeat.hpp"
#include "signal/signal.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

namespace stickslip {

void shift(Polynomial& c, double d) {
  for (Index low = 0; low < std::ssize(c); ++low)
    for (Index k = c.size() - 1; k-- > low;) c[k] += d * c[k + 1];
}

bool is_flat(const Piece& p) {
  return p.harmonics.empty() && std::all_of(p.c.begin() + 1, p.c.end(), [](double c) { return c == 0.0; });
}

namespace {

bool polynomial_is_flat(const Piece& p) {
  return std::all_of(p.c.begin() + 1, p.c.end(), [](double c) { return c == 0.0; });
}

void add_harmonic(List<Harmonic>& all, const Harmonic& h) {
  for (Harmonic& known : all) {
    if (known.omega == h.omega && known.phase == h.phase) {
      known.amplitude += h.amplitude;
      return;
    }
  }
  all.push_back(h);
}

// Keeps the anchor of the higher degree, so that the polynomial that suffers most from a far anchor is not
// moved.
Piece sum(const Piece& a, const Piece& b, double start) {
  const int da = degree(a), db = degree(b);
  const bool keep_a = da > db || (da == db && a.anchor >= b.anchor);
  Piece out = keep_a ? a : b;
  const Piece& other = keep_a ? b : a;
  Polynomial moved = other.c;
  if (std::min(da, db) > 0) shift(moved, out.anchor - other.anchor);
  for (Index k = 0; k < std::ssize(moved); ++k) out.c[k] += moved[k];
  out.harmonics = a.harmonics;
  for (const Harmonic& h : b.harmonics) add_harmonic(out.harmonics, h);
  out.start = start;
  return out;
}

// `later`: by how much a has moved.
bool same_function(const Piece& a, const Piece& b, double later = 0.0) {
  const double anchor = polynomial_is_flat(a) ? a.anchor : a.anchor + later;
  return anchor == b.anchor && a.c == b.c && a.harmonics == b.harmonics;
}

// Joins neighbours from number `begin` to before `end` that are the same function; returns how many went.
Index join(List<Piece>& pieces, Index begin, Index end) {
  const auto last = std::unique(pieces.begin() + begin, pieces.begin() + end,
                                [](const Piece& a, const Piece& b) { return same_function(a, b); });
  const Index gone = pieces.begin() + end - last;
  pieces.erase(last, pieces.begin() + end);
  return gone;
}

// A period begins with a piece that does not continue the piece before it.
void normalise_period(Signal& s) {
  join(s.pieces, s.repeats, s.pieces.size());
  if (s.pieces.size() - s.repeats > 1 && same_function(s.pieces[s.repeats], s.pieces.back(), s.period))
    ++s.repeats;
  if (s.pieces.size() - s.repeats == 1 && polynomial_is_flat(s.pieces.back())) s.repeats = 0, s.period = 0.0;
}

void forget_input(Signal& s) {
  s.input.clear();
  s.input_gain = 1.0;
  s.input_default = 0.0;
}

} // namespace

void normalise(Signal& s) {
  if (s.pieces.empty()) s.pieces.emplace_back();
  s.pieces.front().start = -std::numeric_limits<double>::infinity();
  for (Piece& p : s.pieces) {
    std::erase_if(p.harmonics, [](const Harmonic& h) { return h.amplitude == 0.0; });
    if (polynomial_is_flat(p)) p.anchor = 0.0;
  }
  if (s.repeats > 0) normalise_period(s);
  if (s.repeats > 0)
    s.repeats -= join(s.pieces, 0, s.repeats);
  else
    join(s.pieces, 0, s.pieces.size());
  if (s.input.empty() || s.input_gain == 0.0) forget_input(s);
}

Signal constant_signal(double value) {
  Signal s;
  s.pieces.emplace_back();
  s.pieces.front().start = -std::numeric_limits<double>::infinity();
  s.pieces.front().c[0] = value;
  return s;
}

Signal operator+(const Signal& a, const Signal& b) {
  if (a.pieces.empty()) return b;
  if (b.pieces.empty()) return a;
  if (!a.input.empty() && !b.input.empty() && a.input != b.input)
    reject("sum of signals", "has two inputs, '" + a.input + "' and '" + b.input +
                                 "': one signal can follow one input; combine them before they enter");
  if (!a.input.empty() && a.input == b.input && a.input_default != b.input_default)
    reject("sum of signals", "has the input '" + a.input + "' with two different defaults");

  if (a.repeats > 0 || b.repeats > 0)
    return repeated(a, b, [](const Signal& x, const Signal& y) { return x + y; });
  Signal out;
  out.pieces.reserve(a.pieces.size() + b.pieces.size() - 1);
  Index i = 0, j = 0;
  out.pieces.push_back(sum(a.pieces[0], b.pieces[0], a.pieces[0].start));
  while (i + 1 < a.pieces.size() || j + 1 < b.pieces.size()) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double next_a = i + 1 < a.pieces.size() ? a.pieces[i + 1].start : infinity;
    const double next_b = j + 1 < b.pieces.size() ? b.pieces[j + 1].start : infinity;
    const double start = std::min(next_a, next_b);
    if (next_a == start) ++i;
    if (next_b == start) ++j;
    out.pieces.push_back(sum(a.pieces[i], b.pieces[j], start));
  }
  const Signal& named = a.input.empty() ? b : a;
  out.input = named.input;
  out.input_default = named.input_default;
  out.input_gain = named.input_gain + (!a.input.empty() && !b.input.empty() ? b.input_gain : 0.0);
  normalise(out);
  return out;
}

Signal operator*(double factor, const Signal& s) {
  Signal out = s;
  for (Piece& p : out.pieces) {
    for (double& c : p.c) c *= factor;
    for (Harmonic& h : p.harmonics) h.amplitude *= factor;
  }
  out.input_gain *= factor;
  normalise(out);
  return out;
}

// A held input has no derivative. Two orders at a time turn the sign instead of the phase: no rounding of pi.
Signal differentiate(const Signal& s, int order) {
  Signal out = s;
  forget_input(out);
  for (Piece& p : out.pieces) {
    for (int j = 0; j < order; ++j) {
      for (Index k = 0; k + 1 < std::ssize(p.c); ++k) p.c[k] = static_cast<double>(k + 1) * p.c[k + 1];
      p.c.back() = 0.0;
    }
    for (Harmonic& h : p.harmonics) {
      for (int j = 0; j < order; ++j) h.amplitude *= h.omega;
      if (order % 4 >= 2) h.amplitude = -h.amplitude;
      if (order % 2 == 1) h.phase += 0.5 * std::numbers::pi;
    }
  }
  normalise(out);
  return out;
}

} // namespace stickslip
