#include "ensemble/measure.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "core/roots.hpp"
#include "run/element_name.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip {

namespace {

// A contact with friction has one name for its place and itself; its events are the contact's.
Index find_element(const System& sys, const std::string& name, bool events) {
  const Index np = sys.friction.size(),
              all = np + sys.contacts.size() + sys.loops.size() + sys.springs.size();
  for (Index e = 0; e < all; ++e) {
    if (element_name(sys, e) != name) continue;
    if (events && e < np && sys.shares_modes(e)) continue;
    if (!events && e >= np) continue;
    return e;
  }
  return -1;
}

} // namespace

Measure find_measure(const System& sys, const std::string& name) {
  using Kind = Measure::Kind;
  if (name == "energy.residual") return {Kind::residual, -1};
  if (name == "steps") return {Kind::steps, -1};
  static constexpr std::array<std::pair<std::string_view, Kind>, 3> of_events = {
      {{"events.count", Kind::count}, {"events.first", Kind::first}, {"events.last", Kind::last}}};
  for (const auto& [text, kind] : of_events) {
    if (name == text) return {kind, -1};
    if (!name.ends_with(std::string(1, '.').append(text))) continue;
    const Index e = find_element(sys, name.substr(0, name.size() - text.size() - 1), true);
    if (e >= 0) return {kind, e};
  }
  const auto dot = name.rfind('.');
  if (dot != std::string::npos) {
    const std::string owner = name.substr(0, dot), what = name.substr(dot + 1);
    if (what == "stick_time")
      if (const Index e = find_element(sys, owner, false); e >= 0) return {Kind::stick_time, e};
    static constexpr std::array<std::pair<std::string_view, Kind>, 4> of_states = {
        {{"max", Kind::max}, {"min", Kind::min}, {"mean", Kind::mean}, {"final", Kind::final}}};
    const auto state = std::find(sys.states.begin(), sys.states.end(), owner);
    for (const auto& [text, kind] : of_states)
      if (what == text && state != sys.states.end()) return {kind, state - sys.states.begin()};
  }
  std::string text = "unknown measure '" + name +
                     "'; known are: 'events.count', 'events.first', 'events.last', also of one element; ";
  for (const std::string& s : sys.states) text += "'" + s + ".max', ";
  text += "'.min', '.mean', '.final'; ";
  for (const Friction& p : sys.friction) text += "'" + p.name + ".stick_time', ";
  throw UnknownName(text + "'energy.residual', 'steps'");
}

Gauges::Gauges(const System& system, List<Measure> m)
    : sys(system), measures(std::move(m)), value(measures.size()), balance(system) {
  least = greatest = integral = Vector::Zero(sys.nx);
  for (const Measure& k : measures) {
    stick = stick || k.kind == Measure::Kind::stick_time;
    residual = residual || k.kind == Measure::Kind::residual;
    if (k.kind == Measure::Kind::max || k.kind == Measure::Kind::min || k.kind == Measure::Kind::mean)
      if (std::find(extremes_of.begin(), extremes_of.end(), k.element) == extremes_of.end())
        extremes_of.push_back(k.element);
  }
}

void Gauges::begin(double t_begin, double t_end) {
  from = reached = t_begin;
  to = t_end;
  for (Index k = 0; k < measures.size(); ++k) {
    const bool time = measures[k].kind == Measure::Kind::first || measures[k].kind == Measure::Kind::last;
    value[k] = time ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  }
  least.setConstant(std::numeric_limits<double>::infinity());
  greatest.setConstant(-std::numeric_limits<double>::infinity());
  integral.setZero();
  balance.begin();
}

void Gauges::segment(const Regime& r, double t0, double t1, const Step& step, const Matrix& C) {
  const double a = std::max(t0, from), b = std::min(t1, to);
  reached = std::max(reached, b);
  for (Index i : extremes_of) {
    if (step.columns == 1 || !(step.h > 0.0)) {
      least(i) = std::min(least(i), C(i, 0));
      greatest(i) = std::max(greatest(i), C(i, 0));
      integral(i) += C(i, 0) * (b - a);
      continue;
    }
    // The part of the curve that holds: theta = first + part * s, s in [0, 1].
    const double first = (a - t0) / step.h, part = (b - a) / step.h;
    std::array<double, guard_max_degree + 1> c{};
    for (Index k = 0; k < step.columns; ++k) c[k] = C(i, k);
    const auto degree = step.columns - 1;
    if (first > 0.0)
      for (Index k = 0; k < degree; ++k)
        for (Index j = degree; j-- > k;) c[j] += first * c[j + 1];
    double power = 1.0, sum = 0.0;
    for (Index k = 0; k <= degree; ++k, power *= part) {
      c[k] *= power;
      sum += c[k] / static_cast<double>(k + 1);
    }
    const Extremes e = extremes(c.data(), static_cast<int>(degree));
    least(i) = std::min(least(i), e.minimum);
    greatest(i) = std::max(greatest(i), e.maximum);
    integral(i) += sum * (b - a);
  }
  if (stick)
    for (Index k = 0; k < measures.size(); ++k)
      if (measures[k].kind == Measure::Kind::stick_time && r.modes.friction[measures[k].element].sticks())
        value[k] += b - a;
  if (residual) balance.segment({t0, t1, step.h, &r, 0, step.columns, step.kind}, C.data(), a, b);
}

void Gauges::events(List<Event>& events) {
  for (const Event& e : events) {
    for (Index k = 0; k < measures.size(); ++k) {
      if (measures[k].kind > Measure::Kind::last ||
          (measures[k].element >= 0 && measures[k].element != e.element))
        continue;
      if (measures[k].kind == Measure::Kind::count)
        value[k] += 1.0;
      else if (measures[k].kind == Measure::Kind::last || std::isnan(value[k]))
        value[k] = e.time;
    }
    if (e.impact) balance.impact(e.loss, e.wall_work);
  }
}

double Gauges::result(Index k, const State& end, const Outcome& outcome) const {
  const Measure& m = measures[k];
  switch (m.kind) {
  case Measure::Kind::max:
    return greatest(m.element);
  case Measure::Kind::min:
    return least(m.element);
  case Measure::Kind::mean:
    return integral(m.element) / (reached - from);
  case Measure::Kind::final:
    return end.x(m.element);
  case Measure::Kind::steps:
    return static_cast<double>(outcome.steps);
  case Measure::Kind::residual:
    return balance.residual();
  default:
    return value[k];
  }
}

} // namespace stickslip
