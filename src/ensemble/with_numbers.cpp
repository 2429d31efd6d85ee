#include "ensemble/with_numbers.hpp"

#include "core/error.hpp"
#include "ensemble/parameter.hpp"

namespace stickslip {

void reject_states() {
  reject("parameters", "change the number of states: options that are off cannot be varied to on, nor back");
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
