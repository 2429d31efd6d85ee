#include "timestepping/theta_map.hpp"

#include "core/linalg.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/tangent.hpp"

#include <numeric>

namespace stickslip {

ThetaMap::ThetaMap(const System& system, Tangent* of, double step, double weight)
    : sys(system), tangent(of), h(step), theta(weight), all_contacts(sys.contacts.size()),
      all_elements(sys.friction.size()) {
  std::iota(all_contacts.begin(), all_contacts.end(), Index{0});
  std::iota(all_elements.begin(), all_elements.end(), Index{0});
  s0 = s1 = Vector::Zero(sys.ns());
  if (!tangent) set_up();
}

void ThetaMap::set_up() {
  const Matrix I = Matrix::Identity(sys.nx, sys.nx);
  const Matrix implicit = I - h * theta * sys.A;
  flow = linalg::solve(implicit, I + h * (1.0 - theta) * sys.A);
  drive = linalg::solve(implicit, h * sys.S);
  ForceDirections acting = force_directions(sys, all_contacts, all_elements);
  columns = linalg::solve(implicit, acting.columns);
  rows = std::move(acting.rows), signal_rows = std::move(acting.signals);
  G = rows * columns;
}

void ThetaMap::begin_step(const State& state) {
  signal_values(sys, state.base_t, s0.data());
  signal_values(sys, state.base_t + h, s1.data());
  middle = state.base_x;
  if (!tangent) return;
  const Index n = sys.n_coordinates;
  middle.head(n) += 0.5 * h * state.base_x.segment(n, n);
  tangent->move_to(state.base_t + 0.5 * h, middle.data(), {});
  tangent->regime(state.modes); // rows and columns of a machine without elements too
  set_up();
  tangent->write(s0.data());
  tangent->write(s1.data());
}

void ThetaMap::advance(const Vector& x0, Vector& x1) const {
  x1.noalias() = flow * x0;
  x1.noalias() += drive * (theta * s1 + (1.0 - theta) * s0);
}

double ThetaMap::gap(const Contact& c) const {
  const double here = value(c.gap, middle.data(), s0.data());
  return tangent ? here : here + 0.5 * h * value(c.rate, middle.data(), s0.data());
}

} // namespace stickslip
