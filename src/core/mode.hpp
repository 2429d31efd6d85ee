// The modes an element can be in, the vocabulary of events and of `.mode` signals.
#pragma once

#include <cstdint>
#include <string_view>

namespace stickslip {

enum class Mode : std::int8_t {
  slip_backward = -1,
  stick = 0,
  slip_forward = 1,
  open = 2,   // a contact that is apart
  closed = 3, // a contact that touches: a frictionless one, or the normal direction alone
  free = 4,   // a controller within its limits; friction, as of a clutch, that no load presses
  high = 5,   // held at its upper limit
  low = 6,    // held at its lower limit
  locked = 7, // a one-way clutch that does not turn; while it turns it is free
};

inline int direction(Mode m) {
  return m == Mode::slip_forward ? 1 : m == Mode::slip_backward ? -1 : 0;
}
inline Mode slip(int direction) {
  return direction > 0 ? Mode::slip_forward : Mode::slip_backward;
}

constexpr std::string_view name(Mode m) {
  switch (m) {
  case Mode::slip_backward:
    return "slip-";
  case Mode::stick:
    return "stick";
  case Mode::slip_forward:
    return "slip+";
  case Mode::open:
    return "open";
  case Mode::closed:
    return "closed";
  case Mode::free:
    return "free";
  case Mode::high:
    return "high";
  case Mode::low:
    return "low";
  case Mode::locked:
    return "locked";
  }
  return "?";
}

} // namespace stickslip
