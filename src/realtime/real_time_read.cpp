// Outputs of the fixed-step form.
#include "dynamics/constraints.hpp"
#include "dynamics/free.hpp"
#include "dynamics/tangent.hpp"
#include "realtime/real_time.hpp"
#include "run/reading.hpp"
#include "transition/event.hpp"
#include "transition/saturations.hpp"
#include "transition/springs.hpp"

#include <limits>

namespace stickslip {

// Outputs that need no x': states, signals, springs, and outputs of controllers, which are linear in states and
// signals.
bool RealTime::read_linear(const RealTimeOutput& o, const double* s, double& out) const noexcept {
  using Kind = RealTimeOutput::Kind;
  const auto form = [&](const Form& f) { return value(f, a.x, full.data()); };
  const LinearPart& linear = *plan->regime->linear;
  switch (o.kind) {
  case Kind::state:
    out = a.x[o.index];
    return true;
  case Kind::signal:
    out = s[o.index];
    return true;
  case Kind::output:
    out = form(linear.outputs[o.index][o.part]);
    return true;
  case Kind::reference:
    out = form(linear.references[o.index]);
    return true;
  case Kind::error:
    out = form(linear.references[o.index]) - form(linear.measured[o.index]);
    return true;
  case Kind::saturation: {
    const Loop& l = sys.loops[o.index];
    out = static_cast<double>(l.saturation >= 0
                                  ? mode_of(now.saturation[l.saturation + o.part])
                                  : mode_of(l.block, o.part, form(linear.outputs[o.index][o.part])));
    return true;
  }
  case Kind::spring_force:
  case Kind::elongation:
  case Kind::elongation_rate:
    out = reading(sys, now, o.kind, o.index, a.x, s, nullptr);
    return true;
  case Kind::spring_mode:
    out = static_cast<double>(mode_of(sys, sys.springs[o.index], now));
    return true;
  default:
    return false;
  }
}

// Output of a friction element whose force has been evaluated.
double RealTime::read_element(const RealTimeOutput& o, const double* s) noexcept {
  using Kind = RealTimeOutput::Kind;
  const Friction& p = system_here().friction[o.index];
  const FrictionMode& mode = now.friction[o.index];
  const bool sticks = p.traits.sticks && mode.sticks();
  const double F = force(o.index);
  switch (o.kind) {
  case Kind::force:
    return F;
  case Kind::velocity:
  case Kind::load:
    return reading(system_here(), now, o.kind, o.index, a.x, s, force.data());
  case Kind::mode:
    if (p.of_compliance && s[p.load] == 0.0) return static_cast<double>(Mode::open);
    if (can_be_free(sys, p) && normal_load(p, mode.load_stretch, a.x, s) == 0.0)
      return static_cast<double>(Mode::free);
    if (p.traits.sticks) return mode.direction();
    if (const double v = relative_velocity(p, a.x, s); v != 0.0) return v > 0.0 ? 1.0 : -1.0;
    return 0.0;
  default: {
    if (!sticks) return std::numeric_limits<double>::quiet_NaN();
    const Interval limits = stick_limits(sys, p, mode.load_stretch, time(), a.x, s, nullptr);
    return F < 0.0 ? limits.lo : limits.hi;
  }
  }
}

Vector RealTime::forces_of_constraints(const double* s) noexcept {
  const Regime& r = sys.smooth ? w.tangent(sys).regime(now) : *plan->regime;
  return constraint_forces(system_here(), r, a.x, s, f1.data(), force.data());
}

// Output of a contact whose force has been evaluated.
double RealTime::read_contact(const RealTimeOutput& o, const double* s) noexcept {
  using Kind = RealTimeOutput::Kind;
  const Contact& c = system_here().contacts[o.index];
  const double pushes = force(sys.friction.size() + o.index);
  switch (o.kind) {
  case Kind::normal_force:
    return pushes;
  case Kind::gap:
  case Kind::gap_rate:
    return reading(system_here(), now, o.kind, o.index, a.x, s, nullptr);
  case Kind::normal_impulse:
    return contacts ? contacts->impulse(o.index) : 0.0;
  default:
    if (!c.yields()) return static_cast<double>(contact_mode(sys, now, o.index));
    if (pushes == 0.0) return static_cast<double>(Mode::open);
    return static_cast<double>(c.friction < 0 ? Mode::closed : now.friction[c.friction].mode);
  }
}

void RealTime::read(const RealTimeOutput* what, Index count, double* out) noexcept {
  bool evaluated = false;
  const double* s = here();
  for (Index k = 0; k < count; ++k) {
    if (read_linear(what[k], s, out[k])) continue;
    if (!evaluated) {
      f1.setZero();
      evaluate(sys, *plan->regime, time(), a.x, s, f1.data(), force.data(), w);
      evaluated = true;
    }
    if (what[k].kind == RealTimeOutput::Kind::rate)
      out[k] = f1(what[k].index);
    else if (what[k].kind == RealTimeOutput::Kind::constraint_impulse)
      out[k] = 0.0; // without contacts there are none
    else if (what[k].kind == RealTimeOutput::Kind::constraint_force)
      out[k] = forces_of_constraints(s)(what[k].index);
    else if (what[k].kind >= RealTimeOutput::Kind::normal_force &&
             what[k].kind <= RealTimeOutput::Kind::normal_impulse)
      out[k] = read_contact(what[k], s);
    else
      out[k] = read_element(what[k], s);
  }
}

} // namespace stickslip
