// Lemke's complementary pivoting for w = M z + q (Cottle, Pang, Stone, The Linear Complementarity
// Problem, 4.4).
//
// The path starts on w = q + M z + d z0 with the covering vector d > 0 and ends when the artificial z0 leaves
// (a solution) or nothing blocks (a secondary ray: no answer found, which is no proof that none exists).
// If several solutions exist the one found depends on d. Scaling rows is equivalent to scaling d;
// scaling columns has no effect.
#pragma once

#include "contact/lcp.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"

namespace stickslip::lcp {

enum class Status : std::int8_t {
  trivial,  // q >= 0, so z = 0
  solved,   // z0 left the basis and the answer was verified on the problem as given
  ray,      // every covering vector ended in a secondary ray
  budget,   // too many pivots
  doubtful, // a basis that could not be verified against rounding, or a ray that was not certified
};
const char* name(Status s);

struct LemkeOptions {
  const double* covering = nullptr; // only this vector, in the rows of the problem; else several are tried
  const std::uint8_t* start_basis = nullptr;    // warm start: 1 where z_i is expected to be basic
  Index max_pivots = 0;                         // per covering vector; 0: 1000 + 50 n
  double pivot_tolerance = tolerance::residual; // relative to the largest entry of the equilibrated matrix
  double polish = tolerance::rounding;          // residual from which on the basis is solved afresh
  double accept = tolerance::same;              // largest residual of a verified answer
  bool record = false;                          // keep the path
};

// One step of the path: the entering and the leaving variable, w_i as i, z_i as n + i, z0 as 2 n. On a ray none leaves.
struct LemkePivot {
  Index attempt, entering, leaving;
};

// Owned by the caller; a second solve of the same size allocates nothing. z, w, basis are the answer of the
// last solve.
struct LemkeWorkspace {
  List<double> z, w;
  List<std::uint8_t> basis;

  List<double> table, scaled_q, cover, column;
  List<Index> row_variable, column_variable, row_of, column_of, tied;
  List<LemkePivot> path;    // if it is recorded,
  List<double> path_covers; // with the covering vectors of all attempts
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

// The covering vectors tried in turn, in `ws.cover`; false after the last one.
bool covering_vector(Index attempt, const Problem& p, LemkeWorkspace& ws);

LemkeResult lemke(const Problem& p, LemkeWorkspace& ws, const LemkeOptions& options = {});

} // namespace stickslip::lcp
