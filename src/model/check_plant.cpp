// Checks of a plant.
#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "model/check_names.hpp"

#include <set>
#include <sstream>

namespace stickslip {

namespace {

std::string shape(Index rows, Index cols) {
  std::ostringstream text;
  text << "(" << rows << ", " << cols << ")";
  return text.str();
}

void check_matrix(const std::string& name, const Matrix& m, Index rows, Index cols) {
  if (m.rows() != rows || m.cols() != cols)
    reject(name, "has shape " + shape(m.rows(), m.cols()) + ", expected " + shape(rows, cols));
  if (!m.allFinite()) reject(name, "holds NaN or infinity: every entry must be finite");
}

void check_names(const std::string& what, const List<std::string>& names, Index count,
                 const std::string& of) {
  if (names.size() != count)
    reject(what, "has " + std::to_string(names.size()) + " entries for " + std::to_string(count) + " " + of);
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (name.empty()) reject(what, "holds an empty string");
    if (!seen.insert(name).second)
      reject(what, "= '" + name + "' is taken: all names of a machine share one name space");
  }
}

// Kinetic energy is a positive definite quadratic form, so the mass matrix is symmetric; coordinates without mass, which
// constraints tie to others, have zeros in it. The skew parts of damping (gyroscopic) and stiffness (circulatory) are
// physical forces.
void check_mass(const Matrix& mass) {
  const double size = mass.cwiseAbs().maxCoeff();
  const Matrix skew = (mass - mass.transpose()).cwiseAbs();
  Index i = 0, j = 0;
  if (skew.maxCoeff(&i, &j) > tolerance::product * size) {
    std::ostringstream text;
    text << "is not symmetric: mass[" << std::min(i, j) << ", " << std::max(i, j)
         << "] = " << mass(std::min(i, j), std::max(i, j)) << ", but mass[" << std::max(i, j) << ", "
         << std::min(i, j) << "] = " << mass(std::max(i, j), std::min(i, j))
         << "; kinetic energy needs a symmetric positive definite matrix";
    reject("mass", text.str());
  }
  for (Index k = 0; k < mass.rows(); ++k)
    if (!(mass(k, k) > 0.0 || mass.row(k).isZero(0.0)))
      reject("mass[" + std::to_string(k) + "]", mass(k, k), "> 0, or 0 where constraints tie the coordinate");
  if (mass.isDiagonal(0.0)) return;
  // Scaled to a unit diagonal, so that grams beside tonnes pass and only an indefinite matrix fails.
  const Vector d = (mass.diagonal().array() > 0.0).select(mass.diagonal().cwiseSqrt().cwiseInverse(), 1.0);
  Matrix scaled = d.asDiagonal() * mass * d.asDiagonal();
  scaled.diagonal().setOnes();
  if (!(linalg::symmetric_eigenvalues(scaled)(0) > tolerance::rounding))
    reject("mass", "is not positive definite");
}

void check(const Plant& p) {
  const Index n = p.mass.rows();
  if (n < 1) reject("mass", "is empty: a machine has at least one coordinate");
  check_matrix("mass", p.mass, n, n);
  check_matrix("damping", p.damping, n, n);
  check_matrix("stiffness", p.stiffness, n, n);
  check_mass(p.mass);
  check_names("names", p.names, n, "coordinates");
  for (const std::string& name : p.rotary)
    if (!holds(p.names, name))
      throw UnknownName("rotary names '" + name + "', which is no coordinate; known are: " + quoted(p.names));
  for (const std::string& name : p.names)
    if (name.find('.') != std::string::npos)
      reject("names", "= '" + name + "' contains a dot, which is reserved for signals of elements");
}

void check(const MatrixPlant& p) {
  const Index n = p.A.rows(), m = p.B.cols(), outputs = p.C.rows();
  if (n < 1) reject("A", "is empty: a plant has at least one state");
  check_matrix("A", p.A, n, n);
  check_matrix("B", p.B, n, m);
  check_matrix("C", p.C, outputs, n);
  check_matrix("D", p.D, outputs, m);
  check_names("states", p.states, n, "states");
  check_names("inputs", p.inputs, m, "inputs");
  check_names("outputs", p.outputs, outputs, "outputs");
  for (Index i = 0; i < p.outputs.size(); ++i) // an output may be a state, with the name of that state
    for (Index j = 0; j < p.states.size(); ++j) {
      if (p.outputs[i] == p.states[j] &&
          (!p.D.row(i).isZero(0.0) || p.C.row(i).transpose() != Vector::Unit(n, j)))
        reject("outputs",
               "= '" + p.outputs[i] +
                   "' is not allowed: it must be other than a state's name unless it is that state");
    }
}

} // namespace

void check(const AnyPlant& plant) {
  std::visit([](const auto& p) { check(p); }, plant);
  if (const auto* p = std::get_if<Plant>(&plant))
    NameCheck(plant).expression("mass", p->mass_expression, p->mass.size(), false);
}

} // namespace stickslip
