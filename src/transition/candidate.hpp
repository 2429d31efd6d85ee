// One set of modes, solved and checked.
#pragma once

#include "core/list.hpp"
#include "core/rank_factors.hpp"
#include "transition/problem.hpp"

namespace stickslip::contact {

// Treatment of an element with a slipping mode.
enum class Slip : std::uint8_t {
  impending, // leaves rest at its static level; its acceleration must point the same way
  departing, // rests within its static level, or leaves at its kinetic one with an acceleration that points the same way
  sliding, // kinetic level, direction fixed, any acceleration
};

// Statically indeterminate forces for which a rule finds a distribution; sets of modes with others are skipped. Without
// indeterminate forces solve_modes() does not allocate.
enum class Shares : std::uint8_t { all, friction, none };

struct CandidateWorkspace {
  Shares shares = Shares::all;
  List<Index> unknown;
  linalg::RankFactors factors; // of the scaled equations
  List<double> rhs, x, root, scale, spread;

  void reserve(Index n) {
    unknown.reserve(n), factors.reserve(n);
    rhs.reserve(n), x.reserve(n), root.reserve(n), scale.reserve(n), spread.reserve(n);
  }
};

// Solves the equations of the mode set `modes` (length contacts + elements) and checks its inequalities. False if the
// equations are inconsistent or an inequality fails; then `out` is undefined. Components whose inequality holds with
// equality, within rounding, are marked as touching. For components with a fired guard (one bit left in `allowed`) the
// tolerance includes the error of event location.
bool solve_modes(const Problem& p, const List<Mode>& modes, const List<Slip>& slip,
                 const List<Allowed>& allowed, CandidateWorkspace& ws, Candidate& out);

// Rounding error of the solution of n equations, relative to Candidate::size: twice the bound of Higham, Accuracy and
// Stability of Numerical Algorithms (2002), theorem 9.4, for the growth of entries.
inline double solution_rounding(Index n) {
  return 2.0 * static_cast<double>(n) * tolerance::epsilon;
}

// Row i of G [lambda_N; -F], and the size of its terms and those of `free`.
struct Row {
  double sum, scale;
};
Row acceleration_row(const Problem& p, Index i, const List<double>& force);

// Every quantity of this mode set whose sign decides admissibility, for admissible and other mode sets: linear in
// `free` and in the levels. False if its equations are singular.
bool append_margins(const Problem& p, const List<Mode>& modes, const List<Slip>& slip, CandidateWorkspace& ws,
                    Candidate& room, List<double>& out);

// The same motion: equal accelerations, within rounding. Statically indeterminate forces may differ.
bool same_motion(const Problem& p, const Candidate& a, const Candidate& b);
bool same_forces(const Problem& p, const Candidate& a, const Candidate& b);

// Two labels of one solution: equal motion and forces, in degenerate or statically indeterminate cases.
bool same_solution(const Problem& p, const Candidate& a, const Candidate& b);

} // namespace stickslip::contact
