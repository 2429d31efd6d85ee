// Taylor coefficients of signals and of the motion just after an instant, a column for each power of time.
#pragma once

#include "dynamics/regime_parts.hpp"
#include "transition/sign_after.hpp"

namespace stickslip {

void expand_signals(const System& sys, double t, Matrix& signals);

// Sizes of which the states are known to `tolerance::rounding`: their own. Of a state so small that it may be a remainder
// of rounding itself nothing is known, unless it is exactly zero.
Vector known_size(const Vector& x, const Vector& nominal);

// By the sizes of x and s: the sizes of the terms of the forces that hold (`held`), and of x' with these forces.
Vector rate_terms(const System& sys, const Regime& r, const Vector& x, const Vector& s, Vector& held);

// x' = A x + S s
void expand_affine(const Matrix& A, const Matrix& S, const Vector& x, const Matrix& signals, Matrix& states);

// The motion of a regime: exact where it is affine, else of the flow linearised at t.
void expand_motion(const System& sys, const Regime& r, double t, const Vector& x, const Matrix& signals,
                   Scratch& w, Matrix& states);

} // namespace stickslip
