// The set-valued elements of one instant: closed contacts and the elements with friction, seen through the
// accelerations (or, at an impact, the velocities) that their forces cause:
//
//   a = free + G [lambda_N; -F],     rows: normals of the contacts, then tangents of the elements.
//
// G = W' M^-1 W for a mechanical system; for a general linear plant it need not be symmetric. F opposes the motion and
// acts on the body as -F. An element is loaded by one of the contacts or by a prescribed load.
#pragma once

#include "core/list.hpp"
#include "core/mode.hpp"
#include "core/tolerances.hpp"
#include "core/types.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace stickslip::contact {

// Modes in this problem: a contact is closed or open; an element sticks, slips, or is idle (open) because its contact
// is open.
using stickslip::Mode;

// A force that depends on the normal load: a + b N. For a prescribed load all of it is in a.
struct Line {
  double a = 0.0, b = 0.0;
  double at(double load) const { return a + b * load; }
  bool operator==(const Line&) const = default;
};

// A friction element of the problem.
struct Element {
  Index contact = -1; // which contact loads it; -1: a prescribed load
  // slip_forward, slip_backward: it slides in this direction. stick: it is at rest, and the problem decides if it
  // stays.
  Mode state = Mode::stick;
  Line low, high;   // static: F in [low, high]
  Line minus, plus; // kinetic: F while it slides in - and in + direction (as a rule minus < 0 < plus)
  // Idle, F = 0, while its contact is open; false in expansion, where part of the load stays.
  bool needs_contact = true;
};

struct Problem {
  Index contacts = 0;
  List<Element> elements;
  Matrix G;
  Vector free;
  Vector free_size; // size of the terms that add up to `free` and may cancel; empty: its own size
  double free_scale(Index i) const {
    return free_size.size() > 0 ? std::max(free_size(i), std::abs(free(i))) : std::abs(free(i));
  }
  Index size() const { return contacts + elements.size(); }
  bool located = false; // all quantities are known to the error of event location alone
};

// Rejects sizes that do not fit, entries that are not finite, low > high, and contacts that do not exist.
void validate(const Problem& p);

// Modes that a component may take; a fired guard narrows them. Bits 1 << (mode + 1).
using Allowed = std::uint8_t;
constexpr Allowed bit(Mode m) {
  return static_cast<Allowed>(1U << (static_cast<unsigned>(static_cast<int>(m) + 1)));
}
constexpr Allowed anything = 0x1f;

// A component is known to the error of event location: a fired guard has narrowed its modes.
inline bool at_guard(const Problem& p, Allowed a) {
  return (a & (a - 1U)) == 0 || p.located;
}

// One labelled answer. Forces: lambda_N of the contacts, then F of the elements.
struct Candidate {
  List<Mode> modes;
  List<double> force, acceleration;
  List<std::uint8_t> touching; // the component's own inequality holds with equality: later derivatives decide
  List<double>
      size; // of the terms that reach an acceleration, or a force at rest, also through other forces at rest
  double constraint = 0.0;  // Gauss: 1/2 lambda' G lambda, lambda = [lambda_N; -F]
  double utilisation = 0.0; // greatest |F| / limit over the elements that stick
  bool unique = true;       // false: the forces are not determined and were shared (see share.hpp)

  void clear() {
    modes.clear(), force.clear(), acceleration.clear(), touching.clear(), size.clear();
    constraint = utilisation = 0.0;
    unique = true;
  }
  void reserve(Index n) {
    modes.reserve(n), force.reserve(n), acceleration.reserve(n), touching.reserve(n), size.reserve(n);
  }
};

} // namespace stickslip::contact
