#include "sensitivity/slopes.hpp"

#include "dynamics/element_force.hpp"
#include "friction/varied_law.hpp"
#include "sensitivity/law_slopes.hpp"
#include "sensitivity/same_force.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace stickslip {

namespace {

// A bound for the fastest rate of x' = A x that does not depend on the units of the states (balancing, Parlett and
// Reinsch 1969).
double fastest_rate(const Matrix& of) {
  Matrix A = of.cwiseAbs();
  for (int round = 0; round < 10; ++round)
    for (Index i = 0; i < A.rows(); ++i) {
      const double row = A.row(i).sum() - A(i, i), column = A.col(i).sum() - A(i, i);
      if (!(row > 0.0) || !(column > 0.0)) continue;
      const double factor = std::sqrt(row / column);
      A.row(i) /= factor, A.col(i) *= factor;
    }
  return std::min(A.rowwise().sum().maxCoeff(), A.colwise().sum().maxCoeff());
}

// By its zeros alone.
bool is_nilpotent(const Matrix& of) {
  const Matrix once = (of.array() != 0.0).cast<double>();
  Matrix power = once;
  for (Index k = 1; k < of.rows() && !power.isZero(0.0); ++k)
    power = ((once * power).array() != 0.0).cast<double>();
  return power.isZero(0.0);
}

bool reads(const Friction& p, Index signal) {
  return signal == p.load || p.velocity.s(signal) != 0.0 ||
         std::any_of(p.load_parts.begin(), p.load_parts.end(),
                     [&](const Form& part) { return part.s(signal) != 0.0; });
}

// x' is determined by the matrices and the sliding elements.
bool is_complete(const System& sys, const Regime& r) {
  if (sys.smooth || r.coupled || !r.sharing.varying.empty()) return false;
  for (const Index i : r.sticking)
    if (sys.friction[i].states >= 0 || held_by_lag(sys.friction[i], r.modes, i) != 0) return false;
  return std::all_of(r.sliding.begin(), r.sliding.end(), [&](Index i) {
    const Friction& p = sys.friction[i];
    return p.contact < 0 && p.injected < 0;
  });
}

List<Entry> places_of(const List<RegimeSlopes::Of>& of, Index rows, Index columns) {
  Matrix any = Matrix::Zero(rows, columns);
  for (const RegimeSlopes::Of& one : of) any(one.entry.row, one.entry.column) = 1.0;
  return entries(any);
}

} // namespace

List<Entry> entries(const Matrix& of) {
  List<Entry> out;
  for (Index j = 0; j < of.cols(); ++j)
    for (Index i = 0; i < of.rows(); ++i)
      if (of(i, j) != 0.0) out.push_back({i, j, of(i, j)});
  return out;
}

const RegimeSlopes& SlopesOf::operator()(const Regime& of) {
  if (last != nullptr && last->regime == &of) return *last;
  const auto [at, fresh] = known.try_emplace(&of);
  last = &at->second;
  if (!fresh) return *last;
  at->second.regime = &of;
  find(at->second);
  return *last;
}

void SlopesOf::find(RegimeSlopes& out) {
  const Regime& r = *out.regime;
  out.complete = r.affine || is_complete(machine.system(), r);
  if (!out.complete) return;
  const Matrix& A = r.affine ? r.Ax : r.A;
  out.A = entries(A);
  out.B = entries(r.affine ? r.As : r.S);
  if (!r.affine) out.E = entries(r.E);
  const System& sys = machine.system();
  const bool by_motion = moves_alone(sys, r);
  SlidingForces forces;
  if (by_motion && r.affine) forces = sliding_forces(sys, r);
  if (motions.empty())
    for (const auto& p : by) motions.emplace_back(sys, *p);
  out.pace = A.size() == 0 || is_nilpotent(A) ? 0.0 : fastest_rate(A);
  find_changes(out, by_motion, forces);
  for (Index j = 0; j < by.size(); ++j) {
    for (const Entry& e : out.by[j].A) out.all_A.push_back({j, e});
    for (const Entry& e : out.by[j].B) out.all_B.push_back({j, e});
  }
  out.any_A = places_of(out.all_A, A.rows(), A.cols());
  out.any_B = places_of(out.all_B, A.rows(), sys.ns());
  find_elements(out);
  find_signals(out);
}

// `by_motion`: this regime `moves_alone`.
void SlopesOf::find_changes(RegimeSlopes& out, bool by_motion, const SlidingForces& forces) {
  const Regime& r = *out.regime;
  if (direction && r.affine) {
    out.by.push_back(change_along(out, *direction));
    return;
  }
  std::optional<LawSlopes> laws;
  if (by_motion && r.affine) laws.emplace(machine.system(), r);
  for (Index j = 0; j < by.size(); ++j)
    if (!by[j]->changes_machine())
      out.by.emplace_back();
    else if (by[j]->signals_alone)
      out.by.emplace_back().elements = elements_that_differ(r, *by[j]), out.by.back().guards = by_motion;
    else if (by_motion && motions[j].alone())
      out.by.push_back(change_of_motion(out, j, forces));
    else if (laws && motions[j].laws_alone)
      out.by.push_back(laws->of(*by[j], motions[j].changed_laws));
    else {
      out.by.push_back(change(
          out, *by[j], by_motion && !motions[j].law_columns.empty() ? &motions[j].law_columns : nullptr));
      out.by.back().guards = out.by.back().of_laws = by_motion && motions[j].laws_alone;
    }
}

// The sum over the parameters, which need the same derivatives later: no neighbouring regime is built for it.
RegimeSlopes::Change SlopesOf::change_along(RegimeSlopes& of, const Direction& all) {
  const Regime& r = *of.regime;
  const RegimeSlopes& parts = (*all.parts)(r);
  const auto sum = [&](List<Entry> RegimeSlopes::Change::* which, const Matrix& like) {
    Matrix out = Matrix::Zero(like.rows(), like.cols());
    for (Index j = 0; j < parts.by.size(); ++j)
      for (const Entry& e : parts.by[j].*which) out(e.row, e.column) += all.shares(j) * e.value;
    return entries(out);
  };
  using Change = RegimeSlopes::Change;
  Change out;
  out.A = sum(&Change::A, r.Ax), out.B = sum(&Change::B, r.As);
  out.Gx = sum(&Change::Gx, r.Gx), out.Gs = sum(&Change::Gs, r.Gs);
  of.same_guards = parts.same_guards;
  return out;
}

void SlopesOf::find_signals(RegimeSlopes& out) {
  const System& sys = machine.system();
  const Regime& r = *out.regime;
  for (Index i = 0; i < sys.ns(); ++i) {
    if (is_constant(sys.signals[i])) continue;
    const auto is_of = [i](const Entry& e) { return e.column == i; };
    if (std::any_of(out.B.begin(), out.B.end(), is_of) ||
        std::any_of(out.all_B.begin(), out.all_B.end(),
                    [&](const RegimeSlopes::Of& of) { return is_of(of.entry); }))
      out.drives.push_back(i);
    else if (r.affine && !r.Gs.col(i).isZero(0.0))
      out.guides.push_back(i);
  }
}

namespace {

// Columns of the matrices by (x, s) that differ bitwise, all or among these.
List<Index> columns_that_differ(const Regime& a, const Regime& b, const List<Index>* among) {
  const Index nx = a.Ax.cols(), ns = a.As.cols();
  const bool guards = a.guards.size() == b.guards.size();
  List<Index> out;
  for (Index k = 0; k < (among != nullptr ? among->size() : nx + ns); ++k) {
    const Index j = among != nullptr ? (*among)[k] : k;
    const bool same =
        j < nx ? a.Ax.col(j) == b.Ax.col(j) && (!guards || a.Gx.col(j) == b.Gx.col(j))
               : a.As.col(j - nx) == b.As.col(j - nx) && (!guards || a.Gs.col(j - nx) == b.Gs.col(j - nx));
    if (!same) out.push_back(j);
  }
  return out;
}

using Regimes = List<std::unique_ptr<Regime>>;

// Sets other columns to zero. `which`: a matrix by x or by s.
void keep_columns(Matrix& of, const List<Index>& columns, Matrix Regime::* which, Index nx) {
  const Index from = which == &Regime::As || which == &Regime::Gs ? nx : 0;
  for (Index j = 0; j < of.cols(); ++j)
    if (!std::binary_search(columns.begin(), columns.end(), from + j)) of.col(j).setZero();
}

// As Neighbours::derivative.
List<Entry> slope_of_matrix(const Neighbours& p, const Regimes& beside, Matrix Regime::* which) {
  const Matrix& last = (*beside.back()).*which;
  Matrix sum = Matrix::Zero(last.rows(), last.cols());
  for (Index k = 0; k + 1 < beside.size(); ++k) sum += p.weights[k] * ((*beside[k]).*which - last);
  return entries(sum);
}

// As Neighbours::derivative with divisors, here relative to that of the regime.
List<Entry> slope_of_matrix(const Neighbours& p, const Regimes& beside, const List<double>& divisors,
                            const Regime& r, const List<Index>& columns, Matrix Regime::* which) {
  Matrix here = r.*which;
  keep_columns(here, columns, which, r.Ax.cols());
  Matrix sum = Matrix::Zero(here.rows(), here.cols());
  for (Index k = 0; k < beside.size(); ++k) sum += p.weights[k] * divisors[k] * ((*beside[k]).*which - here);
  return entries(sum);
}

// Of an affine regime, in which it does not depend on the state.
double divisor_of(const System& sys, const Regime& r) {
  Scratch scratch(sys);
  const Vector x = Vector::Zero(sys.nx), s = Vector::Zero(sys.ns());
  return coupling(sys, r, 0.0, x.data(), s.data(), scratch);
}

// True if the holding constraints of both regimes are bitwise equal.
bool same_constraints(const Regime& a, const Regime& b) {
  return !a.shared && !b.shared && a.A == b.A && a.S == b.S && a.E == b.E && a.L.entries == b.L.entries &&
         a.Lx == b.Lx && a.Ls == b.Ls && a.LF == b.LF;
}

// All of them with these columns alone; the last one is there.
Regimes beside_at(const Neighbours& p, std::unique_ptr<Regime> last, const Regime& r,
                  const List<Index>& columns) {
  Regimes out;
  const RegimeHint hint{&columns, same_constraints(*last, r) ? &r : nullptr};
  for (Matrix Regime::* of : {&Regime::Ax, &Regime::Gx, &Regime::As, &Regime::Gs})
    keep_columns((*last).*of, columns, of, r.Ax.cols());
  for (Index k = 0; k + 1 < p.beside.size(); ++k) out.push_back(p.beside[k]->build(r.modes, hint));
  out.push_back(std::move(last));
  return out;
}

} // namespace

// Entries that are bitwise equal in the farthest neighbouring machine do not change with the parameter: the others need
// no evaluation.
RegimeSlopes::Change SlopesOf::change(RegimeSlopes& of, const Neighbours& p, const List<Index>* reads) {
  const Regime& r = *of.regime;
  RegimeSlopes::Change out;
  auto far = p.beside.back()->build(r.modes, {reads, reads != nullptr ? &r : nullptr});
  if (r.affine) {
    const List<Index> columns = columns_that_differ(r, *far, reads);
    of.same_guards = of.same_guards && far->guards.size() == r.guards.size();
    if (columns.empty()) return out;
    const Regimes beside = beside_at(p, std::move(far), r, columns);
    for (const auto& m : beside) of.same_guards = of.same_guards && m->guards.size() == r.guards.size();
    List<double> divisors;
    if (r.coupled)
      for (Index k = 0; k < beside.size(); ++k)
        divisors.push_back(divisor_of(p.beside[k]->system(), *beside[k]) / divisor_of(machine.system(), r));
    const auto slope = [&](Matrix Regime::* which) {
      return r.coupled ? slope_of_matrix(p, beside, divisors, r, columns, which)
                       : slope_of_matrix(p, beside, which);
    };
    out.A = slope(&Regime::Ax), out.B = slope(&Regime::As);
    if (of.same_guards) out.Gx = slope(&Regime::Gx), out.Gs = slope(&Regime::Gs);
    return out;
  }
  if (!(far->A == r.A && far->S == r.S && far->E == r.E)) {
    const Regimes beside = beside_at(p, std::move(far), r, {});
    out.A = slope_of_matrix(p, beside, &Regime::A), out.B = slope_of_matrix(p, beside, &Regime::S);
    out.E = slope_of_matrix(p, beside, &Regime::E);
  }
  out.elements = elements_that_differ(r, p);
  return out;
}

RegimeSlopes::Change SlopesOf::change_of_motion(RegimeSlopes& of, Index j, const SlidingForces& forces) {
  const Regime& r = *of.regime;
  RegimeSlopes::Change out;
  const MotionSlopes::Change found = motions[j].of(machine.system(), r, forces);
  if (!found.none) {
    out.A = entries(found.A), out.B = entries(found.S);
    if (r.affine)
      out.Gx = entries(found.Gx), out.Gs = entries(found.Gs);
    else
      out.E = entries(found.E), out.Lx = found.Lx, out.Ls = found.Ls, out.LF = found.LF;
  }
  if (!r.affine) out.elements = elements_that_differ(r, *by[j]), out.guards = true;
  return out;
}

// Sliding elements whose force is another function in the neighbouring machines.
List<ElementChange> SlopesOf::elements_that_differ(const Regime& r, const Neighbours& p) const {
  const System& sys = machine.system();
  const auto all = [&](auto&& same) { return std::all_of(p.beside.begin(), p.beside.end(), same); };
  List<ElementChange> out;
  for (Index k = 0; k < r.sliding.size(); ++k) {
    const Index i = r.sliding[k];
    const Friction& own = sys.friction[i];
    const bool driven = std::any_of(p.signals.begin(), p.signals.end(),
                                    [&](const auto& signal) { return reads(own, signal.first); });
    const auto same = [&](const auto& m) { return same_force(m->system().friction[i], own); };
    const bool same_law = p.signals_alone || all(same);
    if (same_law && !driven) continue;
    const auto same_inputs = [&](const auto& m) {
      const Friction& other = m->system().friction[i];
      return same_form(other.velocity, own.velocity) && other.load == own.load &&
             std::equal(other.load_parts.begin(), other.load_parts.end(), own.load_parts.begin(),
                        own.load_parts.end(), same_form);
    };
    using Of = ElementChange::Of;
    const int side = r.modes.friction[i].force_side();
    const bool inputs = all(same_inputs), given_load = is_law_at_given_load(own, side);
    const bool varied_law = is_law_alone(own, side) && VariedLaw::exists_for(own.law);
    if (same_law && given_load)
      out.push_back({k, Of::signals});
    else if (inputs && driven && given_load && varied_law)
      out.push_back({k, Of::numbers_and_signals});
    else if (inputs && !driven)
      out.push_back({k, varied_law ? Of::numbers : Of::law});
    else
      out.push_back({k, Of::any});
  }
  return out;
}

bool is_law_alone(const Friction& p, int direction) {
  return direction != 0 && p.contact < 0 && p.injected < 0 && p.peak < 0 && memory_of(p, direction) < 0;
}

bool is_law_at_given_load(const Friction& p, int direction) {
  return is_law_alone(p, direction) && p.load_contact < 0 && p.load >= 0 && p.load_parts.empty() &&
         !p.has_seat();
}

bool is_curve(const Friction& p, int direction) {
  return is_law_at_given_load(p, direction) && p.states < 0;
}

void SlopesOf::find_elements(RegimeSlopes& out) const {
  const Regime& r = *out.regime;
  if (r.affine) return;
  out.force_columns.resize(r.sliding.size());
  for (const Entry& e : out.E) out.force_columns[e.column].push_back(e);
  out.by_element.resize(r.sliding.size());
  for (Index j = 0; j < by.size(); ++j) {
    for (const ElementChange& e : out.by[j].elements) out.by_element[e.element].push_back({j, e.of});
    out.changes_E = out.changes_E || !out.by[j].E.empty();
  }
  if (moves_alone(machine.system(), r)) {
    const LawSlopes laws(machine.system(), r);
    out.guards = {laws.by_force, laws.by_held};
  }
  find_law_slopes(out);
}

void SlopesOf::find_law_slopes(RegimeSlopes& out) const {
  const Regime& r = *out.regime;
  const System& sys = machine.system();
  out.laws.exist =
      r.indeterminate_forces.cols() == 0 && std::all_of(r.sliding.begin(), r.sliding.end(), [&](Index i) {
        return is_law_at_given_load(sys.friction[i], r.modes.friction[i].force_side()) &&
               sys.friction[i].traits.states < element_seeds;
      });
  if (!out.laws.exist) return;
  for (Index k = 0; k < r.sliding.size(); ++k) {
    const Friction& p = sys.friction[r.sliding[k]];
    const auto add = [&](Index row, double factor) {
      for (Index column = 0; column < sys.nx; ++column)
        if (p.velocity.x(column) != 0.0)
          out.laws.entries.push_back({row, column, out.laws.count, factor * p.velocity.x(column)});
      for (Index z = 0; z < p.traits.states; ++z)
        out.laws.entries.push_back({row, p.states + z, out.laws.count + 1 + z, factor});
    };
    for (const Entry& e : out.force_columns[k]) add(e.row, e.value);
    out.laws.count += 1 + p.traits.states;
    for (Index z = 0; z < p.traits.states; ++z) {
      add(p.states + z, 1.0);
      out.laws.count += 1 + p.traits.states;
    }
  }
  const Index m = sys.n_coordinates;
  out.velocities = r.A.topRows(m) == Matrix::Identity(sys.nx, sys.nx).middleRows(m, m) &&
                   std::all_of(out.laws.entries.begin(), out.laws.entries.end(),
                               [m](const RegimeSlopes::Slope& e) { return e.row >= m; });
}

} // namespace stickslip
