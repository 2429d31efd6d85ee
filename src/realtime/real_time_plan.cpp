#include "realtime/real_time_plan.hpp"

#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/friction_force.hpp"
#include "dynamics/regime_parts.hpp"
#include "realtime/contact_instant.hpp"
#include "realtime/held_map.hpp"
#include "transition/mode_changes.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

Form zero_form(const System& sys) {
  return {Vector::Zero(sys.nx), Vector::Zero(sys.ns())};
}

Form load_form(const System& sys, const Friction& p, int stretch) {
  Form f = zero_form(sys);
  f.s(p.load) = 1.0;
  if (!p.load_parts.empty()) f.x += p.load_parts[stretch].x, f.s += p.load_parts[stretch].s;
  return f;
}

bool linear_viscous(const Law& law, int mode, double slope) {
  for (double v : {1e-6, 1e-3, 0.37, 2.0})
    if (std::abs(evaluate(law, v, mode, 0U, nullptr, nullptr, 1.0).viscous - slope * v) >
        tolerance::few_terms * std::abs(slope) * v)
      return false;
  return true;
}

// The last half is a millionth of a step: the remainder of a time is integrated by Heun's method.
constexpr int most_halves = 20;

// Rows of linear forms over x, s and the curved forces.
struct SystemRows {
  Matrix x, s, f;
  SystemRows(Index n, Index nx, Index ns, Index m)
      : x(Matrix::Zero(n, nx)), s(Matrix::Zero(n, ns)), f(Matrix::Zero(n, m)) {}
};

class Maker {
public:
  Maker(const System& system, const Moving& which, const Regime& r, double step, RealTimePlan& p)
      : sys(system), moving(which), regime(r), h(step), plan(p) {}

  bool possible() const {
    if (sys.smooth) return false;
    if (has_rigid_contacts(sys)) return regime.affine; // as in the matrices of the regime
    bool ages = false;
    for (const Friction& p : sys.friction) {
      if (p.states >= 0 || p.injected >= 0) return false;
      ages = ages || p.aged >= 0;
    }
    return !(ages && !regime.facets.empty());
  }

  void run() {
    if (has_rigid_contacts(sys)) return take_affine();
    list_curved();
    const Index nx = sys.nx, ns = sys.ns(), m = plan.curved.size();
    const Index nu = regime.sliding.size();
    SystemRows own(nx, nx, ns, m), force(nu, nx, ns, m);
    for (Index k = 0; k < nu; ++k) describe(k, own, force);
    own.x += regime.A + regime.E * force.x;
    own.s += regime.S + regime.E * force.s;
    own.f += regime.E * force.f;
    make_step(own);
    plan.rate = map(own);
    make_guards(force);
  }

private:
  const System& sys;
  const Moving& moving;
  const Regime& regime;
  const double h;
  RealTimePlan& plan;
  List<Index> first; // channel of each sliding element, or -1
  List<Index> second;

  // Friction that depends on a contact's force is part of the matrices.
  void take_affine() {
    const Index nx = sys.nx, ns = sys.ns(), ng = regime.guards.size();
    SystemRows own(nx, nx, ns, 0), guards(ng, nx, ns, 0);
    own.x = regime.Ax, own.s = regime.As;
    guards.x = regime.Gx, guards.s = regime.Gs;
    make_step(own);
    plan.rate = map(own);
    plan.guards = map(guards);
    double span = h;
    for (int k = 0; k < most_halves; ++k) plan.halves.push_back(map_of_step(own, span *= 0.5));
  }

  double viscous_slope(const Friction& p, int mode) const {
    return evaluate(p.law, 1.0, mode, 0U, nullptr, nullptr, 1.0).viscous;
  }
  bool load_stands(const Friction& p) const {
    return p.load_parts.empty() &&
           std::find(moving.signals.begin(), moving.signals.end(), p.load) == moving.signals.end();
  }

  Index add(Index i, CurvedForce::Kind kind) {
    const Friction& p = sys.friction[i];
    CurvedForce c;
    c.kind = kind;
    c.element = &p;
    c.mode = regime.modes.friction[i].force_side();
    c.branch = regime.modes.friction[i].branch;
    c.load = sparse(load_form(sys, p, regime.modes.friction[i].load_stretch), moving);
    if (kind == CurvedForce::Kind::spring) {
      Form travel = zero_form(sys);
      travel.x(p.surface_travel) = 1.0;
      c.u = sparse(travel, moving);
    } else if (kind == CurvedForce::Kind::delayed) { // constant during a step
      Form past = zero_form(sys);
      past.x(p.delayed) = 1.0;
      c.u = sparse(past, moving);
    } else {
      c.u = sparse(p.velocity, moving);
      if (p.law.terms.size() == 1) c.stribeck = std::get_if<Stribeck>(&p.law.terms.front());
    }
    plan.curved.push_back(std::move(c));
    return plan.curved.size() - 1;
  }

  void list_curved() {
    for (Index i : regime.sliding) {
      const Friction& p = sys.friction[i];
      const int mode = regime.modes.friction[i].force_side();
      first.push_back(-1);
      second.push_back(-1);
      if (mode == 0) {
        if (!load_stands(p)) first.back() = add(i, CurvedForce::Kind::spring);
        continue;
      }
      const bool straight = linear_viscous(p.law, mode, viscous_slope(p, mode));
      if (p.delayed >= 0) {
        first.back() = add(i, CurvedForce::Kind::delayed);
        if (!straight) second.back() = add(i, CurvedForce::Kind::viscous);
        continue;
      }
      if (p.traits.affine) continue;
      first.back() = add(i, straight || p.lagged >= 0 ? CurvedForce::Kind::dry : CurvedForce::Kind::both);
      if (!straight && p.lagged >= 0) second.back() = add(i, CurvedForce::Kind::viscous);
    }
  }

  // The force of sliding element k and the rates of its own states.
  void describe(Index k, SystemRows& own, SystemRows& force) const {
    const Index i = regime.sliding[k];
    const Friction& p = sys.friction[i];
    const int mode = regime.modes.friction[i].force_side();
    const Index one = first[k], two = second[k];
    const Form N = load_form(sys, p, regime.modes.friction[i].load_stretch);
    if (mode == 0) {
      own.x.row(p.surface_travel) += p.velocity.x.transpose();
      own.s.row(p.surface_travel) += p.velocity.s.transpose();
      force.x.row(k) += p.automaton.surface_damping * p.velocity.x.transpose();
      force.s.row(k) += p.automaton.surface_damping * p.velocity.s.transpose();
      if (one >= 0)
        force.f(k, one) = 1.0;
      else
        force.x(k, p.surface_travel) += presliding_stiffness(p, moving.still(p.load));
      return;
    }
    const double b = viscous_slope(p, mode);
    const bool separate = two >= 0 || (one >= 0 && plan.curved[one].kind == CurvedForce::Kind::both);
    if (!separate) {
      force.x.row(k) += b * p.velocity.x.transpose();
      force.s.row(k) += b * p.velocity.s.transpose();
    }
    if (two >= 0) force.f(k, two) = 1.0;
    const double level = one < 0 ? evaluate(p.law, 0.0, mode, 0U, nullptr, nullptr, 1.0).dry : 0.0;
    if (p.lagged < 0) {
      if (one >= 0) force.f(k, one) = 1.0;
      force.x.row(k) += level * N.x.transpose();
      force.s.row(k) += level * N.s.transpose();
      return;
    }
    const double lag = p.automaton.lag;
    force.x(k, p.lagged) += mode;
    own.x(p.lagged, p.lagged) -= 1.0 / lag;
    if (one >= 0) own.f(p.lagged, one) += mode / lag;
    own.x.row(p.lagged) += (level * mode / lag) * N.x.transpose();
    own.s.row(p.lagged) += (level * mode / lag) * N.s.transpose();
  }

  Matrix moving_columns(const Matrix& s) const {
    Matrix out(s.rows(), moving.size());
    for (Index j = 0; j < moving.size(); ++j) out.col(j) = s.col(moving.signals[j]);
    return out;
  }

  SmallMap map(const SystemRows& r) const {
    Matrix columns(r.x.rows(), r.x.cols() + moving.size() + r.f.cols());
    columns << r.x, moving_columns(r.s), r.f;
    return {r.s * moving.still, columns};
  }

  HeldMap held(const SystemRows& own, double span) const {
    Matrix S(sys.nx, moving.size() + own.f.cols() + 1);
    S << moving_columns(own.s), own.f, own.s * moving.still;
    return held_map(own.x, S, span);
  }

  // Signals change in proportion to the span within a whole step.
  SmallMap map_of(const HeldMap& made, Index m, double span) const {
    const Index nv = moving.size();
    Matrix columns(sys.nx, nv + sys.nx + nv + m);
    columns << (span / h) * made.G1.leftCols(nv), made.F, made.G0.leftCols(nv + m);
    return {made.G0.rightCols(1), columns};
  }
  SmallMap map_of_step(const SystemRows& own, double span) const {
    return map_of(held(own, span), own.f.cols(), span);
  }

  void make_step(const SystemRows& own) {
    const Index nv = moving.size(), m = own.f.cols(), nx = sys.nx;
    const HeldMap made = held(own, h);
    plan.step = map_of(made, m, h);
    plan.end = made.G1.middleCols(nv, m);
    plan.through = made.G0.middleCols(nv, m);
    const auto over = [&](const SparseRow& row, const Matrix& columns_of, Index j) {
      double sum = 0.0;
      for (const SparseRow::Entry& e : row.entries)
        if (e.at < nx) sum += e.weight * columns_of(e.at, j);
      return sum;
    };
    plan.u_end = plan.u_through = plan.load_end = plan.load_through = Matrix::Zero(m, m);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < m; ++j) {
        const CurvedForce& c = plan.curved[i];
        plan.u_end(i, j) = over(c.u, plan.end, j);
        plan.u_through(i, j) = over(c.u, plan.through, j);
        plan.load_end(i, j) = over(c.load, plan.end, j);
        plan.load_through(i, j) = over(c.load, plan.through, j);
      }
  }

  void make_guards(const SystemRows& sliding) {
    const Index nx = sys.nx, ns = sys.ns(), m = sliding.f.cols();
    const Index np = sys.friction.size(), ng = regime.guards.size();
    SystemRows force(np, nx, ns, m), out(ng, nx, ns, m);
    for (Index k = 0; k < regime.sliding.size(); ++k) {
      force.x.row(regime.sliding[k]) = sliding.x.row(k);
      force.s.row(regime.sliding[k]) = sliding.s.row(k);
      force.f.row(regime.sliding[k]) = sliding.f.row(k);
    }
    if (!regime.sticking.empty()) {
      const Matrix X = regime.Lx + regime.LF * sliding.x, S = regime.Ls + regime.LF * sliding.s,
                   F = regime.LF * sliding.f;
      for (Index k = 0; k < regime.sticking.size(); ++k) {
        force.x.row(regime.sticking[k]) = X.row(k);
        force.s.row(regime.sticking[k]) = S.row(k);
        force.f.row(regime.sticking[k]) = F.row(k);
      }
    }
    const auto add_force = [&](Index g, Index element, double factor) {
      out.x.row(g) += factor * force.x.row(element);
      out.s.row(g) += factor * force.s.row(element);
      out.f.row(g) += factor * force.f.row(element);
    };
    const auto add_form = [&](Index g, const Form& f, double factor) {
      out.x.row(g) += factor * f.x.transpose();
      out.s.row(g) += factor * f.s.transpose();
    };
    for (Index g = 0; g < ng; ++g) { // no bristles and no contacts here, so no switches of laws
      const GuardTerms& terms = regime.guard_terms[g];
      if (terms.form != nullptr) add_form(g, *terms.form, terms.sign);
      for (const GuardTerms::Entry& e : terms.states) out.x(g, e.at) += e.factor;
      for (const GuardTerms::Entry& e : terms.forces) add_force(g, e.at, e.factor);
      for (const GuardTerms::Limit& l : terms.limits) {
        const Friction& p = sys.friction[l.element];
        const Interval unit = rest_interval(p.law, nullptr, 1.0);
        const double level = l.weight * (l.side > 0 ? unit.hi : unit.lo);
        const Form N = load_form(sys, p, regime.modes.friction[l.element].load_stretch);
        add_form(g, N, level);
        if (p.aged >= 0) plan.ageing.push_back({g, l.element, level, sparse(N, moving)});
      }
    }
    plan.guards = map(out);
    Index entries = 0;
    for (Index g = 0; g < ng && out.f.isZero(0.0); ++g) {
      plan.short_guards.push_back(sparse({out.x.row(g).transpose(), out.s.row(g).transpose()}, moving));
      entries += plan.short_guards.back().entries.size();
    }
    if (entries > plan.short_guards.size() || !plan.ageing.empty()) plan.short_guards.clear();
  }
};

} // namespace

namespace {

// Size of a holding force, in a motion with states and signals of this size.
double held_size(const System& sys, const Regime& r, Index row, const Vector& size) {
  return r.Lx.row(row).cwiseAbs().dot(size.head(sys.nx)) + r.Ls.row(row).cwiseAbs().dot(size.tail(sys.ns()));
}

// Gaps of the closed contacts; one-way clutches have none.
Projection touching(const System& sys, const Regime& r, const Moving& moving) {
  const Index n = sys.n_coordinates;
  Projection gaps;
  List<Index> with_gap;
  for (const Index j : r.closed)
    if (!sys.contacts[j].of_velocity) with_gap.push_back(j);
  const Index m = with_gap.size();
  if (m == 0) return gaps;
  Matrix rows(m, n), effects(n, m);
  for (Index k = 0; k < m; ++k) {
    const Contact& c = sys.contacts[with_gap[k]];
    rows.row(k) = c.gap.x.head(n).transpose();
    effects.col(k) = c.effect.segment(n, n);
    gaps.rows.push_back(sparse(c.gap, moving));
  }
  gaps.change.setZero(sys.nx, m);
  gaps.change.topRows(n) = -effects * linalg::pseudo_inverse(rows * effects);
  return gaps;
}

// Size of the terms of a break-away guard, to which its rounding error is relative.
double break_away_size(const System& sys, const Regime& r, Index element, const Vector& size) {
  const Friction& p = sys.friction[element];
  const auto row = std::find(r.sticking.begin(), r.sticking.end(), element);
  if (p.contact < 0 || row == r.sticking.end()) return 0.0;
  return held_size(sys, r, row - r.sticking.begin(), size) +
         p.break_away * held_size(sys, r, normal_row(r, p.contact), size);
}

// Largest value of a guard that counts as zero.
double tolerance_of(const System& sys, const Regime& r, const Guard& g, const Moving& moving, bool quick,
                    const FrictionZeros& zeros) {
  Vector size(sys.nx + sys.ns()); // of states and signals
  size << sys.nominal, moving.still.cwiseAbs();
  switch (g.kind) {
  case GuardKind::slip_ends:
  case GuardKind::velocity_reversal:
  case GuardKind::surface_turns:
    return zeros.velocity(g.friction);
  case GuardKind::breaks_away:
  case GuardKind::limit_again:
    return std::max(zeros.force(g.friction), tolerance::product * break_away_size(sys, r, g.friction, size));
  case GuardKind::shared_limit:
    return zeros.force.sum();
  case GuardKind::closes:
    return (quick ? tolerance::residual : tolerance::located) *
           gap_size(sys.contacts[g.contact], sys.nominal, moving.still.data());
  case GuardKind::locks:
    return (quick ? tolerance::residual : tolerance::located) *
           size_of(sys.contacts[g.contact].rate, sys.nominal, moving.still.data());
  case GuardKind::lifts_off:
    return tolerance::product * held_size(sys, r, normal_row(r, g.contact), size);
  case GuardKind::load_negative: // clipped in the real-time form
    return std::numeric_limits<double>::infinity();
  case GuardKind::saturation: {
    const SaturationGuard& limit = r.linear->guards[g.saturation];
    return tolerance::product * (limit.form.x.cwiseAbs().dot(sys.nominal) + std::abs(limit.form.s(sys.one)));
  }
  default:
    return 0.0;
  }
}

} // namespace

bool RealTimePlan::any_strikes(const List<double>& values) const {
  bool strikes = false;
  for (Index k = 0; k < tolerance.size(); ++k)
    strikes = strikes || (values[k] > tolerance[k] && meets_contact(regime->guards[k]));
  return strikes;
}

void Projection::project(double* xs, double* values) const {
  bool any = false;
  for (Index k = 0; k < rows.size(); ++k) {
    values[k] = rows[k](xs);
    any = any || values[k] != 0.0;
  }
  if (!any) return;
  const Index nx = change.rows();
  for (Index k = 0; k < rows.size(); ++k)
    for (Index i = 0; i < nx; ++i) xs[i] += change(i, k) * values[k];
}

RealTimePlan make_plan(const System& sys, const Regime& r, const Moving& moving, double h,
                       const FrictionZeros& zeros) {
  RealTimePlan plan;
  plan.regime = &r;
  Maker make(sys, moving, r, h, plan);
  plan.quick = make.possible();
  if (plan.quick) make.run();
  for (const Guard& g : r.guards)
    plan.tolerance.push_back(tolerance_of(sys, r, g, moving, plan.quick, zeros));
  const Index m = r.sticking.size() + r.closed.size();
  if (m > 0 &&
      !sys.smooth) { // as in a transition: velocities to zero with the least change of kinetic energy
    const ForceDirections acting = force_directions(sys, r.closed, r.sticking);
    plan.held.change = -acting.columns * linalg::pseudo_inverse(acting.rows * acting.columns);
    for (const Index j : r.closed) plan.held.rows.push_back(sparse(sys.contacts[j].rate, moving));
    for (const Index i : r.sticking) plan.held.rows.push_back(sparse(sys.friction[i].velocity, moving));
    plan.gaps = touching(sys, r, moving);
  }
  for (const auto& of_loop : r.linear->inputs) {
    plan.inputs.emplace_back();
    for (const Form& f : of_loop) plan.inputs.back().push_back(sparse(f, moving));
  }
  for (Saturation mode : r.modes.saturation)
    plan.follows = plan.follows || mode == Saturation::high_following || mode == Saturation::low_following;
  return plan;
}

} // namespace stickslip
