#include "dynamics/state.hpp"

#include <cmath>

namespace stickslip {

State initial_state(const System& sys, double t0, const Vector& x0) {
  State s;
  s.t = s.base_t = t0;
  s.x = s.base_x = x0;
  s.nominal = sys.nominal.cwiseMax(x0.cwiseAbs());
  // What the description gives no size (a neighbour that only its initial displacement moves) has that of its
  // springs.
  for (Index round = 0; round < sys.plant_states; ++round) {
    const Vector reached = sys.time_scale * (sys.A.cwiseAbs() * s.nominal);
    for (Index i = 0; i < sys.plant_states; ++i)
      if (s.nominal(i) == 0.0) s.nominal(i) = reached(i);
  }
  s.modes.friction.resize(sys.friction.size());
  s.modes.contact.assign(sys.contacts.size(), Mode::open);
  s.modes.saturation.assign(sys.saturations, Saturation::free);
  s.ticks = start_ticks(sys, t0);
  s.left = Vector::Constant(sys.friction.size(), -INFINITY);
  s.brief.assign(sys.friction.size(), 0);
  return s;
}

} // namespace stickslip
