#include "timestepping/time_stepping.hpp"

#include "core/error.hpp"
#include "core/linalg.hpp"
#include "run/growth.hpp"
#include "run/simulate.hpp"
#include "transition/event.hpp"
#include "transition/rules.hpp"
#include "transition/transition.hpp"

#include <chrono>
#include <cmath>

namespace stickslip {

namespace {

namespace ct = contact;

void refuse_what_it_cannot(const System& sys, const Options& o) {
  if (!std::isfinite(o.max_step))
    reject("max_step", o.max_step, "finite: it is the step of method 'time_stepping'");
  if (!sys.loops.empty()) reject("method", "'time_stepping' runs no controllers");
  for (const Place& p : sys.places) {
    if (p.traits.states > 0)
      reject("method", "'time_stepping' runs no laws with internal states, as '" + p.name + "' has");
    if (p.automaton != Automaton{})
      reject("method", "'time_stepping' runs no options of StickSlip, as '" + p.name + "' has");
  }
}

class Scheme {
public:
  Scheme(const System& system, const Options& options)
      : sys(system), h(options.max_step), theta(options.theta), np(sys.places.size()),
        nc(sys.contacts.size()) {
    const Matrix I = Matrix::Identity(sys.nx, sys.nx);
    const Matrix implicit = I - h * theta * sys.A;
    flow = linalg::solve(implicit, I + h * (1.0 - theta) * sys.A);
    drive = linalg::solve(implicit, h * sys.S);
    const auto m = static_cast<Index>(nc + np);
    columns.resize(sys.nx, m);
    rows.resize(m, sys.nx);
    signal_rows.resize(m, sys.ns());
    for (std::size_t j = 0; j < nc; ++j) {
      const auto k = static_cast<Index>(j);
      columns.col(k) = sys.contacts[j].effect;
      rows.row(k) = sys.contacts[j].rate.x.transpose();
      signal_rows.row(k) = sys.contacts[j].rate.s.transpose();
    }
    for (std::size_t i = 0; i < np; ++i) { // -F is what acts in the positive direction
      const auto k = static_cast<Index>(nc + i);
      columns.col(k) = -sys.places[i].effect;
      rows.row(k) = sys.places[i].velocity.x.transpose();
      signal_rows.row(k) = sys.places[i].velocity.s.transpose();
    }
    columns = linalg::solve(implicit, columns);
    G = rows * columns;
    s0 = s1 = Vector::Zero(sys.ns());
    signed_impulse = Vector::Zero(m);
    number.resize(nc);
  }

  Jump jump; // of the last step, from its start to its end

  // One step from state.base_t. False if its problem has no solution.
  bool step(State& state, Vector& x1) {
    const Vector& x0 = state.base_x;
    const double t = state.base_t;
    signal_values(sys, t, s0.data());
    signal_values(sys, t + h, s1.data());
    x1.noalias() = flow * x0;
    x1.noalias() += drive * (theta * s1 + (1.0 - theta) * s0);
    find_active(state);
    const Vector before_velocity = rows * x0 + signal_rows * s0;
    smooth_forces(state, before_velocity, x1);
    const Vector free = rows * x1 + signal_rows * s1;
    jump.begin(state, Occasion::step, {});
    if (!solve(state, before_velocity, free)) return false;
    x1.noalias() += columns * signed_impulse;
    const Vector after = free + G * signed_impulse;
    label(state, after);
    note_impulses(before_velocity, after);
    jump.t = t + h;
    jump.rule = answer.rule;
    jump.solutions = answer.solutions;
    jump.ambiguous = answer.rule == Rule::ambiguous;
    jump.after = state.modes;
    jump.x_after = x1;
    return true;
  }

private:
  const System& sys;
  double h, theta;
  std::size_t np, nc;
  Matrix flow, drive, columns, rows, signal_rows, G;
  Vector s0, s1;
  Vector signed_impulse;     // P_N of contacts, -P of places
  std::vector<Index> number; // of each contact among the active ones; -1: not active
  std::vector<std::size_t> active, places;
  ct::Problem problem;
  ct::TransitionWorkspace work;
  ct::Choice answer;
  std::vector<Mode> present;
  std::vector<ct::Allowed> allowed;

  void find_active(const State& state) {
    active.clear();
    for (std::size_t j = 0; j < nc; ++j) {
      const Contact& c = sys.contacts[j];
      const double gap = c.gap.x.dot(state.base_x) + c.gap.s.dot(s0),
                   rate = c.rate.x.dot(state.base_x) + c.rate.s.dot(s0);
      const double size = c.gap.x.cwiseAbs().dot(state.nominal) + c.gap.s.cwiseAbs().dot(s0.cwiseAbs());
      const bool closed = gap + 0.5 * h * rate <= 1e-12 * size;
      number[j] = closed ? static_cast<Index>(active.size()) : -1;
      if (closed) active.push_back(j);
    }
  }

  double load(const Place& p) const { return theta * s1(p.load) + (1.0 - theta) * s0(p.load); }

  // Level of sliding in one direction at the speed of the start of the step.
  Force level(const Place& p, double v, int side, const State& state, std::size_t i) const {
    return evaluate(p.law, side * v > 0.0 ? v : 0.0, side, state.modes.friction[i].branch, nullptr, nullptr);
  }

  // Laws without a jump under a given load are forces like any other, taken from the start of the step.
  void smooth_forces(const State& state, const Vector& v0, Vector& x1) {
    places.clear();
    for (std::size_t i = 0; i < np; ++i) {
      const Place& p = sys.places[i];
      if (p.contact >= 0 ? number[static_cast<std::size_t>(p.contact)] >= 0 : p.traits.sticks)
        places.push_back(i);
      if (p.contact >= 0 || p.traits.sticks) continue;
      const double v = v0(static_cast<Index>(nc + i));
      const Force f = evaluate(p.law, v, v < 0.0 ? -1 : 1, state.modes.friction[i].branch, nullptr, nullptr);
      x1 -= columns.col(static_cast<Index>(nc + i)) * (h * (f.dry * load(p) + f.viscous));
    }
  }

  bool solve(const State& state, const Vector& v0, const Vector& free) {
    const auto ka = static_cast<Index>(active.size()), m = ka + static_cast<Index>(places.size());
    signed_impulse.setZero();
    if (m == 0) return true;
    auto full = [&](Index k) {
      return k < ka ? static_cast<Index>(active[static_cast<std::size_t>(k)])
                    : static_cast<Index>(nc + places[static_cast<std::size_t>(k - ka)]);
    };
    problem.contacts = ka;
    problem.G.resize(m, m);
    problem.free.resize(m);
    problem.free_size.resize(m);
    problem.elements.clear();
    present.clear();
    allowed.assign(static_cast<std::size_t>(m), ct::anything);
    for (Index k = 0; k < m; ++k) {
      problem.free(k) = free(full(k));
      if (k < ka) // rebounds only from what comes towards it
        problem.free(k) +=
            sys.contacts[active[static_cast<std::size_t>(k)]].restitution * std::min(v0(full(k)), 0.0);
      problem.free_size(k) = std::abs(free(full(k))) + std::abs(v0(full(k)));
      for (Index l = 0; l < m; ++l) problem.G(k, l) = G(full(k), full(l));
    }
    for (std::size_t j : active)
      present.push_back(state.modes.contact[j] == Mode::open ? Mode::open : Mode::closed);
    for (std::size_t i : places) {
      const Place& p = sys.places[i];
      const double v = v0(static_cast<Index>(nc + i));
      const Force up = level(p, v, 1, state, i), down = level(p, v, -1, state, i);
      ct::Element q;
      q.contact = p.contact >= 0 ? number[static_cast<std::size_t>(p.contact)] : -1;
      const double given = p.contact >= 0 ? 0.0 : h * load(p); // impulse of a given load
      auto line = [&](double dry, double viscous) {
        return p.contact >= 0 ? ct::Line{h * viscous, dry} : ct::Line{dry * given + h * viscous, 0.0};
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
      const Mode mode = state.modes.friction[i].mode;
      present.push_back(!p.traits.sticks                       ? q.state
                        : mode == Mode::open && p.contact >= 0 ? Mode::open
                                                               : mode);
      problem.elements.push_back(q);
    }
    ct::choose(problem, present, allowed, {}, work, answer);
    if (!answer.found()) { // no kinetic answer on the way that static levels allow: static ones alone
      for (ct::Element& q : problem.elements) q.minus = q.low, q.plus = q.high;
      ct::choose(problem, present, allowed, {}, work, answer);
      if (!answer.found()) return false;
    }
    for (Index k = 0; k < m; ++k)
      signed_impulse(full(k)) = (k < ka ? 1.0 : -1.0) * answer.answer.force[static_cast<std::size_t>(k)];
    return true;
  }

  double rate_size(std::size_t j, const State& state) const {
    return sys.contacts[j].rate.x.cwiseAbs().dot(state.nominal) +
           sys.contacts[j].rate.s.cwiseAbs().dot(s1.cwiseAbs());
  }

  void label(State& state, const Vector& v1) const {
    const std::size_t ka = active.size();
    for (std::size_t j = 0; j < nc; ++j) state.modes.contact[j] = Mode::open;
    for (std::size_t k = 0; k < ka; ++k) {
      const std::size_t j = active[k];
      const bool stays = answer.answer.modes[k] == Mode::closed &&
                         std::abs(v1(static_cast<Index>(j))) <= 1e-9 * rate_size(j, state);
      if (stays) state.modes.contact[j] = Mode::closed;
    }
    for (std::size_t i = 0; i < np; ++i) {
      const Place& p = sys.places[i];
      const double v = v1(static_cast<Index>(nc + i));
      const bool open =
          p.contact >= 0 && state.modes.contact[static_cast<std::size_t>(p.contact)] == Mode::open;
      if (open)
        state.modes.friction[i].mode = Mode::open;
      else if (!p.traits.sticks)
        state.modes.friction[i].mode = slip(v < 0.0 ? -1 : 1);
    }
    for (std::size_t q = 0; q < places.size(); ++q) {
      const std::size_t i = places[q];
      if (sys.places[i].traits.sticks && !state.modes.friction[i].open() &&
          answer.answer.modes[ka + q] != Mode::open)
        state.modes.friction[i].mode = answer.answer.modes[ka + q];
      else if (sys.places[i].traits.sticks && sys.places[i].contact >= 0 &&
               state.modes.contact[static_cast<std::size_t>(sys.places[i].contact)] == Mode::closed)
        state.modes.friction[i].mode = answer.answer.modes[ka + q];
    }
  }

  // Impulses of contacts that a step has closed: what they took from the motion is by the mean velocity of the step.
  void note_impulses(const Vector& v0, const Vector& v1) {
    const auto taken = [&](Index row) { return -signed_impulse(row) * 0.5 * (v0(row) + v1(row)); };
    const auto by_wall = [&](Index row) { return -signed_impulse(row) * signal_rows.row(row).dot(s1); };
    for (std::size_t j = 0; j < nc; ++j) {
      const auto k = static_cast<Index>(j);
      if (jump.before.contact[j] != Mode::open || !(signed_impulse(k) > 0.0)) continue;
      Impulse one{k, signed_impulse(k), 0.0, taken(k), by_wall(k)};
      if (sys.contacts[j].place >= 0) {
        const auto p = static_cast<Index>(nc) + sys.contacts[j].place;
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

Trajectory step_through(std::shared_ptr<Compiled> compiled, State state, const Options& options,
                        const Stop& stop) {
  const System& sys = compiled->system;
  RegimeCache& cache = compiled->regimes;
  refuse_what_it_cannot(sys, options);
  Trajectory run;
  run.compiled = compiled;
  run.t_begin = state.t;
  std::vector<Event> events;
  const auto note = [&](const Jump& jump) {
    events.clear();
    append_events(sys, jump, state.instant, events);
    for (const Event& e : events) run.events.add(sys, e);
  };
  bool decided = true;
  if (!state.started) {
    Transition transition(sys, cache);
    const Jump& first = transition.start(state, true);
    decided = first.decided;
    note(first);
    state.started = true;
  }
  Scheme scheme(sys, options);
  Vector x1(sys.nx);
  const Vector size_before = state.nominal;
  const double h = options.max_step;
  const auto begin = std::chrono::steady_clock::now();
  auto asked = begin;

  auto keep = [&](double t0, double t1, double length) {
    run.segments.push_back({t0, t1, length, &cache.get(sys, state.modes), run.coefficients.size(),
                            length > 0.0 ? 2 : 1, FlowKind::time_stepping});
    run.coefficients.insert(run.coefficients.end(), state.base_x.data(), state.base_x.data() + sys.nx);
    if (length == 0.0) return;
    const Vector change = x1 - state.base_x;
    run.coefficients.insert(run.coefficients.end(), change.data(), change.data() + sys.nx);
  };
  auto finish = [&](Status status, double t, std::string message) {
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
    run.state = std::move(state);
  };

  if (!decided) {
    finish(Status::no_solution, state.base_t, "no admissible combination of modes was found at the start");
    return run;
  }
  while (state.base_t != options.t_end) {
    if ((++run.steps & 63) == 0) {
      const auto now = std::chrono::steady_clock::now();
      if (now - asked > std::chrono::milliseconds(20)) {
        asked = now;
        const double t = std::max(state.base_t, run.t_begin);
        if (stop && stop()) {
          finish(Status::interrupted, t, "interrupted");
          return run;
        }
        if (std::chrono::duration<double>(now - begin).count() > options.max_time) {
          finish(Status::budget, t, "max_time is used up");
          return run;
        }
      }
    }
    const double t1 = state.base_t + h;
    if (!(t1 > state.base_t)) {
      finish(Status::stalled, std::max(state.base_t, run.t_begin), "max_step is too small to move time");
      return run;
    }
    const Modes before = state.modes;
    const std::int64_t instant = state.instant;
    if (!scheme.step(state, x1)) {
      const std::string growth = grown(sys, state.nominal, size_before);
      finish(Status::no_solution, std::max(state.base_t, run.t_begin),
             "the contact problem of a step has no solution" + (growth.empty() ? growth : "; " + growth));
      return run;
    }
    if (!within_numbers(x1)) {
      state.modes = before;
      state.instant = instant;
      const double t = std::max(state.base_t, run.t_begin);
      finish(Status::stalled, t, leaves_numbers(sys, t, state.base_x, x1, size_before));
      return run;
    }
    keep(state.base_t, t1, h);
    if (t1 > options.t_end) { // the run that goes on takes this step again
      state.modes = before;
      state.instant = instant;
      finish(Status::finished, options.t_end, "reached t_end");
      return run;
    }
    note(scheme.jump);
    state.base_x = x1;
    state.base_t = t1;
    state.nominal = state.nominal.cwiseMax(x1.cwiseAbs());
    if (static_cast<std::int64_t>(run.events.rows.size()) > options.max_events) {
      finish(Status::budget, t1, "max_events is used up");
      return run;
    }
  }
  finish(Status::finished, options.t_end, "reached t_end");
  return run;
}

} // namespace

Trajectory time_stepping(std::shared_ptr<Compiled> compiled, State state, const Options& options,
                         const Stop& stop) {
  validate(compiled->system, state, options);
  return keep_less(step_through(std::move(compiled), std::move(state), options, stop), options.keep);
}

} // namespace stickslip
