#include "contact/cone.hpp"

#include "core/list.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::lcp {

Polyhedron describe(const Vector& c, const Matrix& C, double tolerance) {
  const Index m = c.size(), d = C.cols() + 1;
  List<List<double>> rows(m, List<double>(d));
  for (Index i = 0; i < m; ++i) {
    rows[i][0] = c(i);
    for (Index j = 1; j < d; ++j) rows[i][j] = C(i, j - 1);
  }
  const auto product = [&](const List<double>& a, const List<double>& x) {
    double sum = 0.0, size = 0.0;
    for (Index i = 0; i < d; ++i) sum += a[i] * x[i], size += std::abs(a[i] * x[i]);
    return std::abs(sum) <= tolerance * size ? 0.0 : sum;
  };
  const auto largest = [](const List<double>& x) {
    double top = 0.0;
    for (const double v : x) top = std::max(top, std::abs(v));
    return top;
  };
  const auto shorten = [&](List<double>& x) {
    const double top = largest(x);
    for (double& v : x) v /= top;
  };
  Polyhedron result;
  for (const List<double>& x : extreme_rays(rows, d, product, shorten, [] {})) {
    const Vector y = Eigen::Map<const Vector>(x.data(), d).tail(d - 1);
    if (x[0] > tolerance * largest(x))
      result.vertices.push_back(y / x[0]);
    else
      result.directions.push_back(y);
  }
  return result;
}

} // namespace stickslip::lcp
