// Machines as values: equal if the engine would read the same from both.
#include "model/machine.hpp"

namespace stickslip {

namespace {

bool same(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a == b;
}
bool same(const Vector& a, const Vector& b) {
  return a.size() == b.size() && a == b;
}

} // namespace

bool Plant::operator==(const Plant& o) const {
  return same(mass, o.mass) && same(damping, o.damping) && same(stiffness, o.stiffness) && names == o.names;
}

bool MatrixPlant::operator==(const MatrixPlant& o) const {
  return same(A, o.A) && states == o.states;
}

bool AppliedForce::operator==(const AppliedForce& o) const {
  return same(direction, o.direction) && signal == o.signal;
}

bool FrictionPlace::operator==(const FrictionPlace& o) const {
  return name == o.name && same(direction, o.direction) && law == o.law && automaton == o.automaton &&
         normal_load == o.normal_load && surface_velocity == o.surface_velocity &&
         same(load_position, o.load_position) && same(load_velocity, o.load_velocity) &&
         load_signal == o.load_signal && same(column, o.column) && load_contact == o.load_contact;
}

bool ContactPlace::operator==(const ContactPlace& o) const {
  return name == o.name && same(normal, o.normal) && same(tangent, o.tangent) && friction == o.friction &&
         automaton == o.automaton && gap == o.gap && surface_velocity == o.surface_velocity &&
         restitution == o.restitution && impact == o.impact;
}

// `text` only says in errors how it was written: "slide" and {"slide": 1.0} are one source.
bool Source::operator==(const Source& o) const {
  return same(state, o.state) && signal == o.signal && outputs == o.outputs;
}

bool ControllerPlace::operator==(const ControllerPlace& o) const {
  if (directions.size() != o.directions.size()) return false;
  for (std::size_t i = 0; i < directions.size(); ++i)
    if (!same(directions[i], o.directions[i])) return false;
  return name == o.name && control == o.control && references == o.references &&
         measurements == o.measurements;
}

bool CompensatorPlace::operator==(const CompensatorPlace& o) const {
  return name == o.name && law == o.law && normal_load == o.normal_load && observer == o.observer &&
         gain == o.gain && reference == o.reference && measurement == o.measurement &&
         same(direction, o.direction);
}

} // namespace stickslip
