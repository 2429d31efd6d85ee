#include "run/reading.hpp"

#include "dynamics/spring_force.hpp"

#include <limits>

namespace stickslip {

double reading(const System& sys, const Modes& modes, Read what, Index i, const double* x, const double* s,
               const double* force) {
  switch (what) {
  case Read::velocity: {
    const Friction& p = sys.friction[i];
    const bool held = p.traits.sticks && p.surface_travel < 0 && modes.friction[i].sticks();
    return held ? 0.0 : relative_velocity(p, x, s);
  }
  case Read::load:
    return total_load(sys, sys.friction[i], modes.friction[i].load_stretch, x, s, force);
  case Read::gap:
  case Read::gap_rate: {
    const Contact& c = sys.contacts[i];
    const bool held = modes.contact[i] == Mode::closed && !c.yields();
    return held ? 0.0 : value(what == Read::gap ? c.gap : c.rate, x, s);
  }
  case Read::spring_force:
    return spring_force(sys, i, modes, x, s);
  case Read::elongation:
    return value(sys.springs[i].elongation, x, s);
  case Read::elongation_rate:
    return value(sys.springs[i].rate, x, s);
  default:
    return std::numeric_limits<double>::quiet_NaN();
  }
}

} // namespace stickslip
