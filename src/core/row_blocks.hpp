// A small matrix that multiplies many vectors: rows in blocks of four, so that the sums of a block stay in registers.
#pragma once

#include "core/types.hpp"

namespace stickslip {

class RowBlocks {
public:
  void set(const Matrix& m) {
    rows = m.rows(), columns = m.cols();
    blocks.setZero(width * columns, room(rows) / width);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < columns; ++j) blocks(width * j + i % width, i / width) = m(i, j);
  }

  // Memory for a product with this number of rows.
  static Index room(Index rows) { return (rows + width - 1) / width * width; }

  // y = m x; y has room() for whole blocks.
  void product(const double* x, double* y) const {
    using Sums = Eigen::Array<double, width, 1>;
    const double* entry = blocks.data();
    for (Index i = 0; i < rows; i += width, y += width) {
      Sums sums = Sums::Zero();
      Index j = 0;
      for (; j + 1 < columns; j += 2, entry += 2 * width) {
        sums += Eigen::Map<const Sums>(entry) * x[j];
        sums += Eigen::Map<const Sums>(entry + width) * x[j + 1];
      }
      if (j < columns) sums += Eigen::Map<const Sums>(entry) * x[j], entry += width;
      Eigen::Map<Sums>{y} = sums;
    }
  }

private:
  static constexpr Index width = 4;

  Index rows = 0, columns = 0;
  Matrix blocks; // one a column
};

} // namespace stickslip
