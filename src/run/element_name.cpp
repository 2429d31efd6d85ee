#include "run/element_name.hpp"

namespace stickslip {

const std::string& element_name(const System& sys, Index e) {
  if (e < sys.friction.size()) return sys.friction[e].name;
  e -= sys.friction.size();
  if (e < sys.contacts.size()) return sys.contacts[e].name;
  e -= sys.contacts.size();
  return e < sys.loops.size() ? sys.loops[e].name : sys.springs[e - sys.loops.size()].name;
}

} // namespace stickslip
