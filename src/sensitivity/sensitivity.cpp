#include "sensitivity/sensitivity.hpp"

#include "core/error.hpp"
#include "core/tolerances.hpp"
#include "sensitivity/restart.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double not_determined = std::numeric_limits<double>::quiet_NaN();
constexpr double grazing_rate =
    1e-9; // of a guard's size in the machine's time, as the slowest rebound of an impact
constexpr double same_move = 1e-7;         // to which derivatives of two events agree that stay together
constexpr double guard_at_zero = 1e-11;    // of a guard's size: it is zero
constexpr double beside_breakpoint = 1e-6; // of the machine's time: sampling so near may pass it
constexpr double unmoved = 1e-8; // of a guard's size by a change of the whole parameter: it does not move
constexpr double rounded_move = 1e-10; // of the move of the states in their sizes: likewise

// Only the side of a velocity changes, and nothing with it.
bool is_side_alone(const System& sys, const Guard& g) {
  return g.kind == GuardKind::velocity_reversal && has_no_jump(sys.friction[g.friction]) &&
         !has_vertical_tangent(sys.friction[g.friction].law);
}

// Differences of large derivatives are rounded: what is zero by construction, as the velocity of an element that leaves
// rest, is zero to within that. `size`: of the parameter.
bool is_moved(const GuardAnswer& guard, Index parameter, double size) {
  return std::abs(guard.derivative(parameter)) >
         guard.size * std::max(unmoved / size, rounded_move * guard.speed(parameter));
}

// Its quantity was held at zero until this instant, in neighbouring runs as well.
bool was_held(const Jump& jump, const Guard& g) {
  if (!jump.impulses.empty()) return false;
  const GuardValue of = g.traits().value;
  if (g.friction >= 0) return of == GuardValue::velocity && jump.before.friction[g.friction].sticks();
  return g.contact >= 0 && of == GuardValue::gap && jump.before.contact[g.contact] == Mode::closed;
}

std::string name_of_guard(const System& sys, const Guard& g) {
  if (g.friction >= 0) return sys.friction[g.friction].name;
  if (g.contact >= 0) return sys.contacts[g.contact].name;
  if (g.flank >= 0) return sys.springs[sys.flanks[g.flank].spring].name;
  return {};
}

} // namespace

namespace {

void refuse_what_has_none(const System& sys) {
  for (const Loop& l : sys.loops)
    if (l.block.quantum > 0.0)
      reject("sensitivities",
             "do not exist: the quantisation of controller '" + l.name + "' has no derivative");
  for (const Friction& p : sys.friction)
    if (p.delayed >= 0)
      reject("sensitivities", "do not support a dead time, which '" + p.name + "' has; use a lag");
}

Cutoffs cutoffs_of(const Options& options) {
  return {options.rebound_threshold, options.rtol};
}

} // namespace

std::shared_ptr<Replica> replica_of(const Machine& of, const Options& options) {
  auto compiled = std::make_shared<Compiled>();
  compiled->system = compile(of, true);
  refuse_what_has_none(compiled->system);
  return std::make_shared<Replica>(std::move(compiled), cutoffs_of(options));
}

std::shared_ptr<Parameters> parameters_of(const Machine& of, const System& sys, const Options& options,
                                          const Varied& varied) {
  return std::make_shared<Parameters>(neighbours_of(of, sys, varied, cutoffs_of(options)));
}

Sensitivity::Sensitivity(const Machine& of, std::shared_ptr<const Trajectory> trajectory, Passages passed,
                         const Vector& given, const Options& options, const Varied& varied)
    : Sensitivity(of, replica_of(of, options), std::move(trajectory), std::move(passed), given, options,
                  varied) {}

Sensitivity::Sensitivity(const Machine& of, std::shared_ptr<Replica> replica,
                         std::shared_ptr<const Trajectory> trajectory, Passages passed, const Vector& given,
                         const Options& options, const Varied& varied)
    : Sensitivity(replica, std::move(trajectory), std::make_shared<const Passages>(std::move(passed)), given,
                  parameters_of(of, replica->system(), options, varied), Reach::all) {}

Sensitivity::Sensitivity(std::shared_ptr<Replica> of, std::shared_ptr<const Trajectory> trajectory,
                         std::shared_ptr<const Passages> passed, const Vector& given,
                         std::shared_ptr<const Parameters> parameters_beside, Reach reach)
    : run(std::move(trajectory)), instants(std::move(passed)), passages(instants->all), initial(given),
      machine(std::move(of)), all(std::move(parameters_beside)), by(*all), resets(*machine, by) {
  for (const auto& one : by) parameters.push_back(one->name);
  variation = std::make_unique<Variation>(*machine, by);
  if (machine->samples()) ticks = std::make_unique<SampledTangent>(*machine, by);
  steps = steps_of(*run, *instants);
  if (reach == Reach::all)
    follow();
  else if (std::string why = arrive(0); !why.empty())
    end(passages.front(), std::move(why));
}

double Sensitivity::size_of(Index j) const {
  const Neighbours& p = *by[j];
  if (p.state < 0) return p.size;
  const State& start = passages.front().before;
  const double given = std::abs(packed(start)(p.state));
  const double nominal = p.state < start.nominal.size() ? start.nominal(p.state) : 0.0;
  return given > 0.0 ? given : nominal > 0.0 ? nominal : 1.0; // without any known size: 1
}

bool Sensitivity::moves_instants(Index parameter) const {
  return !moved_instants(machine->system(), *by[parameter]).empty();
}

// k T or k T + delay.
std::string moved_end(const System& sys, const Parameters& by, double t) {
  constexpr double one_instant = 1e-12; // of a time
  for (Index j = 0; j < by.size(); ++j) {
    const std::string who = moved_instants(sys, *by[j]);
    if (who.empty()) continue;
    for (const Loop& l : sys.loops) {
      if (l.block.continuous()) continue;
      for (const double delay : {0.0, l.block.delay}) {
        const double count = (t - delay) / l.block.period;
        if (std::round(count) != 0.0 &&
            std::abs(count - std::round(count)) * l.block.period <= one_instant * std::abs(t))
          return "a sampling instant of '" + who + "', which depends on '" + by[j]->name +
                 "', at an end of the run";
      }
    }
  }
  return {};
}

List<RunStep> steps_of(const Trajectory& run, const Passages& instants) {
  const List<Passage>& passages = instants.all;
  const QuietTicks& quiet = instants.quiet;
  List<RunStep> steps;
  Index tick = 0;
  // The first event of the next passage or of the next sampling instant without one, whichever comes first.
  const auto event_behind = [&](Index next_passage, Index next_instant) {
    Index event = run.events.rows.size();
    if (next_passage < passages.size()) event = std::min(event, passages[next_passage].event);
    if (next_instant < quiet.size()) event = std::min(event, quiet.event(next_instant));
    return event;
  };
  const auto instants_before = [&](Index segment, Index next_passage) {
    for (; tick < quiet.size() && quiet.segment(tick) == segment; ++tick)
      steps.push_back({RunStep::Kind::sampling_instant, tick, segment, event_behind(next_passage, tick + 1)});
  };
  for (Index k = 0; k < passages.size(); ++k) {
    const bool last = k + 1 == passages.size();
    const Index first = passages[k].segment, stop = last ? run.segments.size() : passages[k + 1].segment;
    steps.push_back({RunStep::Kind::passage, k, first, event_behind(k + 1, tick)});
    for (Index i = first; i < stop; ++i) {
      instants_before(i, k + 1);
      steps.push_back({RunStep::Kind::segment, i, i});
    }
    instants_before(stop, k + 1);
  }
  return steps;
}

void Sensitivity::follow() {
  const Index nx = machine->system().nx, np = by.size(), count = run->events.rows.size();
  events.times = events.impulses = Matrix::Constant(np, count, not_determined);
  events.before.assign(count, Tangents::Constant(nx, np, not_determined));
  events.after = events.before;
  starts.reserve(run->segments.size());
  const Passage* passed = nullptr; // the last one
  for (const RunStep& step : steps) {
    if (step.kind == RunStep::Kind::segment) {
      if (!flow(*passed, step.number)) return;
    } else if (step.kind == RunStep::Kind::sampling_instant) {
      if (!quiet_instant(step)) return;
    } else {
      passed = &passages[step.number];
      if (std::string why = arrive(step.number); !why.empty()) return end(*passed, std::move(why));
      note_events(passed->event, step.next_event);
    }
  }
  reason = moved_end(machine->system(), by, run->t_end);
  if (!reason.empty()) valid_until = run->t_end;
}

// Passes an instant; says why nothing is determined behind it.
std::string Sensitivity::arrive(Index k) {
  const Passage& p = passages[k];
  const double frame = p.segment > 0 ? run->segments[p.segment - 1].t0 : p.before.base_t;
  std::string why;
  try {
    why = k == 0 ? begin() : pass(p, frame);
  } catch (const InvalidArgument& error) {
    why = std::string("the machine is refused for a neighbouring value of a parameter: ") + error.what();
  }
  const auto moves = [](const Jump& jump) { return jump.sampled || !jump.fired.empty(); };
  if (why.empty() && k > 0 && p.jump.t == passages[k - 1].jump.t && moves(p.jump) &&
      moves(passages[k - 1].jump))
    for (Index j = 0; j < by.size(); ++j)
      if (std::abs(now.moves(j) - now.last_moves(j)) >
          same_move * (std::abs(now.moves(j)) + std::abs(now.last_moves(j))) +
              unmoved * p.before.time_scale / size_of(j))
        why = "events at one instant whose order changes with '" + parameters[j] + "'";
  now.last_moves = now.moves;
  return why;
}

void Sensitivity::note_events(Index first, Index next) {
  const Index nx = machine->system().nx, contacts = machine->system().contacts.size();
  bool strikes = false;
  for (Index e = first; e < next; ++e) {
    events.times.col(e) = now.moves;
    events.before[e] = now.before.topRows(nx);
    events.before[e] += now.fm * now.moves.transpose();
    const EventRow& row = run->events.rows[e];
    if (row.impact) {
      const auto of_it = [&](const EventRow& o) { return o.impact && o.element == row.element; };
      const auto rows = run->events.rows.begin();
      if (std::count_if(rows + first, rows + next, of_it) > 1) // only their sum is known
        events.impulses.col(e).setConstant(not_determined);
      else
        events.impulses.col(e) = now.impulses.row(row.element - machine->system().friction.size());
    }
    strikes = strikes || row.impact;
    events.after[e] = now.S.topRows(nx);
    events.after[e] += now.fp * now.moves.transpose();
  }
  if (strikes)
    constraint_impulses.emplace_back(run->events.rows[first].time,
                                     now.impulses.bottomRows(now.impulses.rows() - contacts));
}

// Along a segment; false where the derivatives end.
bool Sensitivity::flow(const Passage& p, Index i) {
  const Segment& segment = run->segments[i];
  starts.emplace_back(now.S.topRows(machine->system().nx));
  shifts.push_back(now.shift);
  if (grazes(p, segment)) return false;
  variation->advance(*run, segment, std::min(segment.t1, run->t_end), now.S.topRows(machine->system().nx),
                     shift_of(i));
  if (variation->rates.rough.empty()) return true;
  valid_until = segment.t0;
  reason = variation->rates.rough;
  return false;
}

bool Sensitivity::quiet_instant(const RunStep& step) {
  const Segment& segment = run->segments[step.segment - 1];
  const double t = segment.t1;
  Vector x(machine->system().nx);
  run->state_at(segment, t, x.data());
  instants->quiet.read(step.number, sampling_memory);
  now.before = now.S;
  reason = ticks->pass(machine->regime(segment.regime->modes), segment.t0, t, x, sampling_memory, now.S);
  if (!reason.empty()) {
    valid_until = t;
    return false;
  }
  if (instants->quiet.event(step.number) <
      step.next_event) { // its outputs reach or leave their limits, at its time
    now.moves = ticks->moves, now.fm = ticks->fm, now.fp = ticks->fp;
    note_events(instants->quiet.event(step.number), step.next_event);
  }
  return true;
}

bool Sensitivity::grazes(const Passage& p, const Segment& segment) {
  const Modes& modes = segment.regime->modes;
  const double t1 = std::min(segment.t1, run->t_end);
  for (const Touches::Touch& touch : variation->touches.between(*run, segment, segment.t0, t1, p.before)) {
    if (is_side_alone(machine->system(), machine->regime(modes).guards[touch.guard])) continue;
    Tangents there = now.S.topRows(machine->system().nx);
    variation->advance(*run, segment, touch.t, there, now.shift.size() > 0 ? &now.shift : nullptr);
    Vector x(there.rows());
    run->state_at(segment, touch.t, x.data());
    const GuardAnswer answer = variation->guards.along(modes, touch.guard, segment.t0, touch.t, x, there,
                                                       Vector::Zero(by.size()), p.before);
    for (Index j = 0; j < by.size(); ++j) {
      if (!is_moved(answer, j, size_of(j))) continue;
      const Guard& guard = machine->regime(modes).guards[touch.guard];
      const std::string who = name_of_guard(machine->system(), guard);
      valid_until = touch.t;
      reason = (who.empty() ? "" : "'" + who + "': ") + "grazing, which depends on '" + parameters[j] + "'";
      return true;
    }
  }
  return false;
}

void Sensitivity::end(const Passage& p, std::string why) {
  valid_until = p.jump.t;
  valid_event =
      p.event < run->events.rows.size() && run->events.rows[p.event].time == p.jump.t ? p.event : -1;
  const std::string who = p.jump.fired.empty() ? "" : name_of_guard(machine->system(), p.jump.fired.front());
  reason = (who.empty() ? "" : "'" + who + "': ") + std::move(why);
}

bool is_plain(const System& sys, const Passage& p) {
  if (p.jump.sampled || !p.jump.impulses.empty() || !p.jump.overlaps.empty()) return false;
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const Friction& one = sys.friction[i];
    const bool remembers = one.traits.states > 0 || !(one.automaton == Automaton{});
    if (remembers && (p.jump.before.friction[i].mode != p.jump.after.friction[i].mode ||
                      p.jump.occasion == Occasion::flow))
      return false;
  }
  const Index own = sys.nx - sys.plant_states;
  return p.jump.x_before.tail(own) == p.jump.x_after.tail(own);
}

namespace {

// True if an element that comes to rest at once at the start does so for neighbouring states as well: kinetic friction
// exceeds the driving force.
bool comes_back(const System& sys, Index element, const Vector& x, double force, double load) {
  const Friction& p = sys.friction[element];
  List<double> z(p.traits.states), zdot(p.traits.states);
  for (Index k = 0; k < z.size(); ++k) z[k] = x(p.states + k);
  for (const int side : {+1, -1})
    if (!(std::abs(force) <
          (1.0 - unmoved) * std::abs(evaluate(p.law, 0.0, side, 0U, z.data(), zdot.data()).dry) * load))
      return false;
  return true;
}

// The controller whose output acts at once, and at neighbouring values waits; empty: none.
std::string delay_that_begins(const System& sys, const Parameters& by) {
  for (Index b = 0; b < sys.loops.size(); ++b)
    for (const auto& parameter : by)
      for (const auto& one : parameter->beside)
        if (!sys.loops[b].block.continuous() && sys.loops[b].block.delay == 0.0 &&
            one->system().loops[b].block.delay != 0.0)
          return sys.loops[b].name;
  return {};
}

} // namespace

// The start: the states that the machine computes from the given ones. Elements at rest whose surface or velocity
// changes come to rest at once, where their sliding friction is large enough.
std::string Sensitivity::begin() {
  const Passage& p = passages.front();
  const System& sys = machine->system();
  const Modes& modes = p.jump.after;
  const Regime& r = machine->regime(modes);
  const double t = p.jump.t;
  if (p.before.started) {
    sampling_memory = p.before.ticks;
    now.S = now.before = tangents_at_restart(*machine, p.before, by);
    now.impulses = Matrix::Constant(machine->impulse_count(), by.size(), not_determined);
    now.moves = Vector::Zero(by.size());
    now.fm = now.fp = Vector::Zero(sys.nx);
    return {};
  }
  if (t != 0.0)
    if (std::string at_instant = moved_end(sys, by, t); !at_instant.empty()) return at_instant;
  if (std::string who = delay_that_begins(sys, by); !who.empty())
    return "a zero delay of '" + who + "', which cannot be varied on both sides";
  Matrix slack;
  if (std::string why = slopes_at_start(slack); !why.empty()) return why;
  Vector force;
  machine->move(modes, t, t, p.jump.x_after.data(), now.fp, force);
  for (const Index i : r.sliding) {
    const Friction& one = sys.friction[i];
    const double size = unmoved * velocity_size(one, p.before.nominal);
    const double v = relative_velocity(one, p.jump.x_after.data(), machine->signals(t, t).data());
    const double a = one.velocity.x.dot(now.fp) + one.velocity.s.dot(machine->signal_rates(t, t));
    if (has_vertical_tangent(one.law) && std::abs(v) <= size && std::abs(a) * p.before.time_scale <= size)
      return "no derivative exists: '" + one.name +
             "' breaks away at the start, and neighbouring starts do so later, or earlier, on the vertical tangent of "
             "its curve";
  }
  now.fm = now.fp, now.before = now.S;
  for (Index j = 0; j < by.size(); ++j)
    for (Index k = 0; k < slack.rows(); ++k) {
      const bool rests = k < r.sticking.size();
      const double size = rests ? velocity_size(sys.friction[r.sticking[k]], p.before.nominal) : 0.0;
      if (std::abs(slack(k, j)) * size_of(j) <= unmoved * size || slack(k, j) == 0.0) continue;
      if (!rests)
        return "a contact closed at the start, which opens or overlaps when '" + parameters[j] + "' changes";
      const Index i = r.sticking[k];
      const double load = total_load(sys, sys.friction[i], modes.friction[i].load_stretch,
                                     p.jump.x_after.data(), machine->signals(t, t).data(), force.data());
      if (!comes_back(sys, i, p.jump.x_after, force(i), load))
        return "'" + sys.friction[i].name + "' starts at rest with a force above its kinetic friction";
    }
  return check(p, true);
}

// Slopes of the states after the start, into now.S, and of the residuals of held constraints.
std::string Sensitivity::slopes_at_start(Matrix& slack) {
  const Passage& p = passages.front();
  const System& sys = machine->system();
  const Regime& r = machine->regime(p.jump.after);
  const double t = p.jump.t;
  const bool repeats = !is_plain(machine->system(), p) || machine->samples();
  const Vector here = packed(p.before);
  sampling_memory = p.before.ticks;
  std::string why;
  List<Mode> limits; // of the values that controllers sample there
  const auto start = [&](Replica& m, const Vector& x0) {
    State state = initial_state(m.system(), t, x0);
    m.hold(r, t, state.base_x);
    if (repeats && !(m.pass(state, p) && m.limits(state) == limits))
      why = "initial modes that change with a parameter";
    return packed(state);
  };
  if (repeats) {
    State state = p.before;
    machine->pass(state, p);
    limits = machine->limits(state);
  }
  Tangents& S = now.S;
  S = Tangents::Zero(here.size(), by.size());
  // Impulses of an impact at the start are not differentiated.
  now.impulses = Matrix::Constant(machine->impulse_count(), by.size(), not_determined);
  now.moves = Vector::Zero(by.size());
  slack = Matrix::Zero(machine->residuals(r, t, p.jump.x_after.data()).size(), by.size());
  for (Index j = 0; j < by.size(); ++j) {
    const Neighbours& of = *by[j];
    if (of.start.size() > 0) {
      const double step = far_beside * size_of(j);
      const Stencil& central = central_stencil();
      for (Index i = 0; i < central.offsets.size(); ++i) {
        Vector x0 = initial;
        for (Index k = 0; k < x0.size(); ++k) {
          if (of.start(k) == 0.0) continue;
          if (std::isnan(x0(k))) x0(k) = p.before.base_x(k);
          x0(k) += central.offsets[i] * step * of.start(k);
        }
        const State state = initial_state(sys, t, x0);
        slack.col(j) += central.weights[i] / step * machine->residuals(r, t, state.base_x.data());
        S.col(j) += central.weights[i] / step * start(*machine, x0);
      }
    }
    if (!of.acts(t)) continue;
    slack.col(j) += of.derivative(
        [&](Replica& m) { return m.residuals(r, t, initial_state(m.system(), t, initial).base_x.data()); });
    S.col(j) += of.derivative([&](Replica& m) { return start(m, initial); });
  }
  return why;
}

std::string Sensitivity::pass(const Passage& p, double frame) {
  const System& sys = machine->system();
  const Jump& jump = p.jump;
  if (jump.rule == Rule::accumulation) return "an accumulation of events";
  if (std::string why = move_instants(p); !why.empty()) return why;
  if (std::string why = move_guards(p, frame); !why.empty()) return why;
  if (jump.ambiguous) return "an ambiguous event, with several solutions after all rules";
  Vector force;
  machine->move(jump.before, frame, jump.t, jump.x_before.data(), now.fm, force);
  machine->move(jump.after, jump.t, jump.t, jump.x_after.data(), now.fp, force);
  const Index nx = sys.nx;
  now.shift = variation->vertical.begins_at(jump) ? now.moves : Vector();
  now.before = now.S;
  now.S.topRows(nx) += now.fm * now.moves.transpose();
  if (!is_plain(machine->system(), p))
    if (std::string why = reset(p, frame, now.S); !why.empty()) return why;
  now.S.topRows(nx) -= now.fp * now.moves.transpose();
  if (jump.occasion == Occasion::flow) return {};
  return check(p, false);
}

// A sampling instant is an event whose time is known.
std::string Sensitivity::move_instants(const Passage& p) {
  now.moves = Vector::Zero(by.size());
  now.due.reset();
  if (!p.jump.sampled || ticks == nullptr) return {};
  if (!ticks->due(p.before.ticks, p.jump.t)) return "coinciding sampling instants that a parameter separates";
  if (ticks->moves.isZero(0.0)) return {};
  now.moves = ticks->moves;
  now.due = ticks->at_any_time(p.before.ticks, p.jump.t);
  if (!now.due)
    return "a sampling instant moved by a parameter, at which modes may change or a function is called";
  if (p.breakpoint ||
      !(away_from_breakpoints(machine->system(), p.jump.t) > beside_breakpoint * p.before.time_scale))
    return "a sampling instant moved by a parameter, at a breakpoint of a signal";
  return {};
}

// R_x w + R_t t' in the machine itself, R_p in neighbouring ones. A change of modes alone needs no decision; otherwise
// the instant is passed again. Only the changes at the instant are differentiated: all else keeps its digits.
std::string Sensitivity::reset(const Passage& p, double frame, const Tangents& W) {
  // Sampling, and a change of modes by its outputs: two smooth maps, however near a limit these bring an element.
  if (p.jump.sampled && p.jump.occasion == Occasion::motion && p.jump.impulses.empty() &&
      ticks->moves.isZero(0.0) && ticks->at_any_time(p.before.ticks, p.jump.t)) {
    Tangents S = W;
    const Regime& regime = machine->regime(p.jump.before);
    if (ticks->pass(regime, frame, p.jump.t, p.jump.x_before, p.before.ticks, S).empty()) {
      Passage changed = p;
      changed.jump.sampled = false;
      changed.before.base_x = ticks->x, changed.before.ticks = ticks->ticks;
      return is_plain(machine->system(), changed) ? (now.S = S, std::string()) : reset(changed, frame, S);
    }
  }
  Tangents S(W.rows(), W.cols());
  resets.look_at(p, now.due);
  if (!resets.same) return "the end of an accumulation of impacts";
  for (Index j = 0; j < by.size(); ++j) {
    Vector sum = resets.along(W.col(j), now.moves(j));
    if (resets.same) sum += resets.by_parameter(j);
    if (!resets.same) sum = resets.together(W.col(j), now.moves(j), j);
    if (!resets.same) return "modes after the event that change with '" + parameters[j] + "'";
    S.col(j) = W.col(j) + sum.head(W.rows());
    now.impulses.col(j) = sum.tail(now.impulses.rows());
  }
  now.S = S;
  return {};
}

// When the guards fire.
std::string Sensitivity::move_guards(const Passage& p, double frame) {
  Vector& moves = now.moves;
  const Index nx = machine->system().nx;
  const Vector known = moves;
  const Regime& r = machine->regime(p.jump.before);
  bool first = true;
  for (const Guard& g : p.fired) {
    const auto at = std::find(r.guards.begin(), r.guards.end(), g);
    if (at == r.guards.end()) return "an event with an unknown guard";
    const GuardAnswer answer =
        variation->guards.along(p.jump.before, at - r.guards.begin(), frame, p.jump.t, p.jump.x_before,
                                now.S.topRows(nx), Vector::Zero(by.size()), p.before);
    Vector own = Vector::Zero(by.size());
    // The last rebound of an accumulation approaches as slowly as its threshold demands.
    const bool last = answer.rate != 0.0 && ends_rebounds(machine->system(), p);
    if (!last && !is_crossed(answer.rate, answer.size, p.before.time_scale)) {
      for (Index j = 0; j < by.size(); ++j)
        if (is_moved(answer, j, size_of(j)) || answer.size == 0.0) return "grazing";
    } else {
      own = -answer.derivative / answer.rate;
    }
    const Vector& other = p.scheduled ? known : moves;
    if (!first || p.scheduled)
      for (Index j = 0; j < by.size(); ++j)
        if (std::abs(own(j) - other(j)) >
            same_move * (std::abs(own(j)) + std::abs(other(j))) + unmoved * p.before.time_scale / size_of(j))
          return "events at one instant whose order changes with '" + parameters[j] + "'";
    if (!p.scheduled) moves = own;
    first = false;
  }
  return {};
}

bool is_crossed(double rate, double size, double time_scale) {
  return std::abs(rate) * time_scale > grazing_rate * size;
}

// After an instant: held elements stay held, and no other guard is at zero and moved by the parameters.
std::string Sensitivity::check(const Passage& p, bool start) {
  const Index nx = machine->system().nx;
  const Modes& modes = p.jump.after;
  const Regime& r = machine->regime(modes);
  const Vector& x = p.jump.x_after;
  const double t = p.jump.t;
  const Vector values = machine->guards(modes, t, t, x.data());
  for (Index k = 0; k < r.guards.size(); ++k) {
    const double size = machine->guard_size(modes, r.guards[k], t, x.data(), p.before.nominal);
    if (is_side_alone(machine->system(), r.guards[k]) || (!start && was_held(p.jump, r.guards[k]))) continue;
    if (!(size > 0.0) || !(std::abs(values(k)) <= guard_at_zero * size)) continue;
    const GuardAnswer answer = variation->guards.along(
        modes, k, t, t, x, now.S.topRows(nx) + now.fp * now.moves.transpose(), now.moves, p.before);
    for (Index j = 0; j < by.size(); ++j)
      if (is_moved(answer, j, size_of(j)))
        return start ? "a start exactly at an event, which depends on '" + parameters[j] + "'"
                     : "simultaneous events that '" + parameters[j] + "' separates";
  }
  return {};
}

Vector Sensitivity::impulse_at(Index contact, double t) const {
  if (t >= valid_until || starts.empty()) return Vector::Constant(by.size(), not_determined);
  Vector sum = Vector::Zero(by.size());
  for (Index e = 0; e < run->events.rows.size() && run->events.rows[e].time <= t; ++e) {
    const EventRow& row = run->events.rows[e];
    if (row.impact && row.element == machine->system().friction.size() + contact)
      sum += events.impulses.col(e);
  }
  return sum;
}

Vector Sensitivity::constraint_impulse_at(Index constraint, double t) const {
  if (t >= valid_until || starts.empty()) return Vector::Constant(by.size(), not_determined);
  Vector sum = Vector::Zero(by.size());
  for (const auto& [when, slopes] : constraint_impulses)
    if (when <= t) sum += slopes.row(constraint).transpose();
  return sum;
}

Matrix Sensitivity::at_end() const {
  if (valid_until <= run->t_end) return Matrix::Constant(now.S.rows(), by.size(), not_determined);
  return now.S;
}

void Sensitivity::sample(const List<double>& times, const List<Index>& rows, const Sink& sink) {
  const Tangents unknown = Tangents::Constant(rows.size(), by.size(), not_determined);
  for (Index k = 0; k < times.size();) {
    const Index i = run->segment_at(times[k]);
    if (i >= starts.size() || times[k] >= valid_until) {
      sink(k++, unknown);
      continue;
    }
    Index last = k + 1;
    while (last < times.size() && times[last] < valid_until && run->segment_at(times[last]) == i) ++last;
    const std::span<const double> within(times.data() + k, static_cast<std::size_t>(last - k));
    variation->sample(*run, run->segments[i], within, std::span<const Index>(rows), starts[i], shift_of(i),
                      [&](Index n, const Tangents& S) { sink(k + n, S); });
    k = last;
  }
}

namespace {

std::shared_ptr<Trajectory> motionless(const std::shared_ptr<Compiled>& machine, const List<double>& times,
                                       const List<Vector>& states, const List<const Modes*>& modes) {
  auto out = std::make_shared<Trajectory>();
  out->compiled = machine;
  out->t_begin = times.front(), out->t_end = times.back();
  for (Index k = 0; k < times.size(); ++k) {
    const Regime& regime = machine->regimes.get(machine->system, *modes[k]);
    out->segments.push_back({times[k], times[k], 0.0, &regime, out->coefficients.size(), 1, FlowKind::exact});
    out->coefficients.insert(out->coefficients.end(), states[k].begin(), states[k].end());
  }
  return out;
}

} // namespace

Sensitivity::Beside Sensitivity::beside(Index j, const List<double>& times) {
  const Index n = times.size();
  List<Vector> x(n), along(n);
  List<const Modes*> modes(n);
  Vector step = Vector::Zero(n);
  List<Matrix> tangents(n);
  List<Index> rows(machine->system().nx);
  for (Index i = 0; i < rows.size(); ++i) rows[i] = i;
  sample(times, rows, [&](Index k, const Tangents& S) { tangents[k] = S; });
  for (Index k = 0; k < n; ++k) {
    const Segment& segment = run->segments[run->segment_at(times[k])];
    x[k].resize(machine->system().nx);
    run->state_at(segment, times[k], x[k].data());
    modes[k] = &segment.regime->modes;
    along[k] = tangents[k].col(j);
    if (!along[k].allFinite()) along[k].setConstant(not_determined);
    const double speed = in_sizes(along[k], run->state.nominal);
    step(k) = speed > 0.0 ? close_beside / speed : 0.0;
    if (along[k].hasNaN()) step(k) = 1.0;
  }
  Beside out;
  const Stencil& central = central_stencil();
  const Index own = by[j]->beside.size();
  out.weights = Matrix::Zero(central.offsets.size() + own, n);
  for (Index i = 0; i < central.offsets.size(); ++i) {
    List<Vector> moved_states = x;
    for (Index k = 0; k < n; ++k) {
      if (!(step(k) > 0.0)) continue;
      moved_states[k] += central.offsets[i] * step(k) * along[k];
      out.weights(i, k) = central.weights[i] / step(k);
    }
    out.runs.push_back(motionless(machine->machine(), times, moved_states, modes));
  }
  for (Index i = 0; i < own; ++i) {
    out.runs.push_back(motionless(by[j]->beside[i]->machine(), times, x, modes));
    for (Index k = 0; k < n; ++k)
      if (by[j]->acts(times[k])) out.weights(central.offsets.size() + i, k) = by[j]->weights[i];
  }
  return out;
}

} // namespace stickslip
