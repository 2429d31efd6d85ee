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

  // Of a product with so many rows.
  static Index room(Index rows) { return (rows + width - 1) / width * width; }

  // y = m x; y has room() for whole blocks.
  void product(const double* x, double* y) const {
    const double* entry = blocks.data();
    for (Index i = 0; i < rows; i += width, y += width) {
      double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
      for (Index j = 0; j < columns; ++j, entry += width)
        a += entry[0] * x[j], b += entry[1] * x[j], c += entry[2] * x[j], d += entry[3] * x[j];
      y[0] = a, y[1] = b, y[2] = c, y[3] = d;
    }
  }

private:
  static constexpr Index width = 4;

  Index rows = 0, columns = 0;
  Matrix blocks; // one a column
};

} // namespace stickslip
