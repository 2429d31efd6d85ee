// One set of modes, solved and checked.
#pragma once

#include "core/list.hpp"
#include "transition/problem.hpp"

namespace stickslip::contact {

// How an element that is given a slipping mode is to be treated.
enum class Slip : std::uint8_t {
  impending, // leaves rest at its static level; its acceleration must point the same way
  departing, // rests within its static level, or leaves at its kinetic one with an acceleration that points the same way
  sliding, // kinetic level, direction fixed, any acceleration
};

// Statically indeterminate forces of which a rule finds the shares; sets of modes with others are passed over. Where nothing
// is shared solve_modes() takes no memory.
enum class Shares : std::uint8_t { all, friction, none };

struct CandidateWorkspace {
  Shares shares = Shares::all;
  List<Index> unknown, row_order, column_order;
  List<double> matrix, rhs, x, root, scale;
  double smallest_pivot = 1.0; // of the scaled equations

  void reserve(Index n) {
    unknown.reserve(n), row_order.reserve(n), column_order.reserve(n);
    matrix.reserve(n * n), rhs.reserve(n), x.reserve(n), root.reserve(n), scale.reserve(n);
  }
};

// Solves the equations of the mode set `modes` (length contacts + elements) and checks its inequalities. False
// if the equations are inconsistent or an inequality fails; then `out` is not to be used. Components whose
// inequality holds with equality, within rounding, are marked as touching. Components whose guard has fired
// (`allowed` has one bit left) are given the slack that locating an event leaves.
bool solve_modes(const Problem& p, const List<Mode>& modes, const List<Slip>& slip,
                 const List<Allowed>& allowed, CandidateWorkspace& ws, Candidate& out);

// Row i of G [lambda_N; -F], and what its terms and those of `free` amount to.
struct Row {
  double sum, scale;
};
Row acceleration_row(const Problem& p, Index i, const List<double>& force);

// Every quantity of this mode set whose sign decides whether it is an answer, whether it is one or not: linear in
// `free` and in the levels. False, and nothing, if its equations are singular.
bool append_margins(const Problem& p, const List<Mode>& modes, const List<Slip>& slip, CandidateWorkspace& ws,
                    Candidate& room, List<double>& out);

// The same motion: equal accelerations, within rounding. Forces may still differ, where rigidity leaves them
// open.
bool same_motion(const Problem& p, const Candidate& a, const Candidate& b);
bool same_forces(const Problem& p, const Candidate& a, const Candidate& b);

// Two labels of one solution: equal motion and forces, which takes a component on the fence (or forces left
// open).
bool same_solution(const Problem& p, const Candidate& a, const Candidate& b);

} // namespace stickslip::contact
