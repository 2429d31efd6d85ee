#include "run/powers.hpp"

#include "run/loop_signals.hpp"

#include <array>
#include <cmath>

namespace stickslip {

namespace {

// Gauss-Legendre nodes and weights on [0, 1].
struct Gauss {
  static constexpr int n = 14;
  std::array<double, n> node{}, weight{};
  Gauss() {
    for (int i = 0; i < n; ++i) {
      double z = std::cos(3.14159265358979323846 * (i + 0.75) / (n + 0.5)), slope = 1.0;
      for (int it = 0; it < 100; ++it) {
        double p0 = 1.0, p1 = z;
        for (int k = 2; k <= n; ++k) {
          const double p2 = ((2 * k - 1) * z * p1 - (k - 1) * p0) / k;
          p0 = p1;
          p1 = p2;
        }
        slope = n * (z * p1 - p0) / (z * z - 1.0);
        const double dz = p1 / slope;
        z -= dz;
        if (std::abs(dz) < 1e-16) break;
      }
      node[static_cast<std::size_t>(i)] = 0.5 * (1.0 - z);
      weight[static_cast<std::size_t>(i)] = 1.0 / ((1.0 - z * z) * slope * slope);
    }
  }
};

} // namespace

Powers::Powers(const System& system)
    : sys(system), w(system), x(sys.nx), xdot(Vector::Zero(sys.nx)), s(sys.ns()),
      force(static_cast<Index>(sys.places.size() + sys.contacts.size())), power_now(count()) {}

Index Powers::count() const {
  return static_cast<Index>(sys.drives.size() + 1 + 2 * sys.places.size() + sys.contacts.size() +
                            sys.loops.size());
}

double Powers::given(const Vector& work) const {
  const auto nd = static_cast<Index>(sys.drives.size()), np = static_cast<Index>(sys.places.size());
  double sum = work.head(nd).sum() - work(nd);
  for (Index i = 0; i < np; ++i) sum += work(nd + 2 + 2 * i) - work(nd + 1 + 2 * i);
  return sum + work.tail(work.size() - nd - 1 - 2 * np).sum();
}

void Powers::at(const Segment& seg, const double* C, double t, Vector& out) {
  const Index n = sys.n_coordinates;
  segment_state(seg, C, sys.nx, t, x.data());
  signal_values(sys, t, s.data());
  evaluate(sys, *seg.regime, t, x.data(), s.data(), xdot.data(), force.data(), w);
  share_forces(sys, *seg.regime, t, x.data(), s.data(), force.data());
  const auto v = x.segment(n, n);
  Index k = 0;
  for (const auto& d : sys.drives) out(k++) = n > 0 ? s(d.signal) * d.direction.dot(v) : 0.0;
  out(k++) = v.dot(sys.damping * v);
  for (std::size_t i = 0; i < sys.places.size(); ++i) {
    const Place& p = sys.places[i];
    double rel = relative_velocity(p, x.data(), s.data());
    if (p.traits.sticks && p.surface_travel < 0 && seg.regime->modes.friction[i].sticks()) rel = 0.0;
    if (p.compensator)
      rel = n > 0 ? -p.drives.dot(v) : 0.0; // what it gives to the plant counts as taken with a minus
    out(k++) = force(static_cast<Index>(i)) * rel;
    out(k++) = -force(static_cast<Index>(i)) * s(p.surface);
  }
  for (std::size_t j = 0; j < sys.contacts.size(); ++j)
    out(k++) = -force(static_cast<Index>(sys.places.size() + j)) * sys.contacts[j].rate.s.dot(s);
  for (std::size_t b = 0; b < sys.loops.size(); ++b)
    out(k++) = power(sys, *seg.regime, static_cast<Index>(b), x.data(), s.data());
}

void Powers::integrate(const Segment& seg, const double* C, double a, double b, Vector& sum,
                       double& absolute) {
  static const Gauss gauss;
  if (!(b > a)) return;
  Vector& p = power_now;
  for (std::size_t i = 0; i < Gauss::n; ++i) {
    at(seg, C, a + gauss.node[i] * (b - a), p);
    sum += (gauss.weight[i] * (b - a)) * p;
    absolute += gauss.weight[i] * (b - a) * p.cwiseAbs().sum();
  }
}

double Powers::kinetic(const Segment& seg, const double* C, double t) {
  segment_state(seg, C, sys.nx, t, x.data());
  const auto v = x.segment(sys.n_coordinates, sys.n_coordinates);
  return 0.5 * v.dot(sys.mass * v);
}
double Powers::elastic(const Segment& seg, const double* C, double t) {
  segment_state(seg, C, sys.nx, t, x.data());
  const auto q = x.head(sys.n_coordinates);
  return 0.5 * q.dot(sys.stiffness * q);
}

double Powers::negligible() const {
  const Index n = sys.n_coordinates;
  return 0.5e-15 * sys.mass.diagonal().dot(sys.nominal.segment(n, n).cwiseAbs2());
}

} // namespace stickslip
