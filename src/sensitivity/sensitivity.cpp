#include "sensitivity/sensitivity.hpp"

#include "core/error.hpp"
#include "model/smooth.hpp"
#include "sensitivity/restart.hpp"
#include "sensitivity/thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stickslip {

namespace {

constexpr double beside_breakpoint = 1e-6; // of the machine's time: sampling so near may pass it

void refuse_what_has_none(const System& sys) {
  for (const Loop& l : sys.loops)
    if (l.block.quantum > 0.0)
      reject("sensitivities",
             "do not exist: the quantisation of controller '" + l.name + "' has no derivative");
  if (sys.smooth && !sys.smooth->reactions.empty())
    reject("sensitivities", "do not support the magnitude of two reactions as a load, which '" +
                                sys.friction[sys.smooth->reactions.front().friction].name +
                                "' has; compare runs with different values, as ensemble does");
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
                         std::shared_ptr<const Parameters> parameters_beside, Reach reach,
                         std::optional<Direction> along)
    : run(std::move(trajectory)), instants(std::move(passed)), passages(instants->all), initial(given),
      machine(std::move(of)), all(std::move(parameters_beside)), by(*all), resets(*machine, by) {
  for (const auto& one : by) parameters.push_back(one->name);
  variation = std::make_unique<Variation>(*machine, by, std::move(along));
  if (machine->samples()) sampled = std::make_unique<SampledTangent>(*machine, by);
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

void Sensitivity::follow() {
  const Index nx = machine->system().nx, np = by.size(), count = run->events.rows.size();
  events.times = events.impulses = Matrix::Constant(np, count, not_determined);
  events.before.assign(count, Tangents::Constant(nx, np, not_determined));
  events.after = events.before;
  starts.reserve(run->segments.size());
  const Passage* passed = nullptr; // the last one
  const RunStep* before = nullptr;
  for (const RunStep& step : steps) {
    const bool goes_on = before != nullptr && before->kind == RunStep::Kind::segment;
    before = &step;
    if (step.kind == RunStep::Kind::segment) {
      if (!flow(*passed, step.number, goes_on)) return;
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
      if (separates(now.moves(j), now.last_moves(j), std::min(now.rate_jump, now.last_rate_jump), size_of(j),
                    p.before.time_scale))
        why = "events at one instant whose order changes with '" + parameters[j] + "'";
  now.last_moves = now.moves;
  now.last_rate_jump = now.rate_jump;
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
bool Sensitivity::flow(const Passage& p, Index i, bool goes_on) {
  const Segment& segment = run->segments[i];
  starts.push_back({now.S.topRows(machine->system().nx), now.shift, goes_on});
  if (grazes(p, segment)) return false;
  variation->advance(*run, segment, std::min(segment.t1, run->t_end), now.S.topRows(machine->system().nx),
                     starts[i].moves());
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
  reason = sampled->pass(machine->regime(segment.regime->modes), segment.t0, t, x, sampling_memory, now.S);
  if (!reason.empty()) {
    valid_until = t;
    return false;
  }
  if (instants->quiet.event(step.number) <
      step.next_event) { // its outputs reach or leave their limits, at its time
    now.moves = sampled->moves, now.fm = sampled->fm, now.fp = sampled->fp;
    note_events(instants->quiet.event(step.number), step.next_event);
  }
  return true;
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

std::string Sensitivity::pass(const Passage& p, double frame) {
  const System& sys = machine->system();
  const Jump& jump = p.jump;
  if (jump.rule == Rule::accumulation) return "an accumulation of events";
  if (const Index i = variation->vertical.too_steep_at(jump); i >= 0)
    return "the curve of '" + sys.friction[i].name + "' is too steep at rest, with an exponent below 1/2";
  if (std::string why = move_instants(p); !why.empty()) return why;
  Vector force;
  machine->move(jump.before, frame, jump.t, jump.x_before.data(), now.fm, force);
  machine->move(jump.after, jump.t, jump.t, jump.x_after.data(), now.fp, force);
  const bool moves_states = jump.sampled || !jump.impulses.empty() || jump.x_before != jump.x_after;
  now.rate_jump =
      moves_states ? std::numeric_limits<double>::infinity() : in_sizes(now.fp - now.fm, p.before.nominal);
  if (std::string why = move_guards(p, frame); !why.empty()) return why;
  if (jump.ambiguous) return "an ambiguous event, with several solutions after all rules";
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
  if (!p.jump.sampled || sampled == nullptr) return {};
  if (!sampled->due(p.before.sampling, p.jump.t))
    return "coinciding sampling instants that a parameter separates";
  if (sampled->moves.isZero(0.0)) return {};
  now.moves = sampled->moves;
  now.due = sampled->at_any_time(p.before.sampling, p.jump.t);
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
      sampled->moves.isZero(0.0) && sampled->at_any_time(p.before.sampling, p.jump.t)) {
    Tangents S = W;
    const Regime& regime = machine->regime(p.jump.before);
    if (sampled->pass(regime, frame, p.jump.t, p.jump.x_before, p.before.sampling, S).empty()) {
      Passage changed = p;
      changed.jump.sampled = false;
      changed.before.base_x = sampled->x, changed.before.sampling = sampled->sampling;
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

} // namespace stickslip
