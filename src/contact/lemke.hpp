// Lemke's complementary pivoting for w = M z + q (Cottle, Pang, Stone, The Linear Complementarity
// Problem, 4.4).
//
// The path starts on w = q + M z + d z0 with the covering vector d > 0 and ends when the artificial z0 leaves
// (a solution) or nothing blocks (a secondary ray: no answer found, which is no proof that none exists).
// Where several solutions exist the one found depends on d, and scaling the rows is the same as scaling d;
// scaling columns is nothing.
#pragma once

#include "contact/lcp.hpp"

namespace stickslip::lcp {

enum class Status : std::int8_t {
  trivial,    // q >= 0, so z = 0
  solved,     // z0 left the basis and the answer was verified on the problem as given
  ray,        // every covering vector ended in a secondary ray
  budget,     // too many pivots
  inaccurate, // a basis was found, but its answer does not verify
};
const char* name(Status s);

struct LemkeOptions {
  const double* covering = nullptr; // only this vector, in the rows of the problem; else several are tried
  const std::uint8_t* start_basis = nullptr; // warm start: 1 where z_i is expected to be basic
  Index max_pivots = 0;                      // per covering vector; 0: 1000 + 50 n
  double pivot_tolerance = 1e-11;            // relative to the largest entry of the equilibrated matrix
  double polish = 1e-13;                     // residual from which on the basis is solved afresh
  double accept = 1e-9;                      // largest residual of a verified answer
};

// Owned by the caller; a second solve of the same size allocates nothing. z, w, basis are the answer of the
// last solve.
struct LemkeWorkspace {
  std::vector<double> z, w;
  std::vector<std::uint8_t> basis;

  std::vector<double> table, scaled_q, cover, column;
  std::vector<Index> row_variable, column_variable, row_of, column_of, tied;
  Equilibration scaling;
  BasisSolver polish;
  Index stride = 0;
};

struct LemkeResult {
  Status status = Status::ray;
  Index pivots = 0;      // over all attempts
  Index attempts = 0;    // covering vectors tried
  double residual = 0.0; // of the answer; infinity if there is none
  bool solved() const { return status == Status::trivial || status == Status::solved; }
};

LemkeResult lemke(const Problem& p, LemkeWorkspace& ws, const LemkeOptions& options = {});

} // namespace stickslip::lcp
