#include "realtime/curved_force.hpp"

#include "dynamics/element_force.hpp"

namespace stickslip {

namespace {

// K is 2 for a law that reads its load.
template <int K, class L> CurvedValue slides(const L& law, const CurvedForce& c, const double* xs) {
  using Slope = Dual<K>; // by u and by the load
  constexpr int by_u = 0, by_load = 1;
  CurvedValue out;
  out.u = c.u(xs);
  out.load = c.load(xs);
  const Slope peak = c.element->peak >= 0 ? xs[c.element->peak] : 1.0;
  const Slope load = K > 1 ? Slope::variable(out.load, by_load) : Slope(1.0);
  const ForceOf<Slope> f = sliding_force(law, *c.element, c.mode, c.branch, Slope::variable(out.u, by_u),
                                         peak, nullptr, nullptr, load);
  if (c.kind != CurvedForce::Kind::viscous) {
    out.f = out.load * f.dry.x;
    out.by_u = out.load * f.dry.d[by_u];
    out.by_load = f.dry.x;
    if constexpr (K > 1) out.by_load += out.load * f.dry.d[by_load];
  }
  if (c.kind != CurvedForce::Kind::dry) {
    out.f += f.viscous.x;
    out.by_u += f.viscous.d[by_u];
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
  out.by_load = delayed_dry(c.element->law, *c.element, c.mode, out.u, peak, out.load);
  out.f = out.load * out.by_load;
  return out;
}

} // namespace

CurvedValue evaluate(const CurvedForce& c, const double* xs) {
  if (c.kind == CurvedForce::Kind::spring) return spring(c, xs);
  if (c.kind == CurvedForce::Kind::delayed) return delayed(c, xs);
  if (c.stribeck != nullptr) return slides<1>(*c.stribeck, c, xs);
  return c.element->traits.reads_load ? slides<2>(c.element->law, c, xs) : slides<1>(c.element->law, c, xs);
}

} // namespace stickslip
