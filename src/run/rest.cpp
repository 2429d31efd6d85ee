#include "run/rest.hpp"

#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "dynamics/friction_force.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace stickslip {

namespace {

constexpr double fully_aged = 1e300; // a time at which every dwell is over

bool constant_from(const Signal& s, double t) {
  const Piece* first = piece_at(s, t).piece;
  if (s.repeats > 0) first = std::min(first, &s.pieces[s.repeats]);
  return std::all_of(first, s.pieces.data() + s.pieces.size(),
                     [&](const Piece& p) { return is_flat(p) && p.c[0] == s.pieces.back().c[0]; });
}

bool symmetric(const Matrix& m) {
  return (m - m.transpose()).cwiseAbs().maxCoeff() <= tolerance::product * m.cwiseAbs().maxCoeff();
}

// The machine has only coordinates and states of the automaton: other states could start to move by themselves.
bool plain(const System& sys) {
  if (!sys.loops.empty()) return false;
  for (const Friction& p : sys.friction)
    if (p.compensator) return false;
  Index count = 2 * sys.n_coordinates;
  for (const Friction& p : sys.friction)
    count += (p.lagged >= 0) + (p.delayed >= 0) + (p.surface_travel >= 0) + (p.aged >= 0) + (p.peak >= 0) +
             (p.entered >= 0) + (p.load_shift >= 0);
  return count == sys.nx;
}

class Rest {
public:
  Rest(const System& system, const Regime& regime, double time, const double* state)
      : sys(system), r(regime), t(time), n(system.n_coordinates),
        x(Eigen::Map<const Vector>(state, system.nx)), s(system.ns()), xdot(Vector::Zero(system.nx)),
        force(system.friction.size() + system.contacts.size()), w(system) {
    signal_values(sys, t, s.data());
  }

  bool certain() {
    const auto is_constant = [&](const Signal& signal) { return constant_from(signal, t); };
    if (!plain(sys) || sys.friction.empty() ||
        !std::all_of(sys.signals.begin(), sys.signals.end(), is_constant))
      return false;
    List<const Vector*> rigid; // rows of velocities that are held at zero
    if (!contacts_hold(rigid) || !elements_hold(rigid)) return false;
    for (const Constraint& c : sys.constraints.all)
      if (s(c.rate) != 0.0) return false;
    const Matrix free = free_directions(rigid);
    return free.cols() == 0 ? holds(Vector()) : swings(free);
  }

private:
  const System& sys;
  const Regime& r;
  double t;
  Index n;
  Vector x, s, xdot, force;
  Scratch w;

  // All contacts are closed; appends their rows.
  bool contacts_hold(List<const Vector*>& rigid) const {
    for (Index j = 0; j < sys.contacts.size(); ++j) {
      if (r.modes.contact[j] == Mode::open) return false;
      rigid.push_back(&sys.contacts[j].rate.x);
    }
    return true;
  }

  // All elements that can stick do, on surfaces at rest; appends the rows of the rigid ones.
  bool elements_hold(List<const Vector*>& rigid) const {
    for (Index i = 0; i < sys.friction.size(); ++i) {
      const Friction& p = sys.friction[i];
      const bool elastic = p.surface_travel >= 0;
      if (loading_contact(p) >= 0 && elastic) return false; // its stiffness follows the contact's force
      if (s(p.surface) != 0.0 || (p.velocity.s.array() * s.array() != 0.0).any()) return false;
      if (r.modes.friction[i].free || !p.traits.sticks) continue;
      if (!r.modes.friction[i].sticks()) return false;
      if (!elastic) rigid.push_back(&p.velocity.x);
    }
    return true;
  }

  // Directions in which something can still move.
  Matrix free_directions(const List<const Vector*>& rigid) const {
    const List<Constraint>& tied = sys.constraints.all;
    if (rigid.empty() && tied.empty()) return Matrix::Identity(n, n);
    Matrix W(rigid.size() + tied.size(), n);
    for (Index k = 0; k < rigid.size(); ++k) W.row(k) = rigid[k]->segment(n, n).transpose();
    for (Index k = 0; k < tied.size(); ++k) W.row(rigid.size() + k) = tied[k].row.transpose();
    const linalg::Svd svd(W);
    return svd.V.rightCols(n - svd.rank(tolerance::rank));
  }

  Vector guards(const Vector& at, double time) {
    Vector g(r.guards.size());
    evaluate(sys, r, time, at.data(), s.data(), xdot.data(), force.data(), w);
    guard_values(sys, r, time, at.data(), s.data(), force.data(), g.data(), w);
    return g;
  }

  // Every guard stays below zero, however far (`reach`, empty: not at all) the motion can lift it.
  bool holds(const Vector& reach) {
    for (double time : {t, fully_aged}) {
      const Vector g = guards(x, time);
      for (Index k = 0; k < g.size(); ++k) {
        const GuardKind kind = r.guards[k].kind;
        if (kind == GuardKind::load_corner) continue; // x does not move where a load force depends on it
        if (reach.size() == 0 ? g(k) > 0.0 : !(g(k) + reach(k) < 0.0)) return false;
      }
    }
    return true;
  }

  bool swings(const Matrix& free) {
    for (const Friction& p : sys.friction)
      if (!p.traits.sticks || p.load_per_force != 0.0 || !p.load_parts.empty()) return false;
    if (!symmetric(sys.stiffness) || !symmetric(sys.damping)) return false;
    if (linalg::symmetric_eigenvalues(sys.damping)(0) <
        -tolerance::product * sys.damping.cwiseAbs().maxCoeff())
      return false;
    Matrix K = sys.stiffness;
    Vector f = sys.mass * (sys.S * s).segment(n, n) - sys.stiffness * x.head(n);
    for (const Friction& p : sys.friction) {
      if (p.surface_travel < 0) continue;
      const Vector direction = p.velocity.x.segment(n, n);
      const double k = presliding_stiffness(p, s(p.load));
      K += k * direction * direction.transpose();
      f -= k * x(p.surface_travel) * direction;
    }
    const Matrix Kz = free.transpose() * K * free, Mz = free.transpose() * sys.mass * free;
    const linalg::Cholesky stiff(Kz), heavy(Mz);
    const Vector rates = linalg::symmetric_eigenvalues(Kz);
    if (!stiff.definite || rates(0) < tolerance::rounding * rates(rates.size() - 1)) return false;
    const Vector to_rest = stiff.solve(free.transpose() * f), speed = free.transpose() * x.segment(n, n);
    const double twice_energy = speed.dot(Mz * speed) + to_rest.dot(Kz * to_rest);
    auto displace = [&](Vector& at, const Vector& by) {
      const Vector dq = free * by;
      at.head(n) += dq;
      for (const Friction& p : sys.friction)
        if (p.surface_travel >= 0) at(p.surface_travel) += p.velocity.x.segment(n, n).dot(dq);
    };
    displace(x, to_rest);
    x.segment(n, n).setZero();
    // The guards are linear in the motion, so differences are their gradients.
    const Index m = free.cols(), ng = r.guards.size();
    const Vector g0 = guards(x, t);
    Matrix a(ng, m), b(ng, m);
    for (Index j = 0; j < m; ++j) {
      Vector at = x;
      displace(at, Vector::Unit(m, j));
      a.col(j) = guards(at, t) - g0;
      at = x;
      at.segment(n, n) += free.col(j);
      b.col(j) = guards(at, t) - g0;
    }
    // Greatest value of each form on the ellipsoid of this energy.
    const Matrix far = stiff.solve(a.transpose()).transpose(), fast = heavy.solve(b.transpose()).transpose();
    const Vector reach =
        (twice_energy * (a.cwiseProduct(far) + b.cwiseProduct(fast)).rowwise().sum()).cwiseSqrt();
    return holds(reach);
  }
};

} // namespace

bool sticks_permanently(const System& sys, const Regime& regime, double t, const double* x) {
  for (const Index i : regime.sticking) // a lagged force changes by itself
    if (held_by_lag(sys.friction[i], regime.modes, i) != 0) return false;
  if (!sys.springs.empty()) return false; // energy stored in springs is not considered here
  return Rest(sys, regime, t, x).certain();
}

std::string note_of_rest(const System& sys, const Regime& r, double t, const double* x) {
  if (!sticks_permanently(sys, r, t, x)) return {};
  const auto np = sys.friction.size();
  Vector s(sys.ns()), xdot = Vector::Zero(sys.nx), force(np + sys.contacts.size());
  Scratch w(sys);
  signal_values(sys, t, s.data());
  evaluate(sys, r, t, x, s.data(), xdot.data(), force.data(), w);
  share_forces(sys, r, t, x, s.data(), force.data(), w);
  Index sticking = 0, nearest = 0;
  double greatest = -1.0; // share of the friction limit that an element holds
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const Friction& p = sys.friction[i];
    if (!p.traits.sticks || r.modes.friction[i].free) continue;
    const double F = force(i);
    const Interval limits =
        stick_limits(sys, p, r.modes.friction[i].load_stretch, t, x, s.data(), force.data());
    const double limit = F < 0.0 ? limits.lo : limits.hi, share = F == 0.0 ? 0.0 : F / limit;
    ++sticking;
    if (share > greatest) greatest = share, nearest = i;
  }
  if (sticking == 0) return "the machine rests permanently";
  std::ostringstream text;
  text.precision(3);
  const std::string& name = sys.friction[nearest].name;
  if (sticking == 1)
    text << "'" << name << "' sticks permanently at " << 100.0 * greatest << " % of its friction limit";
  else
    text << sticking << " friction elements stick permanently, '" << name
         << "' nearest to its friction limit at " << 100.0 * greatest << " %";
  return text.str();
}

} // namespace stickslip
