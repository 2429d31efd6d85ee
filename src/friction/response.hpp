// A law under prescribed motion: force, internal states and work over time.
#pragma once

#include "core/types.hpp"
#include "friction/law.hpp"
#include "signal/signal.hpp"

namespace stickslip {

struct Response {
  Vector velocity; // m/s
  Vector force;    // N, opposes the velocity
  Vector work;     // J, integral of F v since the first time: work done on the law
  Matrix states;   // one column per time
};

struct ResponseOptions {
  double normal_load = 1.0;
  double rtol = 1e-12; // of states and work
};

// Times must not decrease. Values are those from the right; where a time stands twice the first is from the
// left. An empty `initial` means all internal states zero. While the velocity rests at zero the bristles
// hold; where the force is then set-valued the middle of the set is reported.
Response respond(const Law& law, const Signal& velocity, const VectorRef& times, const VectorRef& initial,
                 const ResponseOptions& options);

} // namespace stickslip
