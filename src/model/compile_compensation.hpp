// Friction compensation, compiled to places of friction that act the other way round.
#pragma once

#include "model/system.hpp"

#include <functional>
#include <set>
#include <string>

namespace stickslip {

// First stage: names, states, signals.
void declare_compensators(const Machine& machine, System& sys, std::set<std::string>& names);

// Second stage, when the plant's matrices are known.
void wire_compensators(const Machine& machine, System& sys,
                       const std::function<Vector(const Vector&)>& column);

} // namespace stickslip
