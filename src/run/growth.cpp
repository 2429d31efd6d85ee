#include "run/growth.hpp"

#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace stickslip {

namespace {

constexpr double out_of_proportion = 1e6;
constexpr double largest_to_square = 1e150;

// Size of each state: from the description, from the start of the run, and from the effect of the other states within
// the machine's own time.
Vector sizes(const System& sys, const Vector& before) {
  const Vector moved = sys.time_scale * (sys.A.cwiseAbs() * before);
  Vector size = before.cwiseMax(sys.nominal).cwiseMax(moved);
  return size;
}

std::ostringstream words(const System& sys, Index i) {
  std::ostringstream text;
  text.precision(2);
  text << "'" << sys.states[i] << "'";
  return text;
}

} // namespace

bool within_numbers(const Vector& x) {
  bool within = true;
  for (Index i = 0; i < x.size(); ++i) within &= std::abs(x[i]) <= tolerance::largest_state;
  return within;
}

bool too_large_to_square(const Vector& x) {
  return !(x.array().abs() <= largest_to_square).all();
}

std::string leaves_numbers(const System& sys, double t, const Vector& there, const Vector& beyond,
                           const Vector& before) {
  const Vector size = sizes(sys, before);
  Index which = 0;
  double most = -1.0;
  for (Index i = 0; i < sys.nx; ++i) {
    const double times =
        size(i) > 0.0 ? std::abs(there(i)) / size(i) : 0.0; // states without a size have not grown
    if (!(std::abs(beyond(i)) <= tolerance::largest_state) && times > most) most = times, which = i;
  }
  std::ostringstream text;
  text.precision(9);
  text << "the state is no longer finite after t = " << t << " s: ";
  std::ostringstream state = words(sys, which);
  if (most > out_of_proportion)
    state << " has grown to " << there(which) << ", as in an unstable loop";
  else
    state << " is " << there(which) << " at this time and " << beyond(which) << " after the next step";
  return text.str() + state.str();
}

std::string grown(const System& sys, const Vector& now, const Vector& before) {
  const Vector size = sizes(sys, before);
  double most = out_of_proportion;
  Index which = -1;
  for (Index i = 0; i < sys.plant_states; ++i)
    if (const double times = size(i) > 0.0 ? now(i) / size(i) : 0.0; times > most) most = times, which = i;
  if (which < 0) return {};
  std::ostringstream text = words(sys, which);
  text << " has grown to " << now(which) << ", as in an unstable loop";
  return text.str();
}

} // namespace stickslip
