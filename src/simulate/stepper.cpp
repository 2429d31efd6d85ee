#include "simulate/stepper.hpp"

#include "simulate/transition.hpp"

#include "core/affine_taylor.hpp"
#include "core/polynomial.hpp"
#include "core/roots.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip {

namespace {

constexpr Index sample_degree = 8;
constexpr int method_order = 5;

// Chebyshev points of [0, 1] with both ends, and the matrix from values there to coefficients of theta^k.
struct SamplePoints {
  std::array<double, sample_degree + 1> theta;
  Eigen::Matrix<double, sample_degree + 1, sample_degree + 1> to_coefficients;
  SamplePoints() {
    Eigen::Matrix<double, sample_degree + 1, sample_degree + 1> powers;
    for (int i = 0; i <= sample_degree; ++i) {
      const double th = 0.5 * (1.0 - std::cos(3.14159265358979323846 * i / sample_degree));
      theta[static_cast<std::size_t>(i)] = i == 0 ? 0.0 : i == sample_degree ? 1.0 : th;
      double power = 1.0;
      for (int k = 0; k <= sample_degree; ++k, power *= theta[static_cast<std::size_t>(i)])
        powers(i, k) = power;
    }
    to_coefficients = powers.inverse();
  }
};

const SamplePoints& sample_points() {
  static const SamplePoints points;
  return points;
}

double piece_value(const Piece& p, double t) {
  const double tau = t - p.anchor;
  double v = p.c[signal_max_degree];
  for (int k = signal_max_degree - 1; k >= 0; --k) v = v * tau + p.c[static_cast<std::size_t>(k)];
  for (const Harmonic& h : p.harmonics) v += h.amplitude * std::sin(h.omega * t + h.phase);
  return v;
}

} // namespace

Stepper::Stepper(const System& system, const Options& opts)
    : sys(system), options(opts), scratch(system), field(system) {
  const Index nx = sys.nx, ns = sys.ns();
  C.resize(nx, exact_columns);
  s = sdot = Vector::Zero(ns);
  force = scratch.force;
  f0 = dfdt = Vector::Zero(nx);
  work = Vector::Zero(2 * nx);
  theta_column = Vector::Zero(nx);
  swing.start = Vector::Zero(nx);
  J.resize(nx, nx);
  signal_series = Matrix::Zero(ns, exact_columns);
  explicit_work.resize(nx);
  stiff_work.resize(nx);
  atol = scale = Vector::Zero(nx);
  signals_changed(); // those that vary are set in every step
  for (std::size_t i = 0; i < sys.signals.size(); ++i)
    if (is_constant(sys.signals[i]))
      s(static_cast<Index>(i)) = sys.signals[i].pieces.front().c[0];
    else
      varying.push_back(i);
  pieces.assign(varying.size(), nullptr);
}

void Stepper::signals_changed() {
  signal_values(sys, 0.0, s.data());
  signal_series.col(0) = s;
}

// Signals keep the piece they have at the start of the step up to its very end, where the next one begins.
void Stepper::frame(double t) {
  for (std::size_t k = 0; k < varying.size(); ++k) {
    const Signal& sig = sys.signals[varying[k]];
    pieces[k] = &sig.pieces[piece_at(sig, t)];
  }
  signals_at(t, s.data());
}

void Stepper::signals_at(double t, double* out) const {
  for (std::size_t k = 0; k < varying.size(); ++k) out[varying[k]] = piece_value(*pieces[k], t);
}

void Stepper::rhs(const Regime& r, double t, const double* x, double* dx) {
  ++evaluations;
  signals_at(t, s.data());
  evaluate(sys, r, t, x, s.data(), dx, force.data(), scratch);
}

void Stepper::take(const Regime& regime, State& state, double t_limit, Step& step) {
  step.fired.clear();
  step.end = 1.0;
  frame(state.base_t);
  crossing.assign(regime.guards.size(), 2.0);
  const double horizon = (t_limit - state.base_t) - state.base_rest;
  const bool use_exact =
      regime.affine && (options.method == Method::automatic || options.method == Method::exact);
  if (use_exact)
    exact(regime, state, horizon, step);
  else
    adaptive(regime, state, horizon, step);
}

// How large the terms are that a guard is the difference of, at the start of the step.
double Stepper::guard_size(const Regime& r, const State& state, std::size_t k, FlowKind kind) const {
  const auto row = static_cast<Index>(k);
  if (is_exact(kind))
    return r.Gx.row(row).cwiseAbs().dot(state.base_x.cwiseAbs()) +
           r.Gs.row(row).cwiseAbs().dot(signal_series.col(0).cwiseAbs());
  const Guard& g = r.guards[k];
  if (g.kind != GuardKind::breaks_away && g.kind != GuardKind::limit_again)
    return std::numeric_limits<double>::infinity();
  const Place& p = sys.places[static_cast<std::size_t>(g.element)];
  if (loading_contact(p) >= 0) return std::numeric_limits<double>::infinity();
  const Interval l = stick_limits(sys, p, r.modes.load_sign[static_cast<std::size_t>(g.element)],
                                  state.base_t, state.base_x.data(), frame_signals.data(), nullptr);
  return 2.0 * (std::abs(l.lo) + std::abs(l.hi));
}

// Fills `crossing`; true if any guard fires in this step.
bool Stepper::find_crossings(const Regime& r, const State& state, const Step& step, Index degree) {
  bool any = false;
  std::array<double, guard_max_degree + 1> c;
  const double noise_factor = is_exact(step.kind) ? 0.0 : 1e-13;
  for (std::size_t k = 0; k < r.guards.size(); ++k) {
    double size = 0.0;
    const double* const series = guard_series.row(static_cast<Index>(k)).data();
    std::copy_n(series, degree + 1, c.data());
    for (std::size_t j = 0; j <= static_cast<std::size_t>(degree); ++j) size += std::abs(c[j]);
    if (size == 0.0) continue;
    if (r.guards[k].kind == GuardKind::load_sign) { // a load of zero that only rounding moves
      const Form& load = sys.places[static_cast<std::size_t>(r.guards[k].element)].load_force;
      if (size <= 1e-14 * load.x.cwiseAbs().dot(state.nominal)) continue;
    }
    // What a saturated controller leaves at zero all along (its input at rest) is zero up to rounding of its
    // terms.
    double rest = 0.0;
    if (r.guards[k].kind == GuardKind::limit) {
      const LimitGuard& limit = r.linear->guards[static_cast<std::size_t>(r.guards[k].element)];
      rest = 1e-13 * (limit.form.x.cwiseAbs().dot(state.base_x.cwiseAbs()) +
                      limit.form.s.cwiseAbs().dot(s.cwiseAbs()));
      if (size <= rest) continue;
    }
    // What the last transition left at zero is decided by what comes after, not by rounding.
    double zero = 1e-13 * size;
    if (state.after_transition) {
      const Guard& g = r.guards[k];
      // As the transition counts rest, with a little more: places on one body cannot all be put at rest exactly.
      if (g.kind == GuardKind::slip_ends || g.kind == GuardKind::kink || g.kind == GuardKind::surface_turns)
        zero = std::max(
            zero, 2e-11 * velocity_size(sys.places[static_cast<std::size_t>(g.element)], state.nominal));
      else if (g.kind == GuardKind::closes) // what many impacts have left, small beside all gaps there were
        zero = std::max(
            1e-11 * size,
            1e-13 * sys.contacts[static_cast<std::size_t>(g.element)].gap.x.cwiseAbs().dot(state.nominal));
      else if (g.kind == GuardKind::opens)
        zero = 1e-11 * size; // all its terms may be zero here
      else if (g.kind == GuardKind::limit)
        zero = std::max(1e-11 * size, rest);
      else if (const double whole = guard_size(r, state, k, step.kind); std::isfinite(whole)) {
        if (size <= 2e-13 * whole) continue; // it stays at its limit: rounding, no motion
        zero = std::max(1e-11 * std::min(size, whole), 1e-13 * whole);
      } else {
        zero = 1e-11 * size;
      }
      if (c[1] < 0.0) zero = std::max(zero, 1e-8 * -c[1]); // it was located no better, and goes away at once
    }
    // Nor does the place of the event within the last digits of t.
    const double unresolved = state.after_transition ? 4.0 * std::numeric_limits<double>::epsilon() *
                                                           std::abs(state.base_t) / step.h
                                                     : 0.0;
    const bool from_zero = std::abs(c[0]) <= std::max(zero, unresolved * std::abs(c[1]));
    if (from_zero && state.after_transition && degree >= 2) {
      const double slope = is_exact(step.kind) ? rounding(static_cast<Index>(k)) : 0.0;
      if (std::abs(c[1]) <= std::max(slope, 2.0 * unresolved * std::abs(c[2]))) c[1] = 0.0;
    }
    Crossing found = first_crossing(c.data(), static_cast<int>(degree),
                                    from_zero ? GuardStart::zero : GuardStart::as_is, noise_factor * size);
    if (!found.found) {
      // Positive from the start although the transition should have prevented it.
      if (!from_zero && c[0] > 0.0) crossing[k] = 0.0, any = true;
      continue;
    }
    // A velocity or load that departs from zero with a high power of time, or where the force has a vertical
    // tangent, may start on the wrong side in the interpolant; the transition has already found that it
    // departs, and the end of the step shows it.
    if (found.at_once && !is_exact(step.kind) && r.guards[k].kind != GuardKind::breaks_away) {
      double end = 0.0;
      for (Index j = 0; j <= degree; ++j) end += c[static_cast<std::size_t>(j)];
      if (end < 0.0) continue;
    }
    // A gap that opens with a high power of time: what rounding left of its lower derivatives is taken out.
    if (found.at_once && state.after_transition && r.guards[k].kind == GuardKind::closes) {
      for (std::size_t j = 1; j <= 2 && found.at_once; ++j) {
        if (std::abs(c[j]) > 1e-9 * size) break;
        c[j] = 0.0;
        found = first_crossing(c.data(), static_cast<int>(degree), GuardStart::zero, noise_factor * size);
      }
      if (!found.found) continue;
    }
    crossing[k] = found.theta;
    any = true;
  }
  return any;
}

// The earliest guard and all that fire with it.
void Stepper::collect(const Regime& r, const State& state, Step& step) {
  double first = 2.0;
  for (double th : crossing) first = std::min(first, th);
  step.end = first;
  const double together = first + (8e-16 * std::abs(state.base_t) + 1e-13 * sys.time_scale) / step.h;
  for (std::size_t k = 0; k < crossing.size(); ++k)
    if (crossing[k] <= std::min(together, 1.0)) step.fired.push_back(r.guards[k]); // 2: does not fire
}

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

namespace {

// Guards that are linear in the state and the signals, so that the dense output shows them as they are.
struct LinearGuard {
  const Form* form = nullptr; // null: not linear
  double sign = 0.0;
};

LinearGuard linear_guard(const System& sys, const Guard& g) {
  const auto i = static_cast<std::size_t>(g.element);
  switch (g.kind) {
  case GuardKind::slip_ends:
  case GuardKind::kink:
    return {&sys.places[i].velocity, -1.0 * g.side};
  case GuardKind::surface_turns:
    return {&sys.places[i].velocity, 1.0 * g.side};
  case GuardKind::load_sign:
    return {&sys.places[i].load_force, -1.0 * g.side};
  case GuardKind::closes:
    return {&sys.contacts[i].gap, -1.0};
  default:
    return {};
  }
}

} // namespace

// Powers of theta of all signals that linear guards see; returns the highest degree.
Index Stepper::signal_terms(const Regime& r, double t, double h) {
  // Steps are at most 1.5 / omega long, and 1.5^20 / 20! is below rounding.
  constexpr Index harmonic_degree = 20;
  Index degree = 0;
  for (std::size_t k = 0; k < varying.size(); ++k) {
    const auto i = static_cast<Index>(varying[k]);
    bool seen = false;
    for (const Guard& g : r.guards)
      if (const Form* form = linear_guard(sys, g).form) seen = seen || form->s(i) != 0.0;
    if (!seen) continue;
    const Index highest = pieces[k]->harmonics.empty() ? signal_max_degree : harmonic_degree;
    std::array<double, harmonic_degree + 1> c{};
    taylor(sys.signals[varying[k]], t, static_cast<int>(highest) + 1, c.data());
    double power = 1.0;
    for (Index j = 0; j <= highest; ++j, power *= h) {
      signal_series(i, j) = c[static_cast<std::size_t>(j)] * power;
      if (signal_series(i, j) != 0.0) degree = std::max(degree, j);
    }
    for (Index j = highest + 1; j <= harmonic_degree; ++j) signal_series(i, j) = 0.0;
  }
  return degree;
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
    if (!p.traits.sticks || p.traits.affine || r.modes.place[static_cast<std::size_t>(i)] == 0) continue;
    signals_at(state.base_t, s.data());
    const double v = relative_velocity(p, state.base_x.data(), s.data());
    const double size = velocity_size(p, state.nominal);
    if (std::abs(v) > 1e-2 * size) continue;
    double a = p.velocity.x.dot(f0);
    for (std::size_t k = 0; k < varying.size(); ++k)
      a += p.velocity.s(static_cast<Index>(varying[k])) * piece_rate(*pieces[k], state.base_t);
    const bool rests = std::abs(v) < 1e-10 * size; // the sign of a is then one of rounding
    if (!rests && a * r.modes.place[static_cast<std::size_t>(i)] < 0.0) continue;
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

// A crossing that the polynomial through samples makes by less than its own error: asks the guard itself, and
// moves the crossing to where the guard is zero or takes it back.
void Stepper::confirm(const Regime& r, std::size_t k, const State& state, double h, Index degree) {
  std::array<double, guard_max_degree + 1> c{};
  double size = 0.0;
  for (Index j = 0; j <= degree; ++j) {
    c[static_cast<std::size_t>(j)] = guard_series(static_cast<Index>(k), j);
    size += std::abs(c[static_cast<std::size_t>(j)]);
  }
  const Extremes e = extremes(c.data(), static_cast<int>(degree));
  if (e.maximum > 1e-7 * size) return;
  auto g = [&](double theta) { return guard_at(r, k, state, h, theta); };
  double top = e.at_maximum, most = g(top);
  const double w = 1e-3;
  if (top - w > 0.0 && top + w < 1.0) { // its own maximum, from a parabola
    const double left = g(top - w), right = g(top + w), bend = left - 2.0 * most + right;
    if (bend < 0.0) {
      const double better = top + std::clamp(0.5 * w * (left - right) / bend, -w, w);
      if (const double value = g(better); value > most) most = value, top = better;
    }
  }
  if (most <= 1e-12 * size) {
    crossing[k] = 2.0;
    return;
  }
  const double low = std::max(0.0, std::min(crossing[k], top) - 0.1);
  if (g(low) < 0.0) crossing[k] = refine_root(g, low, top);
}

double Stepper::guard_at(const Regime& r, std::size_t k, const State& state, double h, double theta) {
  polynomial::value(C.leftCols(dopri5_dense_columns), theta, theta_column);
  rhs(r, state.base_t + theta * h, theta_column.data(), work.data());
  if (guards.size() < static_cast<Index>(r.guards.size())) guards.resize(static_cast<Index>(r.guards.size()));
  guard_values(sys, r, state.base_t + theta * h, theta_column.data(), s.data(), force.data(), guards.data());
  return guards(static_cast<Index>(k));
}

// Returns whether the polynomials stand for guards that are not polynomials themselves.
bool Stepper::guard_polynomials(const Regime& r, const State& state, double h, Index& degree) {
  const Index ng = static_cast<Index>(r.guards.size());
  const Index dense_degree = dopri5_dense_columns - 1;
  bool all_linear = true, forces = false;
  for (const Guard& g : r.guards) {
    if (linear_guard(sys, g).form != nullptr) continue;
    all_linear = false;
    forces = forces || g.kind != GuardKind::branch;
  }
  degree = std::max(dense_degree, varying.empty() ? 0 : signal_terms(r, state.base_t, h));
  if (!all_linear) degree = std::max(degree, sample_degree);
  if (guard_series.rows() < ng || guard_series.cols() <= degree)
    guard_series.resize(std::max(ng, guard_series.rows()), exact_columns);
  guard_series.topLeftCorner(ng, degree + 1).setZero();
  if (!all_linear) {
    const SamplePoints& points = sample_points();
    sampled.resize(ng, sample_degree + 1);
    guards.resize(std::max<Index>(ng, guards.size()));
    for (Index i = 0; i <= sample_degree; ++i) {
      const double theta = points.theta[static_cast<std::size_t>(i)];
      polynomial::value(C.leftCols(dopri5_dense_columns), theta, theta_column);
      if (forces)
        rhs(r, state.base_t + theta * h, theta_column.data(), work.data());
      else
        signals_at(state.base_t + theta * h, s.data());
      guard_values(sys, r, state.base_t + theta * h, theta_column.data(), s.data(), force.data(),
                   guards.data());
      sampled.col(i) = guards.head(ng);
    }
    guard_series.topLeftCorner(ng, sample_degree + 1).noalias() =
        sampled.lazyProduct(points.to_coefficients.transpose());
  }
  for (Index k = 0; k < ng; ++k) {
    const Guard& g = r.guards[static_cast<std::size_t>(k)];
    const auto [form, sign] = linear_guard(sys, g);
    if (form == nullptr) continue;
    for (Index j = 0; j <= degree; ++j) guard_series(k, j) = 0.0;
    for (Index i = 0; i < sys.nx; ++i)
      if (form->x(i) != 0.0)
        for (Index j = 0; j <= dense_degree; ++j) guard_series(k, j) += sign * form->x(i) * C(i, j);
    std::size_t next = 0;
    for (Index i = 0; i < sys.ns(); ++i) {
      const bool varies = next < varying.size() && static_cast<Index>(varying[next]) == i;
      next += varies;
      if (form->s(i) == 0.0) continue;
      if (varies)
        for (Index j = 0; j <= degree; ++j) guard_series(k, j) += sign * form->s(i) * signal_series(i, j);
      else
        guard_series(k, 0) += sign * form->s(i) * s(i);
    }
  }
  return !all_linear;
}

// Far from v = 0 a Stribeck curve is flat to the last bit, and a long step towards zero would jump its peak
// without any sign of it in the error estimate. So no step may reduce a sliding velocity more than eightfold
// above the curve's finest structure. Shortens h and returns true where it would.
bool Stepper::passes_fine_structure(const Regime& r, const State& state, const Vector& x1, double& h) {
  double shorten = 1.0;
  for (Index i : r.unstuck) {
    const Place& p = sys.places[static_cast<std::size_t>(i)];
    const int mode = r.modes.place[static_cast<std::size_t>(i)];
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
    if (const Place& p = sys.places[i]; p.aged >= 0 && r.modes.place[i] == 0 && state.base_x(p.aged) != 1.0)
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
      linearise(p.law, relative_velocity(p, state.base_x.data(), s.data()), r.modes.place[u],
                r.modes.branch[u], state.base_x.data() + p.states, scratch.dry_z.data(),
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
    for (double& th : crossing) th = th <= 1.0 ? th * h / cut : th;
    step.h = cut;
    crossing[which] = 1.0;
    for (std::size_t k = 0; k < crossing.size(); ++k)
      if (k != which && crossing[k] < 1.0) crossing[k] = 1.0;
  }
  collect(r, state, step);
}

} // namespace stickslip
