#include "core/error.hpp"

#include "core/number_text.hpp"

namespace stickslip {

void reject(std::string_view name, double value, std::string_view allowed) {
  throw InvalidArgument(std::string(name) + " = " + number_text(value) + " is not allowed: it must be " +
                        std::string(allowed));
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
