#include "dynamics/formula_values.hpp"

#include "expression/diagnose.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

bool is_finite(const Tape& tape, const Vector& slots) {
  return std::all_of(tape.outputs.begin(), tape.outputs.end(),
                     [&](Slot s) { return std::isfinite(slots(s)); });
}

} // namespace

void evaluate_on_sides(const Tape& tape, const List<Sign>& sides, Vector& slots) {
  if (!sides.empty()) {
    evaluate(tape, sides.data(), slots.data());
    if (is_finite(tape, slots)) return;
  }
  evaluate(tape, slots.data());
}

FormulaValues::FormulaValues(std::shared_ptr<const Smooth> of, Index friction)
    : smooth(std::move(of)), slots(Vector::Zero(smooth->tape.slots())), elements(friction) {
  prepare(smooth->tape, slots.data());
}

void FormulaValues::evaluate(double t, const Vector& x, const List<Sign>& sides) {
  prescribed = sides;
  for (Index i = 0; i < smooth->inputs.size(); ++i)
    slots(i) = smooth->inputs[i] < 0 ? t : x(smooth->inputs[i]);
  all = !smooth->tape.conditions.empty();
  if (all)
    evaluate_on_sides(smooth->tape, prescribed, slots);
  else
    stickslip::evaluate(smooth->tape, 0, smooth->motion, slots.data());
}

void FormulaValues::complete() {
  if (!all) stickslip::evaluate(smooth->tape, smooth->motion, smooth->tape.code.size(), slots.data());
  all = true;
}

double FormulaValues::load(Index element) const {
  for (const Smooth::Value& one : smooth->loads)
    if (one.signal == element) return (*this)[one.result];
  return 0.0;
}

// For each quantity in a load: its contribution to the load, or the change of the load where it is zero.
Vector FormulaValues::load_sizes(const Vector& nominal, double time_scale) const {
  const Tape& tape = smooth->tape;
  Vector by(tape.slots()), out = Vector::Zero(elements);
  for (const Smooth::Value& load : smooth->loads) {
    reverse(tape, signs(), slots.data(), load.result, by.data());
    for (Index i = 0; i < tape.inputs.size(); ++i) {
      const double size = smooth->inputs[i] < 0 ? time_scale : nominal(smooth->inputs[i]);
      by(i) *= std::max(size, std::abs(slots(i)));
    }
    for (Index k = tape.first_result(); k < tape.slots(); ++k) by(k) *= slots(k);
    for (Index k = 0; k < tape.slots(); ++k)
      if (std::isfinite(by(k))) out(load.signal) += std::abs(by(k));
  }
  return out;
}

Vector FormulaValues::condition_sizes(const Vector& nominal, double time_scale) const {
  const Tape& tape = smooth->tape;
  const Index inputs = tape.inputs.size();
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rates(tape.slots(), inputs);
  rates.topRows(inputs).setZero();
  for (Index i = 0; i < inputs; ++i)
    rates(i, i) = smooth->inputs[i] < 0 ? time_scale : nominal(smooth->inputs[i]);
  forward(tape, signs(), slots.data(), inputs, rates.data());
  Vector out(tape.conditions.size());
  for (Index k = 0; k < out.size(); ++k) out(k) = rates.row(tape.conditions[k]).cwiseAbs().sum();
  return out;
}

FormulaValues::ConditionRates FormulaValues::condition_rates(const Vector& xdot, const Vector& second) const {
  const Tape& tape = smooth->tape;
  Vector once(tape.slots()), twice(tape.slots());
  for (Index i = 0; i < tape.inputs.size(); ++i) {
    const Index state = smooth->inputs[i];
    once(i) = state < 0 ? 1.0 : xdot(state);
    twice(i) = state < 0 ? 0.0 : second(state);
  }
  forward(tape, signs(), slots.data(), 1, once.data());
  forward_twice(tape, signs(), slots.data(), once.data(), twice.data());
  const Index count = tape.conditions.size();
  ConditionRates out{Vector(count), Vector(count)};
  for (Index k = 0; k < count; ++k) {
    out.first(k) = once(tape.conditions[k]);
    out.second(k) = twice(tape.conditions[k]);
  }
  return out;
}

std::string FormulaValues::complaint() const {
  if (!is_finite(smooth->tape, slots))
    if (const auto found = diagnose(smooth->tape, nullptr, slots.data())) return found->text;
  return {};
}

} // namespace stickslip
