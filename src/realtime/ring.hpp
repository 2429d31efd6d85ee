// Sliding velocities of an element with dead time at the ends of the last steps, over one dead time.
#pragma once

#include "core/error.hpp"
#include "core/list.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace stickslip {

class Ring {
public:
  static constexpr double most_steps = 1e8;

  // v0: the velocity before step 0; zero: it sticks.
  Ring(const std::string& name, Index of, double tau, double step, double v0) : element(of) {
    if (step > tau)
      reject("step", step, "no longer than the dead time of '" + name + "', " + std::to_string(tau) + " s");
    if (!(tau / step <= most_steps))
      reject("step", step,
             "at least 1e-8 of the dead time of '" + name + "', since its history is stored at every step");
    whole = static_cast<std::int64_t>(tau / step);
    part = tau / step - static_cast<double>(whole);
    v.assign(whole + 3, v0);
  }

  void put(std::int64_t step, double velocity) noexcept { v[place(step)] = velocity; }

  // Velocity one dead time before `share` <= 1/2 of the step that begins now, linear between two steps.
  double at(std::int64_t step, double share) const noexcept {
    const double within = share - part, down = std::floor(within);
    const std::int64_t k = step - whole + static_cast<std::int64_t>(down);
    const double first = v[place(k)], last = v[place(k + 1)];
    const double between = first + (within - down) * (last - first);
    const bool stuck = first == 0.0 && last == 0.0;
    return between == 0.0 && !stuck ? std::numeric_limits<double>::min() : between;
  }

  Index element;

private:
  List<double> v;
  std::int64_t whole = 0; // whole steps in the dead time,
  double part = 0.0;      // and the remaining part of a step

  std::int64_t place(std::int64_t step) const noexcept {
    const std::int64_t size = v.size(), k = step % size;
    return k < 0 ? k + size : k;
  }
};

} // namespace stickslip
