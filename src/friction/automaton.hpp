// Options of the stick/slip automaton (Klotzbach, Henrichfreise): frictional memory, dwell, elastic
// presliding and load dependence, on top of any law with a jump at v = 0. Zero switches an option off.
#pragma once

#include "core/fields.hpp"

namespace stickslip {

struct Automaton {
  double lag = 0.0; // T_fr, s: first-order lag of the dry force while sliding
  double dead_time =
      0.0; // tau, s: the dry force while sliding is that of the velocity tau ago, instead of the lag
  double dwell = 0.0;           // T_dwell, s: rise of the static level while sticking
  double travel = 0.0;          // s_max, m: presliding displacement at which the static level is reached
  double surface_damping = 0.0; // b_surface, N s/m
  double load_factor = 0.0;     // nu: share of the load force that adds to the kinetic level

  static constexpr auto fields() {
    using A = Automaton;
    return std::tuple{field("memory", &A::lag, quantity::time, Range::non_negative),
                      field("dead_time", &A::dead_time, quantity::time, Range::non_negative),
                      field("dwell", &A::dwell, quantity::time, Range::non_negative),
                      field("travel", &A::travel, quantity::position, Range::non_negative),
                      field("surface_damping", &A::surface_damping, quantity::damping, Range::non_negative),
                      field("load_factor", &A::load_factor, quantity::number, Range::non_negative)};
  }
};

} // namespace stickslip
