// Machines built and run without Python, against closed forms.
#include "check.hpp"

#include "model/machine.hpp"
#include "model/system.hpp"
#include "realtime/real_time.hpp"
#include "run/energy.hpp"
#include "run/samples.hpp"
#include "run/simulate.hpp"
#include "signal/shapes.hpp"

using namespace stickslip;

namespace {

// A block of 1 kg, on a spring of 2 N/m or without one, and a surface with 1 N of normal load.
Machine block(double stiffness, double speed, double level) {
  Machine m(
      Plant{Matrix::Ones(1, 1), Matrix::Zero(1, 1), Matrix::Constant(1, 1, stiffness), {"block"}, {}, {}});
  FrictionElement surface;
  surface.name = "surface";
  surface.on = {{{"block", 1.0}}};
  surface.law.terms.push_back(Coulomb{level, 0.8 * level});
  surface.surface_velocity = constant_signal(speed);
  m.add(surface);
  return m;
}

Trajectory run(const Machine& machine, Vector x0, double t_end, double rtol = 1e-9) {
  auto compiled = std::make_shared<Compiled>();
  compiled->system = compile(machine);
  Options options;
  options.t_end = t_end;
  options.rtol = rtol;
  return simulate(compiled, initial_state(compiled->system, 0.0, x0), options, {});
}

} // namespace

TEST(machines, a_block_on_a_belt) {
  // Sticks to the belt until k x = Fs, slips as x - x0 = A cos(w t) + (v / w) sin(w t) about x0 = Fk / k, and
  // is caught with the velocity of the belt: a period in closed form.
  const double k = 2.0, v = 0.2, high = 1.0, low = 0.8, w = std::sqrt(k);
  const Trajectory r = run(block(k, v, high), (Vector(2) << 0.0, v).finished(), 200.0);
  check::that(r.status == Status::finished);
  const double a = (high - low) / k, slip = (6.283185307179586 - 2.0 * std::atan2(a, v / w)) / w;
  const double period = slip + 2.0 * a / v;
  double release = high / k / v;
  int seen = 0;
  for (const EventRow& e : r.events.rows) {
    if (e.before != Mode::stick) continue;
    check::close(e.time, release, 1e-12);
    release += period;
    ++seen;
  }
  check::that(seen == static_cast<int>((200.0 - high / k / v) / period) + 1);
}

TEST(machines, a_block_slides_to_rest) {
  const double v = 0.7, decay = 0.8 * 0.5;
  const Trajectory r = run(block(0.0, 0.0, 0.5), (Vector(2) << 0.0, v).finished(), 5.0);
  check::that(r.events.rows.size() == 1 && r.events.rows[0].after == Mode::stick);
  check::close(r.events.rows[0].time, v / decay, 1e-14);
  check::close(r.state.x(0), v * v / (2.0 * decay), 1e-15);
  check::same(r.state.x(1), 0.0);
  const std::vector<double> times{0.0, 0.5, 1.0, 3.0};
  Samples samples(std::make_shared<Trajectory>(r), times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double t = std::min(times[i], v / decay);
    check::close(samples.states()(0, static_cast<Index>(i)), v * t - decay * t * t / 2.0, 1e-15);
  }
  check::below(energy_residual(r), 1e-14);
}

TEST(machines, a_bouncing_ball_comes_to_rest) {
  // From 1 m with e = 0.5: the instants add up to sqrt(2 h / g) (1 + e) / (1 - e).
  Machine m(Plant{Matrix::Ones(1, 1), Matrix::Zero(1, 1), Matrix::Zero(1, 1), {"ball"}, {}, {}});
  const Combination ball{{{"ball", 1.0}}};
  m.add(AppliedForce{ball, constant_signal(-9.81), {}});
  ContactElement floor;
  floor.name = "floor";
  floor.normal = ball;
  floor.restitution = 0.5;
  m.add(floor);
  const Trajectory r = run(m, (Vector(2) << 1.0, 0.0).finished(), 5.0);
  check::that(r.status == Status::finished);
  check::below(5.0, static_cast<double>(r.events.rows.size()));
  check::close(r.events.rows.front().time, std::sqrt(2.0 / 9.81), 1e-14);
  check::close(r.events.rows.back().time, 3.0 * std::sqrt(2.0 / 9.81), 1e-6);
  check::close(r.state.x(0), 0.0, 1e-12);
}

TEST(machines, a_run_goes_on_with_the_same_bits) {
  const Machine m = block(2.0, 0.2, 1.0);
  const Vector x0 = (Vector(2) << 0.1, 0.0).finished();
  const Trajectory whole = run(m, x0, 30.0);
  auto compiled = std::make_shared<Compiled>();
  compiled->system = compile(m);
  Options options;
  options.rtol = 1e-9;
  State state = initial_state(compiled->system, 0.0, x0);
  for (const double t : {3.3, 7.0, 12.9, 30.0}) {
    options.t_end = t;
    state = simulate(compiled, state, options, {}).state;
  }
  for (Index i = 0; i < 2; ++i) check::same(state.x(i), whole.state.x(i));
}

TEST(machines, the_fixed_step_follows_the_exact_run) {
  const Machine m = block(2.0, 0.2, 1.0);
  const System system = compile(m);
  const Vector x0 = (Vector(2) << 0.0, 0.2).finished();
  RealTime fixed(system, 1e-3, x0, 0.0, 2);
  for (int k = 0; k < 20000; ++k) fixed.step(nullptr);
  const Trajectory exact = run(m, x0, 20.0);
  check::that(!fixed.failed && fixed.left_over == 0);
  check::that(fixed.transitions == static_cast<std::int64_t>(exact.events.rows.size()));
  check::all_close(Vector(fixed.state()), exact.state.x, 2e-3);
}
