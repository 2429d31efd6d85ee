// Parts of the compilation that contacts and compensators share with friction elements.
#pragma once

#include "model/draft.hpp"

namespace stickslip {

// A friction element with its signals and states.
Friction declare_element(Draft& draft, const std::string& name, const Law& law, const Automaton& automaton,
                         const Signal& load, const Signal& surface);
// The internal states of its law alone.
void declare_bristles(Draft& draft, Friction& element);
// Friction of a contact along its tangent.
void wire_tangent(Draft& draft, Friction& element, const Vector& tangent);

} // namespace stickslip
