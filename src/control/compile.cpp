// From the user's description to the engine's form; the discretisation is stated in block.hpp.
#include "control/block.hpp"
#include "control/controllers.hpp"
#include "core/linalg.hpp"

#include <algorithm>
#include <type_traits>

namespace stickslip {

namespace {

using Of = Channel::Of;

// Grows a block of one output; rows and columns are written by name of channel.
struct BlockBuilder {
  Block block;
  bool difference = false;

  BlockBuilder(const ControlOptions& o, Index states) : difference(o.rate == RateSource::difference) {
    block.A = Matrix::Zero(states, states);
    block.B = Matrix::Zero(states, 0);
    block.C = Matrix::Zero(1, states);
    block.D = Matrix::Zero(1, 0);
  }

  Index column(const Channel& c) {
    const auto known = std::find(block.inputs.begin(), block.inputs.end(), c);
    if (known != block.inputs.end()) return known - block.inputs.begin();
    block.inputs.push_back(c);
    const Index n = block.D.cols() + 1;
    block.B.conservativeResizeLike(Matrix::Zero(block.B.rows(), n));
    block.D.conservativeResizeLike(Matrix::Zero(1, n));
    return n - 1;
  }
  Index reference(int order = 0) { return column({Of::reference, 0, order, false}); }
  Index measurement(int index = 0) { return column({Of::measurement, index, 0, false}); }
  Index rate(Of of, int index = 0) { return column({of, index, difference ? 0 : 1, difference}); }
  Index controlled(Controlled c) { return c == Controlled::value ? measurement() : rate(Of::measurement); }
};

double tracking_time(const ControlOptions& o, double kp, double ki) {
  return o.tracking_time.value_or(kp / ki);
}

// Makes state i, counted in units of the output, the integral that anti-windup acts on.
void guard_integral(Block& b, const ControlOptions& o, Index i, double kp, double ki) {
  const bool limited = std::isfinite(o.limits.min) || std::isfinite(o.limits.max);
  b.anti_windup = limited ? o.anti_windup : AntiWindup::none;
  b.C(0, i) = 1.0;
  if (b.anti_windup == AntiWindup::back_calculation) {
    b.L = Matrix::Zero(b.A.rows(), 1);
    b.L(i, 0) = 1.0 / tracking_time(o, kp, ki);
  }
  if (b.anti_windup == AntiWindup::clamping) b.integrator = i;
}

// The same for a downstream limit, whose excess (limited minus raw output) is the second reference. A sampled
// controller uses the excess of the last instant, because the controllers downstream have not run yet.
void track_excess(BlockBuilder& k, const ControlOptions& o, Index i, double kp, double ki) {
  if (!o.tracks) return;
  const Index excess = k.column({Of::reference, 1, 0, false});
  if (o.anti_windup == AntiWindup::clamping)
    k.block.anti_windup = o.anti_windup, k.block.integrator = i;
  else
    k.block.B(i, excess) = 1.0 / tracking_time(o, kp, ki);
}

Block build(const P& c, const ControlOptions& o) {
  BlockBuilder k(o, 0);
  const Index r = k.reference(), y = k.controlled(c.controls);
  k.block.D(0, r) = c.kp;
  k.block.D(0, y) = -c.kp;
  if (c.feedforward != 0.0) {
    const Index rdot = k.reference(1);
    k.block.D(0, rdot) = c.feedforward;
  }
  return k.block;
}

Block build(const PI& c, const ControlOptions& o) {
  BlockBuilder k(o, 1);
  const Index r = k.reference(), y = k.controlled(c.controls);
  for (const auto& [column, sign] : {std::pair{r, 1.0}, std::pair{y, -1.0}}) {
    k.block.B(0, column) = sign * c.kp / c.tn;
    k.block.D(0, column) = sign * c.kp;
  }
  if (c.feedforward != 0.0) {
    const Index rdot = k.reference(1);
    k.block.D(0, rdot) = c.feedforward;
  }
  // With kp = 0 there is no integral either, but any positive time constant is as good.
  guard_integral(k.block, o, 0, c.tn, 1.0);
  track_excess(k, o, 0, c.tn, 1.0);
  return k.block;
}

Block build(const PID& c, const ControlOptions& o) {
  const bool integral = c.ki != 0.0, filter = c.kd != 0.0 && c.tf > 0.0;
  BlockBuilder k(o, (integral ? 1 : 0) + (filter ? 1 : 0));
  Block& b = k.block;
  const Index r = k.reference(), y = k.measurement();
  b.D(0, r) = c.kp;
  b.D(0, y) = -c.kp;
  if (c.kd != 0.0) {
    const Index ydot = k.rate(Of::measurement);
    const Index rdot = c.derivative_of == DerivativeOf::error ? k.rate(Of::reference) : -1;
    const Index f = integral ? 1 : 0; // the filter's state, in units of the output
    for (const auto& [column, gain] : {std::pair{ydot, -c.kd}, std::pair{rdot, c.kd}}) {
      if (column < 0) continue;
      if (filter)
        b.B(f, column) = gain / c.tf;
      else
        b.D(0, column) += gain;
    }
    if (filter) {
      b.A(f, f) = -1.0 / c.tf;
      b.C(0, f) = 1.0;
    }
  }
  if (integral) {
    b.B(0, r) = c.ki;
    b.B(0, y) = -c.ki;
    guard_integral(b, o, 0, c.kp, c.ki);
    track_excess(k, o, 0, c.kp, c.ki);
  }
  return b;
}

Block build(const Cascade& c, const ControlOptions& o) {
  BlockBuilder k(o, 1);
  const Index r = k.reference(), x = k.measurement(0), v = k.rate(Of::measurement, 1);
  const Index rdot = c.velocity_feedforward != 0.0 ? k.reference(1) : -1;
  const Index rddot = c.force_feedforward != 0.0 ? k.reference(2) : -1;
  // The velocity error e = kv (r - x) + velocity_feedforward r' - v, column by column.
  for (const auto& [column, part] : {std::pair{r, c.kv}, std::pair{x, -c.kv}, std::pair{v, -1.0},
                                     std::pair{rdot, c.velocity_feedforward}}) {
    if (column < 0) continue;
    k.block.B(0, column) = part * c.kp / c.tn;
    k.block.D(0, column) = part * c.kp;
  }
  if (rddot >= 0) k.block.D(0, rddot) = c.force_feedforward;
  guard_integral(k.block, o, 0, c.tn, 1.0);
  track_excess(k, o, 0, c.tn, 1.0);
  return k.block;
}

Block build(const Linear& c, const ControlOptions& o) {
  Block b;
  b.A = c.A;
  b.C = c.C;
  const Index inputs = c.D.cols();
  const auto add = [&](Of of, Index count) {
    for (Index i = 0; i < count; ++i) b.inputs.push_back({of, i, 0, false});
  };
  if (c.error) { // one column of r and one of y for each of the error
    add(Of::reference, inputs);
    add(Of::measurement, inputs);
    b.B.resize(c.B.rows(), 2 * inputs);
    b.B << c.B, -c.B;
    b.D.resize(c.D.rows(), 2 * inputs);
    b.D << c.D, -c.D;
  } else {
    add(Of::reference, c.references);
    add(Of::measurement, inputs - c.references);
    b.B = c.B;
    b.D = c.D;
  }
  if (c.gain.size() > 0 && o.anti_windup == AntiWindup::back_calculation) {
    b.anti_windup = AntiWindup::back_calculation;
    b.L = c.gain;
  }
  return b;
}

Block build(const Program& c, const ControlOptions&) {
  Block b;
  for (Index i = 0; i < c.references; ++i) b.inputs.push_back({Of::reference, i, 0, false});
  for (Index i = 0; i < c.measurements; ++i) b.inputs.push_back({Of::measurement, i, 0, false});
  b.D = Matrix::Zero(c.outputs, b.inputs.size());
  b.initial = c.memory;
  b.program = c;
  return b;
}

// The curve at rest is the middle of its jump.
Block build(const FrictionCurve& c, const ControlOptions& o) {
  BlockBuilder k(o, 0);
  if (c.controls == Controlled::rate)
    k.rate(Of::reference);
  else
    k.reference();
  Block& b = k.block;
  b.program = Program{};
  b.program->in_engine = true;
  b.program->call = [c, of = traits(c.law)](double, const double* w, double*, double* u) {
    *u = steady_force(c.law, of, *w, c.normal_load);
  };
  return b;
}

void backward_rectangle(Block& b) {
  const double T = b.period;
  const Index n = b.A.rows();
  if (n == 0) return;
  const Matrix Ad = linalg::inverse(Matrix::Identity(n, n) - T * b.A);
  const Matrix Bd = Ad * (T * b.B);
  const Matrix step = Ad * (T * b.L);
  b.L = step / (1.0 + (b.C * step)(0, 0));
  b.D += b.C * Bd;
  b.C = (b.C * Ad).eval();
  b.A = Ad;
  b.B = Bd;
}

// exp([[A, B, L], [0, 0, 0]] T) holds the three matrices of the exact update for held inputs.
void zero_order_hold(Block& b) {
  const Index n = b.A.rows(), m = b.B.cols(), p = b.L.cols();
  if (n == 0) return;
  Matrix all = Matrix::Zero(n + m + p, n + m + p);
  all.topRows(n) << b.A, b.B, b.L;
  const Matrix flow = linalg::exponential(all * b.period);
  b.A = flow.topLeftCorner(n, n);
  b.B = flow.block(0, n, n, m);
  b.L = flow.block(0, n + m, n, p);
}

} // namespace

Block compile(const Controller& controller) {
  check(controller);
  const ControlOptions& o = controller.options;
  Block b = std::visit([&](const auto& law) { return build(law, o); }, controller.law);
  const Index outputs = b.D.rows();
  b.lo = Vector::Constant(outputs, o.limits.min);
  b.hi = Vector::Constant(outputs, o.limits.max);
  b.period = o.period;
  b.delay = o.delay;
  b.quantum = o.quantum;
  if (b.program) return b;

  b.initial = Vector::Zero(b.A.rows());
  if (b.L.size() == 0) b.L = Matrix::Zero(b.A.rows(), outputs);
  if (!b.continuous()) {
    const auto* linear = std::get_if<Linear>(&controller.law);
    if (!linear)
      backward_rectangle(b);
    else if (!linear->discrete)
      zero_order_hold(b);
  }
  return b;
}

} // namespace stickslip
