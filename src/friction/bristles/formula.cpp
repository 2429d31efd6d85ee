#include "friction/bristles/formula.hpp"

#include "core/linalg.hpp"
#include "expression/diagnose.hpp"
#include "expression/evaluate.hpp"
#include "friction/undefined_force.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

namespace stickslip {

namespace {

constexpr Slot velocity = 0, load_slot = 1, first_state = 2;

// A formula is asked for its steady curve within these speeds, m/s: one that grows without bound, as logarithms do, has
// no limits for v -> 0 and v -> infinity.
constexpr double slowest = 1e-12, fastest = 1e9;

double limited(double v, int direction) {
  return direction * std::clamp(std::abs(v), slowest, fastest);
}

// A tape at one point, on the stack.
class Point {
public:
  Point(const Formula& law, const Tape& of, int side) : c(law), tape(of), direction(side < 0 ? -1 : 1) {}

  // Null: the start.
  void evaluate(double v, double load, const double* z) {
    slots[velocity] = v, slots[load_slot] = load;
    std::copy_n(z != nullptr ? z : c.start.data(), c.states(), slots.begin() + first_state);
    std::copy(c.values.begin(), c.values.end(), slots.begin() + first_state + c.states());
    prepare(tape, slots.data());
    evaluate_on_side(tape, velocity, static_cast<Sign>(direction), slots.data());
  }

  double output(Index k) const { return slots[tape.outputs[k]]; }
  double condition(Index k) const { return slots[tape.conditions[k]]; }
  std::string undefined() const {
    const auto found = diagnose(tape, nullptr, slots.data());
    return found ? found->text : std::string();
  }

  // After evaluate(): rows by slots; those of the inputs are to be filled before.
  void differentiate(Index directions, double* rates) const {
    std::array<Sign, Formula::most_slots> signs;
    read_signs(tape, slots.data(), signs.data());
    for (Index k = 0; k < tape.conditions.size(); ++k)
      if (tape.conditions[k] == velocity) signs[k] = static_cast<Sign>(direction);
    forward(tape, signs.data(), slots.data(), directions, rates);
  }

  const Formula& c;
  const Tape& tape;

private:
  int direction;
  std::array<double, Formula::most_slots> slots;
};

// Outputs of the tape of the motion and their derivatives by (v, z), by rows of one output each.
struct LinearisedFormula {
  Vector value;
  Matrix slope;
};
LinearisedFormula linear(const Formula& c, double v, int direction, const double* z, double load) {
  Point at(c, c.motion, direction);
  at.evaluate(v, load, z);
  const Index n = c.states(), directions = 1 + n;
  List<double> rates(c.motion.slots() * directions);
  rates[velocity * directions] = 1.0;
  for (Index j = 0; j < n; ++j) rates[(first_state + j) * directions + 1 + j] = 1.0;
  at.differentiate(directions, rates.data());
  LinearisedFormula out{Vector(n + 1), Matrix(n + 1, n + 1)};
  for (Index i = 0; i <= n; ++i) {
    out.value(i) = at.output(i);
    for (Index j = 0; j <= n; ++j) out.slope(i, j) = rates[c.motion.outputs[i] * directions + j];
  }
  return out;
}

// Implicit Euler steps that grow, none of which changes a state by more than half of its size: for long steps the
// method of Newton (pseudo-transient continuation, Kelley, Keyes, SIAM J. Numer. Anal. 35, 1998, 508). Returns true if
// the rates have come to zero; else the states are far away.
bool slide_until_steady(const Formula& c, double v, int direction, Vector& z, double load) {
  constexpr int most = 600;
  constexpr double settled = 1e-14, most_change = 0.5, least_change = 1e-3, growth = 10.0;
  const Index n = z.size();
  double h = 0.0;
  for (int k = 0; k < most; ++k) {
    const LinearisedFormula here = linear(c, v, direction, z.data(), load);
    const Vector rate = here.value.tail(n);
    if (!here.value.allFinite() || !here.slope.allFinite()) return false;
    if (rate.isZero(0.0)) return true;
    if (h == 0.0) {
      h = std::numeric_limits<double>::infinity();
      for (Index i = 0; i < n; ++i)
        if (rate(i) != 0.0)
          h = std::min(h, least_change * (z(i) != 0.0 ? std::abs(z(i)) : 1.0) / std::abs(rate(i)));
    }
    const Matrix J = here.slope.bottomRightCorner(n, n);
    double change = 0.0, pull = 0.0;
    const Vector step = linalg::solve(Matrix::Identity(n, n) / h - J, rate);
    for (Index i = 0; i < n; ++i) {
      const double size = z(i) != 0.0 ? std::abs(z(i)) : std::abs(step(i)) * 4.0;
      if (step(i) != 0.0) change = std::max(change, std::abs(step(i)) / size);
      pull = std::max(pull, std::abs(J(i, i)) * h);
    }
    if (!step.allFinite() || change > most_change) {
      h *= 0.1;
      continue;
    }
    z += step;
    if (change <= settled && pull > 1.0) return true;
    h *= growth;
    if (!std::isfinite(h)) return false;
  }
  return false;
}

void check_tape(const Formula& c, const Tape& tape, const char* what, Index outputs) {
  check(tape);
  List<std::string> inputs{"v", "load"};
  inputs.insert(inputs.end(), c.names.begin(), c.names.end());
  inputs.insert(inputs.end(), c.parameters.begin(), c.parameters.end());
  if (tape.inputs != inputs) reject(what, "has other inputs than v, load, the states and the parameters");
  if (tape.outputs.size() != outputs) reject(what, "has another number of results than it should");
  if (tape.slots() > Formula::most_slots)
    reject(what, "has " + std::to_string(tape.slots()) + " values: it must have at most " +
                     std::to_string(Formula::most_slots));
}

} // namespace

template <class T>
ForceOf<T> bristle(const Formula& c, const T& v, int direction, unsigned, const T* z, T* zdot,
                   const T& load) {
  const Index n = c.states();
  Point at(c, c.motion, direction);
  if constexpr (std::is_same_v<T, double>) {
    at.evaluate(v, load, z);
    for (Index i = 0; i < n; ++i) zdot[i] = at.output(i + 1);
    return {at.output(0), 0.0};
  } else {
    constexpr Index seeds = std::tuple_size_v<decltype(v.d)>;
    std::array<double, max_elements> here;
    for (Index i = 0; i < n; ++i) here[i] = z[i].x;
    at.evaluate(v.x, load.x, here.data());
    std::array<double, Formula::most_slots * seeds> rates;
    const auto row = [&](Index slot) { return rates.begin() + slot * seeds; };
    std::copy(v.d.begin(), v.d.end(), row(velocity));
    std::copy(load.d.begin(), load.d.end(), row(load_slot));
    for (Index i = 0; i < n; ++i) std::copy(z[i].d.begin(), z[i].d.end(), row(first_state + i));
    std::fill(row(first_state + n), row(c.motion.inputs.size()), 0.0);
    at.differentiate(seeds, rates.data());
    T force;
    for (Index k = 0; k <= n; ++k) {
      T& out = k == 0 ? force : zdot[k - 1];
      out = T(at.output(k));
      std::copy_n(row(c.motion.outputs[k]), seeds, out.d.begin());
    }
    return {force, T(0.0)};
  }
}

template ForceOf<double> bristle(const Formula&, const double&, int, unsigned, const double*, double*,
                                 const double&);
template ForceOf<Dual<1>> bristle(const Formula&, const Dual<1>&, int, unsigned, const Dual<1>*, Dual<1>*,
                                  const Dual<1>&);
template ForceOf<Dual<2>> bristle(const Formula&, const Dual<2>&, int, unsigned, const Dual<2>*, Dual<2>*,
                                  const Dual<2>&);
template ForceOf<Dual<8>> bristle(const Formula&, const Dual<8>&, int, unsigned, const Dual<8>*, Dual<8>*,
                                  const Dual<8>&);

void settle(const Formula& c, double v, int direction, double* z, double load) {
  Vector at = Eigen::Map<const Vector>(c.start.data(), c.states());
  const bool settled = slide_until_steady(c, limited(v, direction), direction, at, load);
  std::copy_n(settled ? at.data() : c.start.data(), c.states(), z);
}

void sizes(const Formula& c, double* out) {
  List<double> slow(c.states()), fast(c.states());
  settle(c, slowest, 1, slow.data(), 1.0), settle(c, fastest, 1, fast.data(), 1.0);
  for (Index i = 0; i < c.states(); ++i)
    out[i] = c.start[i] != 0.0 ? std::abs(c.start[i]) : std::max(std::abs(slow[i]), std::abs(fast[i]));
}

template <class T> ForceOf<T> curve(const Formula& c, const T& v, int direction, double load) {
  const Index n = c.states();
  const double at = limited(value_of(v), direction);
  Vector z = Eigen::Map<const Vector>(c.start.data(), n);
  const bool settled = slide_until_steady(c, at, direction, z, load);
  const LinearisedFormula here = linear(c, at, direction, z.data(), load);
  double slope = here.slope(0, 0);
  if (settled && n > 0) {
    const Matrix by_v = linalg::solve(here.slope.bottomRightCorner(n, n), -here.slope.col(0).tail(n));
    slope += here.slope.row(0).tail(n).dot(by_v.col(0));
  }
  return {chain(v, here.value(0), slope), T(0.0)};
}

template ForceOf<double> curve(const Formula&, const double&, int, double);
template ForceOf<Dual<1>> curve(const Formula&, const Dual<1>&, int, double);

Interval rest(const Formula& c, const double* z, double load) {
  if (!c.sticks()) {
    Point at(c, c.motion, 1);
    at.evaluate(0.0, load, z);
    return {at.output(0), at.output(0)};
  }
  std::array<double, max_elements> begun;
  std::copy_n(z != nullptr ? z : c.start.data(), c.states(), begun.begin());
  on_turn(c, 1, begun.data());
  Point at(c, c.level, 1);
  at.evaluate(0.0, 1.0, begun.data());
  return {-at.output(0), at.output(0)};
}

void rates_at_rest(const Formula& c, double, const double* z, double* zdot, double load) {
  Point at(c, c.motion, 1);
  at.evaluate(0.0, load, z);
  for (Index i = 0; i < c.states(); ++i) zdot[i] = at.output(i + 1);
}

void on_turn(const Formula& c, int direction, double* z) {
  if (!c.resets()) return;
  Point at(c, c.reset, direction);
  at.evaluate(0.0, 1.0, z);
  for (Index i = 0; i < c.states(); ++i) z[i] = at.output(i);
}

Index bend_count(const Formula& c) {
  const List<Slot>& all = c.motion.conditions;
  return all.size() - std::count(all.begin(), all.end(), velocity);
}

void bends(const Formula& c, double v, int direction, const double* z, double load, double* out) {
  Point at(c, c.motion, direction);
  at.evaluate(v, load, z);
  for (Index k = 0; k < c.motion.conditions.size(); ++k)
    if (c.motion.conditions[k] != velocity) *out++ = at.condition(k);
}

void validate(const Formula& c) {
  const Index n = c.states();
  if (n > max_elements) reject("states", static_cast<double>(n), "at most 32 internal states");
  if (c.start.size() != n) reject("states", "must have one start each");
  if (c.values.size() != c.parameters.size()) reject("parameters", "must have one value each");
  if (!c.units.empty() && c.units.size() != n + c.values.size())
    reject("units", "must have one text for each state and parameter");
  for (Index i = 0; i < n; ++i) finite("states['" + c.names[i] + "']", c.start[i]);
  for (Index i = 0; i < c.values.size(); ++i) finite("parameters['" + c.parameters[i] + "']", c.values[i]);
  check_tape(c, c.motion, "force", n + 1);
  if (c.sticks()) check_tape(c, c.level, "levels", 1);
  if (c.resets()) check_tape(c, c.reset, c.sticks() ? "on_stop" : "on_reversal", n);
  if (c.sticks()) {
    const double level = rest(c, nullptr, 1.0).hi;
    if (!(std::isfinite(level) && level >= 0.0)) reject("levels", level, "finite and >= 0 at the start");
  }
}

std::string undefined_force(const Formula& c, double v, int direction, double load, const double* z) {
  Point at(c, c.motion, direction);
  at.evaluate(v, load, z);
  return at.undefined();
}

LawTraits about(const Formula& c) {
  LawTraits t;
  t.states = c.states();
  t.affine = false;
  t.searches = true;
  t.sticks = c.sticks();
  t.reversal_switches = !t.sticks; // where it is steep, its force turns there
  const LinearisedFormula here = linear(c, 0.0, 1, c.start.data(), 1.0);
  double stiffness = 0.0; // d (dF/dt) / dv at rest
  for (Index j = 1; j <= t.states; ++j) stiffness += here.slope(0, j) * here.slope(j, 0);
  t.stiffness = std::isfinite(stiffness) ? std::max(stiffness, 0.0) : 0.0;
  t.damping = std::isfinite(here.slope(0, 0)) ? std::max(here.slope(0, 0), 0.0) : 0.0;
  const double creeping = c.sticks() ? rest(c, nullptr, 1.0).hi : std::abs(curve(c, slowest, 1, 1.0).dry);
  if (std::isfinite(creeping)) t.break_away = {-creeping, creeping};
  t.reads_load =
      std::any_of(c.motion.code.begin(), c.motion.code.end(),
                  [&](const Instruction& i) {
                    return i.a == load_slot || (arity(i.operation) == 2 && i.b == load_slot);
                  }) ||
      c.motion.outputs.end() != std::find(c.motion.outputs.begin(), c.motion.outputs.end(), load_slot);
  return t;
}

} // namespace stickslip
