// What a change of mode sets of the automaton's states, the one table for exact runs and for the real-time
// form (Klotzbach, Henrichfreise, section 3; in their (14) the viscous part b|v| is kept):
//   from    to      set
//   start   stick   fully aged (f_sa = f_s), peak = f_s, clock = 0; s as given (0 if not); f = f_s
//   start   slip    f = N dry(|v|), peak = f_s, s = 0
//   slip    stick   f_sa = f (without memory: the curve at v = 0), clock = 0; presliding: s = f_sa sgn(v-) / k
//   stick   slip    peak = f_s(t_dwell), f = f_s(t_dwell) - b|v|
//   slip    slip    f and peak are kept; f no higher than f_s (with a dwell: than f_sa, so as it is), after a load
//                   that fell: stick could not hold what lies between
//   any     open    s = 0 (a contact only); when it closes it begins as at the start
//   any     free    s = 0, f = 0 (no load); when a load comes it begins as at the start, but a slip with f = 0
// With dead time f is N dry(|v(t - tau)|) instead, and nothing is set: before the start v was what it is there.
// f_s is the static level under the present load; f_sa and peak are held relative to it, so they scale with
// the load.
#pragma once

#include "model/system.hpp"

namespace stickslip {

// Dry force with which an element that slides in direction `mode` comes to v = 0, >= 0.
double reached_force(const Friction& element, int mode, double N, const double* x);

// Entering stick from sliding in direction `was` at time t: the static level starts at f_sa and ages from
// there.
void start_clock(const Friction& element, int was, double N, double t, double* x);

// For an element without a load.
void let_go(const Friction& element, double* x);

void start_in_mode(const Friction& element, int is, double v, double N, double t, double* x);
// When a load comes: a force that lags, or the velocity of a dead time, goes on from what it is.
void start_under_load(const Friction& element, int is, double v, double N, double t, double* x);

// `was` and `is` differ. A rigid element that came to rest has had its clock started before, since its limit
// decides whether it stays.
void change_mode(const Friction& element, int was, int is, double v, double N, double t, double* x);

} // namespace stickslip
