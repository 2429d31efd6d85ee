// Identity of a description, for compiled machines and states of runs: a fingerprint of all data that the engine reads,
// and a text for users. Python functions count by their kind only.
#pragma once

#include <cstdint>
#include <string>

namespace stickslip {

class Machine;

struct Identity {
  std::uint64_t fingerprint = 0;
  std::string text;

  bool operator==(const Identity& o) const { return fingerprint == o.fingerprint; }
};

Identity identity_of(const Machine& machine);

} // namespace stickslip
