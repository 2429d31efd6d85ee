// Classes of M that say how many solutions w = M z + q has (Cottle, Pang, Stone, chapter 3).
#pragma once

#include "contact/lcp.hpp"
#include "core/tolerances.hpp"

namespace stickslip::lcp {

enum class Answer : std::int8_t { no, yes, unknown };

struct Classification {
  Answer p_matrix = Answer::unknown;            // all principal minors > 0: exactly one solution for every q
  bool positive_definite = false;               // of the symmetric part; implies P
  bool positive_semidefinite = false;           // solvable where feasible, the solutions convex
  Answer copositive = Answer::unknown;          // z'Mz >= 0 for z >= 0
  Answer strictly_copositive = Answer::unknown; // z'Mz > 0 for 0 != z >= 0: at least one solution for every q
};

constexpr Index largest_exact_classification =
    20; // above, P and copositive are settled by definiteness or unknown

// `tolerance` is relative to the diagonal: pivots and eigenvalues within it count as zero.
Classification classify(const Problem& p, double tolerance = tolerance::product);

} // namespace stickslip::lcp
