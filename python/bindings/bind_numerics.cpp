// Numerical kernels of core/, open to the tests only: nothing here is part of the public interface.
#include "bind.hpp"

#include "lugre_spring.hpp"

#include "core/affine_taylor.hpp"
#include "core/dopri5.hpp"
#include "core/error.hpp"
#include "core/polynomial.hpp"
#include "core/roots.hpp"
#include "core/rosenbrock.hpp"
#include "core/settled.hpp"
#include "core/step_control.hpp"
#include "run/simulate.hpp"

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <tuple>
#include <vector>

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

using Field = std::function<Vector(double, const Vector&)>;

// A Python right-hand side in the form that the steppers take.
auto callable(const Field& f, Index n) {
  return [&f, n](double t, const double* x, double* dx) {
    const Vector rate = f(t, Eigen::Map<const Vector>(x, n));
    if (rate.size() != n) reject("f", "must return as many values as it is given");
    Eigen::Map<Vector>(dx, n) = rate;
  };
}

void bind_steppers(py::module_& m) {
  m.def("dopri5_step", [](const Field& f, double t, const Vector& x, double h) {
    Dopri5Workspace w(x.size());
    const Vector k1 = f(t, x);
    dopri5_attempt(callable(f, x.size()), t, x.data(), k1.data(), h, w);
    Matrix C(x.size(), dopri5_dense_columns);
    dopri5_dense(x.data(), h, w, C);
    return std::tuple(w.x1, Vector(w.k.col(6)), w.error, C);
  });
  m.def("rosenbrock_step", [](const Field& f, const Matrix& J, const py::object& ft, double t,
                              const Vector& x, double h) {
    RosenbrockWorkspace w(x.size());
    const Vector f0 = f(t, x);
    const bool autonomous = ft.is_none();
    const Vector rate = autonomous ? Vector() : ft.cast<Vector>();
    const auto field = callable(f, x.size());
    const double* const fx = autonomous ? nullptr : rate.data();
    const bool done = x.size() == 3 ? rosenbrock_attempt<3>(field, t, x.data(), f0.data(), J.data(), fx, h, w)
                                    : rosenbrock_attempt(field, t, x.data(), f0.data(), J.data(), fx, h, w);
    Matrix C(x.size(), rosenbrock_dense_columns);
    if (done) {
      rosenbrock_dense(x.data(), w, C);
      rosenbrock_residual(field, t, h, C, w);
    }
    return std::tuple(done, w.x1, w.error, C, w.residual);
  });
  m.def("rodas5p", [] {
    py::dict d;
    d["gamma"] = rodas5p::gamma;
    d["a"] = rodas5p::a, d["C"] = rodas5p::C, d["H"] = rodas5p::H, d["c"] = rodas5p::c, d["d"] = rodas5p::d;
    return d;
  });
  m.def("lugre_spring", [](double t_end, double rtol, Index samples) {
    const auto start = std::chrono::steady_clock::now();
    const LuGreRun run = run_lugre({}, t_end, rtol, samples);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return std::tuple(run.position, run.steps, run.rejected, run.crossings, elapsed.count());
  });
  m.def("lu_solve", [](Matrix a, const Vector& b) {
    Eigen::VectorXi order(a.rows());
    Vector x(a.rows());
    const bool regular = lu_factor(a.data(), a.rows(), order.data());
    if (regular) lu_solve(a.data(), a.rows(), order.data(), b.data(), x.data());
    return std::tuple(regular, x);
  });
}

void bind_step_control(py::module_& m) {
  m.def("error_norm",
        [](const Vector& e, const Vector& x0, const Vector& x1, const Vector& atol, double rtol) {
          return error_norm(e.data(), x0.data(), x1.data(), atol.data(), rtol, e.size());
        });
  m.def("fit_step", &fit_step);
  m.def("rough_log2", &rough_log2);
  m.def("rough_exp2", &rough_exp2);
  m.def("initial_step", [](const Field& f, double t, const Vector& x, int order, const Vector& atol,
                           double rtol, double horizon, double hint) {
    const Vector f0 = f(t, x);
    Vector work(2 * x.size());
    return initial_step(callable(f, x.size()), t, x.data(), f0.data(), x.size(), order, atol.data(), rtol,
                        horizon, hint, work.data());
  });
  py::class_<StepController>(m, "StepController")
      .def(py::init<>())
      .def("restart", &StepController::restart)
      .def("next", [](StepController& c, double error) {
        bool accepted = false;
        const double factor = c.next(error, accepted);
        return std::tuple(accepted, factor);
      });
}

void bind_affine_taylor(py::module_& m) {
  m.def(
      "affine_taylor",
      [](const Matrix& A, const Matrix& S, const Matrix& s, const Vector& x0, double horizon,
         const Vector& scale, Index columns) {
        Matrix C(A.rows(), columns);
        double h = 0.0;
        const Index degree = affine_taylor(A, S, s, x0.data(), horizon, StateSizes(scale), C, h);
        return std::tuple(Matrix(C.leftCols(degree + 1)), h);
      },
      py::arg("A"), py::arg("S"), py::arg("s"), py::arg("x0"), py::arg("horizon"), py::arg("scale"),
      py::arg("columns") = affine_taylor_degree + 1);
  // Step after step to the end, with a drive that is constant; also the number of steps and the time it took.
  m.def("affine_propagate",
        [](const Matrix& A, const Vector& drive, Vector x, double t_end, const Vector& scale) {
          Matrix C(A.rows(), affine_taylor_degree + 1);
          const Matrix S = drive, s = Matrix::Ones(1, 1);
          const StateSizes sizes(scale);
          Index steps = 0;
          const auto start = std::chrono::steady_clock::now();
          for (double left = t_end; left > 0.0; ++steps) {
            double h = 0.0;
            const Index degree = affine_taylor(A, S, s, x.data(), left, sizes, C, h);
            for (Index i = 0; i < x.size(); ++i) {
              double sum = C(i, degree);
              for (Index k = degree - 1; k >= 0; --k) sum += C(i, k);
              x[i] = sum;
            }
            left = h < left ? left - h : 0.0;
          }
          const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
          return std::tuple(x, steps, elapsed.count());
        });
  m.def(
      "settled_splits",
      [](const Matrix& A) {
        py::list out;
        for (const SettledSplit& s : settled_splits(A))
          out.append(py::make_tuple(s.As, s.Rs, s.Ls, s.Af_inverse, s.Rf, s.Lf, s.slow_rate, s.fast_rate));
        return out;
      },
      py::arg("A"));
}

// Whole runs timed here, so that benchmarks do not time Python: everything simulate() does that keeps events
// alone, from a compiled machine and initial values. Best time of one run, event times of the last.
void bind_run_timer(py::module_& m) {
  m.def(
      "time_runs",
      [](const std::shared_ptr<Compiled>& compiled, const Vector& x0, double t_end, double rtol, int count) {
        Options options;
        options.t_end = t_end;
        options.rtol = rtol;
        options.keep = Keep::events;
        double best = std::numeric_limits<double>::infinity();
        std::vector<double> times;
        for (int i = 0; i < count; ++i) {
          const auto start = std::chrono::steady_clock::now();
          const Trajectory run = simulate(compiled, initial_state(compiled->system, 0.0, x0), options, {});
          const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
          best = std::min(best, elapsed.count());
          times.clear();
          for (const EventRow& e : run.events.rows) times.push_back(e.time);
        }
        return std::tuple(best, times);
      },
      py::arg("compiled"), py::arg("x0"), py::arg("t_end"), py::arg("rtol"), py::arg("count"));
}

} // namespace

void bind_numerics(py::module_& parent) {
  py::module_ m = parent.def_submodule("numerics", "Numerical kernels, for tests only.");
  bind_polynomials(m);
  bind_roots(m);
  bind_steppers(m);
  bind_step_control(m);
  bind_affine_taylor(m);
  bind_run_timer(m);
}

} // namespace stickslip::bindings
