// A block on a belt: simulated, sampled and continued; with a fixed step, its belt driven from outside.
#include <stickslip/stickslip.hpp>

#include <cstdio>
#include <iostream>

using namespace stickslip;

// 1 kg on a spring of 2 N/m, pressed onto the belt by 1 N.
static Machine block_on_belt(const Signal& belt_speed) {
  Machine m(Plant{.mass = Matrix::Constant(1, 1, 1.0),
                  .damping = Matrix::Zero(1, 1),
                  .stiffness = Matrix::Constant(1, 1, 2.0),
                  .names = {"block"},
                  .rotary = {},
                  .mass_expression = {}});
  FrictionElement belt;
  belt.name = "belt";
  belt.on = {{{"block", 1.0}}};
  belt.law = {{Coulomb{1.0, 0.8}}};
  belt.surface_velocity = belt_speed;
  m.add(belt);
  return m;
}

static void simulate_and_print() {
  const Machine m = block_on_belt(constant_signal(0.2));
  const Run run = simulate(m, {.t_end = 20.0}, {{"block.velocity", 0.2}});
  const SampledRun sampled = run.at(Vector::LinSpaced(3, 0.0, 20.0));
  std::printf("position %.15g\n", sampled["block.position"](2));
  std::printf("force %.15g\n", sampled["belt.force"](1));
  for (const LoggedEvent& event : run.events())
    std::printf("event %.15g %s %s -> %s\n", event.time, event.element.c_str(), name(event.before).data(),
                name(event.after).data());
  const Run first = simulate(m, {.t_end = 7.0}, {{"block.velocity", 0.2}});
  const Run both = first.resume({.t_end = 20.0});
  std::printf("resumed %d\n", both.final("block.position") == run.final("block.position"));
  std::printf("balance %d\n", run.success() && run.energy_residual() < 1e-12);
}

static void step_and_print() {
  RealTimeModel model(block_on_belt(input_signal("speed", 0.2)), 1e-3, {"block.position"},
                      {{"block.velocity", 0.2}});
  const double speed = 0.2;
  double position = 0.0;
  for (int k = 0; k < 20000; ++k) model.step(&speed, &position);
  std::printf("stepped %.15g %d\n", position, model.failed());
}

static void refuse_and_print() {
  try {
    simulate(block_on_belt(constant_signal(0.2)), {.t_end = 1.0}, {{"blok.velocity", 0.2}});
  } catch (const UnknownName& e) {
    std::cout << "refused " << e.what() << "\n";
  }
}

int main(int count, char** arguments) {
  simulate_and_print();
  step_and_print();
  refuse_and_print();
  if (count < 2) return 0;
  const MachineFile file = read_machine(arguments[1]); // of an FMU
  std::printf("file %.15g\n", simulate(file.machine, {.t_end = 20.0}, file.initial).final(file.outputs[0]));
}
