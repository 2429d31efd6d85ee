// Event indicators of FMI. Each is the greatest of the guards that one element has in the present modes, relative to its
// size, and -1 if it has none there, so that their number is the same in all modes. Guards fire where they become
// positive, as event indicators do.
#pragma once

#include "core/list.hpp"
#include "dynamics/regime.hpp"

#include <string>

namespace stickslip {

class EventIndicators {
public:
  explicit EventIndicators(const System& sys);

  static List<std::string> names(const System& sys);

  // The regime and the sizes of its guards, which are kept until the next decision.
  void bind(const Regime& regime, const Vector& guard_sizes);
  double size_of(Index guard) const { return sizes(guard); }
  // Offsets of the guards just behind a decision. Those that it has left at zero, within `accuracy` of their size, begin
  // negative, whatever the sign of their errors: they count from a little above zero until they have left it. Those
  // that fall below at once, by their values `soon`, have no error but that of rounding.
  Vector offsets(const Vector& guards, const Vector& soon, double accuracy) const;
  // Offsets of guards that have left zero end. `guards`: at the end of a step.
  void release(const Vector& guards, Vector& offsets) const;

  Vector combine(const Vector& guards, const Vector& offsets) const;

private:
  const System& sys;
  const Regime* regime = nullptr;
  Vector sizes;

  Index count() const;
  Index indicator_of(const Guard& guard) const;
};

} // namespace stickslip
