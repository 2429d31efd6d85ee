// Outputs of controllers as forms of states and signals, for elements that follow them: loads and relays.
#pragma once

#include "model/draft.hpp"
#include "model/linear_part.hpp"

#include <optional>
#include <string>

namespace stickslip {

class OutputForms {
public:
  explicit OutputForms(const System& system) : sys(system) {}

  // The form of a reading, after the controllers have been wired. Throws for outputs with limits, and for unknown ones.
  Form form_of(const Reading& r, const std::string& what);

private:
  const System& sys;
  std::optional<LinearPart> linear; // of controllers within their limits

  Form output(const OutputOf& of, const std::string& what);
  void unlimited(Index loop, const std::string& what) const;
};

} // namespace stickslip
