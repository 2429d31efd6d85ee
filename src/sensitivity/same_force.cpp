#include "sensitivity/same_force.hpp"

#include <algorithm>

namespace stickslip {

bool same_form(const Form& a, const Form& b) {
  return a.x == b.x && a.s == b.s;
}

bool same_force(const Friction& a, const Friction& b) {
  return a.law == b.law && a.automaton == b.automaton && same_form(a.velocity, b.velocity) &&
         same_form(a.way, b.way) && a.pitch == b.pitch &&
         std::equal(a.crests.begin(), a.crests.end(), b.crests.begin(), b.crests.end(), same_form) &&
         std::equal(a.load_parts.begin(), a.load_parts.end(), b.load_parts.begin(), b.load_parts.end(),
                    same_form) &&
         a.load_per_force == b.load_per_force && a.rate_damping == b.rate_damping && a.kinetic == b.kinetic &&
         a.break_away == b.break_away;
}

} // namespace stickslip
