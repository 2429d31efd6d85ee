// History of an element with dead time: its sliding velocity over the last tau seconds, from the steps of the run,
// and the times at which it is not smooth.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"

#include <array>
#include <cstdint>

namespace stickslip {

struct Past {
  static constexpr Index columns = 5; // of the dense form of a step
  enum class Kind : std::int8_t {
    rests,    // it stuck
    constant, // c[0] is the velocity
    moves     // sum_k c[k] theta^k, theta = (t - start) / h, plus the terms of signals
  };
  // Holds up to the start of the next piece, the last one up to now and beyond.
  struct Piece {
    double start = 0.0, h = 1.0;
    Kind kind = Kind::rests;
    std::int8_t joint = 0; // lowest derivative of the velocity that jumps at the start
    std::array<double, columns> c{};

    bool operator==(const Piece&) const = default;
  };
  List<Piece> pieces;

  // A jump of the k-th derivative comes back tau later as one of the next. A jump of this one or of a higher one makes
  // one of the sixth derivative of the motion at least, of which a method of order 5 sees nothing.
  static constexpr std::int8_t smooth = 5;

  bool rests() const { return pieces.size() <= 1 && (pieces.empty() || pieces[0].kind == Kind::rests); }
  bool operator==(const Past&) const = default;
};

} // namespace stickslip
