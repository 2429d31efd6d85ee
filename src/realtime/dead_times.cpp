#include "realtime/dead_times.hpp"

namespace stickslip {

DeadTimes::DeadTimes(const System& system, double h, const Modes& modes, const double* x) : sys(system) {
  for (Index i = 0; i < sys.friction.size(); ++i)
    if (const Friction& p = sys.friction[i]; p.delayed >= 0)
      rings.emplace_back(p.name, i, p.automaton.dead_time, h,
                         modes.friction[i].sticks() ? 0.0 : x[p.delayed]);
}

void DeadTimes::look_ahead(std::int64_t step, double* x) const noexcept {
  for (const Ring& ring : rings) x[sys.friction[ring.element].delayed] = ring.at(step, 0.5);
}

void DeadTimes::remember(std::int64_t step, const System& local, const Modes& modes, const double* s,
                         double* x) noexcept {
  for (Ring& ring : rings) {
    const Friction& p = local.friction[ring.element];
    ring.put(step, modes.friction[ring.element].sticks() ? 0.0 : relative_velocity(p, x, s));
    x[p.delayed] = ring.at(step, 0.0);
  }
}

} // namespace stickslip
