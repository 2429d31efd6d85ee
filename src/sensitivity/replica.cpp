#include "sensitivity/replica.hpp"

#include "core/linalg.hpp"
#include "core/list.hpp"
#include "dynamics/constraints.hpp"
#include "transition/automaton_states.hpp"
#include "transition/mode_changes.hpp"
#include "transition/saturations.hpp"

#include <algorithm>

namespace stickslip {

Replica::Replica(std::shared_ptr<Compiled> of, const Cutoffs& cutoffs)
    : compiled(std::move(of)), here(system().smooth ? std::make_unique<Tangent>(system()) : nullptr),
      transition(here ? here->system : system(), here ? own : compiled->regimes, cutoffs, here.get()),
      scratch(system()), overlap(cutoffs.overlap) {
  const System& sys = system();
  s = sdot = Vector::Zero(sys.ns());
  signal_values(sys, 0.0, s.data());
  for (Index i = 0; i < sys.ns(); ++i)
    if (!is_constant(sys.signals[i])) varying.push_back(i);
  force = Vector::Zero(sys.friction.size() + sys.contacts.size());
  xdot = Vector::Zero(sys.nx);
}

const Regime& Replica::regime(const Modes& modes) {
  constexpr Index few = 8;
  for (const Regime* r : lately)
    if (r->modes == modes) return *r;
  const Regime& r = compiled->regimes.get(compiled->system, modes);
  if (lately.size() >= few) lately.erase(lately.begin());
  lately.push_back(&r);
  return r;
}

// Relative to the speed of approach.
static constexpr double without_limit = 1e30;

Replica& Replica::plastic() {
  if (!without_rebounds)
    without_rebounds = std::make_unique<Replica>(compiled, Cutoffs{without_limit, overlap});
  return *without_rebounds;
}

std::unique_ptr<Regime> Replica::build(const Modes& modes, const RegimeHint& hint) const {
  return build_regime(system(), modes, compiled->regimes.linear(system(), modes), hint);
}

const Vector& Replica::signals(double frame, double t) {
  const System& sys = system();
  if (t == signals_at && frame == signals_in) return s;
  signals_at = t, signals_in = frame;
  for (const Index i : varying) {
    const Signal& of = sys.signals[i];
    s(i) = value(piece_at(of, frame), t);
  }
  return s;
}

const Vector& Replica::signal_rates(double frame, double t) {
  const System& sys = system();
  for (const Index i : varying) {
    const Signal& of = sys.signals[i];
    sdot(i) = derivative(piece_at(of, frame), t, 1);
  }
  return sdot;
}

void Replica::move(const Modes& modes, double frame, double t, const double* x, Vector& rates,
                   Vector& forces) {
  signals(frame, t);
  rates.setZero(system().nx);
  forces.setZero(force.size());
  evaluate(system(), regime(modes), t, x, s.data(), rates.data(), forces.data(), scratch);
}

void Replica::slopes(const Modes& modes, double frame, double t, const double* x, Matrix& J) {
  signals(frame, t), signal_rates(frame, t);
  const Regime& r = regime(modes);
  jacobian(system(), r, t, x, s.data(), sdot.data(), J, dfdt, scratch);
  if (r.indeterminate_forces.cols() > 0) shared_rates(modes, frame, t, x, J);
}

const Vector& Replica::slope_in_time(const Modes& modes, double frame, double t, const double* x) {
  slopes(modes, frame, t, x, by_state);
  return dfdt;
}

// States of elements at rest follow the force that these hold. Where it is shared it is a piecewise linear function of
// all states, which the Jacobian, made for an integrator, does not contain.
void Replica::shared_rates(const Modes& modes, double frame, double t, const double* x, Matrix& J) {
  constexpr double aside = 1e-6; // of a state
  for (const Index i : regime(modes).sticking) {
    const Friction& p = system().friction[i];
    if (p.states < 0) continue;
    Vector there = Eigen::Map<const Vector>(x, system().nx);
    for (Index j = 0; j < there.size(); ++j) {
      const double value = there(j), step = aside * (value != 0.0 ? std::abs(value) : 1.0);
      const auto rates_at = [&](double beside) -> Vector {
        there(j) = beside;
        move(modes, frame, t, there.data(), xdot, force);
        return xdot.segment(p.states, p.traits.states);
      };
      const Vector ahead = rates_at(value + step), behind = rates_at(value - step);
      J.col(j).segment(p.states, p.traits.states) = (ahead - behind) / (2.0 * step);
      there(j) = value;
    }
  }
}

Vector Replica::guards(const Modes& modes, double frame, double t, const double* x) {
  const Regime& r = regime(modes);
  const bool follow_forces =
      system().smooth || std::any_of(r.guard_terms.begin(), r.guard_terms.end(), [](const GuardTerms& terms) {
        return !terms.forces.empty() || !terms.limits.empty();
      });
  if (follow_forces)
    move(modes, frame, t, x, xdot, force);
  else
    signals(frame, t);
  Vector g(r.guards.size());
  guard_values(system(), r, t, x, s.data(), force.data(), g.data(), scratch);
  return g;
}

double Replica::divisor(const Modes& modes, double frame, double t, const double* x) {
  const Regime& r = regime(modes);
  return r.coupled ? coupling(system(), r, t, x, signals(frame, t).data(), scratch) : 1.0;
}

double Replica::guard_size(const Modes& modes, const Guard& guard, double t, const double* x,
                           const Vector& nominal) {
  move(modes, t, t, x, xdot, force);
  return stickslip::guard_size(system(), regime(modes), guard, t, x, s.data(), force.data(), nominal);
}

bool has_no_jump(const Friction& p) {
  return !p.traits.sticks && p.traits.switches == 0 && p.automaton == Automaton{};
}

namespace {

bool same_but_for_sides(const System& sys, Modes a, const Modes& b) {
  for (Index i = 0; i < sys.friction.size(); ++i)
    if ((has_no_jump(sys.friction[i]) || b.friction[i].free) && a.friction[i].slips() &&
        b.friction[i].slips())
      a.friction[i].mode = b.friction[i].mode;
  return a == b;
}

} // namespace

bool Replica::pass(State& state, const Passage& as, Vector* impulses) {
  const Jump* jump = nullptr;
  if (as.jump.occasion == Occasion::start)
    jump = &transition.start(state, true);
  else if (as.scheduled)
    jump = &transition.scheduled(state, as.fired, as.breakpoint);
  else
    jump = &transition.after(regime(state.modes), state, as.fired);
  if (impulses != nullptr) {
    impulses->setZero(impulse_count());
    const System& sys = at(state.modes, state.base_t, state.base_x.data());
    Vector given = Vector::Zero(sys.n_coordinates);
    for (const Impulse& i : jump->impulses) {
      (*impulses)(i.contact) += i.normal;
      given += impulse_of_contact(sys, i.contact, i.normal, i.tangential);
    }
    for (const auto& [impact, element, tangential] : jump->rubs)
      given += impulse_of_friction(sys, element, tangential);
    if (!sys.constraints.all.empty())
      impulses->tail(sys.constraints.all.size()) = constraint_impulses(sys, given);
  }
  const auto struck = [](const Jump& j) {
    List<Index> which;
    for (const Impulse& i : j.impulses) which.push_back(i.contact);
    return which;
  };
  return jump->decided && same_but_for_sides(system(), state.modes, as.jump.after) &&
         struck(*jump) == struck(as.jump);
}

List<Mode> Replica::limits(const State& state) const {
  List<Mode> at;
  Index first = 0;
  for (const Loop& l : system().loops) {
    for (Index j = 0; j < l.block.outputs(); ++j)
      if (!l.block.continuous()) at.push_back(mode_of(l.block, j, state.sampling.output(first + j)));
    first += l.block.outputs();
  }
  return at;
}

void Replica::change(State& state, const Passage& as) {
  const Modes &before = as.jump.before, &after = as.jump.after;
  const double t = state.base_t;
  double* const x = state.base_x.data();
  move(before, t, t, x, xdot, force);
  const System& sys = at(before, t, x);
  for (const Guard& g : as.fired)
    if (g.kind == GuardKind::passes_crest) switch_flow(sys, state.modes, g, x);
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const Friction& p = sys.friction[i];
    const FrictionMode &was = before.friction[i], &is = after.friction[i];
    const bool gripped = was.free && !is.free;
    if (is.free) let_go(p, x);
    if ((was.mode == is.mode && !gripped) || is.free || !p.traits.sticks) continue;
    if (is.open()) {
      for (Index k = 0; k < p.traits.states; ++k) x[p.states + k] = 0.0;
      if (p.surface_travel >= 0) x[p.surface_travel] = 0.0;
      continue;
    }
    const double v = relative_velocity(p, x, s.data());
    const double N = total_load(sys, p, was.load_stretch, x, s.data(), force.data());
    if (was.open() || gripped) {
      start_in_mode(p, is.direction(), v, N, t, x);
    } else {
      if (is.sticks()) start_clock(p, was.direction(), N, t, x);
      change_mode(p, was.direction(), is.direction(), v, N, t, x);
    }
    enter(state.modes.friction[i], p, is.mode, x);
  }
  state.modes = after;
}

const System& Replica::at(const Modes& modes, double t, const double* x) {
  signals(t, t);
  if (!here) return system();
  here->move_to(t, x, modes.sides);
  here->write(s.data());
  return here->system;
}

bool Replica::projects(const Modes& modes) {
  if (system().constraints.any()) return true;
  if (!here) return false;
  const Regime& r = regime(modes);
  return !r.sticking.empty() || !r.closed.empty();
}

void Replica::project(const Modes& modes, double t, Vector& x) {
  if (here) here->project(t, x, modes);
  keep_constraints(system(), t, x.data());
}

void Replica::hold(const Regime& r, double t, Vector& x) {
  const System& sys = at(r.modes, t, x.data());
  const Index m = r.sticking.size();
  if (m == 0) return;
  const ForceDirections acting = force_directions(sys, {}, r.sticking);
  Vector left(m);
  for (Index k = 0; k < m; ++k) left(k) = relative_velocity(sys.friction[r.sticking[k]], x.data(), s.data());
  x -= acting.columns * impulses_to_rest(acting.rows * acting.columns, left);
}

Vector Replica::residuals(const Regime& r, double t, const double* x) {
  const System& sys = at(r.modes, t, x);
  Vector left(r.sticking.size() + 2 * r.closed.size());
  Index k = 0;
  for (const Index i : r.sticking) left(k++) = relative_velocity(sys.friction[i], x, s.data());
  for (const Index j : r.closed)
    left(k++) = sys.contacts[j].of_velocity ? 0.0 : value(sys.contacts[j].gap, x, s.data());
  for (const Index j : r.closed) left(k++) = value(sys.contacts[j].rate, x, s.data());
  return left;
}

Vector packed(const State& state) {
  const Index nx = state.base_x.size(), m = state.sampling.memory.size(), u = state.sampling.output.size();
  Vector all(nx + m + u);
  all << state.base_x, state.sampling.memory, state.sampling.output;
  return all;
}

void unpack(const Vector& values, State& state) {
  const Index nx = state.base_x.size(), m = state.sampling.memory.size(), u = state.sampling.output.size();
  state.base_x = values.head(nx);
  state.sampling.memory = values.segment(nx, m);
  state.sampling.output = values.tail(u);
}

} // namespace stickslip
