// Everything discrete about the state of a machine: which combination of modes it is in.
#pragma once

#include "core/list.hpp"
#include "core/mode.hpp"
#include "expression/evaluate.hpp" // Sign
#include "model/switch_modes.hpp"

#include <compare>
#include <cstdint>

namespace stickslip {

// Kind of stick of a friction element.
enum class Hold : std::int8_t {
  by_limit, // its static limits
  // Its force is above its limit on that side. Elastic presliding: v opposes it. Rigid, with a lag: a force that falls,
  // or grows slower than the lag lets friction grow, cannot move it; so it is held by the lagged force, which continues
  // towards its curve.
  above_forward,
  above_backward,
  firmly, // rigid, after an accumulation of slips (see memory.cpp): a little more than its limits
  // Along a prescribed motion the equations leave the force at rest open: it stays that of the end of the last slip,
  // which had this direction.
  after_forward,
  after_backward,
  leaving, // slips under its static limit: within a decision, before its force falls to the kinetic level
};

inline Hold after_slip(int side) {
  return side > 0 ? Hold::after_forward : Hold::after_backward;
}

inline Hold above_limit(int side) {
  return side > 0 ? Hold::above_forward : Hold::above_backward;
}
// 0: the force is not above a limit.
inline int side_above(Hold h) {
  return h == Hold::above_forward ? 1 : h == Hold::above_backward ? -1 : 0;
}

struct FrictionMode {
  Mode mode =
      Mode::stick; // stick, slip- or slip+, open; a law without a jump at v = 0 never sticks and slips
                   // on its side of v = 0
  Hold hold = Hold::by_limit;
  bool free =
      false; // no load presses it (see free.hpp): it slips on its side of v = 0 as a law without a jump does
  std::int16_t load_stretch = 0; // segment of the polyline by which the state adds to the normal load
  unsigned branch = 0;           // internal switching state of the law

  bool sticks() const { return mode == Mode::stick; }
  bool open() const { return mode == Mode::open; }
  bool slips() const { return mode == Mode::slip_forward || mode == Mode::slip_backward; }
  int direction() const { return stickslip::direction(mode); } // of slip; 0 at rest and open
  // Side of the force that the law gives: of slip, or of the slip before a rest along a prescribed motion.
  int force_side() const {
    return hold == Hold::after_forward ? 1 : hold == Hold::after_backward ? -1 : direction();
  }

  // With its law's switches as they are at the start of a motion.
  void enter(Mode m) {
    mode = m;
    hold = Hold::by_limit;
    branch = 0;
  }

  auto operator<=>(const FrictionMode&) const = default;
  bool operator==(const FrictionMode&) const = default;
};

// A force that cannot grow beyond a limit of its own, friction on one side or a contact that takes no pull.
struct ForceLimit {
  Index force = -1;      // number of the friction element, or of the contact, counted on behind all of these
  std::int8_t side = -1; // of the limit; a contact has one, below; 0: it would only add to a preload

  auto operator<=>(const ForceLimit&) const = default;
  bool operator==(const ForceLimit&) const = default;
};

// Statically indeterminate forces if rows depend on the motion, determined at the start of a regime. They are
// kept until the next transition, so that forces neither appear nor vanish when two rows become nearly parallel.
struct Redundancy {
  Index directions = -1;   // of forces that change nothing; -1: still to be found
  List<ForceLimit> limits; // of all forces that depend on these

  auto operator<=>(const Redundancy&) const = default;
  bool operator==(const Redundancy&) const = default;
};

struct Modes : SwitchModes {
  List<FrictionMode> friction; // of each friction element
  List<Mode> contact;          // open or closed; the friction of an open contact is open too
  // For statically indeterminate forces: those that the sharing of least norm holds at their limits, in rising order.
  List<ForceLimit> at_limit;
  Redundancy open;  // of a machine that is not linear
  List<Sign> sides; // of each condition in formulas of the motion: the side of zero on which it is

  auto operator<=>(const Modes&) const = default;
  bool operator==(const Modes&) const = default;
};

} // namespace stickslip
