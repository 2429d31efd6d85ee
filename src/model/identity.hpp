// Which description a compiled machine and the states of its runs belong to: a fingerprint of all that the engine reads,
// and a text for people. Functions of the user's count by their kind only.
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
