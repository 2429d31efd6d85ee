// Mechanical plants and plants in matrix notation become x' = A x + S s(t) here.
#include "core/linalg.hpp"
#include "core/tolerances.hpp"
#include "model/draft.hpp"

namespace stickslip {

namespace {

void declare(Draft& d, const Plant& p) {
  System& sys = d.sys;
  const Index n = p.mass.rows();
  sys.n_coordinates = n;
  sys.coordinates.assign(p.names.begin(), p.names.end());
  for (const std::string& name : p.names) d.add_state(name + ".position");
  for (const std::string& name : p.names) d.add_state(name + ".velocity");
  sys.mass = p.mass;
  sys.damping = p.damping;
  sys.stiffness = p.stiffness;
  const Matrix skew = 0.5 * (p.stiffness - p.stiffness.transpose());
  if (skew.cwiseAbs().maxCoeff() > tolerance::product * p.stiffness.cwiseAbs().maxCoeff())
    sys.circulatory = skew;
  // A mass matrix that is a function of the position is the identity matrix here. A diagonal one is inverted entry by
  // entry, without further rounding.
  if (!p.mass_expression.outputs.empty() || massless(p.mass).any()) // the latter: see declare_constraints
    d.inverse_mass = Matrix::Identity(n, n);
  else if (p.mass.isDiagonal(0.0))
    d.inverse_mass = p.mass.diagonal().cwiseInverse().asDiagonal();
  else
    d.inverse_mass = linalg::Cholesky(p.mass).solve(Matrix::Identity(n, n));
}

// A plant in matrix notation has no coordinates, only states.
void declare(Draft& d, const MatrixPlant& p) {
  for (const std::string& name : p.states) d.add_state(name);
  d.sys.mass = d.sys.damping = d.sys.stiffness = d.inverse_mass = Matrix::Zero(0, 0);
}

} // namespace

void declare_plant(Draft& d) {
  std::visit([&](const auto& p) { declare(d, p); }, d.machine.plant);
  d.sys.plant_states = d.sys.states.size();
  for (const AppliedForce* f : d.machine.all<AppliedForce>())
    d.sys.drives.push_back({text(f->on), d.direction(f->on), Vector(),
                            f->expression.outputs.empty() ? d.add_signal(f->signal) : d.add_own_signal()});
}

void wire_plant(Draft& d) {
  System& sys = d.sys;
  const Index n = sys.n_coordinates;
  sys.nx = sys.states.size();
  sys.A = Matrix::Zero(sys.nx, sys.nx);
  sys.S = Matrix::Zero(sys.nx, sys.ns());
  if (const MatrixPlant* m = d.machine.matrices()) {
    sys.A.topLeftCorner(m->A.rows(), m->A.rows()) = m->A;
  } else {
    sys.A.block(0, n, n, n).setIdentity();
    // A coordinate whose forces cancel has no motion of its own: not that of their rounding.
    const Matrix inertia = d.inverse_mass.cwiseAbs();
    auto by_position = sys.A.block(n, 0, n, n), by_velocity = sys.A.block(n, n, n, n);
    by_position = -d.inverse_mass * sys.stiffness;
    by_velocity = -d.inverse_mass * sys.damping;
    linalg::drop_rounding(by_position, inertia * sys.stiffness.cwiseAbs(), tolerance::rounding);
    linalg::drop_rounding(by_velocity, inertia * sys.damping.cwiseAbs(), tolerance::rounding);
    for (Index k = 0; k < sys.constraints.all.size(); ++k)
      sys.S.block(n, sys.constraints.all[k].acceleration, n, 1) += sys.constraints.prescribed.col(k);
  }
  for (System::Drive& drive : sys.drives) {
    drive.effect = d.column(drive.direction);
    sys.S.col(drive.signal) += drive.effect;
  }
}

} // namespace stickslip
