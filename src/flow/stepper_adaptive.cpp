// Steps of the explicit pair and of the stiff method, with error control and the location of the first event.
#include "core/polynomial.hpp"
#include "core/roots.hpp"
#include "flow/stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stickslip {

static constexpr int method_order = 5;

template <Index N> bool Stepper::attempt_stiff(const State& state, double h) {
  auto f = [&](double t, const double* x, double* dx) { field.rhs<N>(t, x, dx); };
  evaluations += rodas5p::stages - 1;
  return rosenbrock_attempt<N>(f, state.base_t, state.base_x.data(), f0.data(), J.data(),
                               varying.empty() ? nullptr : dfdt.data(), h, stiff_work);
}

bool Stepper::attempt(const Regime& r, const State& state, double h, FlowKind kind) {
  auto f = [&](double t, const double* x, double* dx) { rhs(r, t, x, dx); };
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
                            varying.empty() ? nullptr : dfdt.data(), h, stiff_work);
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
  for (std::size_t k = 0; k < varying.size(); ++k)
    sdot(static_cast<Index>(varying[k])) = piece_rate(*pieces[k], t);
  jacobian(sys, r, t, x, s.data(), sdot.data(), J, dfdt, scratch);
}

void Stepper::dense(const State& state, double h, FlowKind kind) {
  if (kind == FlowKind::explicit_pair)
    dopri5_dense(state.base_x.data(), h, explicit_work, C.leftCols(dopri5_dense_columns));
  else
    rosenbrock_dense(state.base_x.data(), stiff_work, C.leftCols(rosenbrock_dense_columns));
}

// Places that have just begun to slide on a falling curve. Their velocity grows out of zero and takes its
// relative error along: an error that is small beside the size of the state would shift the whole slip in
// time (with a vertical tangent at v = 0 as much as the first step is long). Returns whether one of them has
// no velocity yet.
bool Stepper::find_departing(const Regime& r, const State& state) {
  departing.clear();
  bool out_of_rest = false;
  if (options.atol.size() > 0) return false;
  for (Index i : r.unstuck) {
    const Place& p = sys.places[static_cast<std::size_t>(i)];
    if (!p.traits.sticks || p.traits.affine || r.modes.friction[i].sticks()) continue;
    signals_at(state.base_t, s.data());
    const double v = relative_velocity(p, state.base_x.data(), s.data());
    const double size = velocity_size(p, state.nominal);
    if (std::abs(v) > 1e-2 * size) continue;
    double a = p.velocity.x.dot(f0);
    for (std::size_t k = 0; k < varying.size(); ++k)
      a += p.velocity.s(static_cast<Index>(varying[k])) * piece_rate(*pieces[k], state.base_t);
    const bool rests = std::abs(v) < 1e-10 * size; // the sign of a is then one of rounding
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
    const Place& p = sys.places[static_cast<std::size_t>(i)];
    const double v = std::abs(relative_velocity(p, x1.data(), s.data()));
    const double size = velocity_size(p, state.nominal);
    const double e =
        std::abs(p.velocity.x.dot(error)) / (options.rtol * std::max(v, 1e-12 * size) + 1e-16 * size);
    worst = std::max(worst, e);
  }
  return worst;
}

// Far from v = 0 a Stribeck curve is flat to the last bit, and a long step towards zero would jump its peak
// without any sign of it in the error estimate. So no step may reduce a sliding velocity more than eightfold
// above the curve's finest structure. Shortens h and returns true where it would.
bool Stepper::passes_fine_structure(const Regime& r, const State& state, const Vector& x1, double& h) {
  double shorten = 1.0;
  for (Index i : r.unstuck) {
    const Place& p = sys.places[static_cast<std::size_t>(i)];
    const int mode = r.modes.friction[i].direction();
    if (p.fine == 0.0 || mode == 0) continue;
    const double v0 = mode * (p.velocity.x.dot(state.base_x) + p.velocity.s.dot(frame_signals));
    const double v1 = mode * relative_velocity(p, x1.data(), s.data());
    if (v0 > p.fine && v1 < 0.125 * v0) shorten = std::min(shorten, 0.85 * v0 / (v0 - v1));
  }
  if (shorten == 1.0) return false;
  h *= shorten;
  return true;
}

void Stepper::adaptive(const Regime& r, State& state, double horizon, Step& step) {
  const double t = state.base_t;
  const Index n = sys.nx;
  // Guards see the signals even where the state does not (a stuck block under a vibrating force): no step may
  // be so long that the polynomial through their samples misses a swing. Pieces of polynomials are short
  // enough by themselves.
  double fastest = 0.0;
  for (const Piece* p : pieces)
    for (const Harmonic& h : p->harmonics) fastest = std::max(fastest, std::abs(h.omega));
  double longest = fastest > 0.0 ? std::min(options.max_step, 1.5 / fastest) : options.max_step;
  // An ageing limit has a pole at T_dwell before the stick began; within this distance from it samples show
  // its course.
  for (std::size_t i = 0; i < sys.places.size(); ++i)
    if (const Place& p = sys.places[i];
        p.aged >= 0 && r.modes.friction[i].sticks() && state.base_x(p.aged) != 1.0)
      longest = std::min(longest, p.automaton.dwell + std::max(0.0, t - state.base_x(p.entered)));
  for (Index i = 0; i < n; ++i) {
    const double size = std::min(std::max(state.nominal(i), 1e-12 * state.nominal.maxCoeff()), sys.finest(i));
    atol(i) = options.atol.size() > 0 ? options.atol(i) : options.rtol * (size > 0.0 ? size : 1.0);
  }
  fast = field.bind(r, varying, s.data());
  if (fast) field.frame(pieces);
  bool bristles = false, falls = false;
  for (Index i : r.unstuck) {
    const LawTraits& law = sys.places[static_cast<std::size_t>(i)].traits;
    bristles = bristles || law.states > 0;
    falls = falls || (law.sticks && !law.affine);
  }
  if (!fast)
    rhs(r, t, state.base_x.data(), f0.data());
  else if (falls)
    ++evaluations, field.rhs<0>(t, state.base_x.data(), f0.data());
  // Out of rest the slope of a falling curve may be infinite; the tiny first steps need no implicit method.
  departing.clear();
  const bool out_of_rest = falls && find_departing(r, state);
  FlowKind kind = FlowKind::explicit_pair;
  if (!out_of_rest && (options.method == Method::stiff ||
                       (options.method == Method::automatic && (bristles || state.stiff >= 15))))
    kind = FlowKind::stiff;
  if (fast && !falls) {
    ++evaluations;
    if (kind == FlowKind::explicit_pair) field.rhs<0>(t, state.base_x.data(), f0.data());
  }
  frame_signals = s;
  if (kind == FlowKind::stiff) slopes(r, t, state.base_x.data());
  step.kind = kind;
  step.columns = dopri5_dense_columns;
  static_assert(dopri5_dense_columns == rosenbrock_dense_columns);

  StepController controller;
  controller.previous = state.last_error;
  controller.predict = kind == FlowKind::stiff;
  auto f = [&](double tt, const double* x, double* dx) { rhs(r, tt, x, dx); };
  const double reach = std::isfinite(horizon) ? horizon : 1e3 * sys.time_scale;
  if (!(state.step > 0.0))
    state.step = std::max(initial_step(f, t, state.base_x.data(), f0.data(), n, method_order, atol.data(),
                                       options.rtol, reach, 0.0, work.data()),
                          16.0 * std::numeric_limits<double>::epsilon() * std::abs(t));
  double proposed = std::min(state.step, longest);
  if (kind == FlowKind::explicit_pair && bristles) {
    // In steady sliding a bristle's rate is zero to the last bit and the error estimate is blind to
    // instability.
    for (Index i : r.unstuck) {
      const Place& p = sys.places[static_cast<std::size_t>(i)];
      const auto u = static_cast<std::size_t>(i);
      if (p.traits.states == 0) continue;
      linearise(p.law, relative_velocity(p, state.base_x.data(), s.data()), r.modes.friction[u].direction(),
                r.modes.friction[u].branch, state.base_x.data() + p.states, scratch.dry_z.data(),
                scratch.zdot_v.data(), scratch.zdot_z.data());
      for (Index j = 0; j < p.traits.states; ++j) {
        const double rate = std::abs(scratch.zdot_z(j * p.traits.states + j));
        if (rate > 0.0) proposed = std::min(proposed, 2.5 / rate);
      }
    }
  }
  double h = std::isfinite(horizon) ? fit_step(proposed, horizon) : proposed;
  controller.resized(h / state.step);
  for (int tries = 0;; ++tries) {
    if (t + h == t || tries > 100) { // the flow is steeper than time can resolve
      step.h = 0.0;
      return;
    }
    const bool solved = attempt(r, state, h, kind);
    const Vector& x1 = kind == FlowKind::explicit_pair ? explicit_work.x1 : stiff_work.x1;
    const Vector& error = kind == FlowKind::explicit_pair ? explicit_work.error : stiff_work.error;
    double e = solved ? error_norm(error.data(), state.base_x.data(), x1.data(), atol.data(), options.rtol, n)
                      : std::numeric_limits<double>::infinity();
    if (!departing.empty() && std::isfinite(e)) e = std::max(e, departing_error(t + h, x1, error, state));
    bool accepted = false;
    const double factor = controller.next(e, accepted);
    if (accepted && passes_fine_structure(r, state, x1, h)) continue;
    if (accepted) {
      // A step cut short by a breakpoint says nothing against the one proposed before.
      const double next = h < state.step ? std::max(state.step, h * factor) : h * factor;
      controller.resized(next / (h * factor));
      state.step = next;
      break;
    }
    h *= factor;
    state.step = h;
  }
  state.last_error = controller.previous;
  if (kind == FlowKind::explicit_pair) {
    // Stiff if the step is limited by stability: h |lambda| is estimated from the last two stages (Hairer,
    // Wanner IV.2).
    const double slope = (explicit_work.k.col(6) - explicit_work.k.col(5)).norm();
    const double distance = (explicit_work.x1 - explicit_work.stage).norm();
    const bool looks = distance > 0.0 && h * slope > 3.25 * distance;
    state.stiff = looks ? std::min(state.stiff + 1, 1000) : std::max(0, state.stiff - 1);
  }
  dense(state, h, kind);
  step.h = h;
  Index degree = 0;
  const bool sampled_guards = guard_polynomials(r, state, h, degree);
  if (r.guards.empty() || !find_crossings(r, state, step, degree)) return;
  if (sampled_guards) {
    for (std::size_t k = 0; k < crossing.size(); ++k)
      if (crossing[k] > 0.0 && crossing[k] <= 1.0) confirm(r, k, state, h, degree);
    if (*std::min_element(crossing.begin(), crossing.end()) > 1.0) return;
  }

  // The polynomial shows which guard fires first; the guard itself says when, and a step of just that length
  // where.
  double first = 2.0;
  std::size_t which = 0;
  for (std::size_t k = 0; k < crossing.size(); ++k)
    if (crossing[k] < first) first = crossing[k], which = k;
  double theta = first;
  if (theta > 0.0) {
    std::array<double, guard_max_degree + 1> c{};
    for (Index j = 0; j <= degree; ++j)
      c[static_cast<std::size_t>(j)] = guard_series(static_cast<Index>(which), j);
    const double slope = polynomial::value_slope(c.data(), degree, theta).slope / h;
    guards.resize(std::max(guards.size(), static_cast<Index>(r.guards.size())));
    double cut = theta * h;
    for (int round = 0; round < 3; ++round) {
      if (!attempt(r, state, cut, kind)) break;
      const Vector& x1 = kind == FlowKind::explicit_pair ? explicit_work.x1 : stiff_work.x1;
      work.head(n) = x1;
      theta_column = x1;
      rhs(r, t + cut, theta_column.data(), work.data());
      guard_values(sys, r, t + cut, theta_column.data(), s.data(), force.data(), guards.data());
      const double correction = slope > 0.0 ? -guards(static_cast<Index>(which)) / slope : 0.0;
      const double next = cut + correction;
      if (!(std::abs(correction) < 0.1 * theta * h) || next <= 0.0 || next > 1.01 * h) break;
      if (std::abs(correction) <= 4e-16 * std::max(std::abs(t), h) || round == 2) break;
      cut = next;
    }
    dense(state, cut, kind);
    // A step many times longer than the way to its event (of a flight in parabolas there is no error to limit
    // it) leaves too few digits to find the next one, which may come sooner still.
    state.step = std::min(state.step, std::max(10.0 * cut, 1e-4 * h));
    for (double& th : crossing) th = th <= 1.0 ? th * h / cut : th;
    step.h = cut;
    crossing[which] = 1.0;
    for (std::size_t k = 0; k < crossing.size(); ++k)
      if (k != which && crossing[k] < 1.0) crossing[k] = 1.0;
  }
  collect(r, state, step);
}

} // namespace stickslip
