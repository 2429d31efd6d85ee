// A block on a belt (1 kg, 2 N/m, 0.2 m/s, static 1 N, kinetic 0.8 N) run without Python, timed here.
//
//   belt_run T_END RTOL N   runs N times to T_END, events alone kept, and prints as one line of JSON the best time
//                           of a run in s and the times of the events of the last
#include "model/machine.hpp"
#include "run/simulate.hpp"
#include "signal/shapes.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>

using namespace stickslip;

namespace {

Machine belt() {
  Machine m(Plant{Matrix::Ones(1, 1), Matrix::Zero(1, 1), Matrix::Constant(1, 1, 2.0), {"block"}, {}, {}});
  FrictionElement element;
  element.name = "belt";
  element.on = {{{"block", 1.0}}};
  element.law.terms.push_back(Coulomb{1.0, 0.8});
  element.surface_velocity = constant_signal(0.2);
  m.add(element);
  return m;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  Options options;
  options.t_end = std::atof(argv[1]);
  options.rtol = std::atof(argv[2]);
  options.keep = Keep::events;
  const auto compiled = std::make_shared<Compiled>();
  compiled->system = compile(belt());
  const Vector x0 = (Vector(2) << 0.0, 0.2).finished();
  double best = std::numeric_limits<double>::infinity();
  std::vector<EventRow> events;
  for (int i = 0; i < std::atoi(argv[3]); ++i) {
    const auto start = std::chrono::steady_clock::now();
    Trajectory run = simulate(compiled, initial_state(compiled->system, 0.0, x0), options, {});
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count());
    events = std::move(run.events.rows);
  }
  std::printf("{\"seconds\": %.9g, \"events\": [", best);
  for (std::size_t i = 0; i < events.size(); ++i) std::printf("%s%.17g", i ? ", " : "", events[i].time);
  std::printf("]}\n");
  return 0;
}
