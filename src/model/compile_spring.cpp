// Springs: their flanks, and their elongations as forms of the state.
#include "core/list.hpp"
#include "model/draft.hpp"
#include "model/flanks.hpp"

namespace stickslip {

void declare(Draft& d, const SpringElement& e) {
  System& sys = d.sys;
  if (sys.one < 0) sys.one = d.add_signal(constant_signal(1.0));
  Spring p;
  p.name = e.name;
  p.damping = e.damping;
  p.rest = d.add_signal(e.rest);
  p.flanks = sys.flanks.size();
  for (Flank& f : flanks_of(e)) {
    f.spring = sys.springs.size();
    sys.flanks.push_back(std::move(f));
  }
  p.count = sys.flanks.size() - p.flanks;
  sys.springs.push_back(std::move(p));
}

void wire(Draft& d, const SpringElement& e, Index number) {
  System& sys = d.sys;
  const Index n = sys.n_coordinates;
  Spring& p = sys.springs[number];
  const Vector w = d.direction(e.on);
  p.effect = -d.column(w);
  p.elongation = p.rate = {Vector::Zero(sys.nx), Vector::Zero(sys.ns())};
  p.elongation.x.head(n) = w;
  p.rate.x.segment(n, n) = w;
  p.elongation.s(p.rest) = -1.0;
  p.rate.s(p.rest_rate) = -1.0;
}

} // namespace stickslip
