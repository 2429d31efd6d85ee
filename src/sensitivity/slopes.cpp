#include "sensitivity/slopes.hpp"

#include <algorithm>
#include <cmath>

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

bool same(const Form& a, const Form& b) {
  return a.x == b.x && a.s == b.s;
}

// The force of both is the same function of the state and the signals.
bool same_force(const Friction& a, const Friction& b) {
  return a.law == b.law && a.automaton == b.automaton && same(a.velocity, b.velocity) &&
         std::equal(a.load_parts.begin(), a.load_parts.end(), b.load_parts.begin(), b.load_parts.end(),
                    same) &&
         a.load_per_force == b.load_per_force && a.rate_damping == b.rate_damping && a.kinetic == b.kinetic &&
         a.break_away == b.break_away;
}

bool reads(const Friction& p, Index signal) {
  return signal == p.load || p.velocity.s(signal) != 0.0 ||
         std::any_of(p.load_parts.begin(), p.load_parts.end(),
                     [&](const Form& part) { return part.s(signal) != 0.0; });
}

// x' is what matrices and elements that slide make of it.
bool is_complete(const System& sys, const Regime& r) {
  if (sys.smooth || r.coupled || !r.sharing.varying.empty()) return false;
  for (const Index i : r.sticking)
    if (sys.friction[i].states >= 0 || held_by_lag(sys.friction[i], r.modes, i) != 0) return false;
  return std::all_of(r.sliding.begin(), r.sliding.end(), [&](Index i) {
    const Friction& p = sys.friction[i];
    return p.contact < 0 && p.injected < 0;
  });
}

List<Entry> places(const List<RegimeSlopes::Of>& of, Index rows, Index columns) {
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
  out.pace = A.size() == 0 || is_nilpotent(A) ? 0.0 : fastest_rate(A);
  for (const auto& p : by) out.by.push_back(p->changes_machine() ? change(out, *p) : RegimeSlopes::Change{});
  for (Index j = 0; j < by.size(); ++j) {
    for (const Entry& e : out.by[j].A) out.all_A.push_back({j, e});
    for (const Entry& e : out.by[j].B) out.all_B.push_back({j, e});
  }
  out.any_A = places(out.all_A, A.rows(), A.cols());
  out.any_B = places(out.all_B, A.rows(), machine.system().ns());
  find_signals(out);
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

RegimeSlopes::Change SlopesOf::change(RegimeSlopes& of, const Neighbours& p) {
  const Regime& r = *of.regime;
  const System& sys = machine.system();
  RegimeSlopes::Change out;
  const auto slope = [&](Matrix Regime::* which) {
    return entries(p.derivative([&](Replica& m) { return Matrix(m.regime(r.modes).*which); }));
  };
  out.A = slope(r.affine ? &Regime::Ax : &Regime::A);
  out.B = slope(r.affine ? &Regime::As : &Regime::S);
  if (r.affine) {
    for (const auto& m : p.beside)
      of.same_guards = of.same_guards && m->regime(r.modes).guards.size() == r.guards.size();
    if (of.same_guards) out.Gx = slope(&Regime::Gx), out.Gs = slope(&Regime::Gs);
    return out;
  }
  out.E = slope(&Regime::E);
  for (Index k = 0; k < r.sliding.size(); ++k) {
    const Index i = r.sliding[k];
    bool other = std::any_of(p.signals.begin(), p.signals.end(),
                             [&](const auto& signal) { return reads(sys.friction[i], signal.first); });
    for (const auto& m : p.beside) other = other || !same_force(m->system().friction[i], sys.friction[i]);
    if (other) out.elements.push_back(k);
  }
  return out;
}

} // namespace stickslip
