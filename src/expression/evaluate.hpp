// Runs a tape. The caller gives the memory, so that nothing is allocated: `slots` for tape.slots() numbers, prepared
// once, with the inputs in its first places; results are slots[tape.outputs[i]] and slots[tape.conditions[k]].
// The caller checks for non-finite values; `diagnose` names the operation that produced them.
#pragma once

#include "expression/tape.hpp"

#include <cstdint>

namespace stickslip {

// Sign of a condition g: +1 (g >= 0) or -1. A tape is smooth as long as its signs are held.
using Sign = std::int8_t;

// Writes the constants.
void prepare(const Tape& tape, double* slots);

// Each choice by its own condition; where that is NaN, so is the choice.
void evaluate(const Tape& tape, double* slots);
// The instructions [from, to), those before having run.
void evaluate(const Tape& tape, Index from, Index to, double* slots);
// A choice by the sign of the slot `held` itself takes this sign.
void evaluate_on_side(const Tape& tape, Slot held, Sign sign, double* slots);
// Each choice by the sign of its condition that is prescribed, also beyond the corner.
void evaluate(const Tape& tape, const Sign* signs, double* slots);

// The signs of the conditions after an evaluation.
void read_signs(const Tape& tape, const double* slots, Sign* signs);

// Derivatives along several directions at once, after an evaluation: row s of `rates`, of length `directions`, belongs
// to slot s; the caller fills the rows of the inputs. Without signs (null) the conditions decide the choices.
void forward(const Tape& tape, const Sign* signs, const double* slots, Index directions, double* rates);

// Second derivatives along one motion, after `forward` in one direction, which gave `rates`; the caller fills those of the
// inputs.
void forward_twice(const Tape& tape, const Sign* signs, const double* slots, const double* rates,
                   double* second);

// The gradient of one output, after an evaluation, in one backward sweep for any number of inputs: the first entries of
// `adjoints`, which is memory for tape.slots() numbers.
void reverse(const Tape& tape, const Sign* signs, const double* slots, Index output, double* adjoints);

// The slot whose value an output is, with these signs, once its choices are made.
Slot chosen_slot(const Tape& tape, const Sign* signs, Index output);

// Slots on which the outputs depend for given signs (null: any signs), and the conditions that decide. Slots used only in
// a branch that is not taken are excluded.
struct Live {
  List<char> slots, conditions;
};
Live live(const Tape& tape, const Sign* signs);

} // namespace stickslip
