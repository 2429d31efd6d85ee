#include "dynamics/tangent.hpp"

#include "core/linalg.hpp"
#include "core/list.hpp"
#include "dynamics/regime_parts.hpp"
#include "expression/diagnose.hpp"
#include "expression/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace stickslip {

Tangent::Tangent(const System& of) : system(of), smooth(of.smooth) {
  system.tangent = true;
  const Index n = system.n_coordinates;
  x = Vector::Constant(system.nx, std::numeric_limits<double>::quiet_NaN());
  slots = Vector::Zero(smooth->tape.slots());
  prepare(smooth->tape, slots.data());
  taken = Vector::Zero(system.ns());
  mass = factor = Matrix::Zero(n, n);
  inverse_mass = smooth->inverse_mass;
  linear.A = system.A;
  linear.S = system.S;
}

void Tangent::move_to(double at, const double* to) {
  if (placed && at == t && std::equal(to, to + system.nx, x.data())) return;
  t = at;
  std::copy_n(to, system.nx, x.data());
  placed = true;
  built = false;
  for (Index i = 0; i < smooth->inputs.size(); ++i)
    slots(i) = smooth->inputs[i] < 0 ? t : x(smooth->inputs[i]);
  evaluate(smooth->tape, slots.data());
  if (smooth->moving_mass()) invert_mass();
  size_accelerations();
  if (bare()) return;
  if (smooth->moving_mass()) weigh();
  turn_rows();
}

// Whether nothing acts but forces.
bool Tangent::bare() const {
  return system.friction.empty() && system.contacts.empty() && system.loops.empty() && system.springs.empty();
}

// M^-1 by Cholesky's factors, in place; NaN where M is not positive definite.
void Tangent::invert_mass() {
  const Index n = system.n_coordinates;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) mass(i, j) = result(smooth->mass + j * n + i);
  for (Index j = 0; j < n; ++j) {
    double sum = mass(j, j);
    for (Index k = 0; k < j; ++k) sum -= factor(j, k) * factor(j, k);
    factor(j, j) = sum > 0.0 ? std::sqrt(sum) : std::numeric_limits<double>::quiet_NaN();
    for (Index i = j + 1; i < n; ++i) {
      double rest = mass(i, j);
      for (Index k = 0; k < j; ++k) rest -= factor(i, k) * factor(j, k);
      factor(i, j) = rest / factor(j, j);
    }
  }
  for (Index c = 0; c < n; ++c) {
    for (Index i = 0; i < n; ++i) {
      double sum = i == c ? 1.0 : 0.0;
      for (Index k = 0; k < i; ++k) sum -= factor(i, k) * inverse_mass(k, c);
      inverse_mass(i, c) = sum / factor(i, i);
    }
    for (Index i = n - 1; i >= 0; --i) {
      double sum = inverse_mass(i, c);
      for (Index k = i + 1; k < n; ++k) sum -= factor(k, i) * inverse_mass(k, c);
      inverse_mass(i, c) = sum / factor(i, i);
    }
  }
}

// The greatest that have been seen.
void Tangent::size_accelerations() {
  const Index n = system.n_coordinates;
  write(taken.data());
  const Matrix& S = smooth->moving_mass() ? smooth->S : system.S;
  for (const Smooth::Value& v : smooth->values)
    for (Index i = 0; i < n; ++i) {
      double a = S(n + i, v.signal);
      if (smooth->moving_mass()) {
        a = 0.0;
        for (Index j = 0; j < n; ++j) a += inverse_mass(i, j) * S(n + j, v.signal);
      }
      a = std::abs(a * taken(v.signal));
      if (a > system.acceleration(n + i)) system.acceleration(n + i) = a;
    }
}

// Generalised forces become accelerations.
void Tangent::weigh() {
  const Index n = system.n_coordinates;
  const auto column = [&](Vector& effect, const Vector& unit) {
    effect = unit;
    effect.segment(n, n).noalias() = inverse_mass * unit.segment(n, n);
  };
  system.A.middleRows(n, n).noalias() = inverse_mass * smooth->A.middleRows(n, n);
  system.S.middleRows(n, n).noalias() = inverse_mass * smooth->S.middleRows(n, n);
  for (Index i = 0; i < system.friction.size(); ++i) column(system.friction[i].effect, smooth->friction[i]);
  for (Index j = 0; j < system.contacts.size(); ++j) column(system.contacts[j].effect, smooth->contacts[j]);
  for (Index k = 0; k < system.drives.size(); ++k) column(system.drives[k].effect, smooth->drives[k]);
  for (Index i = 0; i < system.springs.size(); ++i) column(system.springs[i].effect, smooth->springs[i]);
  for (Index b = 0; b < system.loops.size(); ++b)
    for (Index j = 0; j < system.loops[b].effect.size(); ++j)
      column(system.loops[b].effect[j], smooth->loops[b][j]);
}

// Gaps and sliding directions.
void Tangent::turn_rows() {
  const Index n = system.n_coordinates;
  const auto row = [&](Index first) {
    return Eigen::Map<const Eigen::VectorX<Slot>>(smooth->tape.outputs.data() + first, n);
  };
  for (const Smooth::Gap& g : smooth->gaps) {
    Contact& c = system.contacts[g.contact];
    const auto at = row(g.row);
    for (Index i = 0; i < n; ++i) c.gap.x(i) = c.rate.x(n + i) = slots(at(i));
    c.effect.segment(n, n).noalias() = inverse_mass * c.gap.x.head(n);
  }
  for (const Smooth::Row& r : smooth->rows) {
    Friction& p = system.friction[r.friction];
    const auto at = row(r.row);
    for (Index i = 0; i < n; ++i) p.velocity.x(n + i) = slots(at(i));
    p.effect.segment(n, n).noalias() = -inverse_mass * p.velocity.x.segment(n, n);
  }
}

void Tangent::write(double* s) const {
  for (const Smooth::Value& v : smooth->values) s[v.signal] = result(v.result);
  for (Index k = 0; k < smooth->rows.size(); ++k) s[smooth->drifts[k]] = result(smooth->rows[k].drift);
  const Index n = system.n_coordinates;
  for (const Smooth::Gap& g : smooth->gaps) {
    const Contact& c = system.contacts[g.contact];
    s[c.gap_signal] = result(g.gap) - c.gap.x.head(n).dot(x.head(n));
    s[c.gap_rate] = result(g.rate);
    s[c.gap_acceleration] = result(g.drift);
  }
}

const double* Tangent::signals(const double* given) {
  std::copy_n(given, taken.size(), taken.data());
  write(taken.data());
  return taken.data();
}

bool Tangent::free_rates(const double* at, const double* s, double* xdot) const {
  if (!bare()) return false;
  const Index n = system.n_coordinates;
  const Matrix& A = smooth->moving_mass() ? smooth->A : system.A;
  const Matrix& S = smooth->moving_mass() ? smooth->S : system.S;
  double* const force = xdot + n;
  for (Index i = 0; i < n; ++i) xdot[i] = at[n + i];
  for (Index i = 0; i < n; ++i) {
    double sum = 0.0;
    for (Index j = 0; j < 2 * n; ++j) sum += A(n + i, j) * at[j];
    for (Index j = 0; j < system.ns(); ++j) sum += S(n + i, j) * s[j];
    force[i] = sum;
  }
  if (!smooth->moving_mass()) return true;
  for (Index i = 0; i < n; ++i) { // L L' a = f
    double sum = force[i];
    for (Index k = 0; k < i; ++k) sum -= factor(i, k) * force[k];
    force[i] = sum / factor(i, i);
  }
  for (Index i = n - 1; i >= 0; --i) {
    double sum = force[i];
    for (Index k = i + 1; k < n; ++k) sum -= factor(k, i) * force[k];
    force[i] = sum / factor(i, i);
  }
  return true;
}

const Regime& Tangent::regime(const Modes& modes) {
  const bool same = local.linear != nullptr && local.modes == modes;
  if (built && same) return local;
  const bool plain = system.loops.empty() && system.springs.empty();
  if (plain)
    linear.A = system.A, linear.S = system.S;
  else
    linear = linear_part(system, modes);
  if (same && plain)
    constrain(system, local); // what it consists of stays
  else
    local = *build_regime(system, modes, linear);
  built = true;
  return local;
}

void Tangent::project(double at, Vector& of, const Modes& modes) {
  constexpr int rounds = 2; // Newton's steps
  const Index n = system.n_coordinates;
  List<Index> closed, held;
  for (Index j = 0; j < system.contacts.size(); ++j)
    if (modes.contact[j] == Mode::closed) closed.push_back(j);
  for (Index i = 0; i < system.friction.size(); ++i)
    if (modes.friction[i].sticks() && system.friction[i].traits.sticks &&
        system.friction[i].surface_travel < 0)
      held.push_back(i);
  if (closed.empty() && held.empty()) return;
  Vector s(system.ns());
  const auto place = [&] {
    move_to(at, of.data());
    signal_values(system, at, s.data());
    write(s.data());
  };
  const auto solve = [&](const List<Index>& contacts, const List<Index>& elements, Index first, auto&& rest) {
    const Index m = contacts.size() + elements.size();
    Matrix R(m, n), U(n, m);
    Vector left(m);
    for (Index k = 0; k < m; ++k) {
      const bool normal = k < contacts.size();
      const Friction* const p = normal ? nullptr : &system.friction[elements[k - contacts.size()]];
      const Contact* const c = normal ? &system.contacts[contacts[k]] : nullptr;
      const double sign = normal ? 1.0 : -1.0;
      R.row(k) = (normal ? c->rate.x : p->velocity.x).segment(n, n).transpose();
      U.col(k) = sign * (normal ? c->effect : p->effect).segment(n, n);
      left(k) = rest(c, p);
    }
    of.segment(first, n) -= U * linalg::least_norm_solution(R * U, left);
  };
  place();
  List<Index> gaps;
  for (const Index j : closed)
    if (!system.contacts[j].of_velocity) gaps.push_back(j);
  for (int round = 0; round < rounds && !gaps.empty(); ++round) {
    solve(gaps, {}, 0, [&](const Contact* c, const Friction*) { return c->gap.x.dot(of) + c->gap.s.dot(s); });
    place();
  }
  solve(closed, held, n, [&](const Contact* c, const Friction* p) {
    return c != nullptr ? c->rate.x.dot(of) + c->rate.s.dot(s) : relative_velocity(*p, of.data(), s.data());
  });
}

std::string Tangent::complaint() const {
  if (const auto found = diagnose(smooth->tape, nullptr, slots.data())) return found->text;
  if (!smooth->moving_mass() || factor.diagonal().allFinite()) return {};
  std::ostringstream text;
  text << "the mass matrix is not positive definite where";
  for (Index i = 0; i < system.n_coordinates; ++i)
    text << (i == 0 ? " " : ", ") << system.states[i] << " = " << x(i);
  return text.str();
}

double Tangent::kinetic() const {
  return result(smooth->kinetic);
}

// Central differences. Steps of the cube root of the last digit leave eleven digits.
Matrix differences_of_rates(const System& sys, const Regime& r, double t, const double* x, const double* s,
                            Scratch& w) {
  constexpr double share = 6e-6;
  const Index nx = sys.nx;
  Matrix J(nx, nx);
  Vector at = Eigen::Map<const Vector>(x, nx), up = Vector::Zero(nx), down = up, force = w.force;
  for (Index j = 0; j < nx; ++j) {
    const double size = std::max(std::abs(x[j]), sys.nominal(j));
    const double h = share * (size > 0.0 ? size : 1.0);
    at(j) = x[j] + h;
    const double high = at(j);
    up.setZero(), down.setZero();
    evaluate(sys, r, t, at.data(), s, up.data(), force.data(), w);
    at(j) = x[j] - h;
    evaluate(sys, r, t, at.data(), s, down.data(), force.data(), w);
    J.col(j) = (up - down) / (high - at(j));
    at(j) = x[j];
  }
  return J;
}

Vector change_with_time(const System& sys, const Regime& r, double t, const double* x, const double* s,
                        const double* sdot, Scratch& w) {
  constexpr double share = 6e-6;
  const double h = share * (sys.time_scale > 0.0 ? sys.time_scale : std::max(std::abs(t), 1.0));
  const Eigen::Map<const Vector> now(s, sys.ns()), rate(sdot, sys.ns());
  Vector at = now + h * rate, up = Vector::Zero(sys.nx), down = up, force = w.force;
  evaluate(sys, r, t + h, x, at.data(), up.data(), force.data(), w);
  at = now - h * rate;
  evaluate(sys, r, t - h, x, at.data(), down.data(), force.data(), w);
  return (up - down) / (2.0 * h);
}

} // namespace stickslip
