// From a combination of modes to what it means, once; and the store of these.
#include "dynamics/regime.hpp"

#include "core/linalg.hpp"
#include "dynamics/place_force.hpp"
#include "dynamics/regime_parts.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

// Is the force of this unstuck place linear and homogeneous in (x, s)?
bool is_affine(const System& sys, const Place& p, const FrictionMode& now) {
  const Signal& load = sys.signals[static_cast<std::size_t>(p.load)];
  const bool constant_load = is_constant(load) && p.load_per_force == 0.0;
  // k s with a given k, up to a given limit; on a contact the product of s and the contact's force
  if (now.sticks()) return constant_load && p.aged < 0 && loading_contact(p) < 0;
  if (p.contact >= 0 && p.lagged >= 0) return false;
  return p.traits.affine; // a peak raised by a dwell is nothing to a level that does not fall with the speed
}

void constrain(const System& sys, Regime& r) {
  const Index ns = static_cast<Index>(r.stuck.size()), nk = ns + static_cast<Index>(r.closed.size());
  const Index nu = static_cast<Index>(r.unstuck.size());
  r.E.resize(sys.nx, nu);
  for (Index k = 0; k < nu; ++k)
    r.E.col(k) = sys.places[static_cast<std::size_t>(r.unstuck[static_cast<std::size_t>(k)])].effect;
  r.A = r.linear->A;
  r.S = r.linear->S;
  if (nk == 0) return;
  Matrix R(nk, sys.nx), Rs(nk, sys.ns()), U(sys.nx, nk);
  Vector limit(nk);
  bool contact_friction = false;
  for (Index k = ns; k < nk; ++k) {
    // Forces that act along the constraint enter like friction does, opposing it: the sign is turned back
    // below.
    const Contact& c = sys.contacts[static_cast<std::size_t>(r.closed[static_cast<std::size_t>(k - ns)])];
    R.row(k) = c.rate.x.transpose();
    Rs.row(k) = c.acceleration_s.transpose();
    U.col(k) = -c.effect;
    limit(k) = 1.0;
  }
  for (Index k = 0; k < ns; ++k) {
    const Place& p = sys.places[static_cast<std::size_t>(r.stuck[static_cast<std::size_t>(k)])];
    contact_friction = contact_friction || loading_contact(p) >= 0;
    R.row(k) = p.velocity.x.transpose();
    Rs.row(k) = p.acceleration_s.transpose();
    U.col(k) = p.effect;
    limit(k) = std::max(
        p.break_away * std::max(value(sys.signals[static_cast<std::size_t>(p.load)], 0.0), 0.0), 1e-300);
  }
  const Matrix G = -R * U; // G f = acceleration that the stuck forces must take away
  const Vector d = G.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
  const Matrix scaled = d.asDiagonal() * G * d.asDiagonal();
  const linalg::Svd svd(scaled);
  const Index rank = svd.rank(1e-10);
  Matrix H(nk, nk);
  if (rank == nk) {
    H = nk == 1 ? Matrix::Constant(1, 1, 1.0 / G(0, 0)) : linalg::inverse(G);
  } else {
    // Forces without effect. Limits bound what stuck places can share, where the normal forces that set them
    // are unique; else places are watched one by one.
    const Matrix idle = d.asDiagonal() * svd.V.rightCols(nk - rank);
    for (Index k = ns; k < nk; ++k)
      if (idle.row(k).cwiseAbs().maxCoeff() > 1e-9 * idle.cwiseAbs().maxCoeff()) r.leaning.push_back(k - ns);
    r.shared = ns > 0;
    for (const Place& p : sys.places) // what a leaning contact loads has no unique limit
      for (const Index k : r.leaning)
        r.shared = r.shared && loading_contact(p) != r.closed[static_cast<std::size_t>(k)];
    if (!r.shared) r.leaning.clear();
    Vector root = nk == ns && !contact_friction ? Vector((limit / limit.maxCoeff()).cwiseSqrt())
                                                : Vector(Vector::Ones(nk));
    // Where contacts by themselves keep a place from moving (a block in a corner), they carry it: its friction is
    // left with next to nothing, and does not break away before one of them opens.
    if (!r.shared && nk > ns) {
      const linalg::Svd normals(R.bottomRows(nk - ns).transpose());
      const Matrix carrying = normals.U.leftCols(normals.rank(1e-10));
      for (Index k = 0; k < ns; ++k) {
        const Vector row = R.row(k).transpose();
        const Vector left = row - carrying * (carrying.transpose() * row);
        if (left.norm() > 1e-9 * row.norm()) continue;
        r.carried.push_back(r.stuck[static_cast<std::size_t>(k)]);
        root(k) = 1e-5;
      }
    }
    H = root.asDiagonal() * linalg::pseudo_inverse(d.asDiagonal() * G * root.asDiagonal(), 1e-10) *
        d.asDiagonal();
    if (r.shared) {
      const auto nl = static_cast<Index>(r.leaning.size());
      const Matrix all = svd.U.leftCols(rank).transpose() * d.asDiagonal() * G;
      Matrix W(rank, ns + nl), shifts(nl + ns, nk - rank);
      W.leftCols(ns) = all.leftCols(ns);
      shifts.bottomRows(ns) = idle.topRows(ns);
      for (Index k = 0; k < nl; ++k) {
        const Index row = ns + r.leaning[static_cast<std::size_t>(k)];
        W.col(ns + k) = all.col(row);
        shifts.row(k) = -idle.row(row);
      }
      r.spare = linalg::orthonormal(shifts);
      if (nk == ns) {
        find_facets(W, r);
      } else {
        const linalg::Svd rows(W);
        find_facets(rows.U.leftCols(rows.rank(1e-10)).transpose() * W, r);
      }
    }
  }
  r.Lx = H * R * r.linear->A;
  r.Ls = H * (R * r.linear->S + Rs);
  r.LF = H * R * r.E;
  r.A += U * r.Lx;
  r.S += U * r.Ls;
  r.E += U * r.LF;
  r.Lx.bottomRows(nk - ns) *= -1.0;
  r.Ls.bottomRows(nk - ns) *= -1.0;
  r.LF.bottomRows(nk - ns) *= -1.0;
  // The constrained velocities themselves stay put to the last bit where one coordinate carries one
  // constraint. (Surfaces that move apart cannot be followed both; such a candidate is dropped before it
  // runs.)
  const Matrix left = R * r.S + Rs;
  const bool together = left.cwiseAbs().maxCoeff() <=
                        1e-9 * (Rs.cwiseAbs().maxCoeff() + (R.cwiseAbs() * sys.S.cwiseAbs()).maxCoeff());
  for (Index k = 0; k < nk; ++k) {
    Index only = -1, count = 0;
    for (Index j = 0; j < sys.nx; ++j)
      if (R(k, j) != 0.0) only = j, ++count;
    if (count == 1 && together) {
      r.A.row(only).setZero();
      r.E.row(only).setZero();
      r.S.row(only) = -Rs.row(k) / R(k, only);
    }
  }
}

} // namespace

// An affine regime is linear and homogeneous in (x, s), so its matrices are what evaluate() makes of unit
// vectors.
static void probe(const System& sys, Regime& r) {
  const Index nx = sys.nx, ns = sys.ns(), ng = static_cast<Index>(r.guards.size());
  Scratch w(sys);
  Vector x = Vector::Zero(nx), s = Vector::Zero(ns), xdot(nx), force = w.force, g(std::max<Index>(ng, 1));
  // Stiffness of presliding and the like multiply a given load, which therefore stays at its value while x is
  // probed.
  Vector given = Vector::Zero(ns);
  bool needs_load = false;
  for (Index i : r.unstuck)
    if (r.modes.friction[i].sticks()) {
      const Index load = sys.places[static_cast<std::size_t>(i)].load;
      given(load) = value(sys.signals[static_cast<std::size_t>(load)], 0.0);
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
  for (std::size_t i = 0; i < sys.places.size(); ++i) {
    const Place& p = sys.places[i];
    const FrictionMode& now = modes.friction[i];
    if (now.open()) continue;
    const bool held = now.sticks() && p.traits.sticks && p.surface_travel < 0;
    if (held) {
      r->stuck.push_back(static_cast<Index>(i));
      // Ageing limits are not linear in time, and internal states at rest may follow the held force.
      if (p.aged >= 0 || p.states >= 0 || held_by_lag(p, modes, i) != 0) r->affine = false;
      if (held_by_lag(p, modes, i) != 0 && p.load_contact >= 0) r->coupled = true;
    } else {
      r->unstuck.push_back(static_cast<Index>(i));
      r->affine = r->affine && is_affine(sys, p, now);
      if (const Index c = loading_contact(p); c >= 0)
        r->coupled = r->coupled || modes.contact[static_cast<std::size_t>(c)] == Mode::closed;
    }
  }
  for (std::size_t j = 0; j < sys.contacts.size(); ++j)
    if (modes.contact[j] == Mode::closed) r->closed.push_back(static_cast<Index>(j));
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
    it = regimes.emplace(modes, build(sys, modes, linear(sys, modes.limit))).first;
  }
  last = it->second.get();
  return *last;
}

} // namespace stickslip
