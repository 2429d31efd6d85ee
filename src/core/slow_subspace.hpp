// Stiff linear flows. x' = A x + S s(t) is taken apart into invariant subspaces, one of slow and one of fast,
// decaying modes. Once the fast ones have died out, the motion follows the slow ones and the drive alone,
// and is a convergent series over times of the slow scale. Spectral projectors come from an ordered Schur
// form, whatever the eigenvectors are (defective matrices, too), and are refined in twice the digits:
// the slow rates are small differences of large numbers.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"

namespace stickslip {

// x = Rs z + Rf w, z = Ls x, w = Lf x;  z' = As z + Ls S s, w' = Af w + Lf S s.
struct SlowSubspace {
  Matrix As, Rs, Ls;
  Matrix Af_inverse, Rf, Lf;
  // Sizes of the parts of |x| whose difference the fast modes are, and of the motion that their rounding error causes: for
  // each group of rates |Rf| (1 + |Af|/rate) |Lf|.
  Matrix rounding;
  double slow_rate = 0.0, fast_rate = 0.0; // greatest modulus of the slow, least of the fast eigenvalues
};

// Every way to take A apart between eigenvalues that are at least eight times as large as all slower ones and
// decay, slowest first. Empty where there is none that is well conditioned.
List<SlowSubspace> slow_subspaces(const Matrix& A);

} // namespace stickslip
