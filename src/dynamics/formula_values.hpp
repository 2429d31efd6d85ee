// Formulas of the motion of a machine at one instant, with all intermediate values.
#pragma once

#include "core/types.hpp"
#include "expression/evaluate.hpp"
#include "model/smooth.hpp"

#include <memory>
#include <string>

namespace stickslip {

// Choices by the sides that are prescribed, beyond a corner too; where there is no value beyond it, and without sides, each
// by its own condition.
void evaluate_on_sides(const Tape& tape, const List<Sign>& sides, Vector& slots);

class FormulaValues {
public:
  FormulaValues(std::shared_ptr<const Smooth> of, Index elements); // of friction

  // Those of the motion; complete() also those for the energy alone.
  void evaluate(double t, const Vector& x, const List<Sign>& sides);
  void complete();

  double operator[](Index result) const { return slots(smooth->tape.outputs[result]); }
  double input(Index k) const { return slots(k); }
  const List<Sign>& sides() const { return prescribed; }

  // The normal load of a friction element that a formula gives, as it is; in the machine a negative one counts as zero.
  double load(Index element) const;
  // Sizes of the terms of the loads for states of these sizes, by the number of the element.
  Vector load_sizes(const Vector& nominal, double time_scale) const;
  // Conditions of choices in formulas: their values, the sizes of their terms for states of given sizes, and their first
  // and second derivatives in a motion x', x''.
  double condition(Index k) const { return slots(smooth->tape.conditions[k]); }
  Vector condition_sizes(const Vector& nominal, double time_scale) const;
  struct ConditionRates {
    Vector first, second;
  };
  ConditionRates condition_rates(const Vector& xdot, const Vector& second) const;
  // An operation that is not defined there and its inputs; empty if none.
  std::string complaint() const;

private:
  std::shared_ptr<const Smooth> smooth;
  List<Sign> prescribed;
  Vector slots;
  bool all = false; // evaluated
  Index elements;

  const Sign* signs() const { return prescribed.empty() ? nullptr : prescribed.data(); }
};

} // namespace stickslip
