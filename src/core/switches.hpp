// Switches for single rules of a decision, to find the machines that need them: in builds with STICKSLIP_SWITCHES the
// environment variable STICKSLIP_OFF names rules, separated by commas, that are off. Other builds have no switches.
#pragma once

#ifdef STICKSLIP_SWITCHES

#include <cstdlib>
#include <string>

namespace stickslip {

inline bool is_on(const char* rule) {
  static const std::string off = [] {
    const char* given = std::getenv("STICKSLIP_OFF");
    return "," + std::string(given == nullptr ? "" : given) + ",";
  }();
  return off.find("," + std::string(rule) + ",") == std::string::npos;
}

} // namespace stickslip

#define STICKSLIP_RULE(name) ::stickslip::is_on(name)

#else

#define STICKSLIP_RULE(name) true

#endif
