// The LCP of contact transitions in the form of the source (Hinrichsen 2007, 3.56-3.59, with the static
// levels in the sticking rows, where they belong):
//
//   w = (a_N, a_H+, a_H-, lambda_H0-, lambda_H0+),   z = (lambda_N, lambda_H+, lambda_H-, z-, z+),
//   lambda_T = lambda_H+ - lambda_H-,  a_T = a_H+ - z-.
//
//   A = [  N    H  -H  0  0 ]   N = G_N + G_G mu_G (rows of N, H),  H = G_H
//       [  N    H  -H  E  0 ]   mu_G: -mu_j sgn v_j, sliding as an applied force
//       [ -N   -H   H  0  E ]   mu_H: static levels
//       [ mu_H -E   0  0  0 ]   s: static level of a prescribed load, 0 for a contact's
//       [ mu_H  0  -E  0  0 ]   b = [ free_N, free_H, -free_H, s, s ]
//
// The last two rows hold the levels of both directions, which may differ: in the expansion of an impact (5.27).
//
// lambda_H+ and lambda_H- can grow together while an element sticks, and separation leaves (z-, z+) undetermined: one
// physical answer is then a continuum here. For solving, stage.hpp has the form without that.
#pragma once

#include "contact/lcp.hpp"
#include "transition/problem.hpp"

namespace stickslip::contact {

void assemble_source_form(const Problem& p, lcp::RowMatrix& A, Vector& b);

// Modes, forces and accelerations of a solution z. With its w, both from a basis, modes follow from exact zeros and are
// correct up to a boundary: an element slips forward where z+ = a_T > 0, which requires lambda_H+ = 0, since then a_H+
// > 0; at the end of the segment of sticking answers z+ may also be in the basis, at zero within rounding, and there
// lambda_H+ > 0. Without w (null) modes follow from zeros within rounding.
void label_source_form(const Problem& p, const double* z, const double* w, Candidate& out);

} // namespace stickslip::contact
