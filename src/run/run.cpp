#include "run/run.hpp"

#include <algorithm>

namespace stickslip {

Runner::Runner(const System& system, RegimeCache& c, const Options& o)
    : sys(system), cache(c), options(o), sampler(system, c), stepper(system, o), quick(system, c),
      transition(system, c), end(system.nx) {}

void Runner::signals_changed() {
  stepper.signals_changed();
  quick.signals_changed();
}

double Runner::next_kink(double t) const {
  double kink = INFINITY;
  for (const Signal& s : sys.signals) kink = std::min(kink, next_breakpoint(s, t));
  return kink;
}

} // namespace stickslip
