#include "export/event_indicators.hpp"

#include "core/tolerances.hpp"
#include "model/smooth.hpp"

#include <algorithm>

namespace stickslip {

namespace {

// Indicators by element, in this order; the last two are of limits of controllers, and of forces that several elements
// share.
Index conditions(const System& sys) {
  return sys.smooth ? sys.smooth->tape.conditions.size() : 0;
}

} // namespace

EventIndicators::EventIndicators(const System& of) : sys(of) {}

Index EventIndicators::count() const {
  return sys.friction.size() + sys.contacts.size() + sys.flanks.size() + conditions(sys) + 2;
}

Index EventIndicators::indicator_of(const Guard& g) const {
  Index first = 0;
  if (g.friction >= 0) return g.friction;
  first += sys.friction.size();
  if (g.contact >= 0) return first + g.contact;
  first += sys.contacts.size();
  if (g.flank >= 0) return first + g.flank;
  first += sys.flanks.size();
  if (g.condition >= 0) return first + g.condition;
  return count() - (g.saturation >= 0 ? 2 : 1);
}

List<std::string> EventIndicators::names(const System& sys) {
  List<std::string> out;
  for (const Friction& one : sys.friction) out.push_back(one.name);
  for (const Contact& one : sys.contacts) out.push_back(one.name);
  for (const Flank& one : sys.flanks) out.push_back(one.spring >= 0 ? sys.springs[one.spring].name : "flank");
  for (Index k = 0; k < conditions(sys); ++k) out.push_back("condition");
  out.push_back("controller limit"), out.push_back("shared forces");
  return out;
}

void EventIndicators::bind(const Regime& of, const Vector& guard_sizes) {
  regime = &of;
  sizes = guard_sizes;
}

Vector EventIndicators::offsets(const Vector& guards, const Vector& soon, double accuracy) const {
  Vector out = Vector::Zero(guards.size());
  for (Index k = 0; k < out.size(); ++k) {
    const double noise = accuracy * sizes(k);
    const double error = soon(k) < guards(k) - noise ? tolerance::rounding * sizes(k) : noise;
    if (guards(k) > -error) out(k) = std::max(guards(k), 0.0) + error;
  }
  return out;
}

void EventIndicators::release(const Vector& guards, Vector& out) const {
  for (Index k = 0; k < out.size(); ++k)
    if (guards(k) < -tolerance::residual * sizes(k)) out(k) = 0.0;
}

Vector EventIndicators::combine(const Vector& guards, const Vector& offsets) const {
  List<char> seen;
  seen.assign(count(), 0);
  Vector out = Vector::Constant(count(), -1.0);
  for (Index k = 0; k < guards.size(); ++k) {
    if (sizes(k) == 0.0 && guards(k) == 0.0) continue; // all of its terms are zero: a limit without load
    const Index i = indicator_of(regime->guards[k]);
    const double value = (guards(k) - offsets(k)) / (sizes(k) > 0.0 ? sizes(k) : 1.0);
    out(i) = seen[i] ? std::max(out(i), value) : value;
    seen[i] = 1;
  }
  return out;
}

} // namespace stickslip
