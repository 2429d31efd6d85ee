// The fixed-step form without Python, as a controller would use it: two-mass drive under a P-PI cascade with
// a stick/slip automaton at the load.
//
//   steps DRIVE N         runs N steps of 1 ms and prints, as one line of JSON: transitions, late steps,
//                         allocations during the steps, and the time of one step in ns
//   steps DRIVE N count   (Linux) counts the machine instructions of each step by going through them one by
//                         one, and prints the least and the greatest number and how often steps had
//                         transitions
//   steps DRIVE N worst   prints the longest time of a step in ns: of each step the shortest of several runs, so that what
//                         else the computer does counts as little as possible
//
// DRIVE: stribeck, automaton, sampled, limited, backlash; or pendulum, of two rods with dry friction in both joints, which a
// torque drives: its mass matrix and its forces are formulas; or wedge, a self-locking gear that chatters on a rigid contact;
// or rattle, a part with friction and clearance between rigid walls of a shaken frame.
#include "../double_pendulum.hpp"

#include "model/machine.hpp"
#include "model/system.hpp"
#include "realtime/real_time.hpp"
#include "signal/shapes.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#endif

// Every allocation of the process, whoever asks: operator new and Eigen both come down to malloc.
static long long allocations = 0;
#if defined(__GLIBC__)
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
#endif

namespace {

using namespace stickslip;

// Table 1, case c, of Kraemer and Kempkes.
Machine drive(const std::string& kind) {
  const double c = 5e6, damping = 1341.64;
  Matrix spring(2, 2);
  spring << 1.0, -1.0, -1.0, 1.0;
  if (kind == "backlash") spring.setZero();
  Machine m(Plant{1000.0 * Matrix::Identity(2, 2), damping * spring, c * spring, {"motor", "load"}, {}, {}});
  if (kind == "backlash") {
    SpringElement gear;
    gear.name = "gear";
    gear.on = {{{"motor", 1.0}, {"load", -1.0}}};
    gear.stiffness = c, gear.damping = damping, gear.backlash = 5e-6;
    m.add(gear);
  }
  FrictionElement guide;
  guide.name = "guide";
  guide.on = {{{"load", 1.0}}};
  guide.law.terms.push_back(Stribeck{{0.007, 0.006, 1e-3, 2.0, StribeckForm::exponential}, {}});
  guide.normal_load = constant_signal(9810.0);
  if (kind == "automaton") {
    guide.automaton.lag = 0.01;
    guide.automaton.dwell = 1.0;
    guide.automaton.travel = 5e-6;
    guide.automaton.surface_damping = 1.0;
  }
  m.add(guide);
  ControllerElement control;
  control.name = "control";
  control.control.law = Cascade{8.0 / 60e-3, 700e3, 30e-3, Side::motor, 0.0, 0.0};
  if (kind == "sampled") control.control.options.period = 1e-3;
  if (kind == "limited") control.control.options.limits = {-60.0, 60.0};
  const Source reference{sine_signal(50e-6, 0.5, 0.0, 0.0, std::nullopt), {}};
  const Source measured{{}, {{{"motor.position", 1.0}}}};
  control.references = {reference};
  control.measurements = {measured, measured};
  control.to = {{{{"motor", 1.0}}}};
  m.add(control);
  return m;
}

Machine pendulum() {
  DoublePendulum p;
  const Matrix unit = Matrix::Identity(2, 2), none = Matrix::Zero(2, 2);
  Machine m(
      Plant{unit, none, none, {"a", "b"}, {}, p.g.tape({p.terms[0], p.terms[1], p.terms[1], p.terms[2]})});
  for (int k = 0; k < 2; ++k) {
    const std::string name = k == 0 ? "a" : "b";
    AppliedForce force;
    force.on = {{{name, 1.0}}};
    force.expression = p.g.tape({p.terms[3 + k]});
    m.add(force);
    FrictionElement joint;
    joint.name = "joint " + name;
    joint.on = {{{name, 1.0}}};
    joint.law.terms.push_back(Stribeck{{1.2, 1.0, 0.05, 2.0, StribeckForm::exponential}, {}});
    m.add(joint);
  }
  AppliedForce torque;
  torque.on = {{{"a", 1.0}}};
  torque.signal = sine_signal(20.0, 2.1, 0.0, 0.0, std::nullopt);
  m.add(torque);
  return m;
}

// Set 2 of Hinrichsen's wedge gear.
Machine wedge() {
  const double angle = 12.0 * M_PI / 180.0, friction = std::tan(14.0 * M_PI / 180.0), k = 4000.0;
  Matrix spring = Matrix::Zero(2, 2);
  spring(1, 1) = k;
  Machine m(Plant{
      Eigen::Vector2d(2420.0, 10.878).asDiagonal(), Matrix::Zero(2, 2), spring, {"upper", "lower"}, {}, {}});
  AppliedForce load, pull;
  load.on = {{{"upper", 1.0}}}, load.signal = constant_signal(-100.0);
  pull.on = {{{"lower", 1.0}}}, pull.signal = ramp_signal(k * 0.01, 0.0, 0.0, std::nullopt);
  m.add(load);
  m.add(pull);
  ContactElement flank;
  flank.name = "flank";
  flank.normal = {{{"upper", std::cos(angle)}, {"lower", std::sin(angle)}}};
  flank.tangent = {{{"upper", std::sin(angle)}, {"lower", -std::cos(angle)}}};
  flank.friction.terms.push_back(Coulomb{friction, friction});
  m.add(flank);
  return m;
}

Machine rattle() {
  const Matrix none = Matrix::Zero(2, 2);
  Machine m(Plant{Eigen::Vector2d(5.0, 1.0).asDiagonal(), none, none, {"frame", "part"}, {}, {}});
  AppliedForce shaker;
  shaker.on = {{{"frame", 1.0}}}, shaker.signal = sine_signal(40.0, 5.0, 0.0, 0.0, std::nullopt);
  m.add(shaker);
  for (const double side : {1.0, -1.0}) {
    ContactElement wall;
    wall.name = side > 0.0 ? "left" : "right";
    wall.normal = {{{"part", side}, {"frame", -side}}};
    wall.gap = constant_signal(1e-3);
    wall.restitution = 0.6;
    m.add(wall);
  }
  FrictionElement guide;
  guide.name = "guide";
  guide.on = {{{"part", 1.0}, {"frame", -1.0}}};
  guide.law.terms.push_back(Coulomb{0.5, 0.4});
  m.add(guide);
  return m;
}

Machine machine(const std::string& kind) {
  if (kind == "pendulum") return pendulum();
  if (kind == "wedge") return wedge();
  if (kind == "rattle") return rattle();
  return drive(kind);
}

#if defined(__linux__)
// Shared by the process that runs and the one that counts.
struct Shared {
  volatile long step;
  volatile bool inside;
};

// Counts steps with transitions, at most `most_of_a_kind` of each kind spread over the run, and as many
// without. A dry run of the same machine says which these are.
int count(RealTime& rt, RealTime& dry, long steps, long most_of_a_kind) {
  std::vector<char> changes;
  std::map<int, long> number, seen;
  for (long k = 0; k < steps; ++k) {
    const std::int64_t so_far = dry.transitions;
    dry.step(nullptr);
    changes.push_back(static_cast<char>(dry.transitions - so_far));
    ++number[changes.back()];
  }
  std::vector<char> chosen;
  for (char c : changes) {
    const long every = std::max(1L, number[c] / most_of_a_kind);
    chosen.push_back(seen[c]++ % every == 0);
  }
  void* const room = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const shared = static_cast<Shared*>(room);
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    shared->step = -1; // what the trap and the bookkeeping take
    shared->inside = true;
    raise(SIGTRAP);
    shared->inside = false;
    raise(SIGTRAP);
    for (long k = 0; k < steps; ++k) {
      if (!chosen[static_cast<std::size_t>(k)]) {
        rt.step(nullptr);
        continue;
      }
      shared->step = k;
      shared->inside = true;
      raise(SIGTRAP);
      rt.step(nullptr);
      shared->inside = false;
      raise(SIGTRAP);
    }
    _exit(0);
  }
  struct Kind {
    long counted = 0, least = 1L << 60, most = 0, at = 0;
  };
  std::map<int, Kind> kinds;
  Kind all;
  long empty = 0;
  int status = 0;
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    long n = 0;
    while (shared->inside) {
      ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr);
      waitpid(child, &status, 0);
      ++n;
    }
    ptrace(PTRACE_CONT, child, nullptr, nullptr);
    waitpid(child, &status, 0); // the trap behind the step
    const long k = shared->step;
    if (k < 0) {
      empty = n;
    } else {
      n -= empty;
      for (Kind* kind : {&all, &kinds[changes[static_cast<std::size_t>(k)]]}) {
        ++kind->counted;
        kind->least = std::min(kind->least, n);
        if (n > kind->most) kind->most = n, kind->at = k;
      }
    }
    ptrace(PTRACE_CONT, child, nullptr, nullptr);
  }
  std::printf("{\"steps\": %ld, \"least\": %ld, \"most\": %ld, \"ratio\": %.2f, \"kinds\": [", steps,
              all.least, all.most, static_cast<double>(all.most) / static_cast<double>(all.least));
  const char* between = "";
  for (const auto& [transitions, kind] : kinds) {
    std::printf("%s{\"transitions\": %d, \"steps\": %ld, \"counted\": %ld, \"least\": %ld, \"most\": %ld, "
                "\"at\": %ld}",
                between, transitions, number[transitions], kind.counted, kind.least, kind.most, kind.at);
    between = ", ";
  }
  std::printf("]}\n");
  return 0;
}
#endif

int time_worst(const System& system, long steps) {
  constexpr int runs = 20;
  std::vector<double> shortest(static_cast<std::size_t>(steps), 1e300);
  for (int run = 0; run < runs; ++run) {
    RealTime rt(system, 1e-3, Vector::Zero(system.nx), 0.0, 4);
    for (double& one : shortest) {
      const auto begin = std::chrono::steady_clock::now();
      rt.step(nullptr);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      one = std::min(one, taken.count() * 1e9);
    }
  }
  const auto worst = std::max_element(shortest.begin(), shortest.end());
  std::vector<double> sorted = shortest;
  std::nth_element(sorted.begin(), sorted.begin() + steps / 2, sorted.end());
  std::printf("{\"steps\": %ld, \"median_ns\": %.0f, \"worst_ns\": %.0f, \"at\": %ld}\n", steps,
              sorted[static_cast<std::size_t>(steps / 2)], *worst,
              static_cast<long>(worst - shortest.begin()));
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const long steps = std::atol(argv[2]);
  const System system = compile(machine(argv[1]));
  if (argc > 3 && std::strcmp(argv[3], "worst") == 0) return time_worst(system, steps);
  RealTime rt(system, 1e-3, Vector::Zero(system.nx), 0.0, 2);
  if (argc > 3 && std::strcmp(argv[3], "count") == 0) {
#if defined(__linux__)
    RealTime dry(system, 1e-3, Vector::Zero(system.nx), 0.0, 2);
    return count(rt, dry, steps, argc > 4 ? std::atol(argv[4]) : 20);
#else
    return 3;
#endif
  }
  const long long before = allocations;
  const auto begin = std::chrono::steady_clock::now();
  for (long k = 0; k < steps; ++k) rt.step(nullptr);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  std::printf("{\"steps\": %ld, \"transitions\": %lld, \"late\": %lld, \"allocations\": %lld, \"ns\": %.1f, "
              "\"position\": %.17g}\n",
              steps, static_cast<long long>(rt.transitions), static_cast<long long>(rt.left_over),
              allocations - before, taken.count() / static_cast<double>(steps) * 1e9, rt.state()(1));
  return rt.failed ? 1 : 0;
}
