// Linear combinations of named quantities, as users write them.
#pragma once

#include "core/fields.hpp"
#include "core/list.hpp"

#include <string>

namespace stickslip {

// factor * quantity of this name
struct Part {
  std::string name;
  double factor = 1.0;

  static constexpr auto fields() {
    return std::tuple{field("name", &Part::name), field("factor", &Part::factor, {}, Range::finite)};
  }
};

// A sum of named quantities, in any order.
struct Combination {
  List<Part> parts;

  bool empty() const { return parts.empty(); }
  bool operator==(const Combination& o) const;
};

// a, a - b, 0.5 a + b
std::string text(const Combination& combination);

} // namespace stickslip
