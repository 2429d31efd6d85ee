#include "dynamics/tangent.hpp"

#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/reduce_inertia.hpp"
#include "dynamics/regime_parts.hpp"
#include "dynamics/state.hpp"
#include "expression/diagnose.hpp"
#include "expression/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace stickslip {

namespace {

bool finite(const Tape& tape, const Vector& slots) {
  return std::all_of(tape.outputs.begin(), tape.outputs.end(),
                     [&](Slot s) { return std::isfinite(slots(s)); });
}

constexpr std::size_t most_kept = 2048; // combinations of modes

// By the sides that are prescribed, as far as there is a value.
void run_held(const Tape& tape, const List<Sign>& sides, Vector& slots) {
  if (!sides.empty()) {
    evaluate(tape, sides.data(), slots.data());
    if (finite(tape, slots)) return;
  }
  evaluate(tape, slots.data());
}

// Accelerations; inputs and outputs of controllers do not change.
void fold(const System& system, LinearPart& linear) {
  const Index n = system.n_coordinates;
  linear.A.middleRows(n, n) = system.A.middleRows(n, n);
  linear.S.middleRows(n, n) = system.S.middleRows(n, n);
  for (Index b = 0; b < system.loops.size(); ++b)
    for (Index j = 0; j < system.loops[b].effect.size(); ++j) {
      const auto effect = system.loops[b].effect[j].segment(n, n);
      linear.A.middleRows(n, n).noalias() += effect * linear.outputs[b][j].x.transpose();
      linear.S.middleRows(n, n).noalias() += effect * linear.outputs[b][j].s.transpose();
    }
}

} // namespace

struct Tangent::Local {
  LinearPart linear;
  Regime regime;
  Holding held;
  std::int64_t moves = -1, complete = -1; // when its reactions and its matrices were made
};

Tangent::~Tangent() = default;

Tangent::Tangent(const System& of) : system(of), smooth(of.smooth) {
  system.tangent = true;
  const Index n = system.n_coordinates;
  x = Vector::Constant(system.nx, std::numeric_limits<double>::quiet_NaN());
  slots = Vector::Zero(smooth->tape.slots());
  prepare(smooth->tape, slots.data());
  taken = Vector::Zero(system.ns());
  mass = factor = Matrix::Zero(n, n);
  inverse_mass = smooth->inverse_mass;
  folds_in_place = system.springs.empty();
  for (const Loop& l : system.loops) // whose guards depend on accelerations
    folds_in_place = folds_in_place && !(l.saturation >= 0 && l.block.needs_input_rates());
}

void Tangent::move_to(double at, const double* to, const List<Sign>& sides) {
  if (placed && at == t && sides == prescribed && std::equal(to, to + system.nx, x.data())) return;
  t = at;
  prescribed = sides;
  std::copy_n(to, system.nx, x.data());
  placed = true;
  ++moves;
  for (Index i = 0; i < smooth->inputs.size(); ++i)
    slots(i) = smooth->inputs[i] < 0 ? t : x(smooth->inputs[i]);
  complete = !smooth->tape.conditions.empty();
  if (complete)
    run_held(smooth->tape, prescribed, slots);
  else
    evaluate(smooth->tape, 0, smooth->motion, slots.data());
  if (smooth->moving_mass()) factor_mass();
  if (bare()) return;
  invert_mass();
  if (bound()) reduce();
  if (smooth->moving_inertia()) weigh();
  turn_rows();
}

void Tangent::move_to(const State& state) {
  move_to(state.base_t, state.base_x.data(), state.modes.sides);
}

// True if the machine has forces only: no friction, contacts, springs or controllers.
bool Tangent::bare() const {
  return system.friction.empty() && system.contacts.empty() && system.loops.empty() &&
         system.springs.empty() && !bound();
}

// M = L L', in place; NaN where M is not symmetric and positive definite.
void Tangent::factor_mass() {
  const Index n = system.n_coordinates;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) mass(i, j) = result(smooth->mass + j * n + i);
  skew_row = skew_column = -1;
  for (Index j = 0; j < n; ++j)
    for (Index i = j + 1; i < n; ++i)
      if (std::abs(mass(i, j) - mass(j, i)) > tolerance::typed * std::sqrt(std::abs(mass(i, i) * mass(j, j))))
        skew_row = j, skew_column = i;
  if (skew_row >= 0) {
    factor.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
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
}

// L L' a = f, in place.
void Tangent::solve_mass(double* force) const {
  const Index n = system.n_coordinates;
  for (Index i = 0; i < n; ++i) {
    double sum = force[i];
    for (Index k = 0; k < i; ++k) sum -= factor(i, k) * force[k];
    force[i] = sum / factor(i, i);
  }
  for (Index i = n - 1; i >= 0; --i) {
    double sum = force[i];
    for (Index k = i + 1; k < n; ++k) sum -= factor(k, i) * force[k];
    force[i] = sum / factor(i, i);
  }
}

void Tangent::invert_mass() {
  if (!smooth->moving_mass()) {
    if (bound()) inverse_mass = smooth->inverse_mass;
    return;
  }
  inverse_mass.setIdentity();
  for (Index c = 0; c < system.n_coordinates; ++c) solve_mass(inverse_mass.col(c).data());
}

// Reduces the inertia by the constraints.
void Tangent::reduce() {
  const Index n = system.n_coordinates;
  Constraints& c = system.constraints;
  for (const Smooth::Joint& j : smooth->joints)
    for (Index i = 0; i < n; ++i) c.all[j.constraint].row(i) = result(j.row + i);
  if (smooth->moving_mass()) system.mass = mass;
  reduce_inertia(c, inverse_mass);
  inverse_mass = c.inverse_mass;
}

// The greatest that have been seen.
void Tangent::size_accelerations() {
  const Index n = system.n_coordinates;
  const Matrix& S = smooth->moving_mass() ? smooth->S : system.S;
  Vector a(n);
  for (const Smooth::Value& v : smooth->values) {
    a = S.col(v.signal).segment(n, n) * result(v.result);
    if (smooth->moving_mass()) solve_mass(a.data());
    for (Index i = 0; i < n; ++i) // NaN is none
      if (std::abs(a(i)) > system.acceleration(n + i)) system.acceleration(n + i) = std::abs(a(i));
  }
}

// Generalised forces become accelerations.
void Tangent::weigh() {
  const Index n = system.n_coordinates;
  const auto column = [&](Vector& effect, const Vector& unit) {
    effect = unit;
    effect.segment(n, n).noalias() = inverse_mass * unit.segment(n, n);
  };
  system.A.middleRows(n, n).noalias() = inverse_mass.lazyProduct(smooth->A.middleRows(n, n));
  system.S.middleRows(n, n).noalias() = inverse_mass.lazyProduct(smooth->S.middleRows(n, n));
  for (Index k = 0; k < system.constraints.all.size(); ++k)
    system.S.col(system.constraints.all[k].acceleration).segment(n, n) +=
        system.constraints.prescribed.col(k);
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
  for (const Smooth::Value& v : smooth->compliant) {
    const Contact& c = system.contacts[v.signal];
    system.S.col(c.force) = c.effect;
  }
  for (const Smooth::Row& r : smooth->rows) {
    Friction& p = system.friction[r.friction];
    const auto at = row(r.row);
    for (Index i = 0; i < n; ++i) p.velocity.x(n + i) = slots(at(i));
    p.effect.segment(n, n).noalias() = -inverse_mass * p.velocity.x.segment(n, n);
  }
}

void Tangent::complete_slots() {
  if (!complete) evaluate(smooth->tape, smooth->motion, smooth->tape.code.size(), slots.data());
  complete = true;
}

void Tangent::write(double* s) {
  complete_slots();
  write_motion(s);
  for (const Smooth::Value& v : smooth->powers) s[v.signal] = result(v.result);
}

// All that moves something.
void Tangent::write_motion(double* s) const {
  for (const Smooth::Value& v : smooth->values) s[v.signal] = result(v.result);
  for (const Smooth::Value& load : smooth->loads)
    if (result(load.result) < 0.0) s[system.friction[load.signal].load] = 0.0;
  for (Index k = 0; k < smooth->rows.size(); ++k) s[smooth->drifts[k]] = result(smooth->rows[k].drift);
  const Index n = system.n_coordinates;
  for (const Smooth::Gap& g : smooth->gaps) {
    const Contact& c = system.contacts[g.contact];
    s[c.gap_signal] = result(g.gap) - c.gap.x.head(n).dot(x.head(n));
    s[c.gap_rate] = result(g.rate);
    s[c.gap_acceleration] = result(g.drift);
  }
  for (const Smooth::Joint& j : smooth->joints) {
    const Constraint& c = system.constraints.all[j.constraint];
    if (j.value >= 0) {
      double along = 0.0; // c.row . q, also where there are no rows yet
      for (Index i = 0; i < n; ++i) along += result(j.row + i) * x(i);
      s[c.value] = along - result(j.value);
      s[c.rate] = -result(j.rate);
    }
    s[c.acceleration] = -result(j.drift);
  }
}

const double* Tangent::signals(const double* given) {
  std::copy_n(given, taken.size(), taken.data());
  write_motion(taken.data());
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
  if (smooth->moving_mass()) solve_mass(force);
  return true;
}

Reactions Tangent::reactions(const Modes& modes) {
  if (local == nullptr || local->regime.modes != modes) {
    if (locals.size() >= most_kept && !locals.contains(modes)) locals.clear();
    std::unique_ptr<Local>& known = locals[modes];
    if (!known) known = std::make_unique<Local>();
    local = known.get();
  }
  if (local->moves == moves) return {local->regime, local->held};
  if (bare() && smooth->moving_mass()) invert_mass(), weigh();
  local->held.x = x.data();
  local->held.t = t;
  if (local->moves >= 0 && folds_in_place) { // its constituents keep their places
    fold(system, local->linear);
  } else {
    local->linear = linear_part(system, modes);
    local->regime = std::move(*build_regime(system, modes, local->linear, {.unconstrained = true}));
  }
  renew_reactions(system, local->regime, local->held);
  renew_sharing_terms(system, local->regime);
  local->moves = moves;
  return {local->regime, local->held};
}

const Regime& Tangent::regime(const Modes& modes) {
  reactions(modes);
  if (local->complete == moves) return local->regime;
  constrain(system, local->regime, local->held);
  renew_sharing_terms(system, local->regime);
  local->complete = moves;
  return local->regime;
}

void Tangent::project(double at, Vector& of, const Modes& modes) {
  List<Index> closed, held;
  for (Index j = 0; j < system.contacts.size(); ++j)
    if (modes.contact[j] == Mode::closed && !system.contacts[j].yields()) closed.push_back(j);
  for (Index i = 0; i < system.friction.size(); ++i)
    if (modes.friction[i].sticks() && system.friction[i].traits.sticks &&
        system.friction[i].surface_travel < 0)
      held.push_back(i);
  if (!closed.empty() || !held.empty() || bound())
    restore(at, of, modes.sides, closed, held, modes.open.directions);
}

void Tangent::rest(const Modes& modes, const double* s, double* of) {
  const auto& [r, c] = reactions(modes);
  if (r.sticking.empty() && r.closed.empty()) return;
  for (Index k = 0; k < c.count; ++k)
    c.left(k) = k < c.friction ? relative_velocity(system.friction[r.sticking[k]], of, s)
                               : value(system.contacts[r.closed[k - c.friction]].rate, of, s);
  c.taken.noalias() = c.H.lazyProduct(c.left);
  Eigen::Map<Vector>(of, system.nx).noalias() += c.U.lazyProduct(c.taken);
}

bool Tangent::parts(const Modes& modes, const Vector& of, const Vector& nominal) {
  if (modes.open.directions <= 0) return false;
  const Regime& r = reactions(modes).regime;
  signal_values(system, t, taken.data());
  write(taken.data());
  const auto moving = [&](double speed, double size) {
    return std::abs(speed) > tolerance::event_zero * size;
  };
  return std::any_of(r.sticking.begin(), r.sticking.end(),
                     [&](Index i) {
                       const Friction& p = system.friction[i];
                       return moving(relative_velocity(p, of.data(), taken.data()),
                                     velocity_size(p, nominal));
                     }) ||
         std::any_of(r.closed.begin(), r.closed.end(), [&](Index j) {
           const Form& rate = system.contacts[j].rate;
           return moving(value(rate, of.data(), taken.data()), size_of(rate, nominal, taken.data()));
         });
}

void Tangent::keep_constraints(double at, Vector& of) {
  if (bound()) restore(at, of, {}, {}, {}, -1);
}

void Tangent::restore(double at, Vector& of, const List<Sign>& sides, const List<Index>& closed,
                      const List<Index>& held, Index open) {
  const Index n = system.n_coordinates;
  Vector s(system.ns());
  const auto place = [&] {
    move_to(at, of.data(), sides);
    signal_values(system, at, s.data());
    write(s.data());
  };
  const auto solve = [&](const List<Index>& contacts, const List<Index>& elements, Index first, Index idle,
                         auto&& rest) {
    const ForceDirections acting = force_directions(system, contacts, elements);
    const Matrix R = acting.rows.middleCols(n, n), U = acting.columns.middleRows(n, n);
    Vector left(R.rows());
    for (Index k = 0; k < left.size(); ++k) {
      const bool normal = k < contacts.size();
      left(k) = rest(normal ? &system.contacts[contacts[k]] : nullptr,
                     normal ? nullptr : &system.friction[elements[k - contacts.size()]]);
    }
    Matrix shifts;
    of.segment(first, n) -= U * (idle < 0    ? impulses_to_rest(R * U, left)
                                 : idle == 0 ? Vector(linalg::solve(R * U, left))
                                             : Vector(least_forces(R * U, idle, shifts) * left));
  };
  // They come first: effects of elements leave them as they are.
  const auto bind = [&](Index first, bool positions) {
    const Constraints& c = system.constraints;
    Vector left = Vector::Zero(c.all.size());
    for (Index k = 0; k < left.size(); ++k)
      if (const Index signal = positions ? c.all[k].value : c.all[k].rate; signal >= 0)
        left(k) = c.all[k].row.dot(of.segment(first, n)) - s(signal);
    of.segment(first, n) -= c.prescribed * left;
  };
  // The greatest residual of constraints and gaps, in units of the rounding of their terms.
  const auto violation = [&](const List<Index>& contacts) {
    double worst = 0.0;
    const auto see = [&worst](double left, double terms) {
      if (left != 0.0) worst = std::max(worst, std::abs(left) / (tolerance::epsilon * terms));
    };
    if (bound())
      for (const Constraint& c : system.constraints.all)
        if (c.value >= 0)
          see(c.row.dot(of.head(n)) - s(c.value),
              c.row.cwiseAbs().dot(of.head(n).cwiseAbs()) + std::abs(s(c.value)));
    for (const Index j : contacts) {
      const Form& gap = system.contacts[j].gap;
      see(value(gap, of.data(), s.data()), size_of(gap, of.cwiseAbs(), s.data()));
    }
    return worst;
  };
  place();
  List<Index> gaps;
  for (const Index j : closed)
    if (!system.contacts[j].of_velocity) gaps.push_back(j);
  // Newton's method, as long as it gains.
  double before = std::numeric_limits<double>::infinity();
  for (double now = violation(gaps); now > 1.0 && now < 0.5 * before; before = now, now = violation(gaps)) {
    const auto gap = [&](const Contact* c, const Friction*) { return value(c->gap, of.data(), s.data()); };
    if (bound()) bind(0, true);
    if (!gaps.empty()) solve(gaps, {}, 0, -1, gap);
    place();
  }
  if (bound()) bind(n, false);
  if (closed.empty() && held.empty()) return;
  solve(closed, held, n, open, [&](const Contact* c, const Friction* p) {
    return c != nullptr ? value(c->rate, of.data(), s.data()) : relative_velocity(*p, of.data(), s.data());
  });
}

std::string Tangent::complaint() const {
  if (!finite(smooth->tape, slots))
    if (const auto found = diagnose(smooth->tape, nullptr, slots.data())) return found->text;
  if (std::string skew = asymmetry(); !skew.empty()) return skew;
  if (!smooth->moving_mass() || factor.diagonal().allFinite()) return {};
  return "the mass matrix is not positive definite" + place();
}

std::string Tangent::asymmetry() const {
  if (skew_row < 0) return {};
  const auto entry = [&](Index i, Index j) {
    std::ostringstream text;
    text << "its entry ('" << system.coordinates[i] << "', '" << system.coordinates[j] << "') is "
         << mass(i, j);
    return text.str();
  };
  return "the mass matrix is not symmetric: " + entry(skew_row, skew_column) + ", but " +
         entry(skew_column, skew_row) + place();
}

// A constraint that asks for an acceleration along its row far beyond all that forces make: where g(q) = 0 has a cusp,
// its gradient is zero while the way bends. (A gradient that is zero on a straight way asks for none.)
std::string Tangent::steepness() const {
  constexpr double steep = 1e6;
  const Index n = system.n_coordinates;
  for (const Smooth::Joint& j : smooth->joints) {
    const Constraint& c = system.constraints.all[j.constraint];
    const double usual = c.row.cwiseAbs().dot(system.acceleration.segment(n, n));
    if (usual > 0.0 && std::abs(result(j.drift)) > steep * usual)
      return "the factors of the constraint '" + c.name + "' vanish, and its force grows without bound," +
             place();
  }
  return {};
}

std::string Tangent::place() const {
  std::ostringstream text;
  text << " where";
  for (Index i = 0; i < system.n_coordinates; ++i)
    text << (i == 0 ? " " : ", ") << system.states[i] << " = " << x(i);
  return text.str();
}

double Tangent::kinetic() {
  complete_slots();
  return result(smooth->kinetic);
}

double Tangent::load(Index element) const {
  for (const Smooth::Value& one : smooth->loads)
    if (one.signal == element) return result(one.result);
  return 0.0;
}

// For each quantity in a load: its contribution to the load, or the change of the load where it is zero.
Vector Tangent::load_sizes(const Vector& nominal, double time_scale) {
  const Tape& tape = smooth->tape;
  const Sign* const sides = prescribed.empty() ? nullptr : prescribed.data();
  Vector by(tape.slots()), out = Vector::Zero(system.friction.size());
  for (const Smooth::Value& load : smooth->loads) {
    reverse(tape, sides, slots.data(), load.result, by.data());
    for (Index i = 0; i < tape.inputs.size(); ++i) {
      const double size = smooth->inputs[i] < 0 ? time_scale : nominal(smooth->inputs[i]);
      by(i) *= std::max(size, std::abs(slots(i)));
    }
    for (Index k = tape.first_result(); k < tape.slots(); ++k) by(k) *= slots(k);
    for (Index k = 0; k < tape.slots(); ++k)
      if (std::isfinite(by(k))) out(load.signal) += std::abs(by(k));
  }
  return out;
}

Vector Tangent::condition_sizes(const Vector& nominal, double time_scale) {
  const Tape& tape = smooth->tape;
  const Index inputs = tape.inputs.size();
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rates(tape.slots(), inputs);
  rates.topRows(inputs).setZero();
  for (Index i = 0; i < inputs; ++i)
    rates(i, i) = smooth->inputs[i] < 0 ? time_scale : nominal(smooth->inputs[i]);
  forward(tape, prescribed.empty() ? nullptr : prescribed.data(), slots.data(), inputs, rates.data());
  Vector out(tape.conditions.size());
  for (Index k = 0; k < out.size(); ++k) out(k) = rates.row(tape.conditions[k]).cwiseAbs().sum();
  return out;
}

Vector Tangent::condition_rates(const double* xdot) {
  const Tape& tape = smooth->tape;
  Vector rates(tape.slots()), out(tape.conditions.size());
  for (Index i = 0; i < tape.inputs.size(); ++i)
    rates(i) = smooth->inputs[i] < 0 ? 1.0 : xdot[smooth->inputs[i]];
  forward(tape, prescribed.empty() ? nullptr : prescribed.data(), slots.data(), 1, rates.data());
  for (Index k = 0; k < out.size(); ++k) out(k) = rates(tape.conditions[k]);
  return out;
}

const Turning& Tangent::turning(const double* xdot, const double* force, const double* sdot) {
  const Smooth::Slopes& slopes = smooth->slopes;
  const Index n = system.n_coordinates, by_time = system.nx;
  if (slope_slots.size() == 0) {
    slope_slots = Vector::Zero(slopes.tape.slots());
    prepare(slopes.tape, slope_slots.data());
    unbalanced.resize(n, system.nx + 1);
    change.signals.resize(system.ns(), system.nx + 1);
    change.accelerations = Matrix::Zero(system.nx, system.nx + 1);
    change.velocities.resize(system.friction.size(), system.nx + 1);
  }
  const Index inputs = smooth->inputs.size();
  slope_slots.head(inputs) = slots.head(inputs);
  std::copy_n(xdot + n, n, slope_slots.data() + inputs);
  Vector held; // by constraints
  if (bound()) held = constraint_forces(system, local->regime, x.data(), taken.data(), xdot, force);
  const Index others = system.friction.size() + system.contacts.size();
  for (Index k = 0; k < slopes.forces.size(); ++k) {
    const Index at = slopes.forces[k];
    slope_slots(inputs + n + k) = at < others ? force[at] : held(at - others);
  }
  prescribed_slopes.clear();
  for (const Index c : slopes.conditions)
    if (!prescribed.empty()) prescribed_slopes.push_back(prescribed[c]);
  run_held(slopes.tape, prescribed_slopes, slope_slots);
  const auto fill = [&](Matrix& out, const List<Smooth::Slopes::Entry>& entries) {
    for (const Smooth::Slopes::Entry& e : entries) {
      const double slope = slope_slots(slopes.tape.outputs[e.result]);
      if (std::isfinite(slope)) // where it is infinite, as that of sqrt(x) at 0, none serves
        out(e.of, e.state < 0 ? by_time : e.state) += slope;
    }
  };
  change.signals.setZero(), change.velocities.setZero(), unbalanced.setZero();
  change.signals.col(by_time) = Eigen::Map<const Vector>(sdot, system.ns());
  fill(change.signals, slopes.signals);
  fill(change.velocities, slopes.velocities);
  fill(unbalanced, slopes.balance);
  change.accelerations.middleRows(n, n).noalias() = inverse_mass * unbalanced;
  return change;
}

void follow_sides(const System& sys, Modes& modes) {
  const Tape& tape = sys.smooth->tape;
  for (const Smooth::Value& v : sys.smooth->compliant) {
    const bool pushes = !tape.is_constant(chosen_slot(tape, modes.sides.data(), v.result));
    modes.contact[v.signal] = pushes ? Mode::closed : Mode::open;
  }
}

} // namespace stickslip
