// The linear complementarity problem  w = M z + q,  w >= 0,  z >= 0,  w'z = 0,  independent of the method of
// solution.
//
// Measure of an answer: the componentwise backward error. Row i is judged against |q_i| + sum_j |M_ij z_j|, a
// positive z_j against its contributions to the rows on that scale; so the measure does not depend on the units of w
// and z.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"

#include <cstdint>

namespace stickslip::lcp {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A view: n by n, row-major, contiguous.
struct Problem {
  Index n = 0;
  const double* M = nullptr;
  const double* q = nullptr;
};

inline Problem view(const RowMatrix& M, const Vector& q) {
  return {q.size(), M.data(), q.data()};
}

// Rejects a matrix that is not square or does not fit q, and entries that are not finite.
void validate(Index rows, Index cols, Index size_q);
void validate(const Problem& p);

// w = M z + q.
void evaluate(const Problem& p, const double* z, double* w);

// Positive diagonal scalings by powers of two, M' = R M C, q' = R q, z = C z': they keep complementarity and
// cost no digit.
struct Equilibration {
  List<double> row, col;
  bool identity = true;
  double floor = 0.0;             // least size of a row's terms that counts, in equilibrated rows
  void compute(const Problem& p); // leaves well scaled matrices alone

private:
  void match_blocks(const Problem& p);
  void set_floor(const Problem& p);
};

// Largest violation of the three conditions by an arbitrary z; 0 for an exact solution.
double residual(const Problem& p, const double* z);

// The same for z >= 0 that came from a complementary basis: positive z_i must have w_i = 0. Writes w, with
// the exact zeros of the basis put in (in_basis[i] != 0 means that z_i is basic, so w_i = 0). An upper bound
// of residual(). Infinite if q is lost in the rounding of M z in every basic row: then M_aa is singular to
// working precision and z only its null vector, a "solution at infinity" that any backward error would let
// pass.
double residual_of_basis(const Problem& p, const Equilibration& e, const double* z,
                         const std::uint8_t* in_basis, double* w);

// Solves M_aa z_a = -q_a for the basis a, with one step of refinement. False if M_aa is singular to working
// precision.
struct BasisSolver {
  List<double> lu, rhs, x;
  List<Index> member, pivot;
  bool solve(const Problem& p, const Equilibration& e, const std::uint8_t* in_basis, double* z);

private:
  bool factorise(double least_pivot); // in place, row by row
  void solve_factored();              // in rhs
};

} // namespace stickslip::lcp
