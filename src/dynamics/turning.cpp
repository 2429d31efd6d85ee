#include "dynamics/turning.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

void TurningRates::make_room() {
  const Tape& tape = sys.smooth->slopes.tape;
  slots = Vector::Zero(tape.slots());
  prepare(tape, slots.data());
  unbalanced.resize(sys.n_coordinates, sys.nx + 1);
  change.signals.resize(sys.ns(), sys.nx + 1);
  change.accelerations = Matrix::Zero(sys.nx, sys.nx + 1);
  change.velocities.resize(sys.friction.size(), sys.nx + 1);
}

const Turning& TurningRates::find(const FormulaValues& formulas, const Matrix& inverse_mass,
                                  const double* xdot, const double* force, const Vector& constraints,
                                  const double* sdot) {
  const Smooth::Slopes& slopes = sys.smooth->slopes;
  const Index n = sys.n_coordinates, inputs = sys.smooth->inputs.size();
  const Index others = sys.friction.size() + sys.contacts.size();
  if (slots.size() == 0) make_room();
  for (Index i = 0; i < inputs; ++i) slots(i) = formulas.input(i);
  std::copy_n(xdot + n, n, slots.data() + inputs);
  for (Index k = 0; k < slopes.forces.size(); ++k) {
    const Index at = slopes.forces[k];
    slots(inputs + n + k) = at < others ? force[at] : constraints(at - others);
  }
  sides.clear();
  for (const Index c : slopes.conditions)
    if (!formulas.sides().empty()) sides.push_back(formulas.sides()[c]);
  evaluate_on_sides(slopes.tape, sides, slots);
  change.signals.setZero(), change.velocities.setZero(), unbalanced.setZero();
  change.signals.col(sys.nx) = Eigen::Map<const Vector>(sdot, sys.ns());
  add(change.signals, slopes.signals);
  add(change.velocities, slopes.velocities);
  add(unbalanced, slopes.balance);
  change.accelerations.middleRows(n, n).noalias() = inverse_mass * unbalanced;
  return change;
}

void TurningRates::add(Matrix& out, const List<Smooth::Slopes::Entry>& entries) const {
  for (const Smooth::Slopes::Entry& e : entries) {
    const double slope = slots(sys.smooth->slopes.tape.outputs[e.result]);
    if (std::isfinite(slope)) // where it is infinite, as that of sqrt(x) at 0, none serves
      out(e.of, e.state < 0 ? sys.nx : e.state) += slope;
  }
}

} // namespace stickslip
