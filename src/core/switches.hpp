// Switches for single rules of a decision, to find the machines that need them: in builds with STICKSLIP_SWITCHES the
// environment variable STICKSLIP_OFF names rules, separated by commas, that are off. Other builds have no switches.
#pragma once

#ifdef STICKSLIP_SWITCHES

#include <cstdlib>
#include <string_view>

namespace stickslip {

inline bool is_on(std::string_view rule) {
  static const char* const given = std::getenv("STICKSLIP_OFF");
  for (std::string_view left = given == nullptr ? "" : given; !left.empty();) {
    const std::size_t end = left.find(',');
    if (left.substr(0, end) == rule) return false;
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
  }
  return true;
}

} // namespace stickslip

#define STICKSLIP_RULE(name) ::stickslip::is_on(name)

#else

#define STICKSLIP_RULE(name) true

#endif
