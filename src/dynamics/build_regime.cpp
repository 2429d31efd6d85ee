// From a combination of modes to what it means, once; and the store of these.
#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "dynamics/friction_force.hpp"
#include "dynamics/regime.hpp"
#include "dynamics/regime_parts.hpp"

#include <algorithm>
#include <limits>

namespace stickslip {

namespace {

// Is the force of this sliding element linear and homogeneous in (x, s)?
bool is_affine(const System& sys, const Friction& p, const FrictionMode& now) {
  const Signal& load = sys.signals[p.load];
  const bool constant_load = is_constant(load) && p.load_per_force == 0.0;
  // k s with a given k, up to a given limit; on a contact the product of s and the contact's force
  if (now.sticks()) return constant_load && p.aged < 0 && loading_contact(p) < 0;
  if (p.contact >= 0 && p.lagged >= 0) return false;
  return p.traits.affine; // a peak raised by a dwell is nothing to a level that does not fall with the speed
}

// What rests and what touches: R x' + Rs s = 0 by forces f along -U. Friction first, then normal forces, which act
// along their constraint: they enter like friction does, opposing it, and get their sign back at the end.
struct Constraints {
  Index friction = 0, count = 0;
  Matrix R, Rs, U;
  Vector limit;                  // size of each force, for sharing
  bool contact_friction = false; // some limit follows a normal force

  Constraints(const System& sys, const Regime& r)
      : friction(r.sticking.size()), count(r.sticking.size() + r.closed.size()), R(count, sys.nx),
        Rs(count, sys.ns()), U(sys.nx, count), limit(Vector::Ones(count)) {
    for (Index k = 0; k < friction; ++k) {
      const Friction& p = sys.friction[r.sticking[k]];
      contact_friction = contact_friction || loading_contact(p) >= 0;
      R.row(k) = p.velocity.x.transpose();
      Rs.row(k) = p.acceleration_s.transpose();
      U.col(k) = p.effect;
      limit(k) = std::max(p.break_away * value(sys.signals[p.load], 0.0), std::numeric_limits<double>::min());
    }
    for (Index k = friction; k < count; ++k) {
      const Contact& c = sys.contacts[r.closed[k - friction]];
      R.row(k) = c.rate.x.transpose();
      Rs.row(k) = c.acceleration_s.transpose();
      U.col(k) = -c.effect;
    }
  }
};

// Where contacts by themselves keep an element from moving (a block in a corner), its constraint is redundant: its
// friction is left with next to nothing, and does not break away before one of them lifts off.
void find_redundant(const Constraints& c, Regime& r, Vector& root) {
  const Index normals = c.count - c.friction;
  if (r.shared || normals == 0) return;
  constexpr double next_to_nothing = 1e-5;
  const linalg::Svd svd(c.R.bottomRows(normals).transpose());
  const Matrix prevented = svd.U.leftCols(svd.rank(tolerance::rank));
  for (Index k = 0; k < c.friction; ++k) {
    const Vector row = c.R.row(k).transpose();
    const Vector left = row - prevented * (prevented.transpose() * row);
    if (left.norm() > tolerance::entry * row.norm()) continue;
    r.redundant.push_back(r.sticking[k]);
    root(k) = next_to_nothing;
  }
}

// The set of forces that can be shared: what shifts between them, and its facets.
void share(const Constraints& c, const Matrix& effects, const Matrix& idle, Regime& r) {
  const Index ns = c.friction, nl = r.indeterminate_contacts.size();
  Matrix W(effects.rows(), ns + nl), shifts(nl + ns, idle.cols());
  W.leftCols(ns) = effects.leftCols(ns);
  shifts.bottomRows(ns) = idle.topRows(ns);
  for (Index k = 0; k < nl; ++k) {
    const Index row = ns + r.indeterminate_contacts[k];
    W.col(ns + k) = effects.col(row);
    shifts.row(k) = -idle.row(row);
  }
  r.indeterminate_forces = linalg::orthonormal(shifts);
  if (c.count == ns) return find_facets(W, r);
  const linalg::Svd rows(W);
  find_facets(rows.U.leftCols(rows.rank(tolerance::rank)).transpose() * W, r);
}

// H with f = H (acceleration that the forces must take away). Where forces without effect exist: of least norm in
// units of their limits.
Matrix constraint_inverse(const System& sys, const Constraints& c, Regime& r) {
  const Matrix G = -c.R * c.U;
  if (c.count == 1 && G(0, 0) != 0.0) return G.cwiseInverse();
  const Vector d = G.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
  const linalg::Svd svd(d.asDiagonal() * G * d.asDiagonal());
  const Index rank = svd.rank(tolerance::rank);
  if (rank == c.count) return linalg::inverse(G);
  // Limits bound what elements at rest can share, where the normal forces that set them are unique; else elements
  // are watched one by one.
  const Matrix idle = d.asDiagonal() * svd.V.rightCols(c.count - rank);
  for (Index k = c.friction; k < c.count; ++k)
    if (idle.row(k).cwiseAbs().maxCoeff() > tolerance::entry * idle.cwiseAbs().maxCoeff())
      r.indeterminate_contacts.push_back(k - c.friction);
  r.shared = c.friction > 0;
  for (const Friction& p : sys.friction) // what an indeterminate contact loads has no unique limit
    for (const Index k : r.indeterminate_contacts) r.shared = r.shared && loading_contact(p) != r.closed[k];
  if (!r.shared) r.indeterminate_contacts.clear();
  Vector root = Vector::Ones(c.count);
  if (c.count == c.friction && !c.contact_friction) root = (c.limit / c.limit.maxCoeff()).cwiseSqrt();
  find_redundant(c, r, root);
  if (r.shared) share(c, svd.U.leftCols(rank).transpose() * d.asDiagonal() * G, idle, r);
  return root.asDiagonal() * linalg::pseudo_inverse(d.asDiagonal() * G * root.asDiagonal(), tolerance::rank) *
         d.asDiagonal();
}

// The constrained velocities themselves stay put to the last bit where one coordinate carries one constraint.
// (Surfaces that move apart cannot be followed both; such a candidate is dropped before it runs.)
void hold_still(const System& sys, const Constraints& c, Regime& r) {
  const double apart = (c.R * r.S + c.Rs).cwiseAbs().maxCoeff();
  const double size = c.Rs.cwiseAbs().maxCoeff() + (c.R.cwiseAbs() * sys.S.cwiseAbs()).maxCoeff();
  if (!(apart <= tolerance::entry * size)) return;
  for (Index k = 0; k < c.count; ++k) {
    Index only = -1, count = 0;
    for (Index j = 0; j < sys.nx; ++j)
      if (c.R(k, j) != 0.0) only = j, ++count;
    if (count != 1) continue;
    r.A.row(only).setZero();
    r.E.row(only).setZero();
    r.S.row(only) = -c.Rs.row(k) / c.R(k, only);
  }
}

// x' and the forces that hold, with all constraints solved away.
void constrain(const System& sys, Regime& r) {
  r.E.resize(sys.nx, r.sliding.size());
  for (Index k = 0; k < r.sliding.size(); ++k) r.E.col(k) = sys.friction[r.sliding[k]].effect;
  r.A = r.linear->A;
  r.S = r.linear->S;
  const Constraints c(sys, r);
  if (c.count == 0) return;
  const Matrix H = constraint_inverse(sys, c, r);
  r.Lx = H * c.R * r.linear->A;
  r.Ls = H * (c.R * r.linear->S + c.Rs);
  r.LF = H * c.R * r.E;
  r.A += c.U * r.Lx;
  r.S += c.U * r.Ls;
  r.E += c.U * r.LF;
  const Index normals = c.count - c.friction;
  for (Matrix* rows : {&r.Lx, &r.Ls, &r.LF}) rows->bottomRows(normals) *= -1.0;
  hold_still(sys, c, r);
}

} // namespace

// An affine regime is linear and homogeneous in (x, s), so its matrices are what evaluate() makes of unit
// vectors.
static void probe(const System& sys, Regime& r) {
  const Index nx = sys.nx, ns = sys.ns(), ng = r.guards.size();
  Scratch w(sys);
  Vector x = Vector::Zero(nx), s = Vector::Zero(ns), xdot(nx), force = w.force, g(std::max<Index>(ng, 1));
  // Stiffness of presliding and the like multiply a given load, which therefore stays at its value while x is
  // probed.
  Vector given = Vector::Zero(ns);
  bool needs_load = false;
  for (Index i : r.sliding)
    if (r.modes.friction[i].sticks()) {
      const Index load = sys.friction[i].load;
      given(load) = value(sys.signals[load], 0.0);
      needs_load = true;
    }
  Vector xdot0 = Vector::Zero(nx), g0 = Vector::Zero(std::max<Index>(ng, 1));
  if (needs_load) {
    evaluate(sys, r, 0.0, x.data(), given.data(), xdot0.data(), force.data(), w);
    guard_values(sys, r, 0.0, x.data(), given.data(), force.data(), g0.data());
  }
  r.Ax.resize(nx, nx);
  r.As.resize(nx, ns);
  r.Gx.resize(ng, nx);
  r.Gs.resize(ng, ns);
  for (Index j = 0; j < nx + ns; ++j) {
    x.setZero();
    s = j < nx ? given : Vector::Zero(ns);
    if (j < nx)
      x(j) = 1.0;
    else
      s(j - nx) = 1.0;
    xdot.setZero();
    evaluate(sys, r, 0.0, x.data(), s.data(), xdot.data(), force.data(), w);
    guard_values(sys, r, 0.0, x.data(), s.data(), force.data(), g.data());
    if (j < nx) {
      r.Ax.col(j) = xdot - xdot0;
      r.Gx.col(j) = (g - g0).head(ng);
    } else {
      r.As.col(j - nx) = xdot;
      r.Gs.col(j - nx) = g.head(ng);
    }
  }
}

static std::unique_ptr<Regime> build(const System& sys, const Modes& modes, const LinearPart& linear) {
  auto r = std::make_unique<Regime>();
  r->modes = modes;
  r->linear = &linear;
  r->affine = true;
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const Friction& p = sys.friction[i];
    const FrictionMode& now = modes.friction[i];
    if (now.open()) continue;
    const bool held = now.sticks() && p.traits.sticks && p.surface_travel < 0;
    if (held) {
      r->sticking.push_back(i);
      // Ageing limits are not linear in time, and internal states at rest may follow the held force.
      if (p.aged >= 0 || p.states >= 0 || held_by_lag(p, modes, i) != 0) r->affine = false;
      if (held_by_lag(p, modes, i) != 0 && p.load_contact >= 0) r->coupled = true;
    } else {
      r->sliding.push_back(i);
      r->affine = r->affine && is_affine(sys, p, now);
      if (const Index c = loading_contact(p); c >= 0)
        r->coupled = r->coupled || modes.contact[c] == Mode::closed;
    }
  }
  for (Index j = 0; j < sys.contacts.size(); ++j)
    if (modes.contact[j] == Mode::closed) r->closed.push_back(j);
  constrain(sys, *r);
  list_guards(sys, *r);
  if (r->affine) probe(sys, *r);
  return r;
}

const LinearPart& RegimeCache::linear(const System& sys, const List<Saturation>& limit) {
  const std::lock_guard<std::recursive_mutex> lock(access);
  auto& part = parts[limit];
  if (!part) part = std::make_unique<LinearPart>(linear_part(sys, limit));
  return *part;
}

const Regime& RegimeCache::get(const System& sys, const Modes& modes) {
  const std::lock_guard<std::recursive_mutex> lock(access);
  if (last && last->modes == modes) return *last;
  auto it = regimes.find(modes);
  if (it == regimes.end()) {
    it = regimes.emplace(modes, build(sys, modes, linear(sys, modes.saturation))).first;
  }
  last = it->second.get();
  return *last;
}

} // namespace stickslip
