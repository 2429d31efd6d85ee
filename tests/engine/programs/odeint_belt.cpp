// The block on a belt of belt_run.cpp by the compiled peer: Boost.odeint's Dormand-Prince pair with dense output, run
// from event to event, each located by bisection on the dense output. Built where Boost's headers are.
//
//   odeint_belt T_END RTOL N   as belt_run
#include <boost/numeric/odeint.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

namespace {

using State = std::array<double, 2>;
namespace odeint = boost::numeric::odeint;

constexpr double stiffness = 2.0, belt = 0.2, static_level = 1.0, kinetic = 0.8;

struct Motion {
  bool sticks;
  void operator()(const State& x, State& rate, double) const {
    if (sticks)
      rate = {belt, 0.0};
    else
      rate = {x[1], kinetic - stiffness * x[0]};
  }
  // Falls through zero at the event.
  double guard(const State& x) const { return sticks ? static_level - stiffness * x[0] : belt - x[1]; }
};

std::vector<double> events(double t_end, double rtol) {
  std::vector<double> times;
  State x{0.0, belt};
  double t = 0.0;
  for (bool sticks = true; t < t_end; sticks = !sticks) {
    const Motion motion{sticks};
    auto stepper = odeint::make_dense_output(1e-2 * rtol, rtol, odeint::runge_kutta_dopri5<State>());
    stepper.initialize(x, t, 0.1);
    // A slip starts on its guard, which first rises.
    double before = -1.0;
    for (bool found = false; !found;) {
      if (stepper.current_time() >= t_end) return times;
      const double from = stepper.do_step(motion).first, value = motion.guard(stepper.current_state());
      found = before > 0.0 && value <= 0.0;
      before = value;
      if (!found) continue;
      double lo = from, hi = stepper.current_time();
      while (true) {
        const double middle = 0.5 * (lo + hi);
        if (!(middle > lo && middle < hi)) break;
        stepper.calc_state(middle, x);
        (motion.guard(x) > 0.0 ? lo : hi) = middle;
      }
      t = hi;
      if (t >= t_end) return times;
      stepper.calc_state(t, x);
      if (!sticks) x[1] = belt;
      times.push_back(t);
    }
  }
  return times;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  double best = std::numeric_limits<double>::infinity();
  std::vector<double> found;
  for (int i = 0; i < std::atoi(argv[3]); ++i) {
    const auto start = std::chrono::steady_clock::now();
    found = events(std::atof(argv[1]), std::atof(argv[2]));
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count());
  }
  std::printf("{\"seconds\": %.9g, \"events\": [", best);
  for (std::size_t i = 0; i < found.size(); ++i) std::printf("%s%.17g", i ? ", " : "", found[i]);
  std::printf("]}\n");
  return 0;
}
