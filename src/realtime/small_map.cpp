#include "realtime/small_map.hpp"

#include <algorithm>

namespace stickslip {

namespace {

template <int N> void combine(const double* d, Index, Index width, const double* u, double* y) {
  using Column = Eigen::Array<double, N, 1>;
  Column sum = Eigen::Map<const Column>(d);
  for (const double* const end = u + width; u != end; ++u) {
    d += N;
    sum += Eigen::Map<const Column>(d) * *u;
  }
  Eigen::Map<Column> out(y);
  out = sum;
}

void combine_any(const double* d, Index height, Index width, const double* u, double* y) {
  for (Index i = 0; i < height; ++i) y[i] = d[i];
  for (Index j = 0; j < width; ++j) {
    d += height;
    const double f = u[j];
    for (Index i = 0; i < height; ++i) y[i] += d[i] * f;
  }
}

} // namespace

SmallMap::SmallMap(const Vector& constant, const Matrix& columns) {
  const Index rows = constant.size();
  height = std::max<Index>(2, rows + rows % 2);
  width = columns.cols();
  Matrix all = Matrix::Zero(height, width + 1);
  all.col(0).head(rows) = constant;
  all.topRightCorner(rows, width) = columns;
  data.assign(all.data(), all.data() + all.size());
  constexpr Kernel known[] = {combine<2>,  combine<4>,  combine<6>,  combine<8>,
                              combine<10>, combine<12>, combine<14>, combine<16>};
  run = height <= 16 ? known[height / 2 - 1] : combine_any;
}

} // namespace stickslip
