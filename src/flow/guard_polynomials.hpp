// Guards of one step as polynomials of theta.
#pragma once

#include "core/types.hpp"
#include "dynamics/regime.hpp"
#include "flow/step_signals.hpp"

#include <cmath>

namespace stickslip {

class GuardPolynomials {
public:
  explicit GuardPolynomials(const System& of) : sys(of) {}

  double* row(Index guard) { return c.row(guard).data(); } // its coefficients
  const double* row(Index guard) const { return c.row(guard).data(); }
  Index degree() const { return highest; }
  double size(Index guard) const { // of its terms
    double sum = 0.0;
    for (Index j = 0; j <= highest; ++j) sum += std::abs(c(guard, j));
    return sum;
  }

  // Guards of an affine regime: linear forms of the state, with `state_columns` coefficients by powers of time / h in
  // C, and of the signals, whose series is in powers of the time.
  void set(const Regime& r, const Matrix& C, Index state_columns, const StepSignals& signals,
           Index signal_degree, double h);
  // Room for polynomials of this degree, all of them zero.
  void clear(Index guards, Index degree);
  // One that is a linear form, where the signals' series is in powers of theta.
  void set_form(Index guard, const GuardTerms& terms, const Matrix& C, Index state_columns,
                const StepSignals& signals);
  // Fits the first guards to values (guards x places) with the matrix from values to coefficients.
  template <class Values, class ToCoefficients>
  void fit(const Values& values, const ToCoefficients& to_coefficients) {
    c.topLeftCorner(values.rows(), to_coefficients.rows()).noalias() =
        values.lazyProduct(to_coefficients.transpose());
  }
  // In theta / factor in place of theta.
  void stretch(Index guards, double factor);

private:
  const System& sys;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> c; // at least as large as needed
  Index highest = 0;

  void reserve(Index guards, Index columns);
};

} // namespace stickslip
