// Options of the stick/slip automaton (Klotzbach, Henrichfreise): frictional memory, dwell, elastic
// presliding and load dependence, on top of any law with a jump at v = 0. Zero switches an option off.
#pragma once

namespace stickslip {

struct Automaton {
  double lag = 0.0;             // T_fr, s: first-order lag of the dry force while sliding
  double dwell = 0.0;           // T_dwell, s: rise of the static level while sticking
  double travel = 0.0;          // s_max, m: presliding displacement at which the static level is reached
  double surface_damping = 0.0; // b_surface, N s/m
  double load_factor = 0.0;     // nu: share of the load force that adds to the kinetic level

  bool operator==(const Automaton&) const = default;
};

} // namespace stickslip
