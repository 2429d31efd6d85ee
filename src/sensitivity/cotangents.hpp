// The derivative of one number of a run, accumulated backwards along it, by each entry of the matrices of modes and
// sampled controllers. The derivatives of these matrices by the parameters are multiplied in at the end, once for the
// whole run: so many parameters cost as much as one.
#pragma once

#include "dynamics/regime.hpp"

#include <map>
#include <utility>

namespace stickslip {

struct RegimeCotangents {
  Matrix A, B, E, Gx, Gs; // as in RegimeSlopes

  explicit RegimeCotangents(const Regime& of);
};

struct BlockCotangents {
  Matrix A, B, C, D, L;
  Vector lo, hi;
  Matrix by_state, by_signal; // of its inputs
};

struct Cotangents {
  Vector gradient; // by the parameters, for effects not in these matrices
  std::map<const Regime*, RegimeCotangents> regimes;
  std::map<std::pair<const LinearPart*, Index>, BlockCotangents> blocks; // of which controller
  std::map<const LinearPart*, const Regime*> read_in;                    // one that has these inputs

  explicit Cotangents(Index parameters) : gradient(Vector::Zero(parameters)) {}

  RegimeCotangents& of(const Regime& regime);

private:
  const Regime* last = nullptr; // mostly the same as in the next call
  RegimeCotangents* found = nullptr;
};

} // namespace stickslip
