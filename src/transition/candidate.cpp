#include "transition/candidate.hpp"

#include "contact/share.hpp"
#include "core/budget.hpp"
#include "core/error.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace stickslip::contact {

namespace {

constexpr double no_zero = 1e-300; // keeps roots of the diagonal positive

// Pivots of the scaled equations below this are zero: of k unknowns those without effect then have singular values below
// 1e-11 k.
constexpr double singular = tolerance::residual;

const Line& slip_line(const Element& element, Mode mode, Slip slip) {
  if (slip != Slip::impending) return mode == Mode::slip_forward ? element.plus : element.minus;
  return mode == Mode::slip_forward ? element.high : element.low;
}

struct Equations {
  const Problem& p;
  const List<Mode>& modes;
  const List<Slip>& slip;
  CandidateWorkspace& ws;

  double g(Index i, Index j) const { return p.G(i, j); }

  bool unknown(Index i) const {
    const Mode m = modes[i];
    return m == Mode::closed || m == Mode::stick;
  }

  bool slips(Index s) const {
    const Mode m = modes[p.contacts + s];
    return m == Mode::slip_forward || m == Mode::slip_backward;
  }

  // Acceleration i per unit of the unknown force j and of the sliding friction that it loads.
  double effect(Index i, Index j) const {
    if (j >= p.contacts) return -g(i, j);
    double sum = g(i, j);
    for (Index s = 0; s < p.elements.size(); ++s)
      if (p.elements[s].contact == j && slips(s))
        sum -= g(i, p.contacts + s) * slip_line(p.elements[s], modes[p.contacts + s], slip[s]).b;
    return sum;
  }

  // Scaled by the roots of the diagonal, so that units of the directions drop out: root_i root_j A_ij x'_j =
  // -root_i c_i.
  void build() {
    const Index n = p.size();
    ws.root.resize(n);
    ws.unknown.clear();
    for (Index i = 0; i < n; ++i) {
      ws.root[i] = g(i, i) > 0.0 ? 1.0 / std::sqrt(g(i, i)) : 1.0;
      if (unknown(i)) ws.unknown.push_back(i);
    }
    const Index k = ws.unknown.size();
    double* const matrix = ws.factors.start(k);
    ws.rhs.resize(k), ws.x.resize(k);
    for (Index r = 0; r < k; ++r) {
      const Index i = ws.unknown[r];
      double constant = p.free(i);
      for (Index s = 0; s < p.elements.size(); ++s)
        if (slips(s))
          constant -= g(i, p.contacts + s) * slip_line(p.elements[s], modes[p.contacts + s], slip[s]).a;
      ws.rhs[r] = -constant * ws.root[i];
      for (Index c = 0; c < k; ++c)
        matrix[r * k + c] = effect(i, ws.unknown[c]) * (ws.root[i] * ws.root[ws.unknown[c]]);
    }
  }

  // The holding forces solve A x = -c, where each row is known to the rounding error of its own terms. The error of x is
  // then |A^-1| times those of the rows, and it reaches every acceleration through the effects of x.
  void pass_on_sizes(Candidate& out) {
    const Index n = p.size(), k = ws.unknown.size();
    out.size = ws.scale;
    ws.spread.assign(k, 0.0);
    for (Index r = 0; r < k; ++r) {
      const Index i = ws.unknown[r];
      if (!out.unique) {
        ws.spread[r] = g(i, i) > 0.0 ? ws.scale[i] / g(i, i) : std::abs(out.force[i]);
        continue;
      }
      ws.rhs.assign(k, 0.0);
      ws.rhs[r] = ws.root[i] * ws.scale[i];
      ws.factors.solve(ws.rhs.data(), ws.x.data());
      for (Index c = 0; c < k; ++c) ws.spread[c] += std::abs(ws.x[c]) * ws.root[ws.unknown[c]];
    }
    for (Index c = 0; c < k; ++c)
      for (Index i = 0; i < n; ++i) out.size[i] += std::abs(effect(i, ws.unknown[c])) * ws.spread[c];
    for (Index c = 0; c < k; ++c) out.size[ws.unknown[c]] = ws.spread[c];
  }

  bool loads_friction() const {
    for (Index s = 0; s < p.elements.size(); ++s)
      if (const Index c = p.elements[s].contact; c >= 0 && modes[p.contacts + s] != Mode::open && unknown(c))
        return true;
    return false;
  }

  // Effects of the normal forces of closed contacts, in units of the directions.
  Matrix normal_effects(Index normals) const {
    Matrix effects(p.size(), normals);
    for (Index i = 0; i < p.size(); ++i)
      for (Index k = 0; k < normals; ++k)
        effects(i, k) = ws.root[i] * g(i, ws.unknown[k]) * ws.root[ws.unknown[k]];
    return effects;
  }

  // Consistent but indeterminate forces: distributes them by the stated rule.
  bool share_forces(Candidate& out) {
    if (ws.shares == Shares::none) return false;
    const auto k = ws.unknown.size();
    const Eigen::Map<const Vector> b(ws.rhs.data(), k);
    Matrix Z;
    ws.factors.left_null(Z);
    linalg::orthonormalise(Z);
    double known =
        tolerance::matrix_zero * b.cwiseAbs().maxCoeff(); // but not below the rounding error of its terms
    for (const Index i : ws.unknown)
      known = std::max(known, tolerance::residual * ws.root[i] * p.free_scale(i));
    if ((Z.transpose() * b).cwiseAbs().maxCoeff() > known) return false;
    ws.factors.solve(ws.rhs.data(), ws.x.data());
    ws.factors.null(Z);
    Vector x0 = Eigen::Map<const Vector>(ws.x.data(), k);
    for (Index i = 0; i < k; ++i) x0(i) *= ws.root[ws.unknown[i]], Z.row(i) *= ws.root[ws.unknown[i]];
    linalg::orthonormalise(Z);
    Index normals = 0;
    while (normals < k && ws.unknown[normals] < p.contacts) ++normals;
    const bool by_loads = loads_shift(Z.topRows(normals));
    if (ws.shares == Shares::friction && by_loads) return false;
    ForceLimits l;
    const Index sticking = k - normals;
    l.low_a.resize(sticking), l.low_b.setZero(sticking), l.high_a.resize(sticking),
        l.high_b.setZero(sticking);
    for (Index i = 0; i < sticking; ++i) {
      const Element& element = p.elements[ws.unknown[normals + i] - p.contacts];
      Index load = -1;
      for (Index c = 0; c < normals; ++c)
        if (ws.unknown[c] == element.contact) load = c;
      l.load.push_back(load);
      l.low_a(i) = element.low.a, l.high_a(i) = element.high.a;
      if (load >= 0) l.low_b(i) = element.low.b, l.high_b(i) = element.high.b;
    }
    if (by_loads && loads_friction()) l.effects = normal_effects(normals);
    Vector x;
    if (!share(x0, Z, normals, l, x)) return false;
    for (Index i = 0; i < k; ++i) ws.x[i] = x(i);
    out.unique = false;
    return true;
  }
};

} // namespace

void validate(const Problem& p) {
  const Index n = p.size();
  if (p.G.rows() != n || p.G.cols() != n)
    reject("G", "has shape (" + std::to_string(p.G.rows()) + ", " + std::to_string(p.G.cols()) +
                    "): it must be (" + std::to_string(n) + ", " + std::to_string(n) + ")");
  if (p.free.size() != n) reject("free", "must have length " + std::to_string(n));
  if (!p.G.allFinite()) reject("G", "must have finite entries only");
  if (!p.free.allFinite()) reject("free", "must have finite entries only");
  for (const Element& s : p.elements) {
    if (s.contact < -1 || s.contact >= p.contacts)
      reject("contact", static_cast<double>(s.contact), "-1 or the index of a contact");
    if (!(s.low.a <= s.high.a && s.low.b <= s.high.b)) reject("friction", "must have low <= high");
    if (s.state != Mode::stick && s.state != Mode::slip_forward && s.state != Mode::slip_backward)
      reject("state", "of a friction element must be stick, slip+ or slip-");
  }
}

namespace {

// Forces and accelerations of one mode set, and in `ws.scale` the size of the terms of each acceleration; false if its
// equations are inconsistent.
bool solve_equations(const Problem& p, const List<Mode>& modes, const List<Slip>& slip,
                     CandidateWorkspace& ws, Candidate& out) {
  const Index n = p.size();
  Equations e{p, modes, slip, ws};
  e.build();
  const Index k = ws.unknown.size();
  Budget::spend(n * n);
  out.unique = true;
  ws.factors.factor(k, singular);
  if (ws.factors.rank() == k) {
    ws.factors.solve(ws.rhs.data(), ws.x.data());
    for (Index c = 0; c < k; ++c) ws.x[c] *= ws.root[ws.unknown[c]];
  } else if (!e.share_forces(out)) {
    return false;
  }
  out.modes = modes;
  out.force.assign(n, 0.0);
  out.acceleration.resize(n);
  out.touching.assign(n, 0);
  ws.scale.resize(n);
  for (Index c = 0; c < k; ++c) out.force[ws.unknown[c]] = ws.x[c];
  for (Index s = 0; s < p.elements.size(); ++s) {
    if (!e.slips(s)) continue;
    const Index row = p.contacts + s, c = p.elements[s].contact;
    out.force[row] = slip_line(p.elements[s], modes[row], slip[s]).at(c < 0 ? 0.0 : out.force[c]);
  }
  out.constraint = 0.0;
  for (Index i = 0; i < n; ++i) {
    const Row row = acceleration_row(p, i, out.force);
    out.constraint += 0.5 * (i < p.contacts ? out.force[i] : -out.force[i]) * row.sum;
    out.acceleration[i] = e.unknown(i) ? 0.0 : row.sum + p.free(i);
    ws.scale[i] = row.scale;
  }
  e.pass_on_sizes(out);
  return true;
}

// Margin of a component's inequality: a force above zero or within [low, high], or an acceleration in the right
// direction. `none` for a component without one.
struct Margin {
  double below = 0.0, above = std::numeric_limits<double>::infinity();
  double low = 0.0, high = 0.0; // of a force at rest
  bool none = false;
  double least() const { return std::min(below, above); }
};

Margin margin_of(const Problem& p, const Candidate& c, const List<Slip>& slip, Index i) {
  const double f = c.force[i], a = c.acceleration[i];
  Margin m;
  switch (c.modes[i]) {
  case Mode::closed:
    m.below = f;
    return m;
  case Mode::stick: {
    const Element& element = p.elements[i - p.contacts];
    const double load = element.contact < 0 ? 0.0 : c.force[element.contact];
    m.low = element.low.at(load), m.high = element.high.at(load);
    m.below = f - m.low, m.above = m.high - f;
    return m;
  }
  case Mode::open:
    m.below = a, m.none = i >= p.contacts;
    return m;
  case Mode::slip_forward:
  case Mode::slip_backward:
    m.below = c.modes[i] == Mode::slip_forward ? a : -a;
    m.none = slip[i - p.contacts] == Slip::sliding;
    return m;
  case Mode::free:
  case Mode::high:
  case Mode::low:
  case Mode::locked: // not a mode of these components
    break;
  }
  m.none = true;
  return m;
}

} // namespace

Row acceleration_row(const Problem& p, Index i, const List<double>& force) {
  Row row{0.0, p.free_scale(i)};
  for (Index j = 0; j < p.size(); ++j) {
    const double f = force[j], term = p.G(i, j) * (j < p.contacts ? f : -f);
    row.sum += term;
    row.scale += std::abs(term);
  }
  return row;
}

bool append_margins(const Problem& p, const List<Mode>& modes, const List<Slip>& slip, CandidateWorkspace& ws,
                    Candidate& room, List<double>& out) {
  if (!solve_equations(p, modes, slip, ws, room) || !room.unique) return false;
  for (Index i = 0; i < p.size(); ++i) {
    const Margin m = margin_of(p, room, slip, i);
    if (m.none) continue;
    out.push_back(m.below);
    if (std::isfinite(m.above)) out.push_back(m.above);
  }
  return true;
}

bool solve_modes(const Problem& p, const List<Mode>& modes, const List<Slip>& slip,
                 const List<Allowed>& allowed, CandidateWorkspace& ws, Candidate& out) {
  if (!solve_equations(p, modes, slip, ws, out)) return false;
  const Index n = p.size();
  out.utilisation = 0.0;
  // The inequalities. Forces are compared with the terms of their own row, as forces.
  const double rounding = solution_rounding(n);
  for (Index i = 0; i < n; ++i) {
    const Margin of = margin_of(p, out, slip, i);
    if (of.none) continue;
    const double exact = at_guard(p, allowed[i]) || !out.unique ? tolerance::event_zero : rounding;
    double margin = of.least(), zero = exact * out.size[i];
    if (modes[i] == Mode::stick) {
      const double f = out.force[i], limit = f >= 0.0 ? of.high : -of.low;
      zero = std::max(zero, exact * std::max(std::abs(of.high), std::abs(of.low)));
      if (f != 0.0) out.utilisation = std::max(out.utilisation, limit > 0.0 ? std::abs(f) / limit : 1.0);
      if (!out.unique) margin = std::max(margin, -zero); // already checked by share()
    }
    if (!(margin >= -zero)) return false; // also rejects NaN
    if (margin > zero) continue;
    out.touching[i] = 1;
    if (modes[i] == Mode::closed)
      out.force[i] = std::max(out.force[i], 0.0);
    else if (modes[i] != Mode::stick)
      out.acceleration[i] = 0.0;
  }
  return true;
}

namespace {

bool close(const List<double>& a, const List<double>& b, const Problem& p, bool forces) {
  double top = 0.0;
  for (Index i = 0; i < a.size(); ++i) {
    const double root = std::sqrt(std::max(p.G(i, i), no_zero));
    const double unit = forces ? root : 1.0 / root;
    top = std::max(top, unit * std::max(std::abs(a[i]), std::abs(b[i])));
    if (!forces) top = std::max(top, unit * std::abs(p.free(i)));
  }
  for (Index i = 0; i < a.size(); ++i) {
    const double root = std::sqrt(std::max(p.G(i, i), no_zero));
    if ((forces ? root : 1.0 / root) * std::abs(a[i] - b[i]) > tolerance::located * top) return false;
  }
  return true;
}

} // namespace

bool same_motion(const Problem& p, const Candidate& a, const Candidate& b) {
  return close(a.acceleration, b.acceleration, p, false);
}

bool same_forces(const Problem& p, const Candidate& a, const Candidate& b) {
  return close(a.force, b.force, p, true);
}

bool same_solution(const Problem& p, const Candidate& a, const Candidate& b) {
  const auto fence = [](const Candidate& c) {
    return !c.unique || std::find(c.touching.begin(), c.touching.end(), std::uint8_t{1}) != c.touching.end();
  };
  return (fence(a) || fence(b)) && same_motion(p, a, b) && same_forces(p, a, b);
}

} // namespace stickslip::contact
