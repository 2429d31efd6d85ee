// Names in elements must exist: coordinates, or states, inputs and outputs of a plant in matrix notation.
#pragma once

#include "model/machine.hpp"

#include <string>

namespace stickslip {

// All factors are zero.
bool zero(const Combination& c);

// The name is one of `names`, its factor finite.
void known(const std::string& kind, const List<std::string>& names, const Part& p, const std::string& what);

class NameCheck {
public:
  explicit NameCheck(const AnyPlant& p) : plant(p) {}

  // Coordinates or inputs on which a force acts.
  void enters(const std::string& what, const Combination& c) const;
  // A term of a load force. Contacts are resolved when the machine is compiled.
  void load(const std::string& what, const Part& p) const;
  void gradient(const std::string& what, const Combination& c) const;
  // A function of positions and time, of velocities too if `moving`, with `results` results, -1: one per coordinate.
  // Empty: none.
  void expression(const std::string& what, const Tape& tape, Index results, bool moving) const;
  // An input of a controller. Names of controllers and elements are resolved when the machine is compiled.
  void source(const std::string& what, const Source& s) const;

private:
  const AnyPlant& plant;
};

} // namespace stickslip
