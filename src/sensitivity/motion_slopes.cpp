#include "sensitivity/motion_slopes.hpp"

#include "core/tolerances.hpp"
#include "dynamics/friction_force.hpp"
#include "sensitivity/law_slopes.hpp"
#include "sensitivity/same_force.hpp"

#include <algorithm>

namespace stickslip {

namespace {

bool same_forms(const Friction& a, const Friction& b) {
  return a.acceleration_s == b.acceleration_s && a.load_period == b.load_period &&
         std::equal(a.load_corners.begin(), a.load_corners.end(), b.load_corners.begin(),
                    b.load_corners.end(), same_form);
}

bool same_element(const Friction& a, const Friction& b) {
  return same_force(a, b) && same_forms(a, b);
}

bool same_contact(const Contact& a, const Contact& b) {
  return same_form(a.gap, b.gap) && same_form(a.rate, b.rate) && a.acceleration_s == b.acceleration_s;
}

bool same_contacts(const System& a, const System& b) {
  return std::equal(a.contacts.begin(), a.contacts.end(), b.contacts.begin(), b.contacts.end(), same_contact);
}

bool same_elements(const System& a, const System& b) {
  return std::equal(a.friction.begin(), a.friction.end(), b.friction.begin(), b.friction.end(),
                    same_element) &&
         same_contacts(a, b);
}

// True if they have the same motion and normal load, for any laws.
bool same_but_for_law(const Friction& a, const Friction& b) {
  return same_forms(a, b) && a.effect == b.effect && same_form(a.velocity, b.velocity) &&
         std::equal(a.load_parts.begin(), a.load_parts.end(), b.load_parts.begin(), b.load_parts.end(),
                    same_form);
}

bool same_but_for_laws(const System& a, const System& b) {
  const auto same_effect = [](const Contact& c, const Contact& d) { return c.effect == d.effect; };
  return a.A == b.A && a.S == b.S && same_contacts(a, b) &&
         std::equal(a.contacts.begin(), a.contacts.end(), b.contacts.begin(), same_effect) &&
         std::equal(a.friction.begin(), a.friction.end(), b.friction.begin(), b.friction.end(),
                    same_but_for_law);
}

Matrix effects_of(const System& sys) {
  const Index n = sys.friction.size();
  Matrix out(sys.nx, n + sys.contacts.size());
  for (Index i = 0; i < n; ++i) out.col(i) = sys.friction[i].effect;
  for (Index j = 0; j < sys.contacts.size(); ++j) out.col(n + j) = sys.contacts[j].effect;
  return out;
}

// Derivatives of the holding forces, as the rows of L.
Matrix holding(const System& sys, const Regime& r, const Matrix& effects) {
  Matrix out(effects.rows(), r.sticking.size() + r.closed.size());
  for (Index k = 0; k < r.sticking.size(); ++k) out.col(k) = effects.col(r.sticking[k]);
  for (Index k = 0; k < r.closed.size(); ++k)
    out.col(r.sticking.size() + k) = effects.col(sys.friction.size() + r.closed[k]);
  return out;
}

// Dependence of guards on the holding forces.
Matrix guards_by_held(const System& sys, const Regime& r) {
  List<Index> row(sys.friction.size() + sys.contacts.size(), -1);
  for (Index k = 0; k < r.sticking.size(); ++k) row[r.sticking[k]] = k;
  for (Index k = 0; k < r.closed.size(); ++k) row[sys.friction.size() + r.closed[k]] = r.sticking.size() + k;
  Matrix out = Matrix::Zero(r.guards.size(), r.sticking.size() + r.closed.size());
  for (Index g = 0; g < r.guards.size(); ++g)
    for (const GuardTerms::Entry& e : r.guard_terms[g].forces)
      if (row[e.at] >= 0) out(g, row[e.at]) += e.factor;
  return out;
}

// With f = L (motion without them) and U f added:  f' = L (change + U' f),  as L' = L U' L, and the remaining change is
// change + U' f + U f'. The change has few rows that are not zero, as each mass moves with one.
struct Constrained {
  const List<Index>& rows;
  Matrix L, UL, sizes; // of these rows; sizes of the terms of U L

  Constrained(const Regime& r, const Matrix& U, const List<Index>& of_rows)
      : rows(of_rows),
        L(U.cols() == 0 ? Matrix::Zero(0, rows.size()) : Matrix(r.L.entries(Eigen::all, rows))), UL(U * L),
        sizes(U.cwiseAbs() * L.cwiseAbs()) {}

  // Entries that are rounding are dropped, as in the regime itself.
  Matrix motion(const Matrix& change) const {
    Matrix sum = UL * change, terms = sizes * change.cwiseAbs();
    sum(rows, Eigen::all) += change;
    terms(rows, Eigen::all) += change.cwiseAbs();
    return (sum.array().abs() <= tolerance::rounding * terms.array()).select(0.0, sum);
  }
};

} // namespace

SlidingForces sliding_forces(const System& sys, const Regime& r) {
  const Index nx = sys.nx, ns = sys.ns(), m = r.sliding.size();
  SlidingForces out{Matrix::Zero(m, nx), Matrix::Zero(m, ns)};
  Vector x = Vector::Zero(nx), s = Vector::Zero(ns), xdot = x;
  const auto look = [&](double& unit, auto&& column) {
    unit = 1.0;
    for (Index k = 0; k < m; ++k) {
      const Friction& p = sys.friction[r.sliding[k]];
      const FrictionMode& mode = r.modes.friction[r.sliding[k]];
      const double v = relative_velocity(p, x.data(), s.data());
      const double N = normal_load(p, mode.load_stretch, x.data(), s.data());
      const ElementForce<double> f =
          friction_force(p, mode.force_side(), mode.branch, v, N, x.data(), xdot.data());
      column(k) = f.dry * N + f.other;
    }
    unit = 0.0;
  };
  for (Index j = 0; j < nx && m > 0; ++j) look(x(j), out.by_x.col(j));
  for (Index j = 0; j < ns && m > 0; ++j) look(s(j), out.by_s.col(j));
  return out;
}

bool moves_alone(const System& sys, const Regime& r) {
  if (sys.smooth || r.shared || r.sharing.any() || r.coupled || sys.constraints.any()) return false;
  if (!r.linear->guards.empty() || !r.linear->flank_guards.empty()) return false;
  for (Index i = 0; i < sys.friction.size(); ++i)
    if (!r.modes.friction[i].open() && loading_contact(sys.friction[i]) >= 0) return false;
  // the stiffness of presliding follows a given load
  return std::none_of(r.sliding.begin(), r.sliding.end(),
                      [&](Index i) { return r.modes.friction[i].sticks(); });
}

void MotionSlopes::find_law_columns(const System& base, const Neighbours& p) {
  List<char> read(base.nx + base.ns(), 0);
  const auto note = [&](const Form& form) {
    for (Index j = 0; j < base.nx; ++j)
      if (form.x(j) != 0.0) read[j] = 1;
    for (Index j = 0; j < base.ns(); ++j)
      if (form.s(j) != 0.0) read[base.nx + j] = 1;
  };
  for (Index i = 0; i < base.friction.size(); ++i)
    if (!std::all_of(p.beside.begin(), p.beside.end(), [&](const auto& one) {
          return same_force(one->system().friction[i], base.friction[i]);
        }))
      changed_laws.push_back(i);
  for (const Index i : changed_laws) {
    const Friction& element = base.friction[i];
    if (element.injected >= 0 || element.load < 0) return;
    read[base.nx + element.load] = 1;
    note(element.velocity);
    for (const Form& part : element.load_parts) note(part);
  }
  if (base.one >= 0) read[base.nx + base.one] = 1;
  for (Index j = base.plant_states; j < base.nx; ++j) read[j] = 1; // memory of laws
  for (Index j = 0; j < read.size(); ++j)
    if (read[j] != 0) law_columns.push_back(j);
}

MotionSlopes::MotionSlopes(const System& base, const Neighbours& p) {
  if (!p.changes_machine() || p.signals_alone || !base.flanks.empty() || !base.loops.empty()) return;
  const auto all = [&](auto&& same) {
    return std::all_of(p.beside.begin(), p.beside.end(),
                       [&](const auto& one) { return same(one->system(), base); });
  };
  is_alone = all(same_elements);
  if (!is_alone && all(same_but_for_laws)) {
    find_law_columns(base, p);
    laws_alone = LawSlopes::apply(base, changed_laws);
  }
  if (!is_alone) return;
  A = p.derivative([](Replica& m) -> Matrix { return m.system().A; });
  S = p.derivative([](Replica& m) -> Matrix { return m.system().S; });
  effects = p.derivative([](Replica& m) { return effects_of(m.system()); });
  present_effects = effects_of(base);
  for (Index i = 0; i < base.nx; ++i)
    if (!A.row(i).isZero(0.0) || !S.row(i).isZero(0.0) || !effects.row(i).isZero(0.0)) rows.push_back(i);
}

MotionSlopes::Change MotionSlopes::of(const System& sys, const Regime& r, const SlidingForces& forces) const {
  Change out;
  out.none = rows.empty();
  if (out.none) return out;
  const Matrix U = holding(sys, r, present_effects), by = holding(sys, r, effects)(rows, Eigen::all);
  Matrix E(rows.size(), r.sliding.size());
  for (Index k = 0; k < r.sliding.size(); ++k) E.col(k) = effects.col(r.sliding[k])(rows);
  const Constrained in(r, U, rows);
  const auto with = [&](const Matrix& of, const Matrix& held) -> Matrix {
    return by.cols() == 0 ? of : of + by * held;
  };
  const Matrix of_x = with(A(rows, Eigen::all), r.Lx), of_s = with(S(rows, Eigen::all), r.Ls);
  const Matrix of_F = with(E, r.LF);
  if (!r.affine) {
    out.A = in.motion(of_x), out.S = in.motion(of_s), out.E = in.motion(of_F);
    out.Lx = in.L * of_x, out.Ls = in.L * of_s, out.LF = in.L * of_F;
    return out;
  }
  const Matrix all_x = of_x + of_F * forces.by_x, all_s = of_s + of_F * forces.by_s;
  out.A = in.motion(all_x), out.S = in.motion(all_s);
  const Matrix guards = guards_by_held(sys, r) * in.L;
  out.Gx = guards * all_x, out.Gs = guards * all_s;
  return out;
}

} // namespace stickslip
