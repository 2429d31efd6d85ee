// Friction loaded by the magnitude of a constraint's force |F|, which follows that friction. The constraint becomes two
// opposite contacts without clearance, F = N+ - N-, of which one is unloaded, and the friction one element under each:
// the rules of contacts decide all of them together with the motion.
#pragma once

#include "model/machine.hpp"

#include <optional>
#include <string>

namespace stickslip {

// Names of what one element becomes.
inline std::string positive(const std::string& constraint) {
  return constraint + "[+]";
}
inline std::string negative(const std::string& name) {
  return name + "[-]";
}

// The machine in that form, in which friction under N+ keeps its name and place; none if no constraint loads friction.
// Throws for loads that have no such form.
std::optional<Machine> with_opposite_contacts(const Machine& machine);

} // namespace stickslip
