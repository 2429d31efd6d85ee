#include "ensemble/with_numbers.hpp"

#include "core/error.hpp"
#include "ensemble/parameter.hpp"
#include "model/paths.hpp"

namespace stickslip {

void reject_states() {
  reject("parameters", "change the number of states: options that are off cannot be varied to on, nor back");
}

Signal& signal_of(Machine& machine, const std::string& path) {
  for (const Path& p : paths(machine))
    if (p.name == path && p.signal != nullptr) return *p.signal;
  reject("parameters", "name '" + path + "', which is no signal of the machine");
}

Machine with_signals(Machine machine, const List<std::string>& signals, const List<Signal>& values) {
  for (Index k = 0; k < signals.size(); ++k) signal_of(machine, signals[k]) = values[k];
  machine.check_again();
  return machine;
}

Machine with_numbers(const Machine& machine, const List<std::string>& names, const Vector& values,
                     Vector& x0) {
  const System sys = compile(machine, true);
  Machine changed = with_own_numbers(machine, names);
  List<Parameter> parameters;
  List<Handle> handles; // all of them before the first number is set: a factor multiplies the original value
  for (const std::string& name : names) {
    parameters.push_back(find_parameter(machine, sys, name));
    handles.emplace_back(parameters.back(), changed);
  }
  for (Index j = 0; j < parameters.size(); ++j)
    if (parameters[j].state >= 0)
      x0(parameters[j].state) = values(j);
    else
      handles[j].set(values(j));
  changed.check_again();
  if (compile(changed).nx != sys.nx) reject_states();
  return changed;
}

} // namespace stickslip
