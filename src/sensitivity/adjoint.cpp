#include "sensitivity/adjoint.hpp"

#include "core/error.hpp"
#include "core/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

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

// One direction in which all parameters change, each by its share.
static std::unique_ptr<Neighbours> all_together(const Machine& machine, const System& base,
                                                const Varied& varied, const Vector& shares,
                                                const Cutoffs& cutoffs) {
  std::map<std::string, double> share;
  for (Index j = 0; j < varied.names.size(); ++j) share[varied.names[j]] = shares(j);
  if (!varied.built.empty())
    throw NoTranspose("the machine is built anew for '" + varied.built.front().name +
                      "', whose derivative exists in forward mode only");
  List<Neighbours::Along> signals;
  for (const Profile& profile : varied.profiles) {
    Signal change = constant_signal(0.0);
    for (const Profile::Value& value : profile.values)
      change =
          change + share[value.name] * within(profile.directions[value.direction], value.from, value.until);
    for (const Profile::Value& value : profile.values) share.erase(value.name);
    signals.push_back({profile.signal, std::move(change)});
  }
  List<Neighbours::Share> numbers;
  for (const std::string& name : varied.names)
    if (const auto at = share.find(name); at != share.end()) numbers.push_back({name, at->second});
  try {
    return std::make_unique<Neighbours>(with_own_numbers(machine, varied.names), base, numbers, signals,
                                        cutoffs);
  } catch (const InvalidArgument& error) {
    throw NoTranspose(error.what());
  }
}

Adjoint::Adjoint(const Machine& machine, std::shared_ptr<const Trajectory> run, Passages passages,
                 const Vector& initial, const Options& options, const Varied& varied) {
  const auto replica = replica_of(machine, options);
  const auto passed = std::make_shared<const Passages>(std::move(passages));
  const auto by = parameters_of(machine, replica->system(), options, varied);
  for (const auto& one : *by)
    if (const std::string who = moved_instants(replica->system(), *one); !who.empty())
      throw NoTranspose("'" + one->name + "' moves the sampling instants of '" + who +
                        "', whose derivative exists in forward mode only");
  start = std::make_unique<Sensitivity>(replica, run, passed, initial, by, Sensitivity::Reach::start);
  shares.resize(by->size());
  for (Index j = 0; j < by->size(); ++j)
    shares(j) = ((*by)[j]->side < 0 ? -1.0 : 1.0) * share_of(j) * start->size_of(j);
  auto together = std::make_shared<Parameters>();
  together->push_back(all_together(machine, replica->system(), varied, shares,
                                   Cutoffs{options.rebound_threshold, options.rtol}));
  direction =
      std::make_unique<Sensitivity>(replica, run, passed, initial, std::move(together),
                                    Sensitivity::Reach::all, Direction{&start->variation->slopes, shares});
  passage_of_event.assign(start->run->events.rows.size(), -1);
  for (const RunStep& step : start->steps)
    if (step.kind == RunStep::Kind::passage)
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
           return std::isfinite(along.events.times(0, e)) && start->valid_until > along.run->t_begin;
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
    if (p >= 0) of_passage(p) += event_weights(k), reads[p] = 1; // no parameter moves quiet sampling instants
  }
  List<Reading> readings(times.size());
  for (Index k = 0; k < times.size(); ++k) readings[k] = {times[k], weights.col(k).data()};
  Vector lambda = Vector::Zero(s.now.S.rows());
  const Index nx = s.machine->system().nx;
  Index left = times.size();
  bool any = false;      // some derivative is not zero
  double by_shift = 0.0; // by the moves of an instant of rest on a vertical tangent, behind it
  for (Index n = s.steps.size(); n-- > 0;) {
    const RunStep& step = s.steps[n];
    if (step.kind == RunStep::Kind::segment) {
      const Segment& segment = s.run->segments[step.number];
      Index first = left;
      while (first > 0 && s.run->segment_at(times[first - 1]) == step.number) --first;
      any = any || first < left;
      if (any) {
        Vector states = lambda.head(nx);
        s.variation->retreat(*s.run, segment, std::min(segment.t1, s.run->t_end),
                             std::span(readings).subspan(static_cast<std::size_t>(first),
                                                         static_cast<std::size_t>(left - first)),
                             states, into,
                             direction->starts[step.number].moves() != nullptr ? &by_shift : nullptr);
        lambda.head(nx) = states;
      }
      left = first;
    } else if (step.kind == RunStep::Kind::sampling_instant) {
      if (any) pass_sampling_instant_back(step, lambda, into);
    } else if (step.number > 0) {
      any = any || reads[step.number] != 0;
      if (any) unpass(step.number, of_passage(step.number) + std::exchange(by_shift, 0.0), lambda, into);
    }
  }
  if (!s.variation->rates.rough.empty()) throw NoTranspose(s.variation->rates.rough);
  s.variation->contract(into);
  if (s.sampled) s.sampled->contract(into);
  const Vector found = into.gradient + s.now.S.transpose() * lambda;
  compare(found, times, weights, events, event_weights);
  return found;
}

// Forward and backward results along the one direction that is known forwards: an instant may be smooth along the
// change of states by the parameters, and not along each state.
void Adjoint::compare(const Vector& gradient, const List<double>& times, const Matrix& weights,
                      const List<Index>& events, const Vector& event_weights) {
  double forwards = 0.0, size = gradient.cwiseProduct(shares).cwiseAbs().sum();
  List<Index> rows(weights.rows());
  for (Index i = 0; i < rows.size(); ++i) rows[i] = i;
  direction->sample(times, rows, [&](Index k, const Tangents& S) {
    const Vector terms = weights.col(k).cwiseProduct(S.col(0));
    forwards += terms.sum(), size += terms.cwiseAbs().sum();
  });
  for (Index k = 0; k < events.size(); ++k) {
    const double term = event_weights(k) * direction->events.times(0, events[k]);
    forwards += term, size += std::abs(term);
  }
  if (!(std::abs(gradient.dot(shares) - forwards) <= both_ways * size))
    throw NoTranspose("the run is not a smooth function of a state at one instant");
}

void Adjoint::pass_sampling_instant_back(const RunStep& step, Vector& lambda, Cotangents& into) {
  Sensitivity& s = *start;
  const Segment& segment = s.run->segments[step.segment - 1];
  Vector x(s.machine->system().nx);
  s.run->state_at(segment, segment.t1, x.data());
  s.instants->quiet.read(step.number, s.sampling_memory);
  s.sampled->retreat(s.machine->regime(segment.regime->modes), segment.t1, x, s.sampling_memory, lambda,
                     into);
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
    const GuardSlope guard =
        s.variation->guards.by_state(jump.before, k, frame, jump.t, jump.x_before, p.before);
    turn.moves = is_crossed(guard.rate, guard.size, p.before.time_scale) ||
                 (guard.rate != 0.0 && ends_rebounds(s.machine->system(), p));
    rate = guard.rate;
    if (turn.moves) turn.time_by_state = -guard.by_state / rate;
  }
  // Differences first: rates equal on both sides contribute exactly nothing to the derivative by the time of the event.
  const double owed_to_time = event_weight + (fm - fp).dot(lambda.head(nx));
  const double reset_by_time = is_plain(s.machine->system(), p) ? 0.0 : unreset(p, turn, lambda, into);
  if (!turn.moves) return;
  lambda.head(nx) += owed_to_time * turn.time_by_state;
  s.variation->guards.gather(jump.before, k, frame, jump.t, jump.x_before,
                             -(owed_to_time + reset_by_time) / rate, into);
}

// The transpose of Sensitivity::reset: along each state with the time that it moves, along time, and by the parameters
// alone. Differences are those of the changes at the instant, entry by entry: entries that do not change contribute
// exactly nothing.
double Adjoint::unreset(const Passage& p, const Turn& turn, Vector& lambda, Cotangents& into) {
  Sensitivity& s = *start;
  const Vector owed = lambda;
  const Index nx = turn.motion.size(), size = packed(p.before).size();
  ResetSlopes& reset = s.resets;
  reset.look_at(p, s.now.due);
  bool same = reset.same;
  const auto along = [&](Vector way, double dt) {
    way.head(nx) += dt * turn.motion;
    const Vector slope = reset.along(way, dt);
    same = same && reset.same;
    return owed.dot(slope.head(owed.size()));
  };
  for (Index i = 0; i < size; ++i)
    lambda(i) += along(Vector::Unit(size, i), i < nx ? turn.time_by_state(i) : 0.0);
  const double by_time = turn.moves ? along(Vector::Zero(size), 1.0) : 0.0;
  reset.same = true;
  for (Index j = 0; j < s.by.size(); ++j)
    into.gradient(j) += owed.dot(reset.by_parameter(j).head(owed.size()));
  if (!same || !reset.same)
    throw NoTranspose("the modes change with a parameter at t = " + number_text(p.jump.t));
  return by_time;
}

} // namespace stickslip
