// The fixed-step form of a machine, for real time: the same regimes, guards and settings of the automaton's
// states as simulate(), but each step has one length and bounded work. Affine regimes go by a map made in
// advance (exact for signals that are straight within the step), all others by one linearly implicit step of
// order 2 (ROS2 of Verwer et al. 1999: L-stable, and of order 2 whatever the Jacobian). Guards are looked at
// at the end of the step; one that has fired is located within it on a parabola through both ends, modes and
// states change there, and the rest of the step goes on in the new regime: at most `max_transitions` instants
// per step, what is left is flagged and met at the start of the next step. Events between two steps that undo
// each other are not seen. The error is of first order in the step.
//
// step() and read() neither allocate nor throw once every combination of modes has been built, which the
// constructor does where there are at most `prebuilt_limit` of them (laws with internal switches excepted).
// Copies are independent.
#pragma once

#include "simulate/held_map.hpp"
#include "simulate/regime.hpp"

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace stickslip {

struct RealTimeOutput {
  enum class Kind : std::int8_t { state, rate, force, velocity, load, mode, limit };
  Kind kind = Kind::state;
  Index index = 0; // state or place
};

class RealTime {
public:
  static constexpr std::size_t prebuilt_limit = 1024;

  // Throws InvalidArgument. t0: time of x0; inputs start at their defaults.
  RealTime(const System& system, double step, const Vector& x0, double t0, int max_transitions);
  RealTime(const RealTime&) = delete;
  RealTime& operator=(const RealTime&) = delete;

  const System& system() const { return sys; }
  const std::vector<std::string>& inputs() const { return input_names; }
  const Vector& input_values() const { return input; }

  // `values` are held over this step, one for each name in inputs().
  void step(const double* values) noexcept;
  // At the end of the last step.
  void read(const RealTimeOutput* what, Index count, double* out) noexcept;

  double time() const { return t0 + static_cast<double>(ticks) * h; }
  double step_size() const { return h; }
  std::int64_t tick() const { return ticks; }
  const Vector& state() const { return x; }
  const Modes& modes() const { return now; }
  bool prebuilt() const { return complete; }

  std::int64_t transitions = 0; // instants at which modes changed, so far
  std::int64_t left_over = 0;   // steps that left a transition to the next
  bool late = false;            // the last step did
  bool failed = false;          // the state would not have been finite: it was kept, and stays

private:
  struct Plan {
    const Regime* regime = nullptr;
    HeldMap map;       // affine regimes
    Matrix to_surface; // x += to_surface * (relative velocities of the held places): puts them at rest
  };

  System sys;
  double h, t0;
  int most;
  std::int64_t ticks = 0;
  bool complete = false;
  Vector x;
  Modes now;
  RegimeCache cache;
  std::map<Modes, Plan> plans;
  const Plan* plan = nullptr;
  Scratch w;

  std::vector<std::string> input_names;
  std::vector<Index> input_of; // of each signal, or -1
  std::vector<Index> varying;  // signals that are not constant
  std::vector<char> jumps;     // of each signal: it has jumps
  Vector input, s0, s1, ds, last_end;

  // Work of one step. A base step leads from xa at time `at` within the step over the length `span` to xb.
  double at = 0.0, left = 0.0, span = 0.0;
  bool have_rate = false;
  Vector xa, xb, rate, xe, sa, se, sdot, f0, f1, k1, k2, dfdt, force, ga, gb, ge, came_from,
      velocity_tolerance, force_tolerance;
  Matrix J, W;
  Eigen::Matrix<int, Eigen::Dynamic, 1> order;

  const Plan& plan_of(const Modes& modes);
  void build_all();
  void sample(const double* values) noexcept;
  void follow_jumps() noexcept;
  void signals_at(double tau, Vector& s) const noexcept { s = s0 + (tau / h) * ds; }
  void advance() noexcept;
  void implicit_step() noexcept;
  void state_at(double tau) noexcept; // into xe, se; tau from `at`
  void guards_at(double tau, const Vector& state, const Vector& s, Vector& g) noexcept;
  double tolerance(const Guard& g) const noexcept;
  double locate(std::size_t which) noexcept;
  void change() noexcept;
  void release(std::size_t i, int side) noexcept;
  void meet_surfaces(const Vector& s) noexcept;
  bool moves_towards(std::size_t i, int side) noexcept;
};

} // namespace stickslip
