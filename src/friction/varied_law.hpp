// A law with derivatives by several parameters, each of which changes some of its numbers: a Dual in place of each.
#pragma once

#include "friction/law.hpp"

namespace stickslip {

class VariedLaw {
public:
  static constexpr Index seeds = 4;
  using Number = Dual<seeds>;

  // False if a term computes its force from a table or a function, whose numbers are no Duals.
  static bool exists_for(const Law&);
  // The numbers of the terms one after the other; infinite ones, which do not vary, as zero.
  static Vector numbers(const Law&);
  // `slopes`: derivatives of the numbers, a column for each of at most `seeds` parameters.
  VariedLaw(const Law&, const Matrix& slopes);

  ForceOf<Number> force(double v, int direction, unsigned branch, const Number* z, Number* zdot) const;

  List<std::variant<CoulombOf<Number>, ViscousOf<Number>, StribeckOf<Number>, TanhOf<Number>, LuGreOf<Number>,
                    DahlOf<Number>, TwoStateBristleOf<Number>, ElastoPlasticOf<Number>, MaxwellSlipOf<Number>,
                    BoucWenOf<Number>, LeuvenOf<Number>>>
      terms;
};

} // namespace stickslip
