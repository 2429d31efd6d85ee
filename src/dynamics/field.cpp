#include "dynamics/field.hpp"

#include "core/list.hpp"

#include <cmath>
#include <limits>

namespace stickslip {

Field::Field(const System& system) : sys(system), n(system.nx), rest(Vector::Zero(system.nx)) {
  Index most = 1;
  for (const Friction& p : sys.friction) most = std::max(most, p.traits.states);
  z.resize(most);
  zdot.resize(most);
}

bool Field::bind(const Regime& r, const List<Index>& varying, double* values) {
  s = values;
  if (&r == regime) return usable;
  regime = &r;
  usable = false;
  if (sys.smooth) return false;
  for (const Friction& p : sys.friction)
    if (p.delayed >= 0) return false;
  if (r.coupled) return false; // friction and normal forces determine each other
  for (Index i : r.sticking)   // internal rates follow the held force; a lag may go on
    if (const Friction& p = sys.friction[i]; p.states >= 0 || p.lagged >= 0) return false;
  for (Index i : r.sliding) {
    const Friction& p = sys.friction[i];
    if (r.modes.friction[i].sticks() || p.lagged >= 0 || p.peak >= 0 || p.load_per_force != 0.0 ||
        !p.load_parts.empty() || p.contact >= 0 || p.injected >= 0)
      return false;
  }
  usable = true;
  A = r.A.data();
  parts.clear();
  entries.clear();
  smooth_curves = true;
  for (Index k = 0; k < r.sliding.size(); ++k) {
    const Index u = r.sliding[k];
    const Friction& element = sys.friction[u];
    Part p{&element,
           r.modes.friction[u].direction(),
           r.modes.friction[u].branch,
           entries.size(),
           0,
           0,
           r.E.col(k).data(),
           nullptr,
           nullptr,
           0.0,
           std::numeric_limits<double>::infinity()};
    const LawTraits& law = element.traits;
    smooth_curves = smooth_curves && law.states == 0 && law.switches == 0 && element.lagged < 0 &&
                    velocity_breakpoints(element.law).empty();
    for (const double mark : velocity_marks(element.law))
      if (mark != 0.0) p.finest = std::min(p.finest, std::abs(mark));
    if (element.law.terms.size() == 1 && element.lagged < 0 && element.peak < 0 && element.injected < 0) {
      p.lugre = std::get_if<LuGre>(&element.law.terms.front());
      p.stribeck = std::get_if<Stribeck>(&element.law.terms.front());
    }
    for (Index j = 0; j < n; ++j)
      if (element.velocity.x(j) != 0.0) entries.push_back({j, element.velocity.x(j)});
    p.middle = entries.size();
    for (Index j = 0; j < sys.ns(); ++j)
      if (element.velocity.s(j) != 0.0) entries.push_back({j, element.velocity.s(j)});
    p.end = entries.size();
    parts.push_back(p);
  }
  rest.setZero();
  drives.clear();
  Index piece = 0; // varying signals come in the order of all signals
  for (Index j = 0; j < sys.ns(); ++j) {
    if (piece >= varying.size() || varying[piece] != j) {
      rest += s[j] * r.S.col(j);
      continue;
    }
    const bool drives_states = !r.S.col(j).isZero(0.0);
    bool seen = drives_states;
    for (const Part& p : parts) {
      seen = seen || p.element->load == j;
      for (Index k = p.middle; k < p.end; ++k) seen = seen || entries[k].at == j;
    }
    if (seen) drives.push_back({j, piece, drives_states ? r.S.col(j).data() : nullptr, {}, 0});
    ++piece;
  }
  return true;
}

void Field::frame(const List<Held>& pieces) {
  for (Drive& d : drives) {
    d.now = pieces[d.piece];
    d.degree = degree(*d.now.piece);
  }
}

} // namespace stickslip
