// Numbers in messages, as `reject` writes them: six digits at any magnitude.
#pragma once

#include <sstream>
#include <string>

namespace stickslip {

inline std::string number_text(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

} // namespace stickslip
