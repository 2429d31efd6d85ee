#include "run/sampled_variable.hpp"

#include "core/error.hpp"

#include <limits>

namespace stickslip {

const Variable& find_variable(const System& sys, const std::string& name, std::string_view where) {
  List<std::string> known;
  for (const Variable& v : sys.variables) {
    if (v.name == name) return v;
    known.push_back(v.name);
  }
  throw UnknownName("unknown signal '" + name + "'" + std::string(where) + "; known are: " + quoted(known));
}

double sampled_variable(Samples& samples, const System& sys, Read from, Index i, Index part, Index column) {
  const auto first_output = [&] {
    Index row = part;
    for (Index b = 0; b < i; ++b) row += sys.loops[b].block.outputs();
    return row;
  };
  switch (from) {
  case Read::state:
    return samples.states()(i, column);
  case Read::rate:
    return samples.rates()(i, column);
  case Read::signal:
    return samples.signals()(i, column);
  case Read::force:
    return samples.forces()(i, column);
  case Read::velocity:
    return samples.velocities()(i, column);
  case Read::load:
    return samples.loads()(i, column);
  case Read::mode:
    return samples.modes()(i, column);
  case Read::limit:
    return (samples.forces()(i, column) < 0.0 ? samples.lower_limits() : samples.upper_limits())(i, column);
  case Read::normal_force:
    return samples.forces()(sys.friction.size() + i, column);
  case Read::contact_mode:
    return samples.contact_modes()(i, column);
  case Read::gap:
    return samples.gaps()(i, column);
  case Read::gap_rate:
    return samples.gap_rates()(i, column);
  case Read::normal_impulse:
    return samples.normal_impulses()(i, column);
  case Read::spring_force:
    return samples.spring_forces()(i, column);
  case Read::elongation:
    return samples.elongations()(i, column);
  case Read::elongation_rate:
    return samples.elongation_rates()(i, column);
  case Read::spring_mode:
    return samples.spring_modes()(i, column);
  case Read::constraint_force:
    return samples.constraint_forces()(i, column);
  case Read::constraint_impulse:
    return samples.constraint_impulses()(i, column);
  case Read::output:
    return samples.loops().output(first_output(), column);
  case Read::saturation:
    return samples.loops().mode(first_output(), column);
  case Read::reference:
    return samples.loops().reference(i, column);
  case Read::error:
    return samples.loops().error(i, column);
  case Read::sum: // its terms are read one by one
    break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

} // namespace stickslip
