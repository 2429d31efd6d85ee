// Numerical kernels of core/, open to the tests only: nothing here is part of the public interface.
#include "bind.hpp"

#include "core/error.hpp"
#include "core/polynomial.hpp"
#include "core/roots.hpp"

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <functional>
#include <tuple>

namespace py = pybind11;

namespace stickslip::bindings {
namespace {

int degree_of(const Vector& c) {
  if (c.size() < 1) reject("c", "needs at least one coefficient");
  return static_cast<int>(c.size()) - 1;
}

void bind_polynomials(py::module_& m) {
  m.def("polynomial_value", [](const Matrix& C, double theta) {
    Vector x(C.rows());
    polynomial::value(C, theta, x);
    return x;
  });
  m.def("polynomial_derivative", [](const Matrix& C, double theta, double h, int order) {
    Vector x(C.rows());
    polynomial::derivative(C, theta, h, order, x);
    return x;
  });
  m.def("polynomial_shift", [](const Matrix& C, double start, double scale) {
    Matrix out(C.rows(), C.cols());
    polynomial::shift(C, start, scale, out);
    return out;
  });
  m.def("polynomial_project", [](const Matrix& C, const Vector& w, double offset) {
    Vector c(C.cols());
    polynomial::project(C, w, offset, c.data());
    return c;
  });
  m.def("value_slope", [](const Vector& c, double theta) {
    const auto r = polynomial::value_slope(c.data(), degree_of(c), theta);
    return std::tuple(r.value, r.slope);
  });
}

void bind_roots(py::module_& m) {
  m.def(
      "first_crossing",
      [](const Vector& c, bool zero_at_start, double noise) {
        const auto start = zero_at_start ? GuardStart::zero : GuardStart::as_is;
        const Crossing r = first_crossing(c.data(), degree_of(c), start, noise);
        return std::tuple(r.found, r.at_once, r.theta);
      },
      py::arg("c"), py::arg("zero_at_start") = false, py::arg("noise") = 0.0);
  m.def("extremes", [](const Vector& c) {
    const Extremes e = extremes(c.data(), degree_of(c));
    return std::tuple(e.minimum, e.at_minimum, e.maximum, e.at_maximum);
  });
  m.def("refine_root", [](const std::function<double(double)>& f, double a, double b, double absolute) {
    return refine_root(f, a, b, absolute);
  });
}

} // namespace

void bind_numerics(py::module_& parent) {
  py::module_ m = parent.def_submodule("numerics", "Numerical kernels, for tests only.");
  bind_polynomials(m);
  bind_roots(m);
}

} // namespace stickslip::bindings
