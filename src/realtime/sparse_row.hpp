// Linear forms over states and moving signals with few entries.
#pragma once

#include "core/list.hpp"
#include "model/form.hpp"

namespace stickslip {

// Signals that move during or between steps, and values of all others.
struct Moving {
  List<Index> signals;
  Vector still; // of all signals; zero where they move
  Index size() const { return signals.size(); }
};

// constant + sum of weights times entries of (x, varying signals).
struct SparseRow {
  struct Entry {
    Index at;
    double weight;
  };
  double constant = 0.0;
  List<Entry> entries;

  double operator()(const double* xs) const { return constant + linear(xs); }
  double linear(const double* xs) const {
    double sum = 0.0;
    for (const Entry& e : entries) sum += e.weight * xs[e.at];
    return sum;
  }
};

SparseRow sparse(const Form& f, const Moving& moving);

} // namespace stickslip
