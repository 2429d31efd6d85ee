#include "sensitivity/adjoint.hpp"

#include "core/error.hpp"
#include "core/number_text.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double both_ways = 1e-9; // to which derivatives along one direction agree, forwards and backwards

// Shares of parameters in the direction along which all change: in units of their sizes, and so different that their
// effects on a guard cancel only by a chance of one in millions (multiples of the golden ratio).
double share_of(Index j) {
  constexpr double golden = 0.618033988749894848;
  const double turn = golden * static_cast<double>(j + 1);
  return 0.5 + (turn - std::floor(turn));
}

} // namespace

Adjoint::Adjoint(const Machine& machine, std::shared_ptr<const Trajectory> run, Passages passages,
                 const Vector& initial, const Options& options, const List<std::string>& names) {
  const auto replica = replica_of(machine, options);
  const auto passed = std::make_shared<const Passages>(std::move(passages));
  const auto by = parameters_of(machine, replica->system(), options, names);
  for (const auto& one : *by)
    if (const std::string who = moved_ticks(replica->system(), *one); !who.empty())
      throw NoTranspose("'" + one->name + "' moves the sampling instants of '" + who +
                        "', whose derivative exists in forward mode only");
  start = std::make_unique<Sensitivity>(replica, run, passed, initial, by, Sensitivity::Reach::start);
  shares.resize(names.size());
  List<Neighbours::Share> all;
  for (Index j = 0; j < names.size(); ++j) {
    shares(j) = ((*by)[j]->side < 0 ? -1.0 : 1.0) * share_of(j) * start->size_of(j);
    all.push_back({names[j], shares(j)});
  }
  auto together = std::make_shared<Parameters>();
  try {
    together->push_back(std::make_unique<Neighbours>(with_own_numbers(machine, names), replica->system(), all,
                                                     Cutoffs{options.rebound_threshold, options.rtol}));
  } catch (const InvalidArgument& error) {
    throw NoTranspose(error.what());
  }
  direction = std::make_unique<Sensitivity>(replica, run, passed, initial, std::move(together),
                                            Sensitivity::Reach::all);
  passage_of_event.assign(start->run->events.rows.size(), -1);
  for (const Step& step : start->steps)
    if (step.kind == Step::Kind::passage)
      for (Index e = start->passages[step.number].event; e < step.next_event; ++e)
        passage_of_event[e] = step.number;
}

bool Adjoint::is_known(const List<double>& times, const List<Index>& events) const {
  const auto until = [](const Sensitivity& s) { return s.valid_until; };
  const double end = std::min(until(*start), until(*direction));
  const Sensitivity& along = *direction;
  return std::all_of(times.begin(), times.end(),
                     [&](double t) { return t < end && along.run->segment_at(t) < along.starts.size(); }) &&
         std::all_of(events.begin(), events.end(), [&](Index e) {
           return std::isfinite(along.event_times(0, e)) && start->valid_until > along.run->t_begin;
         });
}

Vector Adjoint::gradient(const List<double>& times, const Matrix& weights, const List<Index>& events,
                         const Vector& event_weights) {
  Sensitivity& s = *start;
  Cotangents into(s.by.size());
  if (!is_known(times, events))
    return Vector::Constant(s.by.size(), std::numeric_limits<double>::quiet_NaN());
  Vector of_passage = Vector::Zero(s.passages.size());
  List<char> reads(s.passages.size(), 0);
  for (Index k = 0; k < events.size(); ++k) {
    const Index p = passage_of_event[events[k]];
    if (p >= 0) of_passage(p) += event_weights(k), reads[p] = 1; // no parameter moves quiet ticks
  }
  List<Reading> readings(times.size());
  for (Index k = 0; k < times.size(); ++k) readings[k] = {times[k], weights.col(k).data()};
  Vector lambda = Vector::Zero(s.now.S.rows());
  const Index nx = s.machine->system().nx;
  Index left = times.size();
  bool any = false; // some derivative is not zero
  for (Index n = s.steps.size(); n-- > 0;) {
    const Step& step = s.steps[n];
    if (step.kind == Step::Kind::segment) {
      const Segment& segment = s.run->segments[step.number];
      Index first = left;
      while (first > 0 && s.run->segment_at(times[first - 1]) == step.number) --first;
      any = any || first < left;
      if (any) {
        Vector states = lambda.head(nx);
        s.variation->retreat(*s.run, segment, std::min(segment.t1, s.run->t_end),
                             std::span(readings).subspan(static_cast<std::size_t>(first),
                                                         static_cast<std::size_t>(left - first)),
                             states, into);
        lambda.head(nx) = states;
      }
      left = first;
    } else if (step.kind == Step::Kind::tick) {
      if (any) untick(step, lambda, into);
    } else if (step.number > 0) {
      any = any || reads[step.number] != 0;
      if (any) unpass(step.number, of_passage(step.number), lambda, into);
    }
  }
  if (!s.variation->rough.empty()) throw NoTranspose(s.variation->rough);
  s.variation->contract(into);
  if (s.ticks) s.ticks->contract(into);
  const Vector found = into.gradient + s.now.S.transpose() * lambda;
  compare(found, times, weights, events, event_weights);
  return found;
}

// Forward and backward results along the one direction that is known forwards: an instant may be smooth along the
// change of states by the parameters, and not along each state.
void Adjoint::compare(const Vector& gradient, const List<double>& times, const Matrix& weights,
                      const List<Index>& events, const Vector& event_weights) {
  double forwards = 0.0, size = gradient.cwiseProduct(shares).cwiseAbs().sum();
  for (Index k = 0; k < times.size(); ++k) {
    const Vector terms = weights.col(k).cwiseProduct(direction->at(times[k]).col(0));
    forwards += terms.sum(), size += terms.cwiseAbs().sum();
  }
  for (Index k = 0; k < events.size(); ++k) {
    const double term = event_weights(k) * direction->event_times(0, events[k]);
    forwards += term, size += std::abs(term);
  }
  if (!(std::abs(gradient.dot(shares) - forwards) <= both_ways * size))
    throw NoTranspose("the run is not a smooth function of a state at one instant");
}

void Adjoint::untick(const Step& step, Vector& lambda, Cotangents& into) {
  Sensitivity& s = *start;
  const Segment& segment = s.run->segments[step.segment - 1];
  Vector x(s.machine->system().nx);
  s.run->state_at(segment, segment.t1, x.data());
  s.quiet.read(step.number, s.tick_memory);
  s.ticks->retreat(s.machine->regime(segment.regime->modes), segment.t1, x, s.tick_memory, lambda, into);
}

// The transpose of Sensitivity::pass.
void Adjoint::unpass(Index number, double event_weight, Vector& lambda, Cotangents& into) {
  Sensitivity& s = *start;
  const Passage& p = s.passages[number];
  const Jump& jump = p.jump;
  const double frame = s.run->segments[p.segment - 1].t0;
  const Index nx = s.machine->system().nx;
  Vector fm, fp, force;
  s.machine->move(jump.before, frame, jump.t, jump.x_before.data(), fm, force);
  s.machine->move(jump.after, jump.t, jump.t, jump.x_after.data(), fp, force);
  Turn turn{fm, Vector::Zero(nx), false};
  double rate = 1.0;
  Index k = -1;
  if (!p.scheduled && !p.fired.empty()) {
    const Regime& r = s.machine->regime(jump.before);
    k = std::find(r.guards.begin(), r.guards.end(), p.fired.back()) - r.guards.begin();
    const GuardSlope guard = s.variation->guard_slope(jump.before, k, frame, jump.t, jump.x_before, p.before);
    turn.moves = is_crossed(guard.rate, guard.size, p.before.time_scale);
    rate = guard.rate;
    if (turn.moves) turn.time_by_state = -guard.by_state / rate;
  }
  // Differences first: rates equal on both sides contribute exactly nothing to the derivative by the time of the event.
  const double owed_to_time = event_weight + (fm - fp).dot(lambda.head(nx));
  const double reset_by_time = s.plain(p) ? 0.0 : unreset(p, turn, lambda, into);
  if (!turn.moves) return;
  lambda.head(nx) += owed_to_time * turn.time_by_state;
  s.variation->gather_guard(jump.before, k, frame, jump.t, jump.x_before,
                            -(owed_to_time + reset_by_time) / rate, into);
}

// The transpose of Sensitivity::reset: along each state with the time that it moves, along time, and by the parameters
// alone. Differences are those of the changes at the instant, entry by entry: entries that do not change contribute
// exactly nothing.
double Adjoint::unreset(const Passage& p, const Turn& turn, Vector& lambda, Cotangents& into) {
  Sensitivity& s = *start;
  const Vector here = packed(p.before), owed = lambda;
  const Index nx = turn.motion.size();
  Sensitivity::Reset as = s.reset_of(p);
  bool same = true;
  const auto along = [&](Vector way, double dt) {
    way.head(nx) += dt * turn.motion;
    const Vector slope = s.slope_of(as, p, here, way, dt);
    same = same && as.same;
    return owed.dot(slope.head(owed.size()));
  };
  for (Index i = 0; i < here.size(); ++i)
    lambda(i) += along(Vector::Unit(here.size(), i), i < nx ? turn.time_by_state(i) : 0.0);
  const double by_time = turn.moves ? along(Vector::Zero(here.size()), 1.0) : 0.0;
  as.same = true;
  for (Index j = 0; j < s.by.size(); ++j)
    into.gradient(j) += owed.dot(s.slope_beside(as, p, here, j).head(owed.size()));
  if (!same || !as.same)
    throw NoTranspose("the modes change with a parameter at t = " + number_text(p.jump.t));
  return by_time;
}

} // namespace stickslip
