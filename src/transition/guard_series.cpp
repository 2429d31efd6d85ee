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

// The parabola on which the flow starts.
struct Parabola {
  Vector xdot, half;

  Vector at(const Vector& x, double tau) const { return x + tau * xdot + tau * tau * half; }
};

// Taylor coefficients at t of a quantity with these values at t, t + h, ... t + 4h, exact for polynomials up to the fourth
// power: first terms of higher order leave none in a lower one. `error`: relative, of the values; coefficients within it are
// zero. Limits of shared forces need all of them: what they add up to is zero by its errors too.
constexpr Index samples = 5;
using Coefficients = std::array<double, samples>;

Coefficients expand(const Eigen::Ref<const Eigen::RowVectorXd>& values, double h, double error) {
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
    out[k] = k > 0 && std::abs(sum) <= error * size ? 0.0 : sum / power;
  }
  return out;
}

// Acceleration along the row of a guard of the motion, where x' = f.
double acceleration(const System& sys, const Guard& g, const Vector& f, const Vector& s) {
  if (g.contact < 0) return relative_acceleration(sys.friction[g.friction], f, s);
  const Contact& c = sys.contacts[g.contact];
  return c.rate.x.dot(f) + c.acceleration_s.dot(s);
}

// The motion starts as a parabola: forces by differences to the second power of time, and where rows turn the accelerations
// along them to the fourth.
void sampled_series(Instant& at, const Regime& r, Matrix& series) {
  const System& sys = at.sys;
  const double h = tolerance::parabola * at.state->time_scale;
  Vector s(sys.ns()), f(sys.nx), force = at.w.force, guards(r.guards.size());
  const auto evaluate_at = [&](double tau, const Vector& x) {
    signals_beside(sys, at.t, at.t + tau, s.data());
    f.setZero();
    evaluate(sys, r, at.t + tau, x.data(), s.data(), f.data(), force.data(), at.w);
  };
  evaluate_at(h, at.state->base_x + h * at.xdot);
  const Parabola path{at.xdot, 0.5 * (f - at.xdot) / h};
  Matrix values(r.guards.size(), samples);
  for (Index k = 0; k < samples; ++k) {
    const double tau = static_cast<double>(k) * h;
    const Vector x = path.at(at.state->base_x, tau);
    evaluate_at(tau, x);
    guard_values(sys, r, at.t + tau, x.data(), s.data(), force.data(), guards.data(), at.w);
    values.col(k) = guards;
    if (at.tangent == nullptr) continue;
    Tangent& there = at.w.tangent(sys);
    there.write(s.data());
    for (Index g = 0; g < r.guards.size(); ++g)
      if (is_of_motion(r.guards[g])) values(g, k) = acceleration(there.system, r.guards[g], f, s);
  }
  for (Index g = 0; g < r.guards.size(); ++g) {
    const Guard& guard = r.guards[g];
    const Coefficients c = expand(values.row(g), h, is_of_motion(guard) ? tolerance::few_terms : 0.0);
    auto row = series.row(g);
    if (!is_of_motion(guard)) {
      row.head<3>() = Eigen::RowVector3d(c[0], c[1], c[2]);
      continue;
    }
    if (at.tangent == nullptr) continue;
    const bool of_gap = guard.traits().first_by_forces == 2;
    if (of_gap) row(0) = value(*form_of(sys, r, guard), at.x(), at.s());
    row(of_gap ? 1 : 0) = guard.contact >= 0 ? at.rate(guard.contact) : at.v(guard.friction);
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
  sampled_series(at, r, series);
  if (at.tangent == nullptr) linearised_series(at, r, series);
}

} // namespace stickslip
