// A linear form over the state and the signals.
#pragma once

#include "core/types.hpp"

namespace stickslip {

// x_part . x + s_part . s
struct Form {
  Vector x, s;
};

inline double value(const Form& f, const double* x, const double* s) {
  using Values = Eigen::Map<const Vector>;
  return f.x.dot(Values(x, f.x.size())) + f.s.dot(Values(s, f.s.size()));
}

// What its terms amount to, where states are of these sizes.
inline double size_of(const Form& f, const Vector& sizes, const double* s) {
  return f.x.cwiseAbs().dot(sizes) + f.s.cwiseAbs().dot(Eigen::Map<const Vector>(s, f.s.size()).cwiseAbs());
}

} // namespace stickslip
