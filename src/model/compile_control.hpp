// The controllers of a machine, compiled in two stages around the plant's own matrices.
#pragma once

#include "model/system.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace stickslip {

// The value of a source at compile time, without the outputs of other controllers.
Form form_of(const System& sys, const Source& source);
// Its derivative, or why there is none: a force acts on it directly, or a signal jumps.
std::optional<Form> rate_of(const System& sys, const Form& form, std::string& why);
// Number of a signal among those of the machine, with as many derivatives as are asked for.
Index add_read_signal(System& sys, const Signal& signal, int rates);

// First stage: claims names, adds states and signals.
void declare_controllers(const Machine& machine, System& sys, std::set<std::string>& names);

// Second stage, when the plant's A and S and the effects of friction are known: inputs, effects, dataflow
// order. `column` turns a generalised force into a change of x'. An algebraic loop or the rate of something
// that jumps is an error that names it.
void wire_controllers(const Machine& machine, System& sys,
                      const std::function<Vector(const Vector&)>& column);

// Third stage: the loops' part in the time scale and in the sizes of the states.
void size_controllers(System& sys);

} // namespace stickslip
