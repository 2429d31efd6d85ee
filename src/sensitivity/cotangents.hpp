// The derivative of one number of a run, gathered backwards along it: by each entry of the matrices that a mode and a
// sampled controller are made of. What the parameters do to these is multiplied in at the end, once for the whole run:
// so many parameters cost what one does.
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
  Vector gradient; // by the parameters, of what is not gathered
  std::map<const Regime*, RegimeCotangents> regimes;
  std::map<std::pair<const LinearPart*, Index>, BlockCotangents> blocks; // of which controller
  std::map<const LinearPart*, const Regime*> read_in;                    // one that has these inputs

  explicit Cotangents(Index parameters) : gradient(Vector::Zero(parameters)) {}

  RegimeCotangents& of(const Regime& regime);

private:
  const Regime* last = nullptr; // followed by itself, mostly
  RegimeCotangents* found = nullptr;
};

} // namespace stickslip
