// The dictionary x_B = (b + T x_N) / denominator of a linear complementarity problem in exact arithmetic. Pivots are
// fraction-free (E. H. Bareiss, Math. Comp. 22 (1968) 565-578): every entry is a minor of the problem's matrix.
#pragma once

#include "contact/lcp.hpp"
#include "core/dyadic.hpp"
#include "core/list.hpp"

#include <chrono>
#include <functional>

namespace stickslip::lcp {

// Calls `interrupt` every 20 ms of computing; it ends the computation by an exception.
class InterruptCheck {
public:
  explicit InterruptCheck(std::function<void()> interrupt = {});
  void operator()();

private:
  std::function<void()> interrupt_;
  std::chrono::steady_clock::time_point asked_;
  int calls_ = 0;
};

struct ExactDictionary {
  List<Dyadic> entries; // of each row: b, then its columns
  Dyadic denominator;   // > 0
  Index rows = 0, columns = 0, stride = 0;
  InterruptCheck* check = nullptr;

  // The problem in equilibrated rows and columns; room for `more` columns.
  void load(const Problem& p, const Equilibration& e, Index more = 0);

  Dyadic& at(Index row, Index column) { return entries[row * stride + column]; } // column 0: b
  const Dyadic& at(Index row, Index column) const { return entries[row * stride + column]; }

  // Exchanges the basic variable of a row and the nonbasic one of a column >= 1.
  void pivot(Index row, Index column);
};

} // namespace stickslip::lcp
