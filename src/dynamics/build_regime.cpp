// Builds the regime of a combination of modes once, and keeps these regimes.
#include "contact/share.hpp"
#include "core/budget.hpp"
#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/rank_factors.hpp"
#include "core/small_lu.hpp"
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/friction_force.hpp"
#include "dynamics/regime.hpp"
#include "dynamics/regime_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

// Is the force of this sliding element linear and homogeneous in (x, s)?
bool is_affine(const System& sys, const Friction& p, const FrictionMode& now) {
  const Signal& load = sys.signals[p.load];
  const bool constant_load = is_constant(load) && p.load_per_force == 0.0 && p.load_parts.empty();
  // k s with a given k, up to a given limit; on a contact the product of s and the contact's force
  if (now.force_side() == 0) return constant_load && p.aged < 0 && loading_contact(p) < 0;
  if (now.hold == Hold::leaving && p.aged >= 0) return false;
  if (p.delayed >= 0 || (p.contact >= 0 && p.lagged >= 0)) return false;
  if (p.contact >= 0 && p.traits.affine && // the product of v and the contact's force
      evaluate(p.law, 1.0, 1, 0U, nullptr, nullptr, 1.0).viscous != 0.0)
    return false;
  return p.traits.affine; // a peak raised by a dwell is nothing to a level that does not fall with the speed
}

// Units of forces; 1 where no force has an effect.
Vector units_of(const Matrix& G) {
  return G.diagonal().unaryExpr([](double g) { return g != 0.0 ? 1.0 / std::sqrt(std::abs(g)) : 1.0; });
}

// The scaled matrix D G D with D = diag(d), eliminated.
linalg::RankFactors factors_of(const Matrix& G, const Vector& d, Index most, double zero) {
  linalg::RankFactors of;
  const Index n = G.rows();
  double* const scaled = of.start(n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) scaled[i * n + j] = d(i) * G(i, j) * d(j);
  of.factor(most, zero);
  return of;
}

// Pseudoinverse of G by these factors.
Matrix least_forces(const linalg::RankFactors& of, const Vector& d, Matrix& shifts) {
  const Index n = of.size();
  Matrix left, H(n, n);
  of.left_null(left);
  linalg::orthonormalise(left);
  Vector demand(n);
  for (Index j = 0; j < n; ++j) { // as far as forces can meet it
    demand.noalias() = -left * left.row(j).transpose();
    demand(j) += 1.0;
    of.solve(demand.data(), H.col(j).data());
    H.col(j).array() *= d.array() * d(j);
  }
  of.null(shifts);
  shifts.array().colwise() *= d.array();
  linalg::orthonormalise(shifts);
  H -= shifts * (shifts.transpose() * H);
  return H;
}

// As many as there are by their pivots.
Matrix least_forces(const Matrix& G, Matrix& shifts) {
  const Index n = G.rows();
  Matrix H = Matrix::Zero(n, n);
  shifts.resize(n, 0);
  // Uncoupled groups are inverted separately, so that they do not affect each other bitwise.
  for (const List<Index>& which : linalg::members(linalg::groups(G))) {
    const Matrix own = G(which, which);
    const Vector d = units_of(own);
    const linalg::RankFactors factors = factors_of(own, d, which.size(), tolerance::rank);
    if (factors.rank() == which.size()) {
      H(which, which) = linalg::inverse(own);
      continue;
    }
    Matrix idle;
    H(which, which) = least_forces(factors, d, idle);
    const Index known = shifts.cols();
    shifts.conservativeResize(n, known + idle.cols());
    shifts.rightCols(idle.cols()).setZero();
    shifts(which, Eigen::seqN(known, idle.cols())) = idle;
  }
  return H;
}

// For elements that share a load: of least norm in units of their limits (contact/share.hpp).
void share_by_limits(const Matrix& G, const Matrix& shifts, const Vector& limit, Matrix& H) {
  for (const List<Index>& which : linalg::members(linalg::groups(G))) {
    const Index open = (shifts(which, Eigen::all).cwiseAbs().colwise().maxCoeff().array() > 0.0).count();
    if (open == 0) continue;
    const Matrix own = G(which, which);
    const Vector d = units_of(own), units = contact::units_of_norm(limit(which));
    const linalg::Svd scaled(d.asDiagonal() * own * units.asDiagonal());
    H(which, which) = units.asDiagonal() * scaled.pseudo_inverse(which.size() - open) * d.asDiagonal();
  }
}

bool shifts_normals(const Holding& c, const Matrix& shifts) {
  return contact::loads_shift(shifts.bottomRows(c.count - c.friction));
}

// If rows depend on the motion, the redundancy is determined when the regime is first evaluated.
Matrix turning_inverse(const System& sys, const Matrix& G, const Holding& c, Regime& r) {
  Matrix shifts;
  const Index open = r.modes.open.directions;
  const Matrix H = open > 0 ? stickslip::least_forces(G, open, shifts) : least_forces(G, shifts);
  r.shared = shifts.cols() > 0;
  if (open < 0) {
    r.found = redundancy(sys, r, G, shifts);
  } else if (open > 0) {
    list_turning_limits(sys, shifts, c, r);
    r.indeterminate_forces = shifts_normals(c, shifts) ? Matrix() : Matrix(shifts.topRows(c.friction));
  }
  return H;
}

// The same, listing the shared forces. Where no contact shares them: of least norm in units of the limits.
Matrix constraint_inverse(const System& sys, const Holding& c, Regime& r) {
  const Matrix G = -c.R * c.U;
  if (c.count == 1 && G(0, 0) != 0.0) return G.cwiseInverse();
  if (sys.smooth) return turning_inverse(sys, G, c, r);
  Matrix shifts;
  Matrix H = least_forces(G, shifts);
  if (shifts.cols() == 0) return H;
  r.shared = true;
  if (shifts_normals(c, shifts)) {
    list_limits(sys, shifts, r);
    return H;
  }
  r.indeterminate_forces = shifts.topRows(c.friction);
  const Vector d = units_of(G);
  const Matrix friction = d.asDiagonal() * G.leftCols(c.friction);
  const linalg::Svd rows(friction);
  find_facets(rows.U.leftCols(rows.rank(tolerance::rank)).transpose() * friction, r);
  if (c.count == c.friction && !c.contact_friction) share_by_limits(G, shifts, c.limit, H);
  return H;
}

// If one coordinate carries one constraint, its velocity stays constant bitwise. (It cannot follow two surfaces with
// different motions; such a candidate is dropped before it runs.)
void hold_still(const System& sys, const Holding& c, Regime& r) {
  bool any = false;
  for (Index k = 0; k < c.count; ++k) any = any || only_state(c.R, k) >= 0;
  if (!any) return;
  double apart = 0.0, size = 0.0;
  for (Index k = 0; k < c.count; ++k)
    for (Index j = 0; j < sys.ns(); ++j) {
      apart = std::max(apart, std::abs(c.R.row(k).dot(r.S.col(j)) + c.Rs(k, j)));
      size = std::max(size, c.R.row(k).cwiseAbs().dot(sys.S.col(j).cwiseAbs()));
    }
  if (!(apart <= tolerance::matrix_zero * (size + c.Rs.cwiseAbs().maxCoeff()))) return;
  for (Index k = 0; k < c.count; ++k) {
    const Index only = only_state(c.R, k);
    if (only < 0) continue;
    r.A.row(only).setZero();
    r.E.row(only).setZero();
    r.S.row(only) = -c.Rs.row(k) / c.R(k, only);
  }
}

// An element that stays at its limit then has the margin zero.
void drop_rounding(Matrix& m, const Matrix& terms) {
  linalg::drop_rounding(m, terms, tolerance::rounding);
}

} // namespace

Index only_state(const Matrix& R, Index row) {
  Index only = -1;
  for (Index j = 0; j < R.cols(); ++j) {
    if (R(row, j) == 0.0) continue;
    if (only >= 0) return -1;
    only = j;
  }
  return only;
}

Matrix least_forces(const Matrix& G, Index without_effect, Matrix& shifts) {
  const Vector d = units_of(G);
  const Index rank = G.rows() - without_effect;
  const linalg::RankFactors factors = factors_of(G, d, rank, 0.0);
  Matrix H = least_forces(factors, d, shifts);
  if (factors.rank() < rank) H.setConstant(std::numeric_limits<double>::quiet_NaN());
  return H;
}

void Holding::read(const System& sys, const Regime& r) {
  friction = r.sticking.size();
  count = friction + r.closed.size();
  contact_friction = false;
  R.resize(count, sys.nx);
  Rs.resize(count, sys.ns());
  U.resize(sys.nx, count);
  limit.setOnes(count);
  left.resize(count);
  taken.resize(count);
  free.resize(sys.nx);
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

// By elimination in units in which the diagonal is one; false where a pivot comes near rounding.
bool Holding::invert(double least_pivot) {
  const Index m = count;
  factors.resize(m, m);
  H.resize(m, m);
  unit.resize(m);
  column.resize(m);
  solved.resize(m);
  order.resize(m);
  factors.noalias() = -R.lazyProduct(U);
  for (Index k = 0; k < m; ++k) unit(k) = 1.0 / std::sqrt(std::abs(factors(k, k)));
  if (!unit.allFinite()) return false;
  for (Index j = 0; j < m; ++j) factors.col(j).array() *= unit.array() * unit(j);
  if (!lu_factor(factors.data(), m, order.data())) return false;
  for (Index k = 0; k < m; ++k) // the diagonal keeps reciprocals
    if (!(std::abs(factors(k, k)) * least_pivot < 1.0)) return false;
  for (Index j = 0; j < m; ++j) {
    column.setZero();
    column(j) = unit(j);
    lu_solve(factors.data(), m, order.data(), column.data(), solved.data());
    H.col(j) = unit.cwiseProduct(solved);
  }
  return true;
}

namespace {

// If rows depend on the motion this runs at every evaluation, without allocation. Most entries of rows, effects and
// accelerations are zero.
void add_product(const System& sys, Matrix& out, const Matrix& a, const Matrix& b) {
  if (!sys.tangent) {
    out += a * b;
    return;
  }
  for (Index j = 0; j < b.cols(); ++j)
    for (Index k = 0; k < b.rows(); ++k)
      if (b(k, j) != 0.0) out.col(j) += b(k, j) * a.col(k);
}
void multiply(const System& sys, Matrix& out, const Matrix& a, const Matrix& b) {
  if (!sys.tangent) {
    out = a * b;
    return;
  }
  out.setZero(a.rows(), b.cols());
  add_product(sys, out, a, b);
}

} // namespace

Vector impulses_to_rest(const Matrix& G, const Vector& speed) {
  Matrix shifts;
  if (linalg::full_rank(G, tolerance::negligible)) return linalg::solve(G, speed);
  const Matrix H = least_forces(G, shifts);
  return shifts.cols() == 0 ? Vector(linalg::solve(G, speed)) : Vector(H * speed);
}

// H; where rows turn by elimination, unless something is redundant.
static void solve_constraints(const System& sys, Regime& r, Holding& c) {
  constexpr double near_none = 1e3 * tolerance::rank;
  r.shared = false;
  if (sys.tangent) {
    const Index open = r.modes.open.directions;
    r.found.directions = 0;
    if (open <= 0 && c.invert(open < 0 ? near_none : tolerance::rounding)) return;
  }
  c.H = constraint_inverse(sys, c, r);
}

void renew_reactions(const System& sys, Regime& r, Holding& c) {
  if (r.sticking.empty() && r.closed.empty()) return;
  c.read(sys, r);
  solve_constraints(sys, r, c);
  if (r.coupled) {
    r.LF.setZero(c.count, r.sliding.size());
    for (Index k = 0; k < r.sliding.size(); ++k) {
      c.left.noalias() = c.R * sys.friction[r.sliding[k]].effect;
      r.LF.col(k).noalias() = c.H * c.left;
    }
    r.LF.bottomRows(c.count - c.friction) *= -1.0;
  }
  if (r.sharing.any()) find_held(sys, r);
}

void constrain(const System& sys, Regime& r, Holding& c) {
  r.E.resize(sys.nx, r.sliding.size());
  for (Index k = 0; k < r.sliding.size(); ++k) r.E.col(k) = sys.friction[r.sliding[k]].effect;
  r.A = r.linear->A;
  r.S = r.linear->S;
  if (r.sticking.empty() && r.closed.empty()) return follow_constraints(sys, r.A, r.S, r.E);
  c.read(sys, r);
  solve_constraints(sys, r, c);
  multiply(sys, r.L.entries, c.H, c.R);
  multiply(sys, r.Lx, r.L.entries, r.linear->A);
  multiply(sys, c.driven, c.R, r.linear->S);
  c.driven += c.Rs;
  multiply(sys, r.Ls, c.H, c.driven);
  multiply(sys, r.LF, r.L.entries, r.E);
  const Matrix effects = sys.tangent ? Matrix() : r.E;
  add_product(sys, r.A, c.U, r.Lx);
  add_product(sys, r.S, c.U, r.Ls);
  add_product(sys, r.E, c.U, r.LF);
  const Index normals = c.count - c.friction;
  for (Matrix* rows : {&r.L.entries, &r.Lx, &r.Ls, &r.LF}) rows->bottomRows(normals) *= -1.0;
  if (!sys.tangent) { // rows that turn are not worth it: no motion of theirs is exact
    const Matrix H = c.H.cwiseAbs(), U = c.U.cwiseAbs();
    r.L.terms = H * c.R.cwiseAbs();
    r.L.by_signals = H * c.Rs.cwiseAbs();
    const Matrix of_x = r.L.terms * r.linear->A.cwiseAbs(), of_F = r.L.terms * effects.cwiseAbs(),
                 of_s = r.L.terms * r.linear->S.cwiseAbs() + r.L.by_signals;
    drop_rounding(r.A, r.linear->A.cwiseAbs() + U * of_x);
    drop_rounding(r.S, r.linear->S.cwiseAbs() + U * of_s);
    drop_rounding(r.E, effects.cwiseAbs() + U * of_F);
    drop_rounding(r.Lx, of_x);
    drop_rounding(r.Ls, of_s);
    drop_rounding(r.LF, of_F);
  }
  if (r.sharing.any()) hold_at_limits(sys, c, r);
  hold_still(sys, c, r);
  follow_constraints(sys, r.A, r.S, r.E);
}

// Sets an entry of a break-away limit to zero if it is the rounding of cancelling friction and load forces: it would
// decide where nothing else acts yet.
static void drop_rounding_of_limits(const System& sys, const Regime& r, const Vector& x, const Vector& s,
                                    const Vector& force, Vector& entries) {
  for (Index k = 0; k < r.guards.size(); ++k)
    if (r.guards[k].kind == GuardKind::breaks_away &&
        std::abs(entries(k)) <= tolerance::rounding * guard_size(sys, r, r.guards[k], 0.0, x.data(), s.data(),
                                                                 force.data(), sys.nominal))
      entries(k) = 0.0;
}

// An affine regime is linear and homogeneous in (x, s), so its matrices are the results of evaluate() for unit vectors.
static void probe(const System& sys, Regime& r, const List<Index>* columns) {
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
  // Large enough not to be lost against the effect of the load, in any units.
  const double unit = needs_load ? 0x1p200 : 1.0;
  Vector xdot0 = Vector::Zero(nx), g0 = Vector::Zero(std::max<Index>(ng, 1));
  if (needs_load) {
    evaluate(sys, r, 0.0, x.data(), given.data(), xdot0.data(), force.data(), w);
    guard_values(sys, r, 0.0, x.data(), given.data(), force.data(), g0.data(), w);
  }
  r.Ax.setZero(nx, nx);
  r.As.setZero(nx, ns);
  r.Gx.setZero(ng, nx);
  r.Gs.setZero(ng, ns);
  const bool unconstrained =
      r.sliding.empty() && r.sticking.empty() && r.closed.empty() && columns == nullptr;
  if (unconstrained) r.Ax = r.A, r.As = r.S;
  if (unconstrained && ng == 0) return;
  const Index count = columns != nullptr ? columns->size() : nx + ns;
  for (Index k = 0; k < count; ++k) {
    const Index j = columns != nullptr ? (*columns)[k] : k;
    Budget::spend(nx * (nx + ns));
    x.setZero();
    s = j < nx ? given : Vector::Zero(ns);
    if (j < nx)
      x(j) = unit;
    else
      s(j - nx) = 1.0;
    xdot.setZero();
    evaluate(sys, r, 0.0, x.data(), s.data(), xdot.data(), force.data(), w);
    guard_values(sys, r, 0.0, x.data(), s.data(), force.data(), g.data(), w);
    if (j < nx) g -= g0;
    drop_rounding_of_limits(sys, r, x, s, force, g);
    if (j < nx) {
      r.Ax.col(j) = (xdot - xdot0) / unit;
      r.Gx.col(j) = g.head(ng) / unit;
    } else {
      r.As.col(j - nx) = xdot;
      r.Gs.col(j - nx) = g.head(ng);
    }
  }
}

static void hold_as(const Regime& other, Regime& r) {
  r.A = other.A, r.S = other.S, r.E = other.E;
  r.L = other.L, r.Lx = other.Lx, r.Ls = other.Ls, r.LF = other.LF;
}

// An element that touches holds or slides.
static void add_element(const System& sys, Index i, Regime& r) {
  const Friction& p = sys.friction[i];
  const FrictionMode& now = r.modes.friction[i];
  if (is_unmoved(p, now)) return;
  if (is_held(p, now)) {
    r.sticking.push_back(i);
    // Ageing limits are not linear in time, and internal states at rest may follow the held force.
    if (p.aged >= 0 || p.states >= 0 || held_by_lag(p, r.modes, i) != 0) r.affine = false;
    if (held_by_lag(p, r.modes, i) != 0 && p.load_contact >= 0) r.coupled = true;
  } else {
    r.sliding.push_back(i);
    r.affine = r.affine && is_affine(sys, p, now);
    if (const Index c = loading_contact(p); c >= 0)
      r.coupled = r.coupled || r.modes.contact[c] == Mode::closed;
  }
}

std::unique_ptr<Regime> build_regime(const System& sys, const Modes& modes, const LinearPart& linear,
                                     const RegimeHint& hint) {
  auto r = std::make_unique<Regime>();
  r->modes = modes;
  r->linear = &linear;
  r->affine = !sys.smooth;
  for (Index i = 0; i < sys.friction.size(); ++i)
    if (!modes.friction[i].open()) add_element(sys, i, *r);
  for (Index j = 0; j < sys.contacts.size(); ++j)
    if (modes.contact[j] == Mode::closed && !sys.contacts[j].yields()) r->closed.push_back(j);
  if (sys.smooth) {
    r->sharing.limits = modes.open.limits;
    r->sharing.group.assign(modes.open.limits.size(), 0);
  }
  Holding held;
  if (hint.held_as != nullptr)
    hold_as(*hint.held_as, *r);
  else if ((!sys.smooth || sys.tangent) && !hint.unconstrained)
    constrain(sys, *r, held);
  list_guards(sys, *r);
  if (r->affine) probe(sys, *r, hint.columns);
  return r;
}

const LinearPart& RegimeCache::linear(const System& sys, const SwitchModes& modes) {
  const std::lock_guard<std::recursive_mutex> lock(access);
  auto& part = parts[modes];
  if (!part) part = std::make_unique<LinearPart>(linear_part(sys, modes));
  return *part;
}

void RegimeCache::clear() {
  const std::lock_guard<std::recursive_mutex> lock(access);
  regimes.clear();
  parts.clear();
  last = nullptr;
}

const Regime& RegimeCache::get(const System& sys, const Modes& modes) {
  const std::lock_guard<std::recursive_mutex> lock(access);
  if (last && last->modes == modes) return *last;
  auto it = regimes.find(modes);
  if (it == regimes.end()) {
    it = regimes.emplace(modes, build_regime(sys, modes, linear(sys, modes))).first;
  }
  last = it->second.get();
  return *last;
}

} // namespace stickslip
