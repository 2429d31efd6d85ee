// What stickslip/lcp.py puts a documented face on. Arrays are C-contiguous float64 there already.
#include "bind.hpp"

#include "contact/certified.hpp"
#include "contact/classify.hpp"
#include "core/error.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace stickslip::bindings {

namespace {

namespace py = pybind11;
using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Bits = py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>;

lcp::Problem problem(const Array& M, const Array& q) {
  if (M.ndim() != 2) reject("M", "has " + std::to_string(M.ndim()) + " dimensions: it must have 2");
  if (q.ndim() != 1) reject("q", "has " + std::to_string(q.ndim()) + " dimensions: it must have 1");
  lcp::validate(M.shape(0), M.shape(1), q.shape(0));
  const lcp::Problem p{q.shape(0), M.data(), q.data()};
  lcp::validate(p);
  return p;
}

template <class T> py::array_t<T> copy(const std::vector<T>& v) {
  return py::array_t<T>(static_cast<py::ssize_t>(v.size()), v.data());
}

py::array_t<double> copy(const Vector& v) {
  return py::array_t<double>(v.size(), v.data());
}

py::array_t<double> copy(const lcp::RowMatrix& m, Index n) {
  return py::array_t<double>(std::vector<py::ssize_t>{m.rows(), n}, m.data());
}

py::tuple members(lcp::Basis b) {
  py::list l;
  for (int i = 0; i < 32; ++i)
    if ((b >> i & 1U) != 0) l.append(i);
  return py::tuple(l);
}

// The interpreter is needed only to look for Ctrl-C.
void interrupt() {
  const py::gil_scoped_acquire hold;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

py::tuple lemke(const Array& M, const Array& q, const std::optional<Array>& covering,
                const std::optional<Bits>& basis, Index max_pivots, bool record) {
  const lcp::Problem p = problem(M, q);
  lcp::LemkeOptions o;
  o.max_pivots = max_pivots;
  o.record = record;
  if (covering) {
    if (covering->ndim() != 1 || covering->shape(0) != p.n) reject("covering", "must have the length of q");
    o.covering = covering->data();
  }
  if (basis) {
    if (basis->ndim() != 1 || basis->shape(0) != p.n) reject("start", "must have the length of q");
    o.start_basis = basis->data();
  }
  lcp::LemkeWorkspace ws;
  lcp::LemkeResult r;
  {
    const py::gil_scoped_release free;
    lcp::InterruptCheck check(interrupt);
    r = lcp::lemke_certified(p, ws, o, check);
  }
  std::vector<std::tuple<Index, Index, Index>> path;
  for (const lcp::LemkePivot& step : ws.path) path.emplace_back(step.attempt, step.entering, step.leaving);
  return py::make_tuple(copy(ws.z), copy(ws.w), std::string(lcp::name(r.status)), r.pivots, r.attempts,
                        r.residual, copy(ws.basis), path, copy(ws.path_covers));
}

// Problems row by row; matrices one for all or one each.
struct Batch {
  Index count, n;
  bool shared;
  const double *M, *q;

  Batch(const Array& matrices, const Array& vectors) {
    if (vectors.ndim() != 2)
      reject("q", "has " + std::to_string(vectors.ndim()) + " dimensions: a batch needs shape (k, n)");
    if (matrices.ndim() != 2 && matrices.ndim() != 3) reject("M", "must have shape (n, n) or (k, n, n)");
    shared = matrices.ndim() == 2;
    count = vectors.shape(0), n = vectors.shape(1);
    lcp::validate(matrices.shape(shared ? 0 : 1), matrices.shape(shared ? 1 : 2), n);
    if (!shared && matrices.shape(0) != count)
      reject("M",
             "holds " + std::to_string(matrices.shape(0)) + " matrices for " + std::to_string(count) + " q");
    M = matrices.data(), q = vectors.data();
  }

  lcp::Problem problem(Index i) const {
    const lcp::Problem p{n, M + (shared ? 0 : i * n * n), q + i * n};
    lcp::validate(p);
    return p;
  }
};

// Results row by row.
py::tuple lemke_batch(const Array& M, const Array& q, Index max_pivots) {
  const Batch batch(M, q);
  const Index k = batch.count, n = batch.n;
  Array z({k, n}), residual(k);
  py::array_t<std::int8_t> status(k);
  py::array_t<std::int64_t> pivots(k);
  double *pz = z.mutable_data(), *pr = residual.mutable_data();
  std::int8_t* ps = status.mutable_data();
  std::int64_t* pp = pivots.mutable_data();
  {
    py::gil_scoped_release free;
    lcp::LemkeWorkspace ws;
    lcp::LemkeOptions o;
    o.max_pivots = max_pivots;
    lcp::InterruptCheck check(interrupt);
    for (Index i = 0; i < k; ++i) {
      const lcp::Problem p = batch.problem(i);
      const lcp::LemkeResult r = lcp::lemke_certified(p, ws, o, check);
      check();
      std::copy(ws.z.begin(), ws.z.end(), pz + i * n);
      pr[i] = r.residual, ps[i] = static_cast<std::int8_t>(r.status), pp[i] = r.pivots;
    }
  }
  return py::make_tuple(z, status, pivots, residual);
}

py::dict solve_all(const Array& M, const Array& q, Index max_bases) {
  const lcp::Problem p = problem(M, q);
  lcp::EnumerationWorkspace ws;
  lcp::Enumeration e;
  lcp::InterruptCheck check(interrupt);
  {
    const py::gil_scoped_release free;
    e = lcp::solve_all_certified(p, ws, max_bases, check);
  }
  py::list solutions, singular;
  for (const lcp::Solution& s : e.solutions) {
    check();
    py::list bases;
    for (const lcp::Basis b : s.bases) bases.append(members(b));
    solutions.append(py::make_tuple(copy(s.z), copy(s.w), members(s.basis), py::tuple(bases),
                                    copy(s.vertices, p.n), copy(s.directions, p.n), s.residual));
  }
  for (const lcp::Basis b : e.singular_bases) singular.append(members(b));
  py::dict d;
  d["solutions"] = solutions;
  d["singular_bases"] = py::tuple(singular);
  d["leaves"] = e.leaves;
  d["doubtful"] = e.doubtful > 0;
  return d;
}

// Ragged: the solutions of problem i are rows offsets[i] .. offsets[i + 1] of z.
py::tuple solve_all_batch(const Array& M, const Array& q, Index max_bases) {
  const Batch batch(M, q);
  const Index k = batch.count, n = batch.n;
  std::vector<double> z;
  std::vector<std::int64_t> offset{0};
  std::vector<std::uint8_t> continuum, doubtful;
  {
    py::gil_scoped_release free;
    lcp::EnumerationWorkspace ws;
    lcp::InterruptCheck check(interrupt);
    for (Index i = 0; i < k; ++i) {
      const lcp::Problem p = batch.problem(i);
      const lcp::Enumeration e = lcp::solve_all_certified(p, ws, max_bases, check);
      check();
      doubtful.push_back(e.doubtful > 0 ? 1 : 0);
      for (const lcp::Solution& s : e.solutions) {
        z.insert(z.end(), s.z.data(), s.z.data() + n);
        continuum.push_back(s.continuum() ? 1 : 0);
      }
      offset.push_back(static_cast<std::int64_t>(continuum.size()));
    }
  }
  const py::array_t<double> flat(std::vector<py::ssize_t>{static_cast<py::ssize_t>(continuum.size()), n},
                                 z.data());
  return py::make_tuple(flat, copy(offset), copy(continuum), copy(doubtful));
}

double residual(const Array& M, const Array& q, const Array& z) {
  const lcp::Problem p = problem(M, q);
  if (z.ndim() != 1 || z.shape(0) != p.n) reject("z", "must have the length of q");
  return lcp::residual(p, z.data());
}

py::object answer(lcp::Answer a) {
  if (a == lcp::Answer::unknown) return py::none();
  return py::bool_(a == lcp::Answer::yes);
}

py::dict classify(const Array& M, double tolerance) {
  if (M.ndim() != 2) reject("M", "has " + std::to_string(M.ndim()) + " dimensions: it must have 2");
  lcp::validate(M.shape(0), M.shape(1), M.shape(0));
  const Vector zero = Vector::Zero(M.shape(0));
  const lcp::Problem p{M.shape(0), M.data(), zero.data()};
  lcp::validate(p);
  const lcp::Classification c = lcp::classify(p, tolerance);
  py::dict d;
  d["p_matrix"] = answer(c.p_matrix);
  d["positive_definite"] = c.positive_definite;
  d["positive_semidefinite"] = c.positive_semidefinite;
  d["copositive"] = answer(c.copositive);
  d["strictly_copositive"] = answer(c.strictly_copositive);
  return d;
}

} // namespace

void bind_contact(py::module_ m) {
  using namespace py::literals;
  m.attr("largest_enumeration") = lcp::largest_enumeration;
  py::list names;
  for (int i = 0; i <= static_cast<int>(lcp::Status::doubtful); ++i)
    names.append(lcp::name(static_cast<lcp::Status>(i)));
  m.attr("statuses") = py::tuple(names);
  m.def("lemke", &lemke, "M"_a, "q"_a, "covering"_a = py::none(), "start"_a = py::none(), "max_pivots"_a = 0,
        "record"_a = false);
  m.def("lemke_batch", &lemke_batch, "M"_a, "q"_a, "max_pivots"_a = 0);
  m.def("solve_all", &solve_all, "M"_a, "q"_a, "max_bases"_a);
  m.def("solve_all_batch", &solve_all_batch, "M"_a, "q"_a, "max_bases"_a);
  m.def("residual", &residual, "M"_a, "q"_a, "z"_a);
  m.def("classify", &classify, "M"_a, "tolerance"_a = 1e-12);
}

} // namespace stickslip::bindings
