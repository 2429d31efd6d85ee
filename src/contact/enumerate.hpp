// Every solution of w = M z + q, w, z >= 0, w'z = 0, by a search over the complementary bases.
//
// The numbers are read as rounded (a value within their rounding of zero counts as zero), which suits computed
// matrices; certified.hpp treats them as exact. A leaf whose basis matrix M_aa is singular is examined like any other:
// its solutions form a polyhedron (often empty), given by vertices and directions.
#pragma once

#include "contact/basis_search.hpp"
#include "contact/double_table.hpp"
#include "contact/lcp.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"

#include <string>

namespace stickslip::lcp {

constexpr Index largest_enumeration = 20; // order up to which solve_all accepts a problem

struct Solution {
  Vector z, w;
  Basis basis = 0;
  List<Basis> bases;    // all examined bases that give this solution or part of it
  RowMatrix vertices;   // of a continuum: one per row, the first is z; else empty
  RowMatrix directions; // unbounded directions of a continuum, one per row
  double residual = 0.0;
  bool continuum() const { return vertices.rows() > 0; }
};

struct Enumeration {
  List<Solution> solutions;
  List<Basis> singular_bases; // reached and examined; most of them without a solution
  Index leaves = 0;           // bases examined; the rest were refuted by signs
  Index doubtful = 0;         // answers dropped because they did not verify on the problem as given
};

struct EnumerationWorkspace {
  List<SearchLevel<DoubleTable>> levels;
  List<std::uint8_t> in_basis;
  List<double> z, w;
  Equilibration scaling;
  BasisSolver polish;
};

struct EnumerateOptions {
  double pivot_tolerance =
      tolerance::product; // relative to the largest entry of the equilibrated matrix; never within the noise
  double accept = tolerance::same; // largest residual of a verified answer
};

void check_order(const Problem& p); // rejects an order above `largest_enumeration`

Enumeration solve_all(const Problem& p, EnumerationWorkspace& ws, const EnumerateOptions& options = {});

} // namespace stickslip::lcp
