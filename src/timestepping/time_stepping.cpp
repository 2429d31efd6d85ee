#include "timestepping/time_stepping.hpp"

#include "core/error.hpp"
#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/free.hpp"
#include "dynamics/restitution.hpp"
#include "dynamics/tangent.hpp"
#include "run/check.hpp"
#include "run/ending.hpp"
#include "run/growth.hpp"
#include "run/simulate.hpp"
#include "transition/event.hpp"
#include "transition/rules.hpp"
#include "transition/transition.hpp"

#include <cmath>
#include <memory>
#include <numeric>

namespace stickslip {

namespace {

namespace ct = contact;

constexpr Index step_cost = 1000; // operations (see Budget) of a step without contacts

void refuse_what_it_cannot(const System& sys, const Options& o) {
  if (!std::isfinite(o.max_step))
    reject("max_step", o.max_step, "finite: it is the step of method 'time_stepping'");
  if (!sys.loops.empty()) reject("method", "'time_stepping' does not run controllers");
  if (!sys.springs.empty())
    reject("method", "'time_stepping' does not run springs such as '" + sys.springs[0].name + "'");
  for (const Contact& c : sys.contacts)
    if (c.tangential_restitution)
      reject("method", "'time_stepping' does not know tangential_restitution, which '" + c.name + "' has");
  for (const Friction& p : sys.friction) {
    if (p.table_load > 0.0)
      reject("method", "'time_stepping' does not run load tables, which '" + p.name + "' has");
    if (p.traits.states > 0)
      reject("method", "'time_stepping' does not run laws with internal states, which '" + p.name + "' has");
    if (p.automaton != Automaton{})
      reject("method", "'time_stepping' does not run options of StickSlip, which '" + p.name + "' has");
  }
}

class Scheme {
public:
  // tangent: of a machine that is not linear; else null.
  Scheme(const System& system, Tangent* tangent, const Options& options)
      : sys(tangent ? tangent->system : system), turning(tangent), rebound(options.rebound_threshold),
        h(options.max_step), theta(options.theta), np(sys.friction.size()), nc(sys.contacts.size()),
        all_contacts(nc), all_elements(np) {
    std::iota(all_contacts.begin(), all_contacts.end(), Index{0});
    std::iota(all_elements.begin(), all_elements.end(), Index{0});
    s0 = s1 = Vector::Zero(sys.ns());
    signed_impulse = Vector::Zero(nc + np);
    number.resize(nc);
    if (!turning) set_up();
  }

  Jump jump; // of the last step, from its start to its end

  // One step from state.base_t. False if its problem has no solution.
  bool step(State& state, Vector& x1) {
    const Vector& x0 = state.base_x;
    const double t = state.base_t;
    signal_values(sys, t, s0.data());
    signal_values(sys, t + h, s1.data());
    middle = x0;
    if (turning) turn(state);
    x1.noalias() = flow * x0;
    x1.noalias() += drive * (theta * s1 + (1.0 - theta) * s0);
    find_active(state);
    const Vector before_velocity = rows * x0 + signal_rows * s0;
    smooth_forces(state, before_velocity, x1);
    const Vector free = rows * x1 + signal_rows * s1;
    jump.begin(state, Occasion::step, {});
    if (!solve(state, before_velocity, free)) return false;
    x1.noalias() += columns * signed_impulse;
    if (turning)
      turning->keep_constraints(t + h, x1);
    else
      keep_constraints(sys, t + h, x1.data());
    const Vector after = free + G * signed_impulse;
    label(state, after);
    note_impulses(before_velocity, after);
    jump.t = t + h;
    jump.rule = answer.rule;
    jump.solutions = answer.solutions;
    jump.ambiguous = answer.rule == Rule::ambiguous;
    if (turning) choose_sides(state, t + h, x1);
    jump.after = state.modes;
    jump.x_after = x1;
    return true;
  }

private:
  const System& sys;
  Tangent* turning;
  double rebound, h, theta;
  Index np, nc;
  List<Index> all_contacts, all_elements;
  Vector middle; // state at which gaps are evaluated: the start, or half a step ahead
  Matrix flow, drive, columns, rows, signal_rows, G;
  Vector s0, s1;
  Vector signed_impulse; // P_N of contacts, -P of elements
  List<Index> number;    // of each contact among the active ones; -1: not active
  List<Index> active, elements;
  ct::Problem problem;
  ct::TransitionWorkspace work;
  ct::Choice answer;
  List<Mode> present;
  List<ct::Allowed> allowed;

  // The matrices of a step, of the machine as it is or as it is half a step on.
  void set_up() {
    const Matrix I = Matrix::Identity(sys.nx, sys.nx);
    const Matrix implicit = I - h * theta * sys.A;
    flow = linalg::solve(implicit, I + h * (1.0 - theta) * sys.A);
    drive = linalg::solve(implicit, h * sys.S);
    ForceDirections acting = force_directions(sys, all_contacts, all_elements);
    columns = linalg::solve(implicit, acting.columns);
    rows = std::move(acting.rows), signal_rows = std::move(acting.signals);
    G = rows * columns;
  }

  // Moves to the positions half a step ahead and evaluates rows and matrices there.
  void turn(const State& state) {
    const Index n = sys.n_coordinates;
    middle.head(n) += 0.5 * h * state.base_x.segment(n, n);
    turning->move_to(state.base_t + 0.5 * h, middle.data(), {});
    turning->regime(state.modes); // rows and columns of a machine without elements too
    set_up();
    turning->write(s0.data());
    turning->write(s1.data());
  }

  void choose_sides(State& state, double t, const Vector& x) {
    turning->move_to(t, x.data(), {});
    for (Index k = 0; k < state.modes.sides.size(); ++k)
      state.modes.sides[k] = turning->condition(k) >= 0.0 ? Sign{1} : Sign{-1};
    follow_sides(sys, state.modes);
    for (Index j = 0; j < nc; ++j)
      if (const Contact& c = sys.contacts[j];
          c.yields() && c.friction >= 0 && state.modes.contact[j] == Mode::open)
        state.modes.friction[c.friction].mode = Mode::open;
  }

  void find_active(const State& state) {
    active.clear();
    for (Index j = 0; j < nc; ++j) {
      const Contact& c = sys.contacts[j];
      number[j] = -1;
      if (c.yields()) continue;
      const double gap = value(c.gap, middle.data(), s0.data()),
                   rate = turning ? 0.0 : value(c.rate, middle.data(), s0.data());
      const double size = size_of(c.gap, state.nominal, s0.data());
      const bool closed = gap + 0.5 * h * rate <= tolerance::sign * size;
      number[j] = closed ? active.size() : -1;
      if (closed) active.push_back(j);
    }
  }

  double load(const Friction& p) const { return theta * s1(p.load) + (1.0 - theta) * s0(p.load); }

  // Level of sliding in one direction at the speed of the start of the step.
  Force level(const Friction& p, double v, int side, const State& state, Index i) const {
    return evaluate(p.law, side * v > 0.0 ? v : 0.0, side, state.modes.friction[i].branch, nullptr, nullptr);
  }

  // Laws without a jump under a given load are forces like any other, taken from the start of the step.
  void smooth_forces(const State& state, const Vector& v0, Vector& x1) {
    elements.clear();
    for (Index i = 0; i < np; ++i) {
      const Friction& p = sys.friction[i];
      if (p.contact >= 0 ? number[p.contact] >= 0 : p.traits.sticks) elements.push_back(i);
      if (p.contact >= 0 || p.traits.sticks) continue;
      const double v = v0(nc + i);
      const Force f = evaluate(p.law, v, v < 0.0 ? -1 : 1, state.modes.friction[i].branch, nullptr, nullptr);
      x1 -= columns.col(nc + i) * (h * (f.dry * load(p) + f.viscous));
    }
  }

  // Impulse limits of an element in one step.
  ct::Element impulses_of(Index i, double v, const State& state) const {
    const Friction& p = sys.friction[i];
    const Force up = level(p, v, 1, state, i), down = level(p, v, -1, state, i);
    ct::Element q;
    q.contact = p.contact >= 0 ? number[p.contact] : -1;
    const double given = p.contact >= 0 ? 0.0 : h * load(p); // impulse of a given load
    const auto line = [&](double dry, double viscous) {
      return p.contact >= 0 ? ct::Line{0.0, dry + viscous} : ct::Line{dry * given + h * viscous, 0.0};
    };
    q.plus = line(up.dry, up.viscous);
    q.minus = line(down.dry, down.viscous);
    if (p.traits.sticks) {
      const Interval rest = rest_interval(p.law, nullptr);
      // A curve that has fallen by the start of the step is the level that it can stop at.
      q.low = line(std::min(rest.lo, down.dry), std::min(down.viscous, 0.0));
      q.high = line(std::max(rest.hi, up.dry), std::max(up.viscous, 0.0));
    } else {
      const bool back = v < 0.0;
      q.state = back ? Mode::slip_backward : Mode::slip_forward;
      q.low = q.high = q.plus = q.minus = back ? q.minus : q.plus;
    }
    return q;
  }

  bool solve(const State& state, const Vector& v0, const Vector& free) {
    const auto ka = active.size(), m = ka + elements.size();
    signed_impulse.setZero();
    if (m == 0) return true;
    auto full = [&](Index k) { return k < ka ? active[k] : nc + elements[k - ka]; };
    problem.contacts = ka;
    problem.G.resize(m, m);
    problem.free.resize(m);
    problem.free_size.resize(m);
    problem.elements.clear();
    present.clear();
    allowed.assign(m, ct::anything);
    for (Index k = 0; k < m; ++k) {
      problem.free(k) = free(full(k));
      if (k < ka) // a contact rebounds only from an approach
        problem.free(k) += restitution(sys.contacts[active[k]], v0(full(k))) * std::min(v0(full(k)), 0.0);
      problem.free_size(k) = std::abs(free(full(k))) + std::abs(v0(full(k)));
      for (Index l = 0; l < m; ++l) problem.G(k, l) = G(full(k), full(l));
    }
    for (Index j : active)
      present.push_back(state.modes.contact[j] == Mode::open ? Mode::open : Mode::closed);
    for (Index i : elements) {
      const Friction& p = sys.friction[i];
      const ct::Element q = impulses_of(i, v0(nc + i), state);
      const Mode mode = state.modes.friction[i].mode;
      present.push_back(!p.traits.sticks                      ? q.state
                        : mode == Mode::open && p.contact < 0 ? slip(v0(nc + i) < 0.0 ? -1 : 1)
                                                              : mode);
      problem.elements.push_back(q);
    }
    ct::choose(problem, present, allowed, {}, work, answer);
    if (!answer.found()) { // no kinetic answer on the way that static levels allow: static ones alone
      for (ct::Element& q : problem.elements) q.minus = q.low, q.plus = q.high;
      ct::choose(problem, present, allowed, {}, work, answer);
      if (!answer.found()) return false;
    }
    for (Index k = 0; k < m; ++k) signed_impulse(full(k)) = (k < ka ? 1.0 : -1.0) * answer.answer.force[k];
    return true;
  }

  double rate_size(Index j, const State& state) const {
    return rows.row(j).cwiseAbs().dot(state.nominal) + signal_rows.row(j).cwiseAbs().dot(s1.cwiseAbs());
  }

  void label(State& state, const Vector& v1) const {
    const Index ka = active.size();
    for (Index j = 0; j < nc; ++j)
      if (!sys.contacts[j].yields()) state.modes.contact[j] = Mode::open;
    for (Index k = 0; k < ka; ++k) {
      const Index j = active[k];
      const bool stays =
          answer.answer.modes[k] == Mode::closed && std::abs(v1(j)) <= rebound * rate_size(j, state);
      if (stays) state.modes.contact[j] = Mode::closed;
    }
    for (Index i = 0; i < np; ++i) {
      const Friction& p = sys.friction[i];
      const double v = v1(nc + i);
      const bool open = p.contact >= 0 && state.modes.contact[p.contact] == Mode::open;
      FrictionMode& now = state.modes.friction[i];
      now.free = has_no_load(sys, p, state.base_t + h);
      if (open)
        now.mode = Mode::open;
      else if (!p.traits.sticks || now.free)
        now.mode = slip(v < 0.0 ? -1 : 1);
    }
    for (Index q = 0; q < elements.size(); ++q) {
      const Friction& p = sys.friction[elements[q]];
      FrictionMode& now = state.modes.friction[elements[q]];
      const Mode found = answer.answer.modes[ka + q];
      const bool acts = p.contact < 0 ? found != Mode::open : state.modes.contact[p.contact] == Mode::closed;
      if (p.traits.sticks && !now.free && acts) now.mode = found;
    }
  }

  // Impulses of contacts that a step has closed: their work follows from the mean velocity of the step.
  void note_impulses(const Vector& v0, const Vector& v1) {
    const auto taken = [&](Index row) { return -signed_impulse(row) * 0.5 * (v0(row) + v1(row)); };
    const auto by_wall = [&](Index row) { return -signed_impulse(row) * signal_rows.row(row).dot(s1); };
    jump.impacts = 1;
    for (Index j = 0; j < nc; ++j) {
      if (jump.before.contact[j] != Mode::open || !(signed_impulse(j) > 0.0)) continue;
      Impulse one;
      one.contact = j, one.normal = signed_impulse(j), one.loss = taken(j), one.wall_work = by_wall(j);
      if (sys.contacts[j].friction >= 0) {
        const auto p = nc + sys.contacts[j].friction;
        one.tangential = -signed_impulse(p);
        one.loss += taken(p);
        one.wall_work += by_wall(p);
      }
      jump.add(one);
    }
  }
};

// The same of a run that has kept everything.
Trajectory keep_less(Trajectory run, Keep keep) {
  for (const Segment& s : run.segments)
    if (const std::pair<const Regime*, FlowKind> one{s.regime, s.kind};
        std::find(run.used.begin(), run.used.end(), one) == run.used.end())
      run.used.push_back(one);
  run.kept = keep;
  run.event_count = static_cast<std::int64_t>(run.events.rows.size());
  if (keep == Keep::segments) return run;
  run.segments.erase(run.segments.begin(), run.segments.end() - 1);
  run.t_begin = run.t_end;
  if (keep == Keep::nothing) run.events = {};
  return run;
}

// The loop of a run in steps of one length.
class FixedSteps {
public:
  FixedSteps(std::shared_ptr<Compiled> compiled, State from, const Options& settings)
      : sys(compiled->system), cache(compiled->regimes), options(settings), state(std::move(from)),
        tangent(sys.smooth ? std::make_unique<Tangent>(sys) : nullptr), scheme(sys, tangent.get(), settings),
        x1(sys.nx) {
    run.compiled = std::move(compiled);
    run.t_begin = state.t;
  }

  Trajectory all(const Stop& stop) {
    const Modes given = state.modes;
    try {
      const Budget budget(stop, options.max_time);
      if (!state.started) start();
      size_before = state.nominal;
      while (!ended && state.base_t != options.t_end) step();
    } catch (const BudgetExhausted& how) {
      if (!state.started) state.modes = given;
      Ending ending = ending_of(how, options, now(), static_cast<std::int64_t>(run.events.rows.size()));
      finish(ending.status, now(), std::move(ending.message));
    }
    if (!ended) finish(Status::finished, options.t_end, "reached t_end");
    return std::move(run);
  }

private:
  const System& sys;
  RegimeCache& cache;
  const Options& options;
  State state;
  std::unique_ptr<Tangent> tangent; // of a machine that is not linear
  Scheme scheme;
  Vector x1; // at the end of the step
  Vector size_before;
  Trajectory run;
  bool ended = false;
  List<Event> events;

  void start() {
    RegimeCache there;
    Transition transition(tangent ? tangent->system : sys, tangent ? there : cache, {}, tangent.get());
    const Jump& jump = transition.start(state, true);
    note(jump);
    state.started = true;
    if (!jump.decided)
      finish(Status::no_solution, state.base_t, "no admissible combination of modes was found at the start");
  }

  void step() {
    ++run.steps;
    Budget::spend(step_cost);
    const double t1 = state.base_t + options.max_step;
    if (!(t1 > state.base_t))
      return finish(Status::stalled, now(), "max_step is too small to advance the time");
    const Modes before = state.modes;
    const std::int64_t instant = state.instant;
    const auto undo = [&] { state.modes = before, state.instant = instant; };
    bool solved = false;
    try {
      solved = scheme.step(state, x1);
    } catch (const BudgetExhausted&) {
      undo();
      throw;
    }
    if (!solved) {
      const std::string growth = grown(sys, state.nominal, size_before);
      return finish(Status::no_solution, now(),
                    "the contact problem of a step has no solution" +
                        (growth.empty() ? growth : "; " + growth));
    }
    if (!within_numbers(x1)) {
      undo();
      return finish(Status::stalled, now(), leaves_numbers(sys, now(), state.base_x, x1, size_before));
    }
    keep(state.base_t, t1, options.max_step);
    if (t1 > options.t_end) { // the continued run repeats this step
      undo();
      return finish(Status::finished, options.t_end, "reached t_end");
    }
    note(scheme.jump);
    state.base_x = x1;
    state.base_t = t1;
    see(sys, state);
    if (const Index i = negative(); i >= 0)
      return finish(Status::failed, t1, negative_load(sys.friction[i], t1));
    if (static_cast<std::int64_t>(run.events.rows.size()) > options.max_events)
      finish(Status::budget, t1, exhausted_events(options));
  }

  // An element whose load is negative by more than rounding; -1: none.
  Index negative() {
    if (!tangent || sys.smooth->loads.empty()) return -1;
    tangent->move_to(state.base_t, state.base_x.data(), {});
    const Vector sizes = tangent->load_sizes(state.nominal, state.time_scale);
    for (const Smooth::Value& load : sys.smooth->loads)
      if (tangent->load(load.signal) < -tolerance::sign * sizes(load.signal)) return load.signal;
    return -1;
  }

  double now() const { return std::max(state.base_t, run.t_begin); }

  void note(const Jump& jump) {
    events.clear();
    append_events(sys, jump, state.instant, events);
    for (const Event& e : events) run.events.add(sys, e);
  }

  void keep(double t0, double t1, double length) {
    run.segments.push_back({t0, t1, length, &cache.get(sys, state.modes), run.coefficients.size(),
                            length > 0.0 ? 2 : 1, FlowKind::time_stepping});
    run.coefficients.insert(run.coefficients.end(), state.base_x.data(), state.base_x.data() + sys.nx);
    if (length == 0.0) return;
    const Vector change = x1 - state.base_x;
    run.coefficients.insert(run.coefficients.end(), change.data(), change.data() + sys.nx);
  }

  void finish(Status status, double t, std::string message) {
    ended = true;
    run.status = status;
    run.message = std::move(message);
    run.t_end = t;
    if (run.segments.empty() || state.base_t == t) keep(state.base_t, state.base_t, 0.0);
    state.t = t;
    state.x.resize(sys.nx);
    if (state.base_t == t)
      state.x = state.base_x;
    else
      run.state_at(run.segments.back(), t, state.x.data());
    if (tangent) tangent->keep_constraints(t, state.x);
    keep_constraints(sys, t, state.x.data());
    run.state = std::move(state);
  }
};

} // namespace

Trajectory time_stepping(std::shared_ptr<Compiled> compiled, State state, const Options& options,
                         const Stop& stop) {
  validate(compiled->system, state, options);
  refuse_what_it_cannot(compiled->system, options);
  return keep_less(FixedSteps(std::move(compiled), std::move(state), options).all(stop), options.keep);
}

} // namespace stickslip
