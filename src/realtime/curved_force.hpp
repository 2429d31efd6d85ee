// Friction forces that are curves of one velocity or travel.
#pragma once

#include "model/system.hpp"
#include "realtime/sparse_row.hpp"

namespace stickslip {

// One nonlinear force f = N phi(u) + viscous(u).
struct CurvedForce {
  enum class Kind : std::int8_t { dry, viscous, both, spring, delayed };
  Kind kind = Kind::dry;
  SparseRow u, load;
  const Friction* element = nullptr;
  const Stribeck* stribeck = nullptr; // its law if it has a single one, which the compiler can then inline
  int mode = 0;
  unsigned branch = 0;
};

struct CurvedValue {
  double u = 0.0, load = 0.0, f = 0.0;
  double by_u = 0.0, by_load = 0.0;
};
CurvedValue evaluate(const CurvedForce& channel, const double* xs);

} // namespace stickslip
