// The table of a search over bases in double precision, with a bound of the rounding in each row.
#pragma once

#include "contact/basis_search.hpp"
#include "contact/lcp.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::lcp {

// Number format of the problem.
enum class Reading : std::uint8_t {
  rounded, // rounded data: a value within the rounding of zero counts as zero
  exact,   // exact data: a value within the rounding of zero is of unknown sign
};

struct DoubleTable {
  static constexpr double margin = 64.0;  // times the bound of rounding counts as zero
  static constexpr double sure = 1e3;     // times the bound of rounding is certainly not zero
  static constexpr double least = 1e-290; // bounds the effect of underflow on a sum of products
  static constexpr double most = 1e300;   // larger pivots may have overflowed

  List<double> entries, noise, noise_b; // bounds of rounding errors, separately for the constants
  List<std::uint8_t> untouched;         // rows that hold no rounding yet
  Index rows = 0, stride = 0;
  double smallest_pivot = 0.0;
  Reading reading = Reading::rounded;

  // False if scaling is not exact, by underflow, though the numbers are to be read as they stand.
  bool load(const Problem& p, const Equilibration& e, double pivot_tolerance, Reading as) {
    rows = p.n, stride = p.n + 1, reading = as;
    entries.resize(rows * stride), noise.resize(rows), noise_b.resize(rows);
    untouched.assign(rows, as == Reading::exact ? 1 : 0);
    bool faithful = true;
    double top = 0.0;
    const auto scaled = [&](double x, double r, double c) {
      const double y = r * x * c;
      if (as == Reading::exact && !e.identity) faithful = faithful && y / c / r == x;
      return y;
    };
    for (Index i = 0; i < rows; ++i) {
      double* t = row(i);
      t[0] = scaled(p.q[i], e.row[i], 1.0);
      double largest = 0.0;
      for (Index j = 0; j < p.n; ++j) {
        t[j + 1] = scaled(p.M[i * p.n + j], e.row[i], e.col[j]);
        largest = std::max(largest, std::abs(t[j + 1]));
      }
      noise[i] = tolerance::epsilon * largest;
      noise_b[i] = tolerance::epsilon * std::abs(t[0]);
      top = std::max(top, largest);
    }
    smallest_pivot = pivot_tolerance * (top > 0.0 ? top : 1.0);
    return faithful;
  }

  double* row(Index i) { return &entries[i * stride]; }
  const double* row(Index i) const { return &entries[i * stride]; }

  double zero(Index i) const { return untouched[i] != 0 ? 0.0 : margin * noise[i]; }
  double zero_b(Index i) const { return untouched[i] != 0 ? 0.0 : margin * noise_b[i]; }

  int sign(Index i) const {
    const double b = *row(i), none = zero_b(i);
    return b > none ? 1 : (b < -none ? -1 : 0);
  }

  bool turns(Index i, int s, Index columns) const {
    const double* t = row(i);
    const double limit = reading == Reading::rounded ? -zero(i) : zero(i);
    for (Index c = 1; c <= columns; ++c)
      if (!(s * t[c] >= limit)) return true;
    return false;
  }

  bool less(Index i, Index k) const { return *row(i) < *row(k); }

  bool find_pivot(const SearchLevel<DoubleTable>& l, Index& at_row, Index& at_column) const {
    double best = 0.0;
    at_row = -1;
    for (Index r = 0; r < rows; ++r) {
      if (l.state[r] != Row::pending) continue;
      best = std::max(best, std::max(smallest_pivot, sure * noise[r]));
      const double* t = row(r);
      for (Index c = 0; c < l.columns; ++c) {
        if (l.pending_column[c] == 0) continue;
        const double a = std::abs(t[c + 1]);
        if (a > best && a < most) best = a, at_row = r, at_column = c;
      }
    }
    return at_row >= 0;
  }

  void pivot(Index at_row, Index col, Index columns) {
    double* __restrict__ pr = row(at_row);
    const double inverse = -1.0 / pr[col + 1];
    double top = 0.0;
    for (Index c = 0; c <= columns; ++c) pr[c] *= inverse;
    for (Index c = 1; c <= columns; ++c) top = std::max(top, std::abs(pr[c]));
    const double base = noise[at_row] * std::abs(inverse) + least;
    const double row_noise = base * (1.0 + top);
    const double row_noise_b = noise_b[at_row] * std::abs(inverse) + base * std::abs(pr[0]) + least;
    noise[at_row] = row_noise, noise_b[at_row] = row_noise_b;
    untouched[at_row] = 0;
    for (Index r = 0; r < rows; ++r) {
      if (r == at_row) continue;
      double* __restrict__ t = row(r);
      const double f = t[col + 1];
      if (f == 0.0 && (reading == Reading::rounded || untouched[r] != 0)) continue;
      for (Index c = 0; c <= columns; ++c) t[c] += f * pr[c];
      const double own = noise[r], g = std::abs(f);
      noise[r] += g * (row_noise + tolerance::epsilon * top) + own * top + least;
      noise_b[r] += g * (row_noise_b + tolerance::epsilon * std::abs(pr[0])) + own * std::abs(pr[0]) + least;
      untouched[r] = 0;
    }
  }

  void move_column(Index from, Index to) {
    for (Index i = 0; i < rows; ++i) {
      double* t = row(i);
      t[to + 1] = t[from + 1];
    }
  }

  void copy(const DoubleTable& from, Index columns) {
    rows = from.rows, stride = from.stride, smallest_pivot = from.smallest_pivot, reading = from.reading;
    entries.resize(from.entries.size());
    for (Index i = 0; i < rows; ++i) {
      const double* s = from.row(i);
      std::copy(s, s + columns + 1, row(i));
    }
    noise = from.noise, noise_b = from.noise_b, untouched = from.untouched;
  }
};

} // namespace stickslip::lcp
