// A number in the description of a machine, by name: a parameter of an ensemble.
#pragma once

#include "model/paths.hpp"
#include "model/system.hpp"

#include <string>

namespace stickslip {

// An initial value by the name of the state, or a path (model/paths.hpp). A signal must be constant to be replaced
// by a number; with `_scale` behind its name the number is a factor on any signal.
struct Parameter {
  std::string name;
  Index state = -1; // initial value; else
  std::string path; // place of the change in the description
  bool scale = false;
  // Number of the signal in the system if only a constant signal changes; derived quantities are unchanged.
  Index signal = -1;
  bool non_negative = false; // that signal
};

// Throws UnknownName or InvalidArgument. `sys` is compiled with signals of its own for every use.
Parameter find_parameter(const Machine& machine, const System& sys, const std::string& name);

// A parameter in one copy of the machine.
class Handle {
public:
  Handle(const Parameter& parameter, Machine& machine);

  double value() const; // as it stands; of a factor 1
  void set(double value);

private:
  Path at;
  std::string name;
  bool scale;
  Signal written; // before anything is changed
};

} // namespace stickslip
