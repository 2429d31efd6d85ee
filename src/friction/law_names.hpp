// Public names of friction laws and of their options, for all forms in which descriptions are saved.
#pragma once

#include "core/fields.hpp"
#include "friction/law.hpp"

namespace stickslip {

template <> struct Kind<Term> {
  static constexpr const char* list[] = {
      "Coulomb", "Viscous",         "Stribeck",      "Tanh",        "Table",   "Curve",  "LuGre",
      "Dahl",    "TwoStateBristle", "ElastoPlastic", "MaxwellSlip", "BoucWen", "Leuven", "FormulaLaw"};
};

template <> struct Words<StribeckForm> {
  static constexpr const char* list[] = {"exponential", "lorentzian"};
};

} // namespace stickslip
