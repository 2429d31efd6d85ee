#include "realtime/curved_force.hpp"

#include "dynamics/element_force.hpp"

namespace stickslip {

namespace {

template <class L> CurvedValue slides(const L& law, const CurvedForce& c, const double* xs) {
  using Slope = Dual<1>; // by u
  CurvedValue out;
  out.u = c.u(xs);
  out.load = c.load(xs);
  const Slope peak = c.element->peak >= 0 ? xs[c.element->peak] : 1.0;
  const ForceOf<Slope> f =
      sliding_force(law, *c.element, c.mode, c.branch, Slope::variable(out.u, 0), peak, nullptr, nullptr);
  if (c.kind != CurvedForce::Kind::viscous) {
    out.f = out.load * f.dry.x;
    out.by_u = out.load * f.dry.d[0];
    out.by_load = f.dry.x;
  }
  if (c.kind != CurvedForce::Kind::dry) {
    out.f += f.viscous.x;
    out.by_u += f.viscous.d[0];
  }
  return out;
}

CurvedValue spring(const CurvedForce& c, const double* xs) {
  CurvedValue out;
  out.u = c.u(xs);
  out.load = c.load(xs);
  out.by_u = presliding_stiffness(*c.element, out.load);
  out.by_load = presliding_stiffness(*c.element, out.u);
  out.f = out.by_u * out.u;
  return out;
}

CurvedValue delayed(const CurvedForce& c, const double* xs) {
  CurvedValue out;
  out.u = c.u(xs);
  out.load = c.load(xs);
  const double peak = c.element->peak >= 0 ? xs[c.element->peak] : 1.0;
  out.by_load = delayed_dry(c.element->law, *c.element, c.mode, out.u, peak);
  out.f = out.load * out.by_load;
  return out;
}

} // namespace

CurvedValue evaluate(const CurvedForce& c, const double* xs) {
  if (c.kind == CurvedForce::Kind::spring) return spring(c, xs);
  if (c.kind == CurvedForce::Kind::delayed) return delayed(c, xs);
  return c.stribeck != nullptr ? slides(*c.stribeck, c, xs) : slides(c.element->law, c, xs);
}

} // namespace stickslip
