// Square matrices whose rows may depend on each other.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"

namespace stickslip::linalg {

// Elimination with complete pivoting: with rows and columns in the order of the pivots A = L U + rest, where L (n by r)
// has a unit diagonal and no entry above 1, and no entry of `rest` exceeds the pivot that was refused. So A has at most r
// singular values above (n - r) times that pivot, whatever its units; the r-th one is at least the last pivot over the
// condition of L and of U in units of their diagonals, which grows like n in practice (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd edition, 9.4 and 9.12). That is known at a third of the work of a QR decomposition and a
// hundredth of that of singular values.
//
// Keeps its room: further matrices of the same size take no memory.
class RankFactors {
public:
  void reserve(Index n);
  // Room for A by rows, which factor() overwrites.
  double* start(Index n);
  // `most` pivots at most, as long as they exceed `zero`.
  void factor(Index most, double zero);

  Index size() const { return n; }
  Index rank() const { return r; }

  // x with A x = b as far as the rows of the pivots demand; other unknowns are zero. b is overwritten.
  void solve(double* b, double* x) const;
  // Columns that span all x with A x = 0; all y with y' A = 0.
  void null(Matrix& out) const;
  void left_null(Matrix& out) const;

private:
  Index n = 0, r = 0;
  List<double> m; // by rows: L below the diagonal, U from it on
  List<Index> rows, columns;
};

// Columns become an orthonormal basis of their span, without taking memory; they are independent.
void orthonormalise(Matrix& columns);

} // namespace stickslip::linalg
