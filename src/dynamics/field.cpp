#include "dynamics/field.hpp"

#include <cmath>

namespace stickslip {

Field::Field(const System& system) : sys(system), n(system.nx), rest(Vector::Zero(system.nx)) {
  Index most = 1;
  for (const Place& p : sys.places) most = std::max(most, p.traits.states);
  z.resize(static_cast<std::size_t>(most));
  zdot.resize(static_cast<std::size_t>(most));
}

bool Field::bind(const Regime& r, const std::vector<std::size_t>& varying, double* values) {
  s = values;
  if (&r == regime) return usable;
  regime = &r;
  usable = false;
  if (r.coupled) return false; // friction and normal forces determine each other
  for (Index i : r.stuck)      // internal rates follow the held force; a lag may go on
    if (const Place& p = sys.places[i]; p.states >= 0 || p.lagged >= 0) return false;
  for (Index i : r.unstuck) {
    const Place& p = sys.places[i];
    if (r.modes.friction[i].sticks() || p.lagged >= 0 || p.peak >= 0 || p.load_per_force != 0.0 ||
        p.contact >= 0 || p.injected >= 0)
      return false;
  }
  usable = true;
  A = r.A.data();
  parts.clear();
  entries.clear();
  for (Index k = 0; k < r.unstuck.count(); ++k) {
    const Index u = r.unstuck[k];
    const Place& place = sys.places[u];
    Part p{&place,
           r.modes.friction[u].direction(),
           r.modes.friction[u].branch,
           entries.size(),
           0,
           0,
           r.E.col(k).data(),
           nullptr,
           0.0};
    if (place.law.terms.size() == 1 && place.lagged < 0 && place.peak < 0 && place.injected < 0)
      p.lugre = std::get_if<LuGre>(&place.law.terms.front());
    for (Index j = 0; j < n; ++j)
      if (place.velocity.x(j) != 0.0) entries.push_back({j, place.velocity.x(j)});
    p.middle = entries.size();
    for (Index j = 0; j < sys.ns(); ++j)
      if (place.velocity.s(j) != 0.0) entries.push_back({j, place.velocity.s(j)});
    p.end = entries.size();
    parts.push_back(p);
  }
  rest.setZero();
  drives.clear();
  std::size_t piece = 0; // varying signals come in the order of all signals
  for (Index j = 0; j < sys.ns(); ++j) {
    const auto signal = static_cast<std::size_t>(j);
    if (piece >= varying.size() || varying[piece] != signal) {
      rest += s[j] * r.S.col(j);
      continue;
    }
    const bool drives_states = !r.S.col(j).isZero(0.0);
    bool seen = drives_states;
    for (const Part& p : parts) {
      seen = seen || p.place->load == j;
      for (std::size_t k = p.middle; k < p.end; ++k) seen = seen || entries[k].at == j;
    }
    if (seen) drives.push_back({signal, piece, drives_states ? r.S.col(j).data() : nullptr, nullptr, 0});
    ++piece;
  }
  return true;
}

void Field::frame(const std::vector<const Piece*>& pieces) {
  for (Drive& d : drives) {
    d.now = pieces[d.piece];
    d.degree = degree(*d.now);
  }
}

} // namespace stickslip
