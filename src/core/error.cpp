#include "core/error.hpp"

#include <sstream>

namespace stickslip {

void reject(std::string_view name, double value, std::string_view allowed) {
  std::ostringstream text;
  text << name << " = " << value << " is not allowed: it must be " << allowed;
  throw InvalidArgument(text.str());
}

void reject(std::string_view name, std::string_view what) {
  throw InvalidArgument(std::string(name) + " " + std::string(what));
}

std::string quoted(const List<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text.empty() ? "none" : text;
}

} // namespace stickslip
