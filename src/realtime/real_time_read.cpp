// Outputs of the fixed-step form.
#include "realtime/real_time.hpp"
#include "transition/saturations.hpp"

#include <limits>

namespace stickslip {

void RealTime::read(const RealTimeOutput* what, Index count, double* out) noexcept {
  using Kind = RealTimeOutput::Kind;
  bool evaluated = false;
  const double* s = all(a);
  const auto form = [&](const Form& f) {
    return f.x.dot(Eigen::Map<const Vector>(a.x, sys.nx)) + f.s.dot(full);
  };
  for (Index k = 0; k < count; ++k) {
    const RealTimeOutput& o = what[k];
    const auto i = o.index, part = o.part;
    const LinearPart& linear = *plan->regime->linear;
    switch (o.kind) {
    case Kind::state:
      out[k] = a.x[o.index];
      continue;
    case Kind::signal:
      out[k] = s[o.index];
      continue;
    case Kind::output:
      out[k] = form(linear.outputs[i][part]);
      continue;
    case Kind::reference:
      out[k] = form(linear.references[i]);
      continue;
    case Kind::error:
      out[k] = form(linear.references[i]) - form(linear.measured[i]);
      continue;
    case Kind::saturation: {
      const Loop& l = sys.loops[i];
      const Mode mode = l.saturation >= 0 ? mode_of(now.saturation[l.saturation + part])
                                          : mode_of(l.block, o.part, form(linear.outputs[i][part]));
      out[k] = static_cast<double>(mode);
      continue;
    }
    default:
      break;
    }
    if (!evaluated) {
      f1.setZero();
      evaluate(sys, *plan->regime, time(), a.x, s, f1.data(), force.data(), w);
      evaluated = true;
    }
    if (o.kind == Kind::rate) {
      out[k] = f1(o.index);
      continue;
    }
    const Friction& p = sys.friction[i];
    const double v = relative_velocity(p, a.x, s);
    const bool sticking = p.traits.sticks && now.friction[i].sticks();
    switch (o.kind) {
    case Kind::force:
      out[k] = force(o.index);
      break;
    case Kind::velocity:
      out[k] = sticking && p.surface_travel < 0 ? 0.0 : v;
      break;
    case Kind::load:
      out[k] = normal_load(p, now.friction[i].load_sign, a.x, s);
      break;
    case Kind::mode:
      out[k] = p.traits.sticks ? now.friction[i].direction() : v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : 0.0;
      break;
    default: {
      const Interval limits = stick_limits(sys, p, now.friction[i].load_sign, time(), a.x, s, nullptr);
      out[k] = !sticking              ? std::numeric_limits<double>::quiet_NaN()
               : force(o.index) < 0.0 ? limits.lo
                                      : limits.hi;
    }
    }
  }
}

} // namespace stickslip
