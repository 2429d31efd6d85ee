// Vertices and directions of a polyhedron {y >= 0 : c + C y >= 0}, by the double description method (Motzkin
// 1953) on the cone {(t, y) >= 0 : c t + C y >= 0}: rays with t > 0 are vertices, rays with t = 0 are
// directions.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"

#include <utility>

namespace stickslip::lcp {

struct Polyhedron {
  List<Vector> vertices,
      directions; // the set is conv(vertices) + cone(directions); empty without vertices
};

// c of length m, C of shape (m, d); the tolerance is relative to each row's size. Meant for small d.
Polyhedron describe(const Vector& c, const Matrix& C, double tolerance);

template <class Number> struct ConeRay {
  List<Number> point;
  List<char> zero; // which of the constraints seen so far it meets with equality
};

template <class Number> bool adjacent(const List<ConeRay<Number>>& rays, Index a, Index b) {
  for (Index k = 0; k < rays.size(); ++k) {
    if (k == a || k == b) continue;
    bool covers = true;
    for (Index i = 0; i < rays[k].zero.size() && covers; ++i)
      covers = !(rays[a].zero[i] && rays[b].zero[i]) || rays[k].zero[i];
    if (covers) return false;
  }
  return true;
}

// Extreme rays of the cone {x >= 0 : a x >= 0 for all rows a}, x of length d. `product(a, x)` is zero where it counts
// as zero; `shorten(x)` divides by a positive number that keeps x short; `step()` is called for each pair of rays.
template <class Number, class Product, class Shorten, class Step>
List<List<Number>> extreme_rays(const List<List<Number>>& rows, Index d, Product&& product, Shorten&& shorten,
                                Step&& step) {
  List<ConeRay<Number>> rays(d);
  for (Index k = 0; k < d; ++k) {
    rays[k].point.assign(d, Number(0.0));
    rays[k].point[k] = Number(1.0);
    rays[k].zero.assign(d, 1);
    rays[k].zero[k] = 0;
  }
  const Number none(0.0);
  for (const List<Number>& a : rows) {
    List<Number> value;
    for (const ConeRay<Number>& r : rays) value.push_back(product(a, r.point));
    List<ConeRay<Number>> next;
    for (Index k = 0; k < rays.size(); ++k) {
      if (value[k] < none) continue;
      next.push_back(rays[k]);
      next.back().zero.push_back(!(none < value[k]));
    }
    for (Index p = 0; p < rays.size(); ++p)
      for (Index q = 0; q < rays.size(); ++q) {
        if (!(none < value[p]) || !(value[q] < none)) continue;
        step();
        if (!adjacent(rays, p, q)) continue;
        ConeRay<Number> r;
        for (Index i = 0; i < d; ++i)
          r.point.push_back(value[p] * rays[q].point[i] - value[q] * rays[p].point[i]);
        shorten(r.point);
        for (Index i = 0; i < rays[p].zero.size(); ++i) r.zero.push_back(rays[p].zero[i] && rays[q].zero[i]);
        r.zero.push_back(1);
        next.push_back(std::move(r));
      }
    rays = std::move(next);
  }
  List<List<Number>> points;
  for (ConeRay<Number>& r : rays) points.push_back(std::move(r.point));
  return points;
}

} // namespace stickslip::lcp
