#include "realtime/step_outputs.hpp"

#include "dynamics/constraints.hpp"
#include "dynamics/free.hpp"
#include "run/reading.hpp"
#include "transition/event.hpp"
#include "transition/saturations.hpp"
#include "transition/springs.hpp"

#include <limits>

namespace stickslip {

StepOutputs::StepOutputs(const System& system, double time, const PlannedModes& planned,
                         LocalMachine& machine, BaseStep& step, const ContactInstant* rigid) noexcept
    : sys(system), t(time), modes(planned.now), regime(*planned.plan->regime), local(machine), x(step.a.x),
      s(step.signals_at_start()), contacts(rigid) {}

void StepOutputs::read(const RealTimeOutput* what, Index count, double* out) noexcept {
  for (Index k = 0; k < count; ++k) {
    if (read_linear(what[k], out[k])) continue;
    if (xdot == nullptr) xdot = &local.rates(regime, t, x, s);
    out[k] = read_nonlinear(what[k]);
  }
}

// Outputs that need no x': states, signals, springs, and outputs of controllers, which are linear in states and
// signals.
bool StepOutputs::read_linear(const RealTimeOutput& o, double& out) const noexcept {
  const auto form = [&](const Form& f) { return value(f, x, s); };
  const LinearPart& linear = *regime.linear;
  switch (o.kind) {
  case Read::state:
    out = x[o.index];
    return true;
  case Read::signal:
    out = s[o.index];
    return true;
  case Read::output:
    out = form(linear.outputs[o.index][o.part]);
    return true;
  case Read::reference:
    out = form(linear.references[o.index]);
    return true;
  case Read::error:
    out = form(linear.references[o.index]) - form(linear.measured[o.index]);
    return true;
  case Read::saturation: {
    const Loop& l = sys.loops[o.index];
    out = static_cast<double>(l.saturation >= 0
                                  ? mode_of(modes.saturation[l.saturation + o.part])
                                  : mode_of(l.block, o.part, form(linear.outputs[o.index][o.part])));
    return true;
  }
  case Read::spring_force:
  case Read::elongation:
  case Read::elongation_rate:
    out = reading(sys, modes, o.kind, o.index, x, s, nullptr);
    return true;
  case Read::spring_mode:
    out = static_cast<double>(mode_of(sys, sys.springs[o.index], modes));
    return true;
  default:
    return false;
  }
}

double StepOutputs::read_nonlinear(const RealTimeOutput& o) const noexcept {
  switch (o.kind) {
  case Read::rate:
    return (*xdot)(o.index);
  case Read::constraint_impulse:
    return 0.0; // without contacts there are none
  case Read::constraint_force:
    return constraint_force(o.index);
  case Read::normal_force:
  case Read::contact_mode:
  case Read::gap:
  case Read::gap_rate:
  case Read::normal_impulse:
    return read_contact(o);
  default:
    return read_element(o);
  }
}

double StepOutputs::read_element(const RealTimeOutput& o) const noexcept {
  const Friction& p = local.system().friction[o.index];
  const FrictionMode& mode = modes.friction[o.index];
  const double F = local.forces()(o.index);
  switch (o.kind) {
  case Read::force:
    return F;
  case Read::velocity:
  case Read::load:
    return reading(local.system(), modes, o.kind, o.index, x, s, local.forces().data());
  case Read::mode:
    if (p.of_compliance && s[p.load] == 0.0) return static_cast<double>(Mode::open);
    if (can_be_free(sys, p) && normal_load(p, mode.load_stretch, x, s) == 0.0)
      return static_cast<double>(Mode::free);
    if (p.traits.sticks) return mode.direction();
    if (const double v = relative_velocity(p, x, s); v != 0.0) return v > 0.0 ? 1.0 : -1.0;
    return 0.0;
  default: {
    if (!p.traits.sticks || !mode.sticks()) return std::numeric_limits<double>::quiet_NaN();
    const Interval limits = stick_limits(sys, p, mode.load_stretch, t, x, s, local.forces().data());
    return F < 0.0 ? limits.lo : limits.hi;
  }
  }
}

double StepOutputs::read_contact(const RealTimeOutput& o) const noexcept {
  const Contact& c = local.system().contacts[o.index];
  const double pushes = local.forces()(sys.friction.size() + o.index);
  switch (o.kind) {
  case Read::normal_force:
    return pushes;
  case Read::gap:
  case Read::gap_rate:
    return reading(local.system(), modes, o.kind, o.index, x, s, nullptr);
  case Read::normal_impulse:
    return contacts ? contacts->impulse(o.index) : 0.0;
  default:
    if (!c.yields()) return static_cast<double>(contact_mode(sys, modes, o.index));
    if (pushes == 0.0) return static_cast<double>(Mode::open);
    return static_cast<double>(c.friction < 0 ? Mode::closed : modes.friction[c.friction].mode);
  }
}

double StepOutputs::constraint_force(Index constraint) const noexcept {
  const Regime& r = sys.smooth ? local.tangent().regime(modes) : regime;
  return constraint_forces(local.system(), r, x, s, xdot->data(), local.forces().data())(constraint);
}

} // namespace stickslip
