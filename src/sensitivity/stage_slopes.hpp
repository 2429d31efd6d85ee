// Slopes of x' by the states at the points of a step: by their entries where laws at given loads give all forces, else as
// a matrix.
#pragma once

#include "sensitivity/slopes.hpp"

namespace stickslip {

class StageSlopes {
public:
  explicit StageSlopes(Replica& base) : machine(base) {}

  void find(const RegimeSlopes& r, double frame, double t, const Vector& x);
  // out = J V, and J^T V.
  void multiply(const Tangents& V, Tangents& out) const;
  void multiply_transposed(const Vector& v, Vector& out) const;
  const Matrix& matrix();                   // makes all of it,
  const Matrix& known() const { return J; } // which is then known
  bool rates_are_velocities() const {
    return regime->velocities;
  } // true: of the coordinates; false: not known
  double products() const; // of one multiplication by a vector

private:
  Replica& machine;
  const RegimeSlopes* regime = nullptr;
  Vector of_laws; // slopes of laws, as counted in RegimeSlopes
  Matrix J;
  bool whole = false; // J is known
};

} // namespace stickslip
