// What contacts and compensators share with friction elements while a machine is compiled.
#pragma once

#include "model/draft.hpp"

namespace stickslip {

// A friction element with its signals and states.
Place declare_place(Draft& draft, const std::string& name, const Law& law, const Automaton& automaton,
                    const Signal& load, const Signal& surface);
// The internal states of its law alone.
void declare_bristles(Draft& draft, Place& place);
// Friction of a contact along its tangent.
void wire_tangent(Draft& draft, Place& place, const Vector& tangent);

} // namespace stickslip
