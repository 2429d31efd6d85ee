#include "transition/guard_series.hpp"

#include "core/list.hpp"
#include "core/switches.hpp"
#include "core/tolerances.hpp"
#include "dynamics/tangent.hpp"
#include "transition/motion_series.hpp"

#include <array>
#include <cmath>
#include <numeric>

namespace stickslip {

namespace {

// Guards of quantities that are zero at the instant: a gap, a distance from a seat, or a velocity of a contact or an
// element.
bool is_of_motion(const Guard& g) {
  return g.traits().first_by_forces > 0;
}

// Three values at steps of h: the slope and the curvature of the parabola through them at its beginning.
template <class V> V slope_of(const V& a, const V& b, const V& c, double h) {
  return (-3.0 * a + 4.0 * b - c) / (2.0 * h);
}
template <class V> V curvature_of(const V& a, const V& b, const V& c, double h) {
  return (a - 2.0 * b + c) / (h * h);
}

// The parabola on which the flow starts.
struct Parabola {
  Vector xdot, half;

  Vector at(const Vector& x, double tau) const { return x + tau * xdot + tau * tau * half; }
};

// Taylor coefficients at t of a quantity with these values at t, t + h, ... t + 4h, exact for polynomials up to the fourth
// power: first terms of higher order leave none in a lower one. Coefficients within their rounding errors are zero.
constexpr Index samples = 5;
using Coefficients = std::array<double, samples>;

Coefficients expand(const Eigen::Ref<const Eigen::RowVectorXd>& values, double h) {
  static constexpr double weights[samples][samples] = {{24.0, 0.0, 0.0, 0.0, 0.0},
                                                       {-50.0, 96.0, -72.0, 32.0, -6.0},
                                                       {35.0, -104.0, 114.0, -56.0, 11.0},
                                                       {-10.0, 36.0, -48.0, 28.0, -6.0},
                                                       {1.0, -4.0, 6.0, -4.0, 1.0}};
  Coefficients out{};
  double power = 24.0;
  for (std::size_t k = 0; k < samples; ++k, power *= h) {
    double sum = 0.0, size = 0.0;
    for (std::size_t j = 0; j < samples; ++j) {
      const double term = weights[k][j] * values(static_cast<Index>(j));
      sum += term, size += std::abs(term);
    }
    out[k] = k > 0 && std::abs(sum) <= tolerance::few_terms * size ? 0.0 : sum / power;
  }
  return out;
}

// Accelerations along rows that turn with the motion, by differences.
void turning_series(Instant& at, const Regime& r, double h, const Parabola& path, Matrix& series) {
  Vector s(at.sys.ns()), f(at.sys.nx), unused = at.w.force;
  Matrix a(r.guards.size(), samples);
  for (Index k = 0; k < samples; ++k) {
    const double tau = static_cast<double>(k) * h, t = at.t + tau;
    const Vector x = path.at(at.state->base_x, tau);
    signals_beside(at.sys, at.t, t, s.data());
    f.setZero();
    evaluate(at.sys, r, t, x.data(), s.data(), f.data(), unused.data(), at.w);
    Tangent& there = at.w.tangent(at.sys);
    there.write(s.data());
    for (Index g = 0; g < r.guards.size(); ++g) {
      if (!is_of_motion(r.guards[g])) continue;
      if (r.guards[g].contact < 0) {
        a(g, k) = relative_acceleration(there.system.friction[r.guards[g].friction], f, s);
      } else {
        const Contact& c = there.system.contacts[r.guards[g].contact];
        a(g, k) = c.rate.x.dot(f) + c.acceleration_s.dot(s);
      }
    }
  }
  for (Index g = 0; g < r.guards.size(); ++g) {
    const Guard& guard = r.guards[g];
    if (!is_of_motion(guard)) continue;
    auto row = series.row(g);
    row.setZero();
    const double rate = guard.contact >= 0 ? at.rate(guard.contact) : at.v(guard.friction);
    const bool of_gap = guard.traits().first_by_forces == 2;
    if (of_gap) row(0) = value(*form_of(at.sys, r, guard), at.x(), at.s());
    row(of_gap ? 1 : 0) = rate;
    const Coefficients c = expand(a.row(g), h);
    for (Index k = 0; k < samples; ++k) {
      const double velocity = c[static_cast<std::size_t>(k)] / static_cast<double>(k + 1);
      if (of_gap)
        row(k + 2) = velocity / static_cast<double>(k + 2);
      else
        row(k + 1) = velocity;
    }
    row *= guard.sign();
  }
}

// Velocities and gaps may leave zero by a derivative too high for differences: their series are Taylor coefficients of
// the flow linearised at t, exact up to the first nonzero one if no other nonlinearity acts.
void linearised_series(Instant& at, const Regime& r, Matrix& series) {
  at.expand_signals();
  Matrix states;
  expand_motion(at.sys, r, at.t, at.state->base_x, at.signal_series, at.w, states);
  for (Index g = 0; g < r.guards.size(); ++g) {
    const Guard& guard = r.guards[g];
    if (!is_of_motion(guard)) continue;
    const Form& form = *form_of(at.sys, r, guard);
    series.row(g) = guard.sign() * (form.x.transpose() * states + form.s.transpose() * at.signal_series);
  }
}

// By the sizes of x and s: the sizes of the terms of the forces that hold (`held`), and of x' with these forces.
Vector rate_terms(const System& sys, const Regime& r, const Vector& x, const Vector& s, Vector& held) {
  Vector rate = r.linear->A.cwiseAbs() * x + r.linear->S.cwiseAbs() * s;
  held.noalias() = r.L.terms * rate;
  for (Index k = 0; k < held.size(); ++k) rate += held(k) * holding_effect(sys, r, k).cwiseAbs();
  return rate.cwiseMax(r.Ax.cwiseAbs() * x + r.As.cwiseAbs() * s);
}

// Sets first coefficients to zero that lie within the bounds of their rounding errors, u times the sizes of their terms. The
// states pass theirs on: z_k+1 = |x_k+1| + terms of x' of z_k / (k + 1).
void drop_rounding(const System& sys, const Regime& r, const Vector& sizes, const Matrix& signals,
                   const Matrix& states, Matrix& series) {
  if (!STICKSLIP_RULE("series_bounds")) return;
  List<Index> open(r.guards.size()); // guards without a coefficient until now
  std::iota(open.begin(), open.end(), Index{0});
  Vector x = known_size(states.col(0), sizes), held;
  for (int k = 0; k < series_terms && !open.empty(); ++k) {
    const Vector s = signals.col(k).cwiseAbs(), rate = rate_terms(sys, r, x, s, held);
    const auto is_zero = [&](Index g) {
      double bound = r.Gx.row(g).cwiseAbs().dot(x) + r.Gs.row(g).cwiseAbs().dot(s);
      for (const GuardTerms::Entry& e : r.guard_terms[g].forces)
        if (const Index row = holding_row(sys, r, e.at); row >= 0) bound += std::abs(e.factor) * held(row);
      if (std::abs(series(g, k)) > tolerance::rounding * bound) return false;
      series(g, k) = 0.0;
      return true;
    };
    std::erase_if(open, [&](Index g) { return !is_zero(g); });
    if (k + 1 < series_terms) x = states.col(k + 1).cwiseAbs() + rate / (k + 1);
  }
}

} // namespace

void guard_series(Instant& at, const Regime& r, Matrix& series) {
  series.setZero(r.guards.size(), series_terms);
  at.evaluate(r);
  if (r.affine) {
    Matrix states;
    expand_motion(at.sys, r, at.t, at.state->base_x, at.signal_series, at.w, states);
    series.noalias() = r.Gx * states;
    series.noalias() += r.Gs * at.signal_series;
    drop_rounding(at.sys, r, at.state->nominal, at.signal_series, states, series);
    for (Index g = 0; g < r.guards.size(); ++g) {
      const int known = known_terms(r.guards[g].traits().first_by_forces);
      series.row(g).tail(series_terms - known).setZero();
    }
    return;
  }
  // Values at t, t + h and t + 2h.
  const System& sys = at.sys;
  const double h = short_time * at.state->time_scale;
  Vector s(sys.ns()), force = at.w.force, f(sys.nx), g0(r.guards.size()), g1 = g0, g2 = g0, halfway = g0;
  const auto evaluate_at = [&](double tau, const Vector& x) {
    signals_beside(sys, at.t, at.t + tau, s.data());
    f.setZero();
    evaluate(sys, r, at.t + tau, x.data(), s.data(), f.data(), force.data(), at.w);
  };
  guard_values(sys, r, at.t, at.x(), at.s(), at.w.force.data(), g0.data(), at.w);
  evaluate_at(h, at.state->base_x + h * at.xdot);
  const Parabola path{at.xdot, 0.5 * (f - at.xdot) / h};
  const auto guards_at = [&](double tau, Vector& g) {
    const Vector x = path.at(at.state->base_x, tau);
    evaluate_at(tau, x);
    guard_values(sys, r, at.t + tau, x.data(), s.data(), force.data(), g.data(), at.w);
  };
  guards_at(h, g1);
  guards_at(2.0 * h, g2);
  series.col(0) = g0;
  series.col(1) = slope_of(g0, g1, g2, h);
  series.col(2) = 0.5 * curvature_of(g0, g1, g2, h);
  if (r.sharing.any()) {
    // Of a margin that begins with the third power of time, differences make a slope of the wrong sign, which falls to a
    // quarter with half the distance.
    guards_at(0.5 * h, halfway);
    const Vector closer = slope_of(g0, halfway, g1, 0.5 * h);
    for (Index g = 0; g < r.guards.size(); ++g)
      if (r.guards[g].kind == GuardKind::sharing_changes &&
          std::abs(closer(g)) < 0.5 * std::abs(series(g, 1)))
        series(g, 1) = 0.0;
  }
  at.tangent != nullptr ? turning_series(at, r, h, path, series) : linearised_series(at, r, series);
}

} // namespace stickslip
