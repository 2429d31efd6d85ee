#include "ensemble/parameter.hpp"

#include "core/error.hpp"
#include "core/list.hpp"

#include <algorithm>

namespace stickslip {

namespace {

[[noreturn]] void unknown(const System& sys, const List<Path>& known, const std::string& name) {
  std::string text = "unknown parameter '" + name + "'; known are: initial values";
  for (const std::string& s : sys.states) text += " '" + s + "',";
  for (const Path& p : known) text += " '" + p.name + "',";
  throw UnknownName(text + " signals also with '_scale'");
}

const Path* find(const List<Path>& known, const std::string& name) {
  const auto at = std::find_if(known.begin(), known.end(), [&](const Path& p) { return p.name == name; });
  return at == known.end() ? nullptr : &*at;
}

// Shared forces of several elements may depend on their loads, and the stiffness of presliding follows the load.
bool load_alone(const System& sys) {
  Index sticking = 0;
  for (const Friction& p : sys.friction) {
    if (p.surface_travel >= 0) return false;
    sticking += p.traits.sticks;
  }
  return sticking <= 1;
}

// Finds the signal in the system if no derived quantity depends on its value.
void find_signal(const Machine& m, const System& sys, const Signal* signal, Parameter& p) {
  if (m.matrices() || !sys.loops.empty()) return;
  const auto friction = m.all<FrictionElement>();
  for (Index i = 0; i < friction.size(); ++i)
    if (std::ranges::find(sys.friction, i, &Friction::partner) != sys.friction.end()) {
      continue; // two signals
    } else if (signal == &friction[i]->surface_velocity) {
      p.signal = sys.friction[i].surface;
    } else if (signal == &friction[i]->normal_load && load_alone(sys)) {
      p.signal = sys.friction[i].load;
      p.non_negative = true;
    }
  const auto forces = m.all<AppliedForce>();
  for (Index k = 0; k < forces.size(); ++k)
    if (signal == &forces[k]->signal) p.signal = sys.drives[k].signal;
}

} // namespace

Parameter find_parameter(const Machine& machine, const System& sys, const std::string& name) {
  Parameter p;
  p.name = p.path = name;
  if (const auto it = std::find(sys.states.begin(), sys.states.end(), name); it != sys.states.end()) {
    p.state = it - sys.states.begin();
    return p;
  }
  Machine copy = machine; // paths are pointers into the copy
  const List<Path> known = paths(copy);
  const Path* found = find(known, name);
  if (found == nullptr && name.ends_with("_scale")) {
    p.path.resize(name.size() - 6);
    found = find(known, p.path);
    if (found != nullptr && found->signal == nullptr) found = nullptr;
    p.scale = true;
  }
  if (found == nullptr) unknown(sys, known, name);
  if (found->signal == nullptr || p.scale) return p;
  if (!is_constant(*found->signal))
    reject("parameters",
           "name '" + name + "', a signal that is not constant: vary '" + name + "_scale', a factor on it");
  find_signal(copy, sys, found->signal, p);
  return p;
}

Handle::Handle(const Parameter& p, Machine& machine) : name(p.name), scale(p.scale) {
  for (const Path& path : paths(machine))
    if (path.name == p.path) at = path;
  if (at.signal != nullptr) written = *at.signal;
}

double Handle::value() const {
  if (at.number != nullptr) return *at.number;
  return scale ? 1.0 : stickslip::value(*at.signal, 0.0);
}

void Handle::set(double value) {
  finite("parameters['" + name + "']", value);
  if (at.number != nullptr) *at.number = value;
  for (double* const other : at.mirrors) *other = value;
  if (at.law != nullptr) follow(*at.law);
  if (at.signal != nullptr) *at.signal = scale ? value * written : constant_signal(value);
}

} // namespace stickslip
