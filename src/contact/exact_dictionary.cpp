#include "contact/exact_dictionary.hpp"

#include <utility>

namespace stickslip::lcp {

namespace {

constexpr auto asks_every = std::chrono::milliseconds(20);
constexpr int looks_at_the_clock = 16; // calls

} // namespace

InterruptCheck::InterruptCheck(std::function<void()> interrupt)
    : interrupt_(std::move(interrupt)), asked_(std::chrono::steady_clock::now()) {}

void InterruptCheck::operator()() {
  if (!interrupt_ || ++calls_ % looks_at_the_clock != 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - asked_ < asks_every) return;
  asked_ = now;
  interrupt_();
}

void ExactDictionary::load(const Problem& p, const Equilibration& e, Index more) {
  rows = columns = p.n;
  stride = p.n + 1 + more;
  entries.assign(rows * stride, Dyadic());
  for (Index i = 0; i < rows; ++i) {
    const Dyadic r(e.row[i]);
    at(i, 0) = r * Dyadic(p.q[i]);
    for (Index j = 0; j < p.n; ++j) at(i, j + 1) = r * Dyadic(p.M[i * p.n + j]) * Dyadic(e.col[j]);
  }
  denominator = 1.0;
}

void ExactDictionary::pivot(Index row, Index column) {
  const Dyadic p = at(row, column);
  for (Index i = 0; i < rows; ++i) {
    if (i == row) continue;
    if (check != nullptr) (*check)();
    const Dyadic f = at(i, column);
    for (Index j = 0; j <= columns; ++j) {
      if (j == column) continue;
      Dyadic& t = at(i, j);
      const Dyadic& s = at(row, j);
      const bool changed = f.sign() != 0 && s.sign() != 0;
      if (t.sign() == 0 && !changed) continue;
      t = exact_quotient(changed ? t * p - f * s : t * p, denominator);
    }
  }
  for (Index j = 0; j <= columns; ++j)
    if (j != column) at(row, j) = -at(row, j);
  at(row, column) = denominator;
  denominator = p;
  if (p.sign() > 0) return;
  denominator = -p;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j <= columns; ++j) at(i, j) = -at(i, j);
}

} // namespace stickslip::lcp
