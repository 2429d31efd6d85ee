#include "sensitivity/vertical_tangent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

// Its force falls without bound, or grows so, as the velocity leaves zero.
bool has_vertical_tangent(const Law& law) {
  const auto viscous = [](const Viscous& v) { return v.coefficient != 0.0 && v.exponent < 1.0; };
  return std::any_of(law.terms.begin(), law.terms.end(), [&](const Term& term) {
    if (const auto* s = std::get_if<Stribeck>(&term))
      return (s->levels.shape < 1.0 && !s->levels.one()) || viscous(s->viscous);
    const auto* v = std::get_if<Viscous>(&term);
    return v != nullptr && viscous(*v);
  });
}

VerticalTangents::VerticalTangents(Replica& base) : machine(base) {
  const System& sys = base.system();
  for (Index i = 0; i < sys.friction.size(); ++i)
    if (has_vertical_tangent(sys.friction[i].law)) elements.push_back(i);
}

bool VerticalTangents::begins_at(const Jump& jump) const {
  return std::any_of(elements.begin(), elements.end(), [&](Index i) {
    return jump.after.friction[i].slips() && jump.before.friction[i].mode != jump.after.friction[i].mode;
  });
}

Index VerticalTangents::halvings(const Trajectory& run, const Segment& segment, double t0, double t1) {
  constexpr Index most = 40; // the last part is then shorter than rounding of the step's velocity resolves
  const Modes& modes = segment.regime->modes;
  Vector x(machine.system().nx);
  const auto speed = [&](Index i, double t) {
    run.state_at(segment, t, x.data());
    const double* const s = machine.signals(segment.t0, t).data();
    return std::abs(relative_velocity(machine.system().friction[i], x.data(), s));
  };
  Index count = 0;
  for (const Index i : elements) {
    if (!modes.friction[i].slips()) continue;
    const double first = speed(i, t0), last = speed(i, t1);
    if (!(last < 0.5 * first)) continue;
    count = std::max(count, last > 0.0 ? std::min(most, static_cast<Index>(std::log2(first / last))) : most);
  }
  return count;
}

} // namespace stickslip
