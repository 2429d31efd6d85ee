#include "dynamics/tangent.hpp"

#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/reduce_inertia.hpp"
#include "dynamics/regime_parts.hpp"
#include "dynamics/restoration.hpp"
#include "dynamics/state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace stickslip {

namespace {

constexpr std::size_t most_kept = 2048; // combinations of modes

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

// Generalised forces become accelerations.
void weigh_forces(const Smooth& smooth, const Matrix& inverse_mass, System& system) {
  const Index n = system.n_coordinates;
  const auto column = [&](Vector& effect, const Vector& unit) {
    effect = unit;
    effect.segment(n, n).noalias() = inverse_mass * unit.segment(n, n);
  };
  system.A.middleRows(n, n).noalias() = inverse_mass.lazyProduct(smooth.A.middleRows(n, n));
  system.S.middleRows(n, n).noalias() = inverse_mass.lazyProduct(smooth.S.middleRows(n, n));
  for (Index k = 0; k < system.constraints.all.size(); ++k)
    system.S.col(system.constraints.all[k].acceleration).segment(n, n) +=
        system.constraints.prescribed.col(k);
  for (Index i = 0; i < system.friction.size(); ++i) column(system.friction[i].effect, smooth.friction[i]);
  for (Index j = 0; j < system.contacts.size(); ++j) column(system.contacts[j].effect, smooth.contacts[j]);
  for (Index k = 0; k < system.drives.size(); ++k) column(system.drives[k].effect, smooth.drives[k]);
  for (Index i = 0; i < system.springs.size(); ++i) column(system.springs[i].effect, smooth.springs[i]);
  for (Index b = 0; b < system.loops.size(); ++b)
    for (Index j = 0; j < system.loops[b].effect.size(); ++j)
      column(system.loops[b].effect[j], smooth.loops[b][j]);
}

// Gaps and sliding directions.
void turn_rows(const Smooth& smooth, const FormulaValues& formulas, const Matrix& inverse_mass,
               System& system) {
  const Index n = system.n_coordinates;
  for (const Smooth::Gap& g : smooth.gaps) {
    Contact& c = system.contacts[g.contact];
    for (Index i = 0; i < n; ++i) c.gap.x(i) = c.rate.x(n + i) = formulas[g.row + i];
    c.effect.segment(n, n).noalias() = inverse_mass * c.gap.x.head(n);
  }
  for (const Smooth::Value& v : smooth.compliant) {
    const Contact& c = system.contacts[v.signal];
    system.S.col(c.force) = c.effect;
  }
  for (const Smooth::Row& r : smooth.rows) {
    Friction& p = system.friction[r.friction];
    for (Index i = 0; i < n; ++i) p.velocity.x(n + i) = formulas[r.row + i];
    p.effect.segment(n, n).noalias() = -inverse_mass * p.velocity.x.segment(n, n);
  }
}

std::string place(const System& system, const Vector& x) {
  std::ostringstream text;
  text << " where";
  for (Index i = 0; i < system.n_coordinates; ++i)
    text << (i == 0 ? " " : ", ") << system.states[i] << " = " << x(i);
  return text.str();
}

} // namespace

struct Tangent::Local {
  LinearPart linear;
  Regime regime;
  Holding held;
  std::int64_t moves = -1, complete = -1; // when its reactions and its matrices were made
};

Tangent::~Tangent() = default;

Tangent::Tangent(const System& of)
    : system(of), formulas(of.smooth, of.friction.size()), smooth(of.smooth), mass(of.n_coordinates),
      turning_rates(system) {
  system.tangent = true;
  x = Vector::Constant(system.nx, std::numeric_limits<double>::quiet_NaN());
  taken = Vector::Zero(system.ns());
  reaction_loads = Vector::Zero(smooth->reactions.size());
  inverse_mass = smooth->inverse_mass;
  folds_in_place = system.springs.empty();
  for (const Loop& l : system.loops) // whose guards depend on accelerations
    folds_in_place = folds_in_place && !(l.saturation >= 0 && l.block.needs_input_rates());
}

void Tangent::move_to(double at, const double* to, const List<Sign>& sides) {
  if (moves > 0 && at == t && sides == formulas.sides() && std::equal(to, to + system.nx, x.data())) return;
  t = at;
  std::copy_n(to, system.nx, x.data());
  ++moves;
  formulas.evaluate(t, x, sides);
  const Index n = system.n_coordinates;
  if (smooth->moving_mass()) {
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) mass.M(i, j) = formulas[smooth->mass + j * n + i];
    mass.factorise();
  }
  if (bare()) return;
  invert_mass();
  if (smooth->bound) reduce();
  if (smooth->moving_inertia()) weigh_forces(*smooth, inverse_mass, system);
  turn_rows(*smooth, formulas, inverse_mass, system);
}

void Tangent::move_to(const State& state) {
  move_to(state.base_t, state.base_x.data(), state.modes.sides);
}

// True if the machine has forces only: no friction, contacts, springs or controllers.
bool Tangent::bare() const {
  return system.friction.empty() && system.contacts.empty() && system.loops.empty() &&
         system.springs.empty() && !smooth->bound;
}

void Tangent::invert_mass() {
  if (smooth->moving_mass())
    mass.invert(inverse_mass);
  else if (smooth->bound)
    inverse_mass = smooth->inverse_mass;
}

// Reduces the inertia by the constraints.
void Tangent::reduce() {
  const Index n = system.n_coordinates;
  Constraints& c = system.constraints;
  for (const Smooth::Joint& j : smooth->joints)
    for (Index i = 0; i < n; ++i) c.all[j.constraint].row(i) = formulas[j.row + i];
  if (smooth->moving_mass()) system.mass = mass.M;
  reduce_inertia(c, inverse_mass);
  inverse_mass = c.inverse_mass;
}

// The greatest that have been seen.
void Tangent::size_accelerations() {
  const Index n = system.n_coordinates;
  const Matrix& S = smooth->moving_mass() ? smooth->S : system.S;
  Vector a(n);
  for (const Smooth::Value& v : smooth->values) {
    a = S.col(v.signal).segment(n, n) * formulas[v.result];
    if (smooth->moving_mass()) mass.solve(a.data());
    for (Index i = 0; i < n; ++i) // NaN is none
      if (std::abs(a(i)) > system.acceleration(n + i)) system.acceleration(n + i) = std::abs(a(i));
  }
}

void Tangent::write(double* s) {
  formulas.complete();
  write_motion(s);
  for (const Smooth::Value& v : smooth->powers) s[v.signal] = formulas[v.result];
}

// All that moves something.
void Tangent::write_motion(double* s) const {
  for (const Smooth::Value& v : smooth->values) s[v.signal] = formulas[v.result];
  for (const Smooth::Value& load : smooth->loads)
    if (formulas[load.result] < 0.0) s[system.friction[load.signal].load] = 0.0;
  for (Index k = 0; k < smooth->rows.size(); ++k) s[smooth->drifts[k]] = formulas[smooth->rows[k].drift];
  for (Index k = 0; k < reaction_loads.size(); ++k)
    s[system.friction[smooth->reactions[k].friction].load] = reaction_loads(k);
  const Index n = system.n_coordinates;
  for (const Smooth::Gap& g : smooth->gaps) {
    const Contact& c = system.contacts[g.contact];
    s[c.gap_signal] = formulas[g.gap] - c.gap.x.head(n).dot(x.head(n));
    s[c.gap_rate] = formulas[g.rate];
    s[c.gap_acceleration] = formulas[g.drift];
  }
  for (const Smooth::Joint& j : smooth->joints) {
    const Constraint& c = system.constraints.all[j.constraint];
    if (j.value >= 0) {
      double along = 0.0; // c.row . q, also where there are no rows yet
      for (Index i = 0; i < n; ++i) along += formulas[j.row + i] * x(i);
      s[c.value] = along - formulas[j.value];
      s[c.rate] = -formulas[j.rate];
    }
    s[c.acceleration] = -formulas[j.drift];
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
  if (smooth->moving_mass()) mass.solve(force);
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
  if (bare() && smooth->moving_mass()) invert_mass(), weigh_forces(*smooth, inverse_mass, system);
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
    if (is_held(system.friction[i], modes.friction[i])) held.push_back(i);
  if (closed.empty() && held.empty() && !smooth->bound) return;
  List<Index> gaps = closed;
  std::erase_if(gaps, [&](Index j) { return system.contacts[j].of_velocity; });
  Restoration restoration(*this, at, of, modes.sides);
  restoration.restore_positions(gaps);
  restoration.restore_velocities(closed, held, modes.open.directions);
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
  if (!smooth->bound) return;
  Restoration restoration(*this, at, of, {});
  restoration.restore_positions({});
  restoration.restore_velocities({}, {}, -1);
}

std::string Tangent::complaint() const {
  if (std::string undefined = formulas.complaint(); !undefined.empty()) return undefined;
  if (std::string skew = asymmetry(); !skew.empty()) return skew;
  for (Index k = 0; k < reaction_loads.size(); ++k)
    if (std::isnan(reaction_loads(k)))
      return "the load of '" + system.friction[smooth->reactions[k].friction].name +
             "' is not unique: its friction changes the reaction by more than the reaction that causes it "
             "(Painleve),"
             " so that there are several answers or none" +
             place(system, x);
  if (!smooth->moving_mass() || mass.positive_definite()) return {};
  return "the mass matrix is not positive definite" + place(system, x);
}

std::string Tangent::asymmetry() const {
  const auto [row, column] = mass.skew();
  if (row < 0) return {};
  const auto entry = [&](Index i, Index j) {
    std::ostringstream text;
    text << "its entry ('" << system.coordinates[i] << "', '" << system.coordinates[j] << "') is "
         << mass.M(i, j);
    return text.str();
  };
  return "the mass matrix is not symmetric: " + entry(row, column) + ", but " + entry(column, row) +
         place(system, x);
}

// A constraint that asks for an acceleration along its row far beyond all that forces make: where g(q) = 0 has a cusp,
// its gradient is zero while the way bends. (A gradient that is zero on a straight way asks for none.)
std::string Tangent::steepness() const {
  constexpr double steep = 1e6;
  const Index n = system.n_coordinates;
  for (const Smooth::Joint& j : smooth->joints) {
    const Constraint& c = system.constraints.all[j.constraint];
    const double usual = c.row.cwiseAbs().dot(system.acceleration.segment(n, n));
    if (usual > 0.0 && std::abs(formulas[j.drift]) > steep * usual)
      return "the factors of the constraint '" + c.name + "' vanish, and its force grows without bound," +
             place(system, x);
  }
  return {};
}

double Tangent::kinetic() {
  formulas.complete();
  return formulas[smooth->kinetic];
}

const Turning& Tangent::turning(const double* xdot, const double* force, const double* sdot) {
  Vector held; // by constraints
  if (smooth->bound) held = constraint_forces(system, local->regime, x.data(), taken.data(), xdot, force);
  return turning_rates.find(formulas, inverse_mass, xdot, force, held, sdot);
}

void follow_sides(const System& sys, Modes& modes) {
  const Tape& tape = sys.smooth->tape;
  for (const Smooth::Value& v : sys.smooth->compliant) {
    const bool pushes = !tape.is_constant(chosen_slot(tape, modes.sides.data(), v.result));
    modes.contact[v.signal] = pushes ? Mode::closed : Mode::open;
  }
}

} // namespace stickslip
