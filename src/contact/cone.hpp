// Vertices and directions of a polyhedron {y >= 0 : c + C y >= 0}, by the double description method (Motzkin
// 1953) on the cone {(t, y) >= 0 : c t + C y >= 0}: rays with t > 0 are vertices, rays with t = 0 are
// directions.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"

namespace stickslip::lcp {

struct Polyhedron {
  List<Vector> vertices,
      directions; // the set is conv(vertices) + cone(directions); empty without vertices
};

// c of length m, C of shape (m, d); the tolerance is relative to each row's size. Meant for small d.
Polyhedron describe(const Vector& c, const Matrix& C, double tolerance);

} // namespace stickslip::lcp
