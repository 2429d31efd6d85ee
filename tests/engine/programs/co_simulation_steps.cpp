// A communication step of an exported machine beside the same motion in one run: a block on a belt (1 kg, 2 N/m, 0.2 m/s,
// static 1 N, kinetic 0.8 N), pushed by a force that changes at every point.
//
//   co_simulation_steps STEPS N   makes STEPS steps of 10 ms, N times, and prints as one line of JSON the least processor
//                                 times of a step in s: in co-simulation, and in one run under the same held force
#include "export/co_simulation.hpp"
#include "run/simulate.hpp"
#include "signal/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>

using namespace stickslip;

namespace {

constexpr double step = 0.01;

Machine belt(const Signal& push) {
  Machine m(Plant{Matrix::Ones(1, 1), Matrix::Zero(1, 1), Matrix::Constant(1, 1, 2.0), {"block"}, {}, {}});
  m.add(AppliedForce{{{{"block", 1.0}}}, push, {}});
  FrictionElement element;
  element.name = "belt";
  element.on = {{{"block", 1.0}}};
  element.law.terms.push_back(Coulomb{1.0, 0.8});
  element.surface_velocity = constant_signal(0.2);
  m.add(element);
  return m;
}

double push(Index k) {
  return 0.3 * std::sin(0.1 * static_cast<double>(k));
}

template <class F> double seconds(F&& f) {
  const std::clock_t begin = std::clock();
  f();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const Index steps = std::atoi(argv[1]);
  const Vector x0 = (Vector(2) << 0.0, 0.2).finished();
  const auto exported = std::make_shared<const ExportedMachine>(with_inputs(
      {belt(input_signal("push", 0.0)), x0, {{"push", 0.0, {}}}, {}, {{"block.position", false}}}));
  Vector times(steps), values(steps);
  for (Index k = 0; k < steps; ++k) times(k) = step * static_cast<double>(k), values(k) = push(k);
  const auto compiled = std::make_shared<Compiled>();
  compiled->system = compile(belt(samples_signal(times, values, Interpolation::hold)));
  Options options;
  options.t_end = step * static_cast<double>(steps);
  options.keep = Keep::nothing;

  double stepped = std::numeric_limits<double>::infinity(), whole = stepped, difference = 0.0;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    CoSimulation one(exported);
    one.start();
    double position = 0.0;
    stepped = std::min(stepped, seconds([&] {
                         for (Index k = 0; k < steps; ++k) {
                           one.set_input(0, push(k));
                           one.advance(step * static_cast<double>(k + 1), false);
                           position = one.output(0);
                         }
                       }));
    State end;
    whole = std::min(whole, seconds([&] {
                       end = simulate(compiled, initial_state(compiled->system, 0.0, x0), options, {}).state;
                     }));
    difference = std::abs(end.x(0) - position);
  }
  const double count = static_cast<double>(steps);
  std::printf("{\"co_simulation\": %.9g, \"run\": %.9g, \"difference\": %.3g}\n", stepped / count,
              whole / count, difference);
  return 0;
}
