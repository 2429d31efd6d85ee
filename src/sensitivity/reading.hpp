// Samples of a tangent, forwards and backwards.
#pragma once

#include "sensitivity/slopes.hpp"

#include <functional>

namespace stickslip {

// Dependence of a number of the run on its states at t.
struct Reading {
  double t = 0.0;
  const double* weight = nullptr;
};

// Takes the rows of a tangent at the k-th time.
using Sink = std::function<void(Index k, const Tangents& rows)>;

} // namespace stickslip
