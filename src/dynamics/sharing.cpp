// Forces that rigid contacts do not determine. The rule: of all forces within their limits, and without preload
// (contact/preload.hpp), those of least norm. Their conditions are a linear complementarity problem in the margins and
// multipliers of the limits. Which limits hold is part of the modes; with these given, forces are linear in (x, s), and
// a margin or multiplier that comes to zero ends the regime.
#include "contact/preload.hpp"
#include "core/linalg.hpp"
#include "core/rank_factors.hpp"
#include "core/tolerances.hpp"
#include "dynamics/regime_parts.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

using ConstVector = Eigen::Map<const Vector>;

struct Margin {
  const System& sys;
  const Regime& r;
  const double* x = nullptr; // limits are those of this state; else only their parts without states
  double t = 0.0;

  // True if the limit of an element depends on time or internal states, not only on its load.
  bool varies(const Friction& p, Index i) const {
    return x == nullptr && (p.aged >= 0 || p.states >= 0) && held_by_lag(p, r.modes, i) == 0;
  }

  // Per unit of its load, where it does not vary.
  double unit_limit(const Friction& p, const FrictionMode& now, int side) const {
    const Interval unit =
        held(x != nullptr ? unit_limits(p, 1.0, t, x) : rest_interval(p.law, nullptr, 1.0), now);
    return side > 0 ? unit.hi : unit.lo;
  }

  bool of_contact(const ForceLimit& l) const { return l.force >= sys.friction.size(); }

  // By the constraint forces. A limit that varies and that a normal force loads is none of this: empty.
  Vector by_forces(const ForceLimit& l) const {
    Vector row = Vector::Zero(r.sticking.size() + r.closed.size());
    row(holding_row(sys, r, l.force)) = -l.side;
    if (of_contact(l)) return row;
    const Friction& p = sys.friction[l.force];
    const Index load = normal_row(r, loading_contact(p));
    if (load < 0 || held_by_lag(p, r.modes, l.force) == l.side) return row;
    if (varies(p, l.force)) return {};
    row(load) += l.side * load_per_normal(p) * unit_limit(p, r.modes.friction[l.force], l.side);
    return row;
  }

  // The given part of a limit by x, then by s.
  Vector by_state(const ForceLimit& l) const {
    Vector row = Vector::Zero(sys.nx + sys.ns());
    if (of_contact(l)) return row;
    const Friction& p = sys.friction[l.force];
    if (held_by_lag(p, r.modes, l.force) == l.side) {
      row(p.lagged) = 1.0;
      return row;
    }
    if (p.contact >= 0 || varies(p, l.force)) return row;
    const FrictionMode& now = r.modes.friction[l.force];
    const double unit = l.side * unit_limit(p, now, l.side);
    row(sys.nx + p.load) = unit;
    if (p.load_parts.empty()) return row;
    row.head(sys.nx) += unit * p.load_parts[now.load_stretch].x;
    row.tail(sys.ns()) += unit * p.load_parts[now.load_stretch].s;
    return row;
  }
  // The same at one state.
  double by_state(const ForceLimit& l, const double* at, const double* s) const {
    if (of_contact(l)) return 0.0;
    const Friction& p = sys.friction[l.force];
    if (held_by_lag(p, r.modes, l.force) == l.side) return at[p.lagged];
    if (p.contact >= 0) return 0.0;
    const FrictionMode& now = r.modes.friction[l.force];
    return l.side * unit_limit(p, now, l.side) * normal_load(p, now.load_stretch, at, s);
  }
};

// Not of nothing, nor of rounding alone.
bool answers(const Eigen::Ref<const Vector>& row, const Matrix& N) {
  const double most = (row.cwiseAbs().transpose() * N.cwiseAbs()).maxCoeff(),
               shift = (row.transpose() * N).cwiseAbs().maxCoeff();
  return shift > tolerance::matrix_zero * most && shift > tolerance::residual * row.cwiseAbs().maxCoeff();
}

Matrix pushing(const Matrix& shifts, Index friction) {
  Matrix N = shifts;
  N.bottomRows(N.rows() - friction) *= -1.0; // normal forces push
  return N;
}

List<ForceLimit> limits_of(const System& sys, const Regime& r, auto&& wanted) {
  const Index np = sys.friction.size(), friction = r.sticking.size();
  List<ForceLimit> limits;
  for (Index k = 0; k < friction; ++k)
    for (const std::int8_t side : {std::int8_t{-1}, std::int8_t{1}})
      if (const ForceLimit l{r.sticking[k], side}; wanted(k, l)) limits.push_back(l);
  for (Index k = 0; k < r.closed.size(); ++k)
    if (const ForceLimit l{np + r.closed[k], -1}; wanted(friction + k, l)) limits.push_back(l);
  return limits;
}

} // namespace

void find_relief(const System& sys, const Regime& r, Sharing& sharing) {
  const Index np = sys.friction.size(), friction = r.sticking.size();
  const auto is_loaded = [&](Index i) { return normal_row(r, loading_contact(sys.friction[i])) >= 0; };
  if (std::ranges::any_of(r.sticking, is_loaded) || std::ranges::any_of(r.sliding, is_loaded))
    sharing.relieving = contact::relieving_contacts(sharing.N.bottomRows(sharing.N.rows() - friction),
                                                    sharing.N.topRows(friction));
  for (List<Index>& set : sharing.relieving)
    for (Index& k : set)
      k = std::find(sharing.limits.begin(), sharing.limits.end(), ForceLimit{np + r.closed[k], -1}) -
          sharing.limits.begin();
  const Matrix shift = sharing.C * sharing.N;
  Vector unit = shift.rowwise().norm();
  for (Index k = 0; k < unit.size(); ++k)
    unit(k) = answers(sharing.C.row(k).transpose(), sharing.N) ? 1.0 / unit(k) : 0.0;
  const Matrix scaled = unit.asDiagonal() * shift;
  sharing.group = linalg::groups(scaled * scaled.transpose(), tolerance::matrix_zero);
}

void list_limits(const System& sys, const Matrix& shifts, Regime& r) {
  Sharing& sharing = r.sharing;
  sharing.N = pushing(shifts, r.sticking.size());
  const Margin margin{sys, r};
  List<Vector> rows;
  sharing.limits = limits_of(sys, r, [&](Index, const ForceLimit& l) {
    const Vector row = margin.by_forces(l);
    if (row.size() == 0 || !answers(row, sharing.N)) return false;
    rows.push_back(row);
    return true;
  });
  sharing.C.resize(rows.size(), shifts.rows());
  for (Index k = 0; k < rows.size(); ++k) sharing.C.row(k) = rows[k].transpose();
  find_relief(sys, r, sharing);
}

Redundancy redundancy(const System& sys, const Regime& r, const Matrix& G, const Matrix& shifts) {
  Redundancy found;
  found.directions = shifts.cols();
  if (shifts.cols() == 0) return found;
  const List<Index> group = linalg::groups(G);
  List<char> open(G.rows(), 0); // groups in which something shifts
  for (Index k = 0; k < G.rows(); ++k)
    if (shifts.row(k).cwiseAbs().maxCoeff() > tolerance::matrix_zero) open[group[k]] = 1;
  found.limits = limits_of(sys, r, [&](Index k, const ForceLimit&) { return open[group[k]] != 0; });
  return found;
}

void list_turning_limits(const System& sys, const Matrix& shifts, const Holding& held, Regime& r) {
  Sharing& sharing = r.sharing;
  sharing.limits = r.modes.open.limits;
  sharing.N = pushing(shifts, held.friction);
  sharing.C.resize(sharing.limits.size(), shifts.rows());
  const Margin margin{sys, r, held.x, held.t};
  for (Index k = 0; k < sharing.limits.size(); ++k) {
    const Vector row = margin.by_forces(sharing.limits[k]);
    if (row.size() > 0)
      sharing.C.row(k) = row.transpose();
    else
      sharing.C.row(k).setZero();
  }
  sharing.held.clear();
}

void renew_sharing_terms(const System& sys, Regime& r) {
  if (r.sharing.held.empty()) return;
  for (Index k = 0; k < r.guards.size(); ++k)
    if (r.guards[k].kind == GuardKind::sharing_changes)
      r.guard_terms[k] = sharing_terms(sys, r, r.guards[k].limit);
}

namespace {

bool is_followed(const System& sys, const Regime& r, Index k) {
  return normal_row(r, loading_contact(sys.friction[r.sliding[k]])) >= 0;
}

// Sliding friction loaded by contacts follows their forces: f = f_0 + N y + LF dry lambda(f). Derivatives of f_0 + N y
// by the shared forces; dry(k): friction of the k-th sliding element.
template <class Dry> Matrix by_shared(const System& sys, const Regime& r, const Matrix& margins, Dry&& dry) {
  const Index n = r.sharing.N.rows();
  Matrix follow = Matrix::Identity(n, n);
  for (Index k = 0; k < r.sliding.size(); ++k)
    if (is_followed(sys, r, k))
      follow.col(normal_row(r, loading_contact(sys.friction[r.sliding[k]]))) -= dry(k) * r.LF.col(k);
  return linalg::solve(follow.transpose(), margins.transpose()).transpose();
}

// As far as friction has come to its level in fast sliding.
Matrix by_shared(const System& sys, const Regime& r, const Matrix& margins) {
  if (!r.coupled) return margins;
  return by_shared(sys, r, margins, [&](Index k) {
    const Friction& p = sys.friction[r.sliding[k]];
    const int side = r.modes.friction[r.sliding[k]].force_side();
    if (side == 0) return 0.0;
    return kinetic_level(p.law, side) * load_per_normal(p);
  });
}

} // namespace

Matrix margins_by_shared(const System& sys, const Regime& r) {
  return by_shared(sys, r, r.sharing.C);
}

contact::HeldLimits hold_limits(const Sharing& sharing, const Matrix& by_forces, const Matrix& by_multipliers,
                                const Matrix& margins, const Matrix& size) {
  contact::HeldLimits out;
  List<Index> which; // that something shifts
  for (Index k = 0; k < sharing.limits.size(); ++k) {
    if (answers(by_forces.row(k).transpose(), sharing.N))
      which.push_back(k);
    else if (!contact::within_limits(margins.row(k), size.row(k)))
      out.against.push_back(k);
  }
  if (!out.against.empty()) return out;
  List<List<Index>> relieving = sharing.relieving;
  for (List<Index>& set : relieving)
    for (Index& k : set) k = std::find(which.begin(), which.end(), k) - which.begin();
  std::erase_if(relieving, [&](const List<Index>& set) { // friction that follows leaves it as it is
    return std::find(set.begin(), set.end(), std::ssize(which)) != set.end();
  });
  out = contact::held_limits(by_multipliers(which, which), margins(which, Eigen::all),
                             size(which, Eigen::all), relieving);
  for (List<Index>* list : {&out.held, &out.relieved, &out.against})
    for (Index& k : *list) k = which[k];
  return out;
}

double sharing_size(const System& sys, const Regime& r, Index limit, double t, const double* x,
                    const double* s, const double* force) {
  const Sharing& sharing = r.sharing;
  double size = 0.0, all = 0.0;
  for (Index k = 0; k < sharing.limits.size(); ++k) {
    const ForceLimit& l = sharing.limits[k];
    const double of = std::abs(force[l.force]);
    double most = of;
    if (l.force < sys.friction.size()) {
      const Interval held =
          stick_limits(sys, sys.friction[l.force], r.modes.friction[l.force].load_stretch, t, x, s, force);
      most = std::max({of, std::abs(held.lo), std::abs(held.hi)});
    }
    all = std::max(all, most);
    if (sharing.group[k] == sharing.group[limit]) size = std::max(size, k == limit ? most : of);
  }
  const Index row = holding_row(sys, r, sharing.limits[limit].force);
  all = std::max(all, holding_terms(sys, r, row, x, s, force));
  return std::max(size, tolerance::cancelled * all); // these terms and their shifts may cancel
}

// By friction that follows limits are held where it is in proportion to its load.
bool can_hold(const System& sys, const Regime& r, const List<Index>& held) {
  if (!r.coupled || held.empty()) return true;
  const Matrix own = r.sharing.C(held, Eigen::all) * r.sharing.N,
               shift = margins_by_shared(sys, r)(held, Eigen::all) * r.sharing.N;
  if (linalg::full_rank(own * shift.transpose(), tolerance::matrix_zero)) return true;
  if (!linalg::full_rank(shift * shift.transpose(), tolerance::matrix_zero)) return false;
  for (Index k = 0; k < r.sliding.size(); ++k)
    if (is_followed(sys, r, k) && (!r.affine || sys.friction[r.sliding[k]].contact < 0)) return false;
  return true;
}

namespace {

// Q (A Q)^-1 for a regular A Q, refined, since the product of A and Q may have squared the condition; where directions have
// become dependent on the way it is that of least norm.
Matrix right_inverse(const Matrix& A, const Matrix& Q, bool same) {
  const Index m = A.rows();
  const Matrix product = A * Q;
  linalg::RankFactors factors;
  Eigen::Map<Matrix>(factors.start(m), m, m) = product.transpose(); // by rows
  factors.factor(m, tolerance::rank * product.cwiseAbs().maxCoeff());
  if (factors.rank() < m)
    return same ? linalg::pseudo_inverse(A, tolerance::rank)
                : Matrix(Q * linalg::pseudo_inverse(product, tolerance::rank));
  Matrix inverse(m, m);
  Vector unit(m);
  for (Index j = 0; j < m; ++j) {
    unit.setZero();
    unit(j) = 1.0;
    factors.solve(unit.data(), inverse.col(j).data());
  }
  Matrix out = Q * inverse;
  for (int round = 0; round < 2; ++round) out += out * (Matrix::Identity(m, m) - A * out);
  return out;
}

// Friction that follows is counted in the margins that are held.
void hold_sliding(const System& sys, Regime& r) {
  const Sharing& sharing = r.sharing;
  for (Index k = 0; k < r.sliding.size(); ++k)
    if (!sharing.follows || !is_followed(sys, r, k))
      r.LF.col(k) += sharing.effect * (sharing.held_margins * r.LF.col(k)).eval();
}

// Normal forces that are held at zero are so exactly.
void clear_held(const System& sys, const Regime& r, auto&& clear) {
  const Margin margin{sys, r};
  if (r.sharing.follows) return;
  for (const Index k : r.sharing.held)
    if (margin.of_contact(r.sharing.limits[k])) clear(holding_row(sys, r, r.sharing.limits[k].force));
}

} // namespace

// f = f_free + N y with the y of least norm at which these margins are zero.
void find_held(const System& sys, Regime& r) {
  Sharing& sharing = r.sharing;
  List<Index> relieved; // of those held
  for (const ForceLimit& l : r.modes.at_limit) {
    const ForceLimit own = l.side == 0 ? ForceLimit{l.force, -1} : l;
    const auto found = std::find(sharing.limits.begin(), sharing.limits.end(), own);
    if (found == sharing.limits.end()) continue;
    if (l.side == 0) relieved.push_back(sharing.held.size());
    sharing.held.push_back(found - sharing.limits.begin());
  }
  if (sharing.held.empty()) return;
  const Index m = sharing.held.size();
  // y is the least by which the margins change so, the friction that follows included; where they change by that alone
  // (`follows`), it is counted in C.
  const Matrix own = sharing.C(sharing.held, Eigen::all), all = by_shared(sys, r, own),
               by_multipliers = (all * sharing.N).transpose();
  sharing.follows = r.coupled && !linalg::full_rank(own * sharing.N * by_multipliers, tolerance::matrix_zero);
  sharing.held_margins = sharing.follows ? all : own;
  const Matrix shift = sharing.held_margins * sharing.N;
  Matrix by_margin;
  if (sys.tangent) { // the possible shifts of a limit may vanish on the way
    by_margin = right_inverse(shift, by_multipliers, !r.coupled);
  } else {
    by_margin = by_multipliers * linalg::inverse(shift * by_multipliers);
    for (int round = 0; round < 2; ++round) // the product has squared the condition
      by_margin += by_margin * (Matrix::Identity(m, m) - shift * by_margin);
  }
  sharing.multipliers =
      (r.coupled ? right_inverse(by_multipliers.transpose(), by_multipliers, true) : by_margin).transpose() *
      sharing.N.transpose();
  for (const Index k : relieved) sharing.multipliers.row(k).setZero(); // they may have any sign
  sharing.effect = -sharing.N * by_margin;
  if (r.coupled) hold_sliding(sys, r);
  if (r.coupled) clear_held(sys, r, [&](Index row) { r.LF.row(row).setZero(); });
}

void hold_at_limits(const System& sys, const Holding& c, Regime& r) {
  find_held(sys, r);
  Sharing& sharing = r.sharing;
  if (sharing.held.empty()) return;
  if (!r.coupled) hold_sliding(sys, r);
  const Index m = sharing.held.size();
  Matrix given(m, sys.nx + sys.ns());
  const Margin margin{sys, r, c.x, c.t};
  List<Index> varying;
  for (Index k = 0; k < m; ++k) {
    const ForceLimit& l = sharing.limits[sharing.held[k]];
    given.row(k) = margin.by_state(l).transpose();
    if (!margin.of_contact(l) && margin.varies(sys.friction[l.force], l.force)) varying.push_back(k);
  }
  const Matrix &effect = sharing.effect, &C = sharing.held_margins;
  r.Lx += effect * (C * r.Lx + given.leftCols(sys.nx));
  r.Ls += effect * (C * r.Ls + given.rightCols(sys.ns()));
  if (sys.tangent) r.L.entries += effect * C * r.L.entries;
  clear_held(sys, r, [&](Index row) {
    for (Matrix* forces : {&r.L.entries, &r.Lx, &r.Ls, &r.LF}) forces->row(row).setZero();
  });
  for (const Index k : varying) sharing.varying.push_back(sharing.held[k]);
  sharing.varying_effect = effect(Eigen::all, varying);
}

void keep_limits(const System& sys, const Regime& r, const Holding& c, const double* x, const double* s,
                 const Vector& sliding, Eigen::Ref<Vector> forces) {
  const Sharing& sharing = r.sharing;
  if (sharing.held.empty()) return;
  const Margin margin{sys, r, c.x, c.t};
  Vector margins = sharing.held_margins * forces;
  for (Index k = 0; k < sharing.held.size(); ++k)
    margins(k) += margin.by_state(sharing.limits[sharing.held[k]], x, s);
  for (Index k = 0; k < r.sliding.size() && sharing.follows; ++k)
    if (is_followed(sys, r, k)) margins -= sharing.held_margins * (r.LF.col(k) * sliding(k));
  forces += sharing.effect * margins;
  clear_held(sys, r, [&](Index row) { forces(row) = 0.0; });
}

void follow_varying_limits(const System& sys, const Regime& r, double t, const double* x, const double* s,
                           Eigen::Ref<Vector> forces) {
  for (Index k = 0; k < r.sharing.varying.size(); ++k) {
    const ForceLimit& l = r.sharing.limits[r.sharing.varying[k]];
    const Friction& p = sys.friction[l.force];
    const FrictionMode& now = r.modes.friction[l.force];
    const double N = normal_load(p, now.load_stretch, x, s);
    const Interval unit = held(unit_limits(p, N, t, x), now);
    const double limit = (l.side > 0 ? unit.hi : unit.lo) * N;
    forces += r.sharing.varying_effect.col(k) * (l.side * limit);
  }
}

GuardTerms sharing_terms(const System& sys, const Regime& r, Index limit) {
  const Sharing& sharing = r.sharing;
  const Index np = sys.friction.size(), friction = r.sticking.size();
  GuardTerms terms;
  const auto held = std::find(sharing.held.begin(), sharing.held.end(), limit);
  if (held != sharing.held.end()) {
    const Vector row = sharing.multipliers.row(held - sharing.held.begin()).transpose();
    const double least = tolerance::product * row.cwiseAbs().maxCoeff();
    for (Index k = 0; k < row.size(); ++k)
      if (std::abs(row(k)) > least)
        terms.forces.push_back({k < friction ? r.sticking[k] : np + r.closed[k - friction], -row(k)});
    return terms;
  }
  const ForceLimit& l = sharing.limits[limit];
  terms.forces.push_back({l.force, 1.0 * l.side});
  if (l.force < np) terms.limits.push_back({l.force, l.side, -1.0 * l.side, true});
  return terms;
}

bool is_shared(const Regime& r, const ForceLimit& limit) {
  const List<ForceLimit>& all = r.sharing.limits;
  return std::find(all.begin(), all.end(), limit) != all.end();
}

Matrix margins_by_multipliers(const System& sys, const Regime& r, const Scratch& w) {
  const Matrix& N = r.sharing.N;
  const Matrix now =
      r.coupled ? by_shared(sys, r, r.sharing.C, [&](Index k) { return w.dry(k); }) : r.sharing.C;
  return now * N * (margins_by_shared(sys, r) * N).transpose();
}

} // namespace stickslip
