#include "realtime/sparse_row.hpp"

namespace stickslip {

SparseRow sparse(const Form& f, const Moving& moving) {
  SparseRow row;
  row.constant = f.s.dot(moving.still);
  const Index nx = f.x.size();
  for (Index i = 0; i < nx; ++i)
    if (f.x(i) != 0.0) row.entries.push_back({i, f.x(i)});
  for (Index j = 0; j < moving.size(); ++j) {
    const double w = f.s(moving.signals[j]);
    if (w != 0.0) row.entries.push_back({nx + j, w});
  }
  return row;
}

} // namespace stickslip
