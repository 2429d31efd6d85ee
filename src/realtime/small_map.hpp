// Affine maps of a few numbers.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"

#include <cmath>

namespace stickslip {

// y = c + M u for a few rows and columns, column by column, rows in pairs; the number of rows is known to the
// compiler up to 16. y needs room for rows().
class SmallMap {
public:
  SmallMap() = default;
  SmallMap(const Vector& constant, const Matrix& columns);
  void operator()(const double* u, double* y) const { run(data.data(), height, width, u, y); }
  Index rows() const { return height; }                                                      // even
  Matrix matrix() const { return Eigen::Map<const Matrix>(data.data(), height, width + 1); } // (c, M)
  double row(Index i, const double* u) const { return data[i] + linear_row(i, u); }
  double terms(Index i, const double* u) const { // of a row: the sum of their magnitudes
    const double* d = data.data() + i;
    double sum = std::abs(*d);
    for (Index j = 0; j < width; ++j) sum += std::abs(*(d += height) * u[j]);
    return sum;
  }
  double linear_row(Index i, const double* u) const { // without the constant
    const double* d = data.data() + i;
    double sum = 0.0;
    for (Index j = 0; j < width; ++j) sum += *(d += height) * u[j];
    return sum;
  }

private:
  using Kernel = void (*)(const double* data, Index height, Index width, const double* u, double* y);
  List<double> data;
  Index height = 0, width = 0;
  Kernel run = nullptr;
};

} // namespace stickslip
