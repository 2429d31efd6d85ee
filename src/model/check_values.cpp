#include "model/check_values.hpp"

#include "core/list.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace stickslip {

void check_signal(const std::string& name, const Signal& s) {
  if (s.pieces.empty()) reject(name, "is an empty signal");
  for (const Piece& p : s.pieces) {
    bool ok = std::isfinite(p.anchor);
    for (double c : p.c) ok = ok && std::isfinite(c);
    for (const Harmonic& h : p.harmonics)
      ok = ok && std::isfinite(h.amplitude) && std::isfinite(h.omega) && std::isfinite(h.phase);
    if (!ok) reject(name, "holds NaN or infinity: every value must be finite");
  }
  if (s.repeats == 0) return;
  if (s.repeats < 0 || s.repeats >= s.pieces.size())
    reject(name, "repeats from a piece that does not exist: " + std::to_string(s.repeats));
  if (!(std::isfinite(s.period) && s.pieces.back().start < s.pieces[s.repeats].start + s.period))
    reject(name, "has pieces that begin after the end of its period");
}

void check_continuous(const std::string& name, const Signal& s) {
  double size = 0.0;
  for (const Piece& p : s.pieces) {
    size = std::max(size, std::abs(p.c[0]));
    for (const Harmonic& h : p.harmonics) size = std::max(size, std::abs(h.amplitude));
  }
  for_each_breakpoint(s, [&](double t, const Held& past, const Held& next) {
    const double a = value(past, t), b = value(next, t);
    if (std::abs(b - a) <= tolerance::same * std::max({size, std::abs(a), std::abs(b)})) return;
    std::ostringstream text;
    text << "jumps from " << a << " to " << b << " at t = " << t
         << ": the position of a wall must be continuous";
    reject(name, text.str());
  });
}

namespace {

// With dead time, a body that stops where the curve was above its static level a moment ago could neither stick nor slip.
void check_falls(const Law& law, double level, const std::string& suffix) {
  List<double> speeds = velocity_marks(law);
  speeds.push_back(tolerance::fast_velocity);
  for (const double v : speeds) {
    const double dry = evaluate(law, std::abs(v), 1, 0U, nullptr, nullptr, 1.0).dry;
    if (v == 0.0 || !(dry > level * (1.0 + tolerance::product))) continue;
    std::ostringstream text;
    text << "gives " << dry << " at v = " << std::abs(v) << ", above its static level " << level
         << ": with a dead time the curve must not exceed the static level";
    reject("law" + suffix, text.str());
  }
}

} // namespace

void check_law(const Law& law, const Automaton& a, const std::string& suffix) {
  if (law.terms.empty()) reject("law" + suffix, "has no terms");
  validate(law);
  check_numbers(a, suffix);
  if (a == Automaton{}) return;
  const LawTraits t = traits(law);
  if (t.states > 0)
    reject("law" + suffix,
           "has internal states: the options of StickSlip need a curve such as Coulomb or Stribeck");
  if (!t.sticks)
    reject("law" + suffix, "has no jump at v = 0: the options of StickSlip need a law with sticking");
  const double level = std::max(std::abs(t.break_away.lo), std::abs(t.break_away.hi));
  if (std::abs(t.break_away.lo + t.break_away.hi) > tolerance::product * level)
    reject("law" + suffix,
           "is not odd: the options of StickSlip need equal static levels in both directions");
  if (a.lag > 0.0 && a.dead_time > 0.0)
    reject("dead_time" + suffix, a.dead_time, "0 with a lag: a law has either a lag or a dead time");
  if (a.dead_time > 0.0) check_falls(law, level, suffix);
  if (a.load_factor > 0.0) {
    const double kinetic = evaluate(law, 1e100, 1, 0, nullptr, nullptr, 1.0).dry;
    if (!(kinetic > 0.0)) reject("kinetic level" + suffix, kinetic, "> 0 with load_factor");
  }
}

} // namespace stickslip
