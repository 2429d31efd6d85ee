#include "run/powers.hpp"

#include "core/list.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/spring_force.hpp"
#include "dynamics/tangent.hpp"
#include "model/relay_form.hpp"
#include "run/loop_signals.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace stickslip {

namespace {

constexpr double converged = 1e-16;    // last change of a node on [-1, 1]
constexpr double no_energy = 1e-18;    // of a power's largest coefficient: adds nothing in sixteen digits
constexpr double least_energy = 1e-15; // of that of the velocities seen: nothing but rounding below

// Gauss-Legendre nodes and weights on [-1, 1].
struct Gauss {
  Vector node, weight;
  explicit Gauss(Index n) : node(n), weight(n) {
    for (Index i = 0; i < n; ++i) {
      double z = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) /
                          (static_cast<double>(n) + 0.5)),
             slope = 1.0;
      for (int it = 0; it < 100; ++it) {
        double p0 = 1.0, p1 = z;
        for (Index k = 2; k <= n; ++k) {
          const auto d = static_cast<double>(k);
          p0 = std::exchange(p1, ((2.0 * d - 1.0) * z * p1 - (d - 1.0) * p0) / d);
        }
        slope = static_cast<double>(n) * (z * p1 - p0) / (z * z - 1.0);
        const double dz = p1 / slope;
        z -= dz;
        if (std::abs(dz) < converged) break;
      }
      node(i) = -z;
      weight(i) = 2.0 / ((1.0 - z * z) * slope * slope);
    }
  }
};

// In an exact step the powers are products of polynomials whose terms beyond these degrees are below rounding: the step
// ends where the series of the motion does.
constexpr Index most_nodes = 14, series_nodes = 28;

// Exact up to the degree 2 n - 1.
const Gauss& gauss(Index n) {
  static const List<Gauss> rules = [] {
    List<Gauss> all;
    for (Index k = 1; k <= most_nodes; ++k) all.emplace_back(k);
    return all;
  }();
  return rules[n - 1];
}

// Nodes of the series, and the map from values there to Legendre coefficients: (2 k + 1)/2 w_i P_k(z_i).
struct Legendre {
  Gauss rule{series_nodes};
  Matrix transform{series_nodes, series_nodes}; // node x degree
  Legendre() {
    for (Index i = 0; i < series_nodes; ++i) {
      double p0 = 0.0, p1 = 1.0;
      for (Index k = 0; k < series_nodes; ++k) {
        const auto d = static_cast<double>(k);
        transform(i, k) = (d + 0.5) * rule.weight(i) * p1;
        p0 = std::exchange(p1, ((2.0 * d + 1.0) * rule.node(i) * p1 - d * p0) / (d + 1.0));
      }
    }
  }
};

// v' M v / 2. The product first: rows of a stiffness are differences of neighbours, which lose least in order.
double form(const Matrix& M, const VectorRef& v, Vector& product) {
  product.head(v.size()).noalias() = M * v;
  return 0.5 * v.dot(product.head(v.size()));
}

const Legendre& legendre() {
  static const Legendre table;
  return table;
}

} // namespace

Powers::Powers(const System& system)
    : sys(system), w(system), x(sys.nx), xdot(Vector::Zero(sys.nx)), s(sys.ns()),
      force(sys.friction.size() + sys.contacts.size()), work_now(count()), way(sys.n_coordinates) {
  for (const Signal& signal : sys.signals) constant = constant && is_constant(signal);
}

Index Powers::count() const {
  return sys.drives.size() + 1 + 2 * (sys.friction.size() + sys.springs.size() + sys.contacts.size()) +
         sys.loops.size() + sys.constraints.all.size();
}

double Powers::given(const VectorRef& work) const {
  const auto nd = sys.drives.size(), np = sys.friction.size() + sys.springs.size() + sys.contacts.size();
  double sum = work.head(nd).sum() - work(nd);
  for (Index i = 0; i < np; ++i) sum += work(nd + 2 + 2 * i) - work(nd + 1 + 2 * i);
  return sum + work.tail(work.size() - nd - 1 - 2 * np).sum();
}

void Powers::at(const Segment& seg, const double* C, double t, double span, Vector& out) {
  const Index n = sys.n_coordinates;
  segment_state(seg, C, sys.nx, t, x.data());
  signal_values(sys, t, s.data());
  state_signals(sys, seg.regime->modes, t, x.data(), s.data(), w);
  const System& here = sys.smooth ? w.tangent(sys).system : sys;
  evaluate(sys, *seg.regime, t, x.data(), s.data(), xdot.data(), force.data(), w);
  share_forces(sys, *seg.regime, t, x.data(), s.data(), force.data(), w);
  const auto v = x.segment(n, n);
  way.noalias() = span * v;
  Index k = 0;
  for (const auto& d : sys.drives)
    out(k++) = n == 0                    ? 0.0
               : d.direction.size() == 0 ? span * s(d.signal)
                                         : s(d.signal) * d.direction.dot(way);
  w.row.head(n).noalias() = sys.damping * v;
  out(k) = way.dot(w.row.head(n));
  if (sys.circulatory.size() > 0) out(k) += way.dot(sys.circulatory * x.head(n)); // a force without potential
  ++k;
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const Friction& p = here.friction[i];
    double slip = span * relative_velocity(p, x.data(), s.data());
    if (p.traits.sticks && p.surface_travel < 0 && seg.regime->modes.friction[i].sticks()) slip = 0.0;
    if (p.has_seat()) slip = 0.0;                               // its work is stored
    if (p.compensator) slip = n > 0 ? -p.drives.dot(way) : 0.0; // work on the plant counts as negative
    out(k++) = force(i) * slip;
    out(k++) = p.compensator ? 0.0 : -force(i) * (span * s(p.surface));
  }
  for (Index i = 0; i < sys.springs.size(); ++i) {
    const Spring& p = sys.springs[i];
    const double push = spring_force(sys, i, seg.regime->modes, x.data(), s.data());
    out(k++) = (push - spring_line(sys, i, seg.regime->modes, x.data(), s.data())) *
               (span * value(p.rate, x.data(), s.data()));
    out(k++) = -push * (span * s(p.rest_rate));
  }
  for (Index j = 0; j < sys.contacts.size(); ++j) {
    out(k++) = here.contacts[j].yields() ? span * s(here.contacts[j].loss) : 0.0;
    out(k++) = -force(sys.friction.size() + j) * (span * here.contacts[j].rate.s.dot(s));
  }
  for (Index b = 0; b < sys.loops.size(); ++b)
    out(k++) = span * power(sys, *seg.regime, b, x.data(), s.data());
  if (!sys.constraints.any()) return;
  const Vector held = constraint_forces(here, *seg.regime, x.data(), s.data(), xdot.data(), force.data());
  for (Index c = 0; c < held.size(); ++c) out(k++) = -held(c) * (span * s(sys.constraints.all[c].rate));
}

void Powers::integrate(const Segment& seg, const double* C, double a, double b, Vector& sum,
                       double& absolute) {
  if (!(b > a)) return;
  // Forces of an exact regime are of the degree of the motion, if signals add nothing to it.
  const bool known = constant && is_exact(seg.kind);
  const Gauss& rule = gauss(known ? std::min(seg.columns, most_nodes) : most_nodes);
  const double half = 0.5 * (b - a);
  for (Index i = 0; i < rule.node.size(); ++i) {
    at(seg, C, a + half * (1.0 + rule.node(i)), half, work_now);
    sum += rule.weight(i) * work_now;
    absolute += rule.weight(i) * work_now.cwiseAbs().sum();
  }
}

Matrix Powers::series(const Segment& seg, const double* C, double a, double b) {
  const Legendre& table = legendre();
  Matrix values(count(), series_nodes);
  for (Index i = 0; i < series_nodes; ++i) {
    at(seg, C, a + 0.5 * (b - a) * (1.0 + table.rule.node(i)), 0.5 * (b - a), work_now);
    values.col(i) = work_now;
  }
  return values * table.transform;
}

// The integral of P_k from -1 to z is (P_(k+1) - P_(k-1)) / (2 k + 1), with P_(-1) = -1.
Matrix works_of(const Matrix& series, double a, double b, const double* times, Index count) {
  const double half = 0.5 * (b - a), rounding = no_energy * series.cwiseAbs().maxCoeff();
  Index degrees = series.cols(); // those that matter
  while (degrees > 1 && series.col(degrees - 1).cwiseAbs().maxCoeff() <= rounding) --degrees;
  Matrix integrals(degrees, count);
  for (Index j = 0; j < count; ++j) {
    const double z = (times[j] - a) / half - 1.0;
    double before = -1.0, now = 1.0;
    for (Index k = 0; k < degrees; ++k) {
      const auto d = static_cast<double>(k);
      const double next = k == 0 ? z : ((2.0 * d + 1.0) * z * now - d * before) / (d + 1.0);
      integrals(k, j) = (next - before) / (2.0 * d + 1.0);
      before = std::exchange(now, next);
    }
  }
  return series.leftCols(degrees) * integrals;
}

double Powers::kinetic(const Segment& seg, const double* C, double t) {
  segment_state(seg, C, sys.nx, t, x.data());
  if (sys.smooth && sys.smooth->moving_mass()) {
    Tangent& at = w.tangent(sys);
    at.move_to(t, x.data(), seg.regime->modes.sides);
    return at.kinetic();
  }
  return form(sys.mass, x.segment(sys.n_coordinates, sys.n_coordinates), w.row);
}
double Powers::elastic(const Segment& seg, const double* C, double t) {
  segment_state(seg, C, sys.nx, t, x.data());
  double sum = form(sys.stiffness, x.head(sys.n_coordinates), w.row);
  const bool yields = sys.smooth && !sys.smooth->compliant.empty();
  if (sys.springs.empty() && !yields) return sum;
  signal_values(sys, t, s.data());
  if (yields) state_signals(sys, seg.regime->modes, t, x.data(), s.data(), w);
  for (const Contact& c : sys.contacts)
    if (c.yields()) sum += s(c.stored);
  for (const Friction& p : sys.friction)
    if (p.has_seat() && !is_relay(p)) sum += p.break_away * std::abs(value(p.way, x.data(), s.data()));
  for (Index k = 0; k < sys.flanks.size(); ++k)
    sum += integral(sys.flanks[k].line, seg.regime->modes.flank[k].stretch,
                    value(sys.springs[sys.flanks[k].spring].elongation, x.data(), s.data()));
  return sum;
}

double Powers::negligible() const {
  const Index n = sys.n_coordinates;
  return 0.5 * least_energy * sys.mass.diagonal().dot(sys.nominal.segment(n, n).cwiseAbs2());
}

} // namespace stickslip
