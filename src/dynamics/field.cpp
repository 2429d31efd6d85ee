#include "dynamics/field.hpp"

#include "core/list.hpp"

#include <algorithm>
#include <cmath>

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
  usable = !sys.smooth && is_plain(r);
  if (!usable) return false;
  A = r.A.data();
  parts.clear();
  entries.clear();
  smooth_curves = true;
  for (Index k = 0; k < r.sliding.size(); ++k) add_part(r, k);
  find_drives(r, varying);
  return true;
}

// True if elements slide under given loads, each by its own law, and those that stick have no states.
bool Field::is_plain(const Regime& r) const {
  const auto of = [&](Index i) -> const Friction& { return sys.friction[i]; };
  return !r.coupled && std::none_of(sys.friction.begin(), sys.friction.end(), [](const Friction& p) {
    return p.delayed >= 0;
  }) && std::none_of(r.sticking.begin(), r.sticking.end(), [&](Index i) {
    return of(i).states >= 0 || of(i).lagged >= 0;
  }) && std::none_of(r.sliding.begin(), r.sliding.end(), [&](Index i) {
    const Friction& p = of(i);
    return r.modes.friction[i].sticks() || p.lagged >= 0 || p.peak >= 0 || p.load_per_force != 0.0 ||
           !p.load_parts.empty() || p.contact >= 0 || p.injected >= 0 || p.traits.reads_load;
  });
}

void Field::add_part(const Regime& r, Index k) {
  const Index u = r.sliding[k];
  const Friction& element = sys.friction[u];
  Part& p = parts.emplace_back();
  p.element = &element;
  p.mode = r.modes.friction[u].direction();
  p.branch = r.modes.friction[u].branch;
  p.effect = r.E.col(k).data();
  smooth_curves = smooth_curves && element.traits.states == 0 && element.traits.switches == 0 &&
                  velocity_breakpoints(element.law).empty();
  for (const double mark : velocity_marks(element.law))
    if (mark != 0.0) p.finest = std::min(p.finest, std::abs(mark));
  if (element.law.terms.size() == 1) {
    p.lugre = std::get_if<LuGre>(&element.law.terms.front());
    p.stribeck = std::get_if<Stribeck>(&element.law.terms.front());
  }
  const auto add_entries = [&](const Vector& row) {
    for (Index j = 0; j < row.size(); ++j)
      if (row(j) != 0.0) entries.push_back({j, row(j)});
    return entries.size();
  };
  p.begin = entries.size();
  p.middle = add_entries(element.velocity.x);
  p.end = add_entries(element.velocity.s);
}

void Field::find_drives(const Regime& r, const List<Index>& varying) {
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
}

void Field::frame(const List<Held>& pieces) {
  for (Drive& d : drives) {
    d.now = pieces[d.piece];
    d.degree = degree(*d.now.piece);
  }
}

} // namespace stickslip
