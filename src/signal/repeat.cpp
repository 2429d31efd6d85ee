#include "signal/repeat.hpp"

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace stickslip {

namespace {

constexpr Index most_periods = 1000;      // of each of two signals in a common one
constexpr double most_pieces = 1'000'000; // of a period

double duration(const Signal& s) {
  return s.repeats > 0 ? s.period : 0.0;
}

// Start of the periodic part of a signal, or of its last piece.
double begins(const Signal& s) {
  return s.repeats > 0 ? s.pieces[s.repeats].start : s.pieces.back().start;
}

} // namespace

double common_period(double a, double b) {
  if (a == 0.0 || b == 0.0) return std::max(a, b);
  for (Index n = 1; n <= most_periods; ++n) {
    const double whole = static_cast<double>(n) * a, other = std::round(whole / b);
    if (other >= 1.0 && other <= most_periods &&
        std::abs(whole - other * b) <= 2.0 * tolerance::last_digits * whole)
      return std::max(whole, other * b);
  }
  return 0.0;
}

Signal unrolled(const Signal& s, double until) {
  Signal out = s;
  out.period = 0.0, out.repeats = 0;
  if (s.repeats == 0) return out;
  out.pieces.resize(static_cast<std::size_t>(s.repeats + 1));
  const double first = s.pieces[s.repeats].start;
  if ((until - first) / s.period * static_cast<double>(s.pieces.size() - s.repeats) > most_pieces)
    reject("until", until, "such that the periodic signal has at most a million breakpoints");
  for (double t = next_breakpoint(s, first); t < until; t = next_breakpoint(s, t)) {
    const Held held = piece_at(s, t);
    Piece& p = out.pieces.emplace_back(*held.piece);
    p.start = t;
    p.anchor += held.later;
  }
  normalise(out);
  return out;
}

Signal repeating(const Signal& s, double from, double period) {
  finite("start", from);
  positive("period", period);
  const double end = from + period, sliver = tolerance::few_terms * std::max(std::abs(from), std::abs(end));
  Signal out = s;
  out.pieces.clear();
  Piece first = *piece_at(s, from + sliver).piece;
  first.start = from;
  for (const Piece& p : s.pieces) {
    if (p.start >= end - sliver) break;
    if (p.start < from - sliver) {
      out.pieces.push_back(p);
    } else if (p.start > from + sliver) {
      if (out.repeats == 0) out.repeats = out.pieces.size(), out.pieces.push_back(first);
      if (p.start - out.pieces.back().start <= sliver) out.pieces.pop_back();
      out.pieces.push_back(p);
    }
  }
  if (out.repeats == 0) out.repeats = out.pieces.size(), out.pieces.push_back(first);
  out.period = period;
  normalise(out);
  return out;
}

Repetition repetition(const Signal& a, const Signal& b) {
  for (const Signal* s : {&a, &b})
    if (s->repeats == 0 && degree(s->pieces.back()) > 0)
      reject("until", "is missing: one signal grows without limit, another is periodic; end the growth "
                      "(stop= of a Ramp), "
                      "or the periodic signal (until= in signal.clip, signal.absolute and signals.Where)");
  const double period = common_period(duration(a), duration(b));
  if (period == 0.0)
    reject("until", "is missing: the periods " + number_text(a.period) + " s and " + number_text(b.period) +
                        " s have no known common multiple; end one of them (until= in signal.clip, "
                        "signal.absolute and signals.Where)");
  return {std::max(begins(a), begins(b)), period};
}

} // namespace stickslip
