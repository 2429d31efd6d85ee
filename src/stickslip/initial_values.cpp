#include "stickslip/initial_values.hpp"

#include "core/error.hpp"
#include "dynamics/constraints.hpp"

#include <limits>

namespace stickslip {

Vector start_states(const System& sys, const std::map<std::string, double>& given) {
  Vector x = sys.start;
  // Constraints may determine positions and velocities that are not given.
  if (completes_start(sys))
    x.head(2 * sys.n_coordinates).setConstant(std::numeric_limits<double>::quiet_NaN());
  for (const auto& [name, value] : given)
    x(find_name(sys.states, name, "state in the initial values")) =
        finite("initial value of '" + name + "'", value);
  return x;
}

} // namespace stickslip
