// Steps of the explicit pair and of the stiff method, with error control and the location of the first event.
#include "core/polynomial.hpp"
#include "core/roots.hpp"
#include "core/tolerances.hpp"
#include "flow/stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

constexpr double close_to_rest = 1e-2; // of the velocities seen: there a slip may be leaving rest
constexpr double least_error = 1e-16;  // of the velocities seen: no digit of them
constexpr double wary = 0.25;          // an attempt of twelve stages is dear, and its error changes fast
constexpr double shrinks = 1e-4;       // how much shorter than this step the next may start
constexpr double at_corner =
    1e-2; // of the tolerance: allowed error of the part of a step beyond a corner or bend

// Multiplies h by this share; true if it becomes shorter.
bool shortened(double& h, double share) {
  h *= share;
  return share != 1.0;
}

} // namespace

template <Index N> bool Stepper::attempt_stiff(const State& state, double h) {
  auto f = [&](double t, const double* x, double* dx) { field.rhs<N>(t, x, dx); };
  evaluations += rodas5p::stages - 1;
  return rosenbrock_attempt<N>(f, state.base_t, state.base_x.data(), f0.data(), J.data(),
                               autonomous() ? nullptr : dfdt.data(), h, stiff_work);
}

bool Stepper::attempt(const Regime& r, const State& state, double h, FlowKind kind) {
  auto f = [&](double t, const double* x, double* dx) { rhs(r, t, x, dx); };
  if (kind == FlowKind::explicit_pair && high()) {
    dop853_attempt(f, state.base_t, state.base_x.data(), f0.data(), h, fine_work);
    return true;
  }
  if (kind == FlowKind::explicit_pair) {
    if (!fast) {
      dopri5_attempt(f, state.base_t, state.base_x.data(), f0.data(), h, explicit_work);
      return true;
    }
    evaluations += 6;
    dopri5_attempt([&](double t, const double* x, double* dx) { field.rhs<0>(t, x, dx); }, state.base_t,
                   state.base_x.data(), f0.data(), h, explicit_work);
    return true;
  }
  if (fast) switch (sys.nx) { // one mass with one or two bristle states, two masses
    case 3:
      return attempt_stiff<3>(state, h);
    case 4:
      return attempt_stiff<4>(state, h);
    case 5:
      return attempt_stiff<5>(state, h);
    case 6:
      return attempt_stiff<6>(state, h);
    default:
      return attempt_stiff<0>(state, h);
    }
  return rosenbrock_attempt(f, state.base_t, state.base_x.data(), f0.data(), J.data(),
                            autonomous() ? nullptr : dfdt.data(), h, stiff_work);
}

// x' into f0, its Jacobian and time derivative.
void Stepper::slopes(const Regime& r, double t, const double* x) {
  if (fast) {
    if (sys.nx == 3)
      field.slopes<3>(t, x, f0.data(), J.data(), dfdt.data());
    else
      field.slopes<0>(t, x, f0.data(), J.data(), dfdt.data());
    return;
  }
  for (Index k = 0; k < varying.size(); ++k) sdot(varying[k]) = derivative(pieces[k], t, 1);
  if (!delays.any()) {
    jacobian(sys, r, t, x, s.data(), sdot.data(), J, dfdt, scratch);
    return;
  }
  with_delays = Eigen::Map<const Vector>(x, sys.nx);
  delays.set(*stepped, t, with_delays.data());
  jacobian(sys, r, t, with_delays.data(), s.data(), sdot.data(), J, dfdt, scratch);
  delays.in_time(*stepped, t, J, dfdt);
}

void Stepper::dense(const Regime& r, const State& state, double h, FlowKind kind) {
  if (kind == FlowKind::explicit_pair && high()) {
    auto f = [&](double t, const double* x, double* dx) { rhs(r, t, x, dx); };
    dop853_dense(f, state.base_t, state.base_x.data(), h, fine_work, C.leftCols(dop853_dense_columns));
    known_end.of = r.guards.empty() && autonomous() ? &r : nullptr;
    if (known_end.of != nullptr)
      known_end.x = fine_work.x1, known_end.slope = fine_work.k.col(dop853::stages);
  } else if (kind == FlowKind::explicit_pair)
    dopri5_dense(state.base_x.data(), h, explicit_work, C.leftCols(dopri5_dense_columns));
  else
    rosenbrock_dense(state.base_x.data(), stiff_work, C.leftCols(rosenbrock_dense_columns));
}

// Elements that have just begun to slide on a falling curve. Their velocity grows from zero and keeps its relative
// error: an error that is small compared with the size of the state would shift the whole slip in time (with a vertical
// tangent at v = 0 by as much as the length of the first step). True if one of them has no velocity yet. Signals have
// their values at the start of the step.
bool Stepper::find_departing(const Regime& r, const State& state) {
  departing.clear();
  bool out_of_rest = false;
  if (options.atol.size() > 0) return false;
  for (Index i : r.sliding) {
    const Friction& p = sys.friction[i];
    const FrictionMode& now = r.modes.friction[i];
    if (!p.traits.sticks || p.traits.affine || now.free || now.sticks()) continue;
    const double v = relative_velocity(p, state.base_x.data(), s.data());
    const double size = velocity_size(p, state.nominal);
    if (std::abs(v) > close_to_rest * size) continue;
    double a = p.velocity.x.dot(f0);
    for (Index k = 0; k < varying.size(); ++k)
      a += p.velocity.s(varying[k]) * derivative(pieces[k], state.base_t, 1);
    const bool rests = std::abs(v) < tolerance::rank * size; // the sign of a is then one of rounding
    if (!rests && a * r.modes.friction[i].direction() < 0.0) continue;
    departing.push_back(i);
    out_of_rest = out_of_rest || rests;
  }
  return out_of_rest;
}

double Stepper::departing_error(double t, const Vector& x1, const Vector& error, const State& state) {
  signals_at(t, s.data());
  double worst = 0.0;
  for (Index i : departing) {
    const Friction& p = sys.friction[i];
    const double v = std::abs(relative_velocity(p, x1.data(), s.data()));
    const double size = velocity_size(p, state.nominal);
    const double e = std::abs(p.velocity.x.dot(error)) /
                     (options.rtol * std::max(v, tolerance::least_size * size) + least_error * size);
    worst = std::max(worst, e);
  }
  return worst;
}

// Far from v = 0 a Stribeck curve is flat to the last bit, and a long step towards zero would jump its peak
// without any sign of it in the error estimate. So no step may reduce a sliding velocity more than eightfold
// above the curve's finest structure. Shortens h and returns true where it would.
bool Stepper::passes_fine_structure(const Regime& r, const State& state, const Vector& x1, double& h) {
  double shorten = 1.0;
  for (Index i : r.sliding) {
    const Friction& p = sys.friction[i];
    const int mode = r.modes.friction[i].direction();
    if (p.fine == 0.0 || mode == 0) continue;
    double v0 = mode * relative_velocity(p, state.base_x.data(), frame_signals.data());
    double v1 = mode * relative_velocity(p, x1.data(), s.data());
    if (p.delayed >= 0) v0 = std::abs(state.base_x(p.delayed)), v1 = std::abs(x1(p.delayed));
    if (v0 > p.fine && v1 < 0.125 * v0) shorten = std::min(shorten, 0.85 * v0 / (v0 - v1));
  }
  return shortened(h, shorten);
}

// At a corner of a table the slope changes, which the error estimate of a step across the corner does not show: steps
// end there. Shortens h and returns true if a step would cross one. If a velocity reverses near a corner, as above an
// oscillating belt, the step ends there first, so that the reversal does not hide the corner.
bool Stepper::passes_corner(const Regime& r, const State& state, const Vector& x1, double& h) {
  constexpr double unsure = 0.25; // of the way to a turn, as a cubic shows it
  double shorten = 1.0;
  bool at_end = false; // the signals
  for (Index i : r.sliding) {
    const Friction& p = sys.friction[i];
    if (p.corners.empty()) continue;
    if (!at_end) signals_at(state.base_t + h, s.data()), at_end = true;
    double v0 = relative_velocity(p, state.base_x.data(), frame_signals.data());
    double v1 = relative_velocity(p, x1.data(), s.data());
    double rise = h * p.velocity.x.dot(f0), last_rise = 2.0 * p.velocity.x.dot(x1 - state.base_x) - rise;
    for (Index k = 0; k < varying.size(); ++k) {
      const double by = h * p.velocity.s(varying[k]);
      rise += by * derivative(pieces[k], state.base_t, 1);
      last_rise += by * derivative(pieces[k], state.base_t + h, 1);
    }
    if (p.delayed >= 0) {
      v0 = state.base_x(p.delayed), v1 = x1(p.delayed);
      rise = h * f0(p.delayed), last_rise = 2.0 * (v1 - v0) - rise;
    }
    const double near = at_corner * options.rtol * velocity_size(p, state.nominal);
    const std::array<double, 4> cubic = {v0, rise, 3.0 * (v1 - v0) - 2.0 * rise - last_rise,
                                         rise + last_rise - 2.0 * (v1 - v0)};
    const Extremes e = extremes(cubic.data(), 3);
    for (const double c : p.corners) {
      const auto between = [c, near](double a, double b) {
        return std::min(a, b) < c - near && std::max(a, b) > c + near;
      };
      const auto hidden = [&](double turn, double at, double end) {
        return at > 0.0 && at < 1.0 && (between(end, turn + unsure * (turn - end)) || between(turn, v1));
      };
      if (between(v0, v1))
        shorten = std::min(
            shorten,
            refine_root([&cubic, c](double theta) { return polynomial::value(cubic.data(), 3, theta) - c; },
                        0.0, 1.0));
      if (hidden(e.maximum, e.at_maximum, std::max(v0, v1))) shorten = std::min(shorten, e.at_maximum);
      if (hidden(e.minimum, e.at_minimum, std::min(v0, v1))) shorten = std::min(shorten, e.at_minimum);
    }
  }
  return shortened(h, shorten);
}

// At a jump of the slope of a bristle's rate the error estimate of a step that begins nearby does not show the error of
// the stages behind the jump: steps end there. Shortens h and returns true if a step would cross one.
bool Stepper::passes_bend(const Regime& r, const State& state, const Vector& x1, double& h) {
  constexpr double part = 1e-3; // of the step: to determine the rate
  double shorten = 1.0;
  std::array<double, max_elements> begin, soon, end;
  for (Index i : r.sliding) {
    const Friction& p = sys.friction[i];
    const int mode = r.modes.friction[i].direction();
    if (p.traits.bends == 0 || mode == 0) continue;
    const auto bends_at = [&](const Vector& x, const Vector& signals, auto& out) {
      bends(p.law, relative_velocity(p, x.data(), signals.data()), mode, x.data() + p.states, out.data());
    };
    signals_at(state.base_t + h, s.data());
    bends_at(state.base_x, frame_signals, begin), bends_at(x1, s, end);
    const double near = at_corner * options.rtol * std::max(p.traits.break_away.hi, -p.traits.break_away.lo);
    for (Index k = 0; k < p.traits.bends; ++k) {
      if (!(std::min(begin[k], end[k]) < -near && std::max(begin[k], end[k]) > near)) continue;
      work.head(sys.nx) = state.base_x + part * h * f0;
      signals_at(state.base_t + part * h, s.data());
      bends_at(work, s, soon);
      const double rise = (soon[k] - begin[k]) / part;
      const std::array<double, 3> way = {begin[k], rise, end[k] - begin[k] - rise};
      shorten = std::min(
          shorten,
          refine_root([&way](double theta) { return polynomial::value(way.data(), 2, theta); }, 0.0, 1.0));
    }
  }
  return shortened(h, shorten);
}

// Maximum step for which effects outside the error estimate are resolved.
double Stepper::longest_step(const Regime& r, const State& state) const {
  // Guards see the signals even where the state does not (a sticking block under a vibrating force): no step may
  // be so long that the polynomial through their samples misses a swing. Pieces of polynomials are short
  // enough by themselves.
  double fastest = 0.0;
  for (const Held& held : pieces)
    for (const Harmonic& h : held.piece->harmonics) fastest = std::max(fastest, std::abs(h.omega));
  double longest = fastest > 0.0 ? std::min(options.max_step, 1.5 / fastest) : options.max_step;
  longest = std::min(longest, delays.longest_step(r.modes));
  // An ageing limit has a pole at T_dwell before the stick began; within this distance from it samples show
  // its course.
  for (Index i = 0; i < sys.friction.size(); ++i)
    if (const Friction& p = sys.friction[i];
        p.aged >= 0 && r.modes.friction[i].sticks() && state.base_x(p.aged) != 1.0)
      longest = std::min(longest, p.automaton.dwell + std::max(0.0, state.base_t - state.base_x(p.entered)));
  return longest;
}

void Stepper::set_tolerances(const Regime& r, const State& state) {
  if (options.atol.size() > 0) {
    atol = options.atol;
    return;
  }
  size_by_drives(sys.A, state);
  for (Index i = 0; i < sys.nx; ++i) atol(i) = options.rtol * std::min(sizes(i), sys.finest(i));
  for (Index k = 0; k < delays.count(); ++k) // a velocity like the one that it was
    atol(delays.state_of(k)) = options.rtol * delays.velocity_size(k, sizes);
  if (r.sticking.size() + r.closed.size() < 2) return;
  // Forces that cancel in a coordinate leave their rounding there, of which no step can be free.
  rhs(r, state.base_t, state.base_x.data(), f0.data());
  known_end.of = &r, known_end.x = state.base_x, known_end.slope = f0;
  work.setZero();
  for (const Index i : r.sticking) work += std::abs(force(i)) * sys.friction[i].effect.cwiseAbs();
  for (const Index j : r.closed)
    work += std::abs(force(sys.friction.size() + j)) * sys.contacts[j].effect.cwiseAbs();
  work *= tolerance::rounding * state.time_scale;
  const Index n = sys.n_coordinates;
  atol.segment(n, n) = atol.segment(n, n).cwiseMax(work.segment(n, n));
  atol.head(n) = atol.head(n).cwiseMax(state.time_scale * work.segment(n, n));
}

// Method of this step, with its data at the start: x', and the Jacobian if it is stiff.
FlowKind Stepper::begin_step(const Regime& r, const State& state) {
  const double t = state.base_t;
  const double* const x = state.base_x.data();
  fast = field.bind(r, varying, s.data());
  if (fast) field.frame(pieces);
  bool bristles = false, falls = false;
  for (Index i : r.sliding) {
    const LawTraits& law = sys.friction[i].traits;
    bristles = bristles || law.states > 0;
    falls = falls || (law.sticks && !law.affine);
  }
  if (known_end.of == &r && known_end.x == state.base_x)
    f0 = known_end.slope;
  else if (!fast)
    rhs(r, t, x, f0.data());
  else if (falls)
    ++evaluations, field.rhs<0>(t, x, f0.data());
  // Out of rest the slope of a falling curve may be infinite; the tiny first steps need no implicit method.
  departing.clear();
  const bool out_of_rest = falls && find_departing(r, state);
  const bool looks_stiff = options.method == Method::automatic && (bristles || state.stiff >= 15);
  const FlowKind kind = !out_of_rest && (options.method == Method::stiff || looks_stiff)
                            ? FlowKind::stiff
                            : FlowKind::explicit_pair;
  if (fast && !falls) {
    ++evaluations;
    if (kind == FlowKind::explicit_pair) field.rhs<0>(t, x, f0.data());
  }
  frame_signals = s;
  if (kind == FlowKind::stiff) slopes(r, t, x);
  return kind;
}

// In steady sliding a bristle's rate is zero to the last bit and the error estimate is blind to instability of
// the explicit pair.
double Stepper::stable_step(const Regime& r, const State& state) {
  double longest = std::numeric_limits<double>::infinity();
  for (Index i : r.sliding) {
    const Friction& p = sys.friction[i];
    const Index n = p.traits.states;
    if (n == 0) continue;
    const FrictionMode& now = r.modes.friction[i];
    linearise(p.law, relative_velocity(p, state.base_x.data(), s.data()), now.direction(), now.branch,
              state.base_x.data() + p.states, scratch.dry_z.data(), scratch.zdot_v.data(),
              scratch.zdot_z.data());
    for (Index j = 0; j < n; ++j)
      if (const double rate = std::abs(scratch.zdot_z(j * n + j)); rate > 0.0)
        longest = std::min(longest, 2.5 / rate);
  }
  return longest;
}

double Stepper::propose_step(const Regime& r, State& state, double horizon, FlowKind kind) {
  const double t = state.base_t;
  if (!(state.step > 0.0)) {
    const double reach = std::isfinite(horizon) ? horizon : outlook(state);
    auto f = [&](double tt, const double* x, double* dx) { rhs(r, tt, x, dx); };
    state.step = std::max(initial_step(f, t, state.base_x.data(), f0.data(), sys.nx,
                                       high() ? dop853_order : dopri5_order, atol.data(), options.rtol, reach,
                                       0.0, work.data()),
                          4.0 * tolerance::last_digits * std::abs(t));
  }
  double proposed = std::min(state.step, longest_step(r, state));
  if (kind == FlowKind::explicit_pair) proposed = std::min(proposed, stable_step(r, state));
  return std::isfinite(horizon) ? fit_step(proposed, horizon) : proposed;
}

// Error of the last attempt, in units of the tolerance.
double Stepper::error_of_attempt(const State& state, FlowKind kind) const {
  const auto norm = [&](const Vector& error) {
    return error_norm(error.data(), state.base_x.data(), end_of(kind).data(), atol.data(), options.rtol,
                      sys.nx);
  };
  const double e = norm(error_of(kind));
  return kind == FlowKind::explicit_pair && high() ? dop853_error(e, norm(fine_work.rough)) : e;
}

// The first length, from h downwards, at which the error is small enough; 0 where the flow is steeper than time
// can resolve.
double Stepper::step_within_tolerance(const Regime& r, State& state, FlowKind kind, double h) {
  const double t = state.base_t;
  StepController controller;
  if (kind == FlowKind::explicit_pair && high()) controller.order = dop853_order, controller.target = wary;
  controller.previous = state.last_error;
  controller.predict = kind == FlowKind::stiff;
  controller.resized(h / state.step);
  constexpr int patience = 6; // the crossing may lie behind a reversal, to which the iteration does not lead
  constexpr double shrinks_at_least = 0.1;
  int cuts = 0, refusals = 0;
  for (int tries = 0; tries <= 100 && t + h != t; ++tries) {
    double e = std::numeric_limits<double>::infinity();
    if (attempt(r, state, h, kind)) {
      e = error_of_attempt(state, kind);
      if (!departing.empty() && std::isfinite(e))
        e = std::max(e, departing_error(t + h, end_of(kind), error_of(kind), state));
    }
    bool accepted = false;
    const double factor = controller.next(e, accepted);
    if (accepted && (passes_fine_structure(r, state, end_of(kind), h) ||
                     passes_corner(r, state, end_of(kind), h) || passes_bend(r, state, end_of(kind), h))) {
      if (++cuts % patience == 0) h *= 0.5;
      continue;
    }
    if (!accepted) { // an error that falls with the step alone, as behind a turn, would take a hundred attempts
      state.step = h *= ++refusals % patience == 0 ? std::min(factor, shrinks_at_least) : factor;
      continue;
    }
    // A step cut short by a breakpoint says nothing against the one proposed before.
    const double next = h < state.step ? std::max(state.step, h * factor) : h * factor;
    controller.resized(next / (h * factor));
    state.step = next;
    state.last_error = controller.previous;
    return h;
  }
  return 0.0;
}

// Stiff if the step is limited by stability: h |lambda| is estimated from the last two stages (Hairer, Wanner
// IV.2).
void Stepper::note_stiffness(State& state, double h) const {
  const auto looks_so = [h](double slope, double distance, double bound) {
    return distance > 0.0 && h * slope > bound * distance;
  };
  const Dopri5Workspace& w = explicit_work;
  const Dop853Workspace& f = fine_work;
  const bool looks = high() ? looks_so((f.k.col(12) - f.k.col(11)).norm(), (f.x1 - f.last).norm(), 6.1)
                            : looks_so((w.k.col(6) - w.k.col(5)).norm(), (w.x1 - w.stage).norm(), 3.25);
  state.stiff = looks ? std::min(state.stiff + 1, 1000) : std::max(0, state.stiff - 1);
}

// True if a guard became positive before this one, though its polynomial through samples shows a later crossing; by
// more than its value after a transition.
bool Stepper::passes_another(const Regime& r, const State& state, Index event) const {
  for (Index k = 0; k < r.guards.size(); ++k) {
    if (k == event || is_polynomial(r, k) || !(guards(k) > 0.0)) continue;
    const double size = stickslip::guard_size(sys, r, r.guards[k], state.base_t, state.base_x.data(),
                                              frame_signals.data(), force.data(), state.nominal);
    const double near =
        std::max(tolerance::located * sampled.row(k).cwiseAbs().maxCoeff(), 2.0 * tolerance::rest * size);
    if (sampled(k, 0) <= near && guards(k) > near) return true;
  }
  return false;
}

// The polynomial shows which guard fires first; the guard itself says when, and a step of just that length
// where. False if that shorter step is far less accurate than the whole one, or another guard fires before its end: the
// latter missed something.
bool Stepper::end_at_event(const Regime& r, State& state, Step& step, Index degree) {
  constexpr double far_less = 10.0; // tolerances
  constexpr double shorter = 0.99;  // than the step: its polynomials know more
  const auto which = std::min_element(crossing.begin(), crossing.end()) - crossing.begin();
  const double theta = crossing[which], h = step.h, t = state.base_t;
  if (!(theta > 0.0)) return true;
  double slope = polynomial::value_slope(guard_series.row(which).data(), degree, theta).slope / h;
  guards.resize(std::max(guards.size(), r.guards.size()));
  const int most_rounds = sys.smooth ? 6 : 3; // rows that turn make the polynomial a poorer guide
  double cut = theta * h, last_cut = 0.0, last_value = 0.0;
  for (int round = 0; round < most_rounds; ++round) {
    if (!attempt(r, state, cut, step.kind)) break;
    if (round == 0 && error_of_attempt(state, step.kind) > far_less) {
      state.step = 0.5 * cut, state.last_error = 0.0;
      return false;
    }
    theta_column = end_of(step.kind);
    work.head(sys.nx) = theta_column;
    rhs(r, t + cut, theta_column.data(), work.data());
    guard_values(sys, r, t + cut, theta_column.data(), s.data(), force.data(), guards.data(), scratch);
    // If the slope of the polynomial converges too slowly, that of the guard itself.
    if (const double secant = (guards(which) - last_value) / (cut - last_cut); round >= 2 && secant > 0.0)
      slope = secant;
    const double correction = slope > 0.0 ? (shift[which] - guards(which)) / slope : 0.0;
    const double next = cut + correction;
    if (!(std::abs(correction) < 0.1 * theta * h) || next <= 0.0 || next > 1.01 * h) break;
    if (std::abs(correction) <= 0.5 * tolerance::last_digits * std::max(std::abs(t), h) ||
        round + 1 == most_rounds)
      break;
    last_cut = cut, last_value = guards(which);
    cut = next;
  }
  if (cut < shorter * h && passes_another(r, state, which)) {
    state.step = cut, state.last_error = 0.0;
    return false;
  }
  dense(r, state, cut, step.kind);
  // A step many times longer than the way to its event (of a flight in parabolas there is no error to limit
  // it) leaves too few digits to find the next one, which may come sooner still.
  if (t + cut != t) state.step = std::min(state.step, std::max(10.0 * cut, shrinks * h));
  // The polynomials of guards that fire together are off by the same; one that fires earlier, by rounding, fires with it.
  for (double& th : crossing)
    if (th <= 1.0) th = std::max(1.0, 1.0 + (th - theta) * h / cut);
  step.h = cut;
  crossing[which] = 1.0;
  return true;
}

void Stepper::adaptive(const Regime& r, State& state, double horizon, Step& step) {
  set_tolerances(r, state);
  step.kind = begin_step(r, state);
  step.columns = dense_columns(step.kind);
  static_assert(dopri5_dense_columns == rosenbrock_dense_columns);
  step.h = step_within_tolerance(r, state, step.kind, propose_step(r, state, horizon, step.kind));
  if (step.h == 0.0) return;
  dense(r, state, step.h, step.kind);
  if (step.kind == FlowKind::explicit_pair) note_stiffness(state, step.h);
  Index degree = 0;
  bool sampled_guards = guard_polynomials(r, state, step, degree);
  // A steep law turns its force within any part of a step; the rows of a machine that is not linear are dear.
  const int most_halvings = sys.smooth ? 8 : 30;
  const double least = 8.0 * tolerance::last_digits * std::abs(state.base_t);
  for (int k = 0; sampled_guards && k < most_halvings && !resolves_guards(r, state, step, degree); ++k) {
    if (step.h <= least) break;
    if (!attempt(r, state, 0.5 * step.h, step.kind)) break;
    step.h *= 0.5;
    state.step = std::min(state.step, 2.0 * step.h);
    // A step whose stages skip features that half the step meets has a misleadingly small error.
    if (!(error_of_attempt(state, step.kind) <= 1.0)) {
      step.h = step_within_tolerance(r, state, step.kind, 0.5 * step.h);
      if (step.h == 0.0) return;
    }
    dense(r, state, step.h, step.kind);
    sampled_guards = guard_polynomials(r, state, step, degree);
  }
  if (r.guards.empty() || !find_crossings(r, state, step, degree)) return;
  if (sampled_guards)
    for (Index k = 0; k < crossing.size(); ++k)
      if (crossing[k] <= 1.0 && (crossing[k] > 0.0 || r.guards[k].kind == GuardKind::load_negative))
        confirm(r, k, state, step, degree);
  if (*std::min_element(crossing.begin(), crossing.end()) > 1.0) return;
  if (!end_at_event(r, state, step, degree)) return adaptive(r, state, horizon, step);
  collect(r, state, step);
}

} // namespace stickslip
