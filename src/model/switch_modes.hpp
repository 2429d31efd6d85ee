// Modes that change the linear part of a machine: limits of controllers, segments of springs.
#pragma once

#include "control/block.hpp" // Saturation
#include "core/list.hpp"

#include <compare>

namespace stickslip {

// Position of a flank on its characteristic; `loose`: released, since its damper would pull.
struct FlankMode {
  Index stretch = 0;
  bool loose = false;

  auto operator<=>(const FlankMode&) const = default;
  bool operator==(const FlankMode&) const = default;
};

struct SwitchModes {
  List<Saturation> saturation; // of each limited output of a continuous controller
  List<FlankMode> flank;       // of each flank of a spring

  auto operator<=>(const SwitchModes&) const = default;
  bool operator==(const SwitchModes&) const = default;
};

} // namespace stickslip
