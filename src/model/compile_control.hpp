// The controllers of a machine, compiled in two stages around the plant's own matrices.
#pragma once

#include "model/draft.hpp"

#include <optional>
#include <string>

namespace stickslip {

// The derivative of a form, or the reason why it does not exist: a force acts on it directly, or a signal jumps.
std::optional<Form> rate_of(const System& sys, const Form& form, std::string& why);

// A force of an element or a controller acts directly on the rate of this form.
bool jumps_with_forces(const System& sys, const Form& form);

// First stage: adds states and signals.
void declare_controllers(Draft& draft);

// Second stage, after the plant's A and S and the effects of friction are known: inputs, effects, dataflow order. An
// algebraic loop or the derivative of a discontinuous quantity is an error that names it.
void wire_controllers(Draft& draft);

// Third stage: contributions of the loops to the time scale and to the sizes of the states.
void size_controllers(System& sys, bool time_is_given);

} // namespace stickslip
