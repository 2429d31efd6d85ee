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
  s.modes.place.assign(sys.places.size(), 0);
  s.modes.load_sign.assign(sys.places.size(), 1);
  s.modes.contact.assign(sys.contacts.size(), static_cast<std::int8_t>(Mode::open));
  for (const Place& p : sys.places) s.modes.branch.push_back(initial_branch(p.law));
  s.modes.limit.assign(static_cast<std::size_t>(sys.limits), 0);
  s.ticks = start_ticks(sys, t0);
  s.left = Vector::Constant(static_cast<Index>(sys.places.size()), -INFINITY);
  s.brief.assign(sys.places.size(), 0);
  return s;
}

} // namespace stickslip
