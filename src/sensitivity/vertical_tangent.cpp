#include "sensitivity/vertical_tangent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

double least_exponent(const Law& law) {
  double least = 1.0;
  const auto add = [&](const Viscous& v) {
    if (v.coefficient != 0.0) least = std::min(least, v.exponent);
  };
  for (const Term& term : law.terms)
    if (const auto* s = std::get_if<Stribeck>(&term)) {
      if (!s->levels.one()) least = std::min(least, s->levels.shape);
      add(s->viscous);
    } else if (const auto* v = std::get_if<Viscous>(&term)) {
      add(*v);
    }
  return least;
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

Index VerticalTangents::too_steep_at(const Jump& jump) const {
  const auto found = std::find_if(elements.begin(), elements.end(), [&](Index i) {
    return jump.before.friction[i].mode != jump.after.friction[i].mode &&
           least_exponent(machine.system().friction[i].law) < steepest_exponent;
  });
  return found == elements.end() ? -1 : *found;
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
