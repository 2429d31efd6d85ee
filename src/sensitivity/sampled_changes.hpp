// Derivatives of sampled controllers and of their inputs by the parameters.
#pragma once

#include "sensitivity/cotangents.hpp"
#include "sensitivity/slopes.hpp"

#include <map>
#include <string>
#include <utility>

namespace stickslip {

class SampledChanges {
public:
  SampledChanges(Replica& base, const Parameters& parameters);

  struct Change { // of a block and of its inputs, by a parameter
    Index parameter;
    Matrix A, B, C, D, L;
    Vector lo, hi;
    double period;
    Matrix by_state, by_signal; // of its inputs
  };
  using Changes = List<Change>;
  const Changes& of(const Regime& regime, Index loop);
  // The derivatives by the parameters that the gathered ones of controllers amount to.
  void contract(Cotangents& all);

  Matrix periods, delays; // derivatives: parameters x loops

private:
  Replica& machine;
  const Parameters& by;
  std::map<std::pair<const LinearPart*, Index>, Changes> known;
};

// The name of a sampled controller whose instants this parameter moves; empty: none.
std::string moved_instants(const System& base, const Neighbours& p);

} // namespace stickslip
