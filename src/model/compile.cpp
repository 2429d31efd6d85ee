// A description becomes a system: every complaint about what a user wrote ends here.
#include "core/error.hpp"
#include "core/linalg.hpp"
#include "core/list.hpp"
#include "model/compile_compensation.hpp"
#include "model/compile_control.hpp"
#include "model/draft.hpp"

#include <algorithm>

namespace stickslip {

namespace {

Signal derivative_of(const System& sys, Index signal) {
  return differentiate(sys.signals[signal]);
}

// Derivatives of surface velocities and gaps accelerate the relative motion; they are signals of their own.
void add_derivatives(Draft& d) {
  System& sys = d.sys;
  for (Friction& p : sys.friction) p.surface_rate = d.add_signal(derivative_of(sys, p.surface));
  for (Contact& c : sys.contacts) {
    c.gap_rate = d.add_signal(derivative_of(sys, c.gap_signal));
    c.gap_acceleration = d.add_signal(derivative_of(sys, c.gap_rate));
  }
}

// The reciprocal of the plant's fastest rate.
void set_time_scale(System& sys) {
  const Index n = sys.plant_states;
  const double rate = linalg::spectral_radius(sys.A.topLeftCorner(n, n));
  sys.time_scale = rate > 0.0 ? 1.0 / rate : 1.0;
}

} // namespace

System compile(const Machine& machine, bool own_signals) {
  Draft d(machine, own_signals);
  declare_plant(d);
  declare_friction(d);
  declare_contacts(d);
  declare_compensators(d);
  declare_controllers(d);
  add_derivatives(d);
  wire_plant(d);
  wire_friction(d);
  wire_contacts(d);
  wire_compensators(d);
  wire_controllers(d);
  set_time_scale(d.sys);
  size_states(d.sys);
  size_controllers(d.sys);
  list_variables(d);
  return std::move(d.sys);
}

Index find_name(const List<std::string>& names, const std::string& name, std::string_view what) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end()) return it - names.begin();
  std::string text = "unknown " + std::string(what) + " '" + name + "'; known are:";
  for (const std::string& n : names) text += " '" + n + "'";
  throw UnknownName(text);
}

} // namespace stickslip
