#include "simulate/run.hpp"

#include <algorithm>

namespace stickslip {

Runner::Runner(const System& system, RegimeCache& c, const Options& o)
    : sys(system), cache(c), options(o), sampler(system, c), stepper(system, o), quick(system, c),
      transition(system, c), end(system.nx) {}

void Runner::signals_changed() {
  stepper.signals_changed();
  quick.signals_changed();
}

void Runner::state_at(double t0, double t, double* x) const {
  const double theta = step.h > 0.0 ? (t - t0) / step.h : 0.0;
  for (Index i = 0; i < sys.nx; ++i) {
    double sum = stepper.C(i, step.columns - 1);
    for (Index k = step.columns - 2; k >= 0; --k) sum = sum * theta + stepper.C(i, k);
    x[i] = sum;
  }
}

double Runner::next_kink(double t) const {
  double kink = INFINITY;
  for (const Signal& s : sys.signals) kink = std::min(kink, next_breakpoint(s, t));
  return kink;
}

} // namespace stickslip
