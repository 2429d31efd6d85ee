#include "dynamics/spring_force.hpp"

namespace stickslip {

double spring_force(const System& sys, Index spring, const Modes& modes, const double* x, const double* s) {
  const Spring& p = sys.springs[spring];
  const double elongation = value(p.elongation, x, s), rate = value(p.rate, x, s);
  double sum = 0.0;
  for (Index k = p.flanks; k < p.flanks + p.count; ++k) {
    const FlankForce f = force_of(sys, k, modes.flank[k]);
    sum += f.slope * elongation + f.offset + f.damping * rate;
  }
  return sum;
}

double spring_line(const System& sys, Index spring, const Modes& modes, const double* x, const double* s) {
  const Spring& p = sys.springs[spring];
  const double elongation = value(p.elongation, x, s);
  double sum = 0.0;
  for (Index k = p.flanks; k < p.flanks + p.count; ++k)
    sum += sys.flanks[k].line.value(modes.flank[k].stretch, elongation);
  return sum;
}

} // namespace stickslip
