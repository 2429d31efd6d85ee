#include "flow/guard_polynomials.hpp"

#include "flow/step.hpp"

#include <algorithm>

namespace stickslip {

void GuardPolynomials::reserve(Index guards, Index columns) {
  highest = columns - 1;
  if (c.rows() < guards || c.cols() < columns)
    c.resize(std::max(guards, c.rows()), std::max(taylor_columns, c.cols()));
}

void GuardPolynomials::set(const Regime& r, const Matrix& C, Index state_columns, const StepSignals& signals,
                           Index signal_degree, double h) {
  const Index columns = std::max(state_columns, signal_degree + 1);
  reserve(r.guards.size(), columns);
  for (Index k = 0; k < r.guards.size(); ++k) {
    double* const of = row(k);
    std::fill_n(of, columns, 0.0);
    for (Index i = 0; i < sys.nx; ++i) {
      const double g = r.Gx(k, i);
      if (g == 0.0) continue;
      const double* const x = C.data() + i;
      for (Index j = 0; j < state_columns; ++j) of[j] += g * x[j * sys.nx];
    }
    for (Index i = 0; i < sys.ns(); ++i) {
      const double g = r.Gs(k, i);
      if (g == 0.0) continue;
      double power = g;
      for (Index j = 0; j <= signal_degree; ++j, power *= h) of[j] += power * signals.series(i, j);
    }
  }
}

void GuardPolynomials::clear(Index guards, Index degree) {
  reserve(guards, degree + 1);
  c.topLeftCorner(guards, degree + 1).setZero();
}

void GuardPolynomials::set_form(Index guard, const GuardTerms& terms, const Matrix& C, Index state_columns,
                                const StepSignals& signals) {
  const Form& form = *terms.form;
  double* const of = row(guard);
  std::fill_n(of, highest + 1, 0.0);
  for (Index i = 0; i < sys.nx; ++i)
    if (form.x(i) != 0.0)
      for (Index j = 0; j < state_columns; ++j) of[j] += terms.sign * form.x(i) * C(i, j);
  Index next = 0;
  for (Index i = 0; i < sys.ns(); ++i) {
    const bool varies = next < signals.varying.size() && signals.varying[next] == i;
    next += varies;
    if (form.s(i) == 0.0) continue;
    if (varies)
      for (Index j = 0; j <= highest; ++j) of[j] += terms.sign * form.s(i) * signals.series(i, j);
    else
      of[0] += terms.sign * form.s(i) * signals.now(i);
  }
}

void GuardPolynomials::stretch(Index guards, double factor) {
  double power = factor;
  for (Index j = 1; j <= highest; ++j, power *= factor)
    for (Index k = 0; k < guards; ++k) c(k, j) *= power;
}

} // namespace stickslip
