// The one form in which the engine runs a controller: a linear system of its own with limited outputs.
//
//   continuous (period = 0)   z' = A z + B w + L (u - u_raw)   u_raw = C z + D w, u = u_raw limited to [lo, hi]
//   sampled at t = k period   z+ = A z + B w + L (u - u_raw)   the same, held from t + delay on
//
// w are the inputs listed in `inputs`. The block knows nothing of the plant. A continuous block has one
// saturation mode per output; in each combination it is affine, and guards say when the next one begins. A
// sampled block is run by `update_sampled`.
//
// Discretisation: P, PI, PID and Cascade by the backward rectangle rule, with the output computed after the
// update, as is usual in drives: A_d = (1 - T A)^-1, B_d = A_d T B, C_d = C A_d, D_d = D + C B_d, and the
// anti-windup taken implicitly as well, L_d = A_d T L / (1 + C A_d T L), so that it is stable for any tracking
// time. Linear: exact for inputs held over the period, A_d = exp(A T), B_d = int exp(A s) ds B, L_d likewise, C
// and D as they are.
#pragma once

#include "control/program.hpp"
#include "core/list.hpp"

#include <optional>
#include <span>

namespace stickslip {

// The description of a controller: control/controllers.hpp.
struct Controller;
enum class AntiWindup;

struct Channel {
  enum class Of { reference, measurement };
  Of of = Of::reference;
  Index index = 0;         // which reference or measurement
  int order = 0;           // 0: its value, 1: its rate, 2: its acceleration
  bool difference = false; // the block forms the difference quotient of successive samples itself

  bool operator==(const Channel&) const = default;
};

struct Block {
  List<Channel> inputs;
  Matrix A, B, C, D;
  Vector lo, hi;            // infinite where there is no limit
  AntiWindup anti_windup{}; // none
  Matrix L;                 // states x outputs; zero without back-calculation
  Index integrator = -1;    // the state that clamping holds; it counts in units of the output
  double period = 0.0, delay = 0.0, quantum = 0.0;
  std::optional<Program> program; // instead of the matrices
  Vector initial;                 // states at the start

  bool continuous() const { return period == 0.0; }
  Index states() const { return initial.size(); }
  Index outputs() const { return lo.size(); }
  // Index of the input with the excess over a downstream limit, if clamping uses it; else -1. A clamping controller has
  // one additional reference.
  Index further_limit() const {
    for (Index k = 0; k < inputs.size(); ++k)
      if (inputs[k].of == Channel::Of::reference && inputs[k].index == 1) return k;
    return -1;
  }
  // Clamping in continuous time also needs the rates of the inputs in its guards.
  bool needs_input_rates() const { return continuous() && integrator >= 0; }
};

Block compile(const Controller& controller);

inline bool needs_interpreter(const Block& b) {
  return b.program && !b.program->in_engine;
}

// --- continuous blocks
// -----------------------------------------------------------------------------------------------

// high, low: at the limit, states going on (back-calculation, none, or clamping while the integral moves
// inwards). Only with clamping: frozen: beyond the limit, integral held; following: the raw output stays on
// the limit because the integral moves just so far as the limit allows (the sliding solution between free and
// frozen). While following, the integral need not be computed, since the output does not depend on it;
// `settle` sets it on leaving.
enum class Saturation : signed char {
  free = 0,
  high = 1,
  low = -1,
  high_frozen = 2,
  low_frozen = -2,
  high_following = 3,
  low_following = -3
};

// z' = A z + B w + b, u = C z + D w + d
struct AffineBlock {
  Matrix A, B, C, D;
  Vector b, d;
};
AffineBlock affine(const Block& block, std::span<const Saturation> modes); // one mode per output

// The mode of an output at one of its limits depends on the excess of its raw value, on the rate of its integral, and on
// the rate of the raw value while the integral goes on or is held.
enum class LimitQuantity { excess, integral_rate, raw_rate, raw_rate_held };

// z . states + w . inputs + wdot . rates of the inputs + offset
struct BlockRow {
  Vector z, w, wdot;
  double offset = 0.0;
};
// The row is positive outwards: side +1 is that of the upper limit, -1 that of the lower one.
BlockRow row_of(const Block& block, Index output, LimitQuantity quantity, int side);

// The guard fires where its row rises through zero.
struct BlockGuard : BlockRow {
  enum class Trigger { exceeds_max, exceeds_min, returns, turns_outwards, turns_inwards };
  Trigger trigger = Trigger::returns;
  LimitQuantity quantity = LimitQuantity::excess;
  int side = 0; // of the limit
};
List<BlockGuard> guards(const Block& block, Index output, Saturation mode);

// Inputs of a block at one instant; `wdot` may be null if !needs_input_rates().
struct BlockInputs {
  const double* w = nullptr;
  const double* wdot = nullptr;
};

// The mode after a guard fired, and the mode anew, by the values at one instant; see saturation_rules.hpp.
Saturation after(const Block& block, Index output, Saturation mode, BlockGuard::Trigger fired,
                 const double* z, BlockInputs in);
Saturation mode_anew(const Block& block, Index output, Saturation before, const double* z, BlockInputs in);
// Sets the integral of a following output from the inputs; to be called before the mode is left or inputs
// jump.
void settle(const Block& block, Index output, Saturation mode, const double* w, double* z);

double raw_output(const Block& block, Index output, const double* z, const double* w);

// --- sampled blocks
// --------------------------------------------------------------------------------------------------

// Memory of a sampled block: states, the previous sample of each difference channel, and 1 after the first
// sampling instant.
Index memory_size(const Block& block);
Index work_size(const Block& block);
void start(const Block& block, double* memory);

// One sampling instant: `samples` holds the values of the channels; a block that forms differences gets the values
// themselves. Measured values are rounded to the nearest multiple of the quantum. Fills u, already limited. Does not
// allocate.
void update_sampled(const Block& block, double t, const double* samples, double* memory, double* work,
                    double* u);

} // namespace stickslip
