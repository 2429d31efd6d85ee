#include "contact/cone.hpp"

#include "core/list.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::lcp {

namespace {

struct Ray {
  Vector point;
  List<char> zero; // which of the constraints seen so far it meets with equality
};

bool adjacent(const List<Ray>& rays, Index a, Index b) {
  for (Index k = 0; k < rays.size(); ++k) {
    if (k == a || k == b) continue;
    bool covers = true;
    for (Index i = 0; i < rays[k].zero.size() && covers; ++i)
      covers = !(rays[a].zero[i] && rays[b].zero[i]) || rays[k].zero[i];
    if (covers) return false;
  }
  return true;
}

} // namespace

Polyhedron describe(const Vector& c, const Matrix& C, double tolerance) {
  const Index m = c.size(), d = C.cols() + 1;
  List<Ray> rays;
  for (Index k = 0; k < d; ++k) {
    Ray r{Vector::Unit(d, k), List<char>(d, 1)};
    r.zero[k] = 0;
    rays.push_back(std::move(r));
  }
  for (Index i = 0; i < m; ++i) {
    Vector a(d);
    a(0) = c(i);
    a.tail(d - 1) = C.row(i).transpose();
    List<int> sign(rays.size());
    List<double> value(rays.size());
    for (Index k = 0; k < rays.size(); ++k) {
      const double size = a.cwiseAbs().dot(rays[k].point);
      value[k] = a.dot(rays[k].point);
      sign[k] = std::abs(value[k]) <= tolerance * size ? 0 : (value[k] > 0.0 ? 1 : -1);
    }
    List<Ray> next;
    for (Index k = 0; k < rays.size(); ++k) {
      if (sign[k] < 0) continue;
      next.push_back(rays[k]);
      next.back().zero.push_back(sign[k] == 0);
    }
    for (Index p = 0; p < rays.size(); ++p)
      for (Index q = 0; q < rays.size(); ++q) {
        if (sign[p] <= 0 || sign[q] >= 0 || !adjacent(rays, p, q)) continue;
        Ray r;
        r.point = value[p] * rays[q].point - value[q] * rays[p].point;
        r.point /= r.point.cwiseAbs().maxCoeff();
        r.zero.resize(rays[p].zero.size());
        for (Index k = 0; k < r.zero.size(); ++k) r.zero[k] = rays[p].zero[k] && rays[q].zero[k];
        r.zero.push_back(1);
        next.push_back(std::move(r));
      }
    rays = std::move(next);
  }
  Polyhedron result;
  for (const Ray& r : rays) {
    if (r.point(0) > tolerance * r.point.cwiseAbs().maxCoeff())
      result.vertices.push_back(r.point.tail(d - 1) / r.point(0));
    else
      result.directions.push_back(r.point.tail(d - 1));
  }
  return result;
}

} // namespace stickslip::lcp
