// Outputs at the end of a step.
#pragma once

#include "realtime/base_step.hpp"
#include "realtime/contact_instant.hpp"

namespace stickslip {

struct RealTimeOutput {
  using Kind = Read;
  Kind kind = Kind::state;
  Index index = 0; // state, element or controller
  Index part = 0;  // of a controller: index of the output
};

class StepOutputs {
public:
  // contacts: null without rigid ones.
  StepOutputs(const System& sys, double t, const PlannedModes& modes, LocalMachine& local, BaseStep& step,
              const ContactInstant* contacts) noexcept;

  void read(const RealTimeOutput* what, Index count, double* out) noexcept;

private:
  const System& sys;
  double t;
  const Modes& modes;
  const Regime& regime;
  LocalMachine& local;
  const double *x, *s;
  const ContactInstant* contacts;
  const Vector* xdot = nullptr; // once an output needs it

  bool read_linear(const RealTimeOutput& o, double& out) const noexcept;
  double read_nonlinear(const RealTimeOutput& o) const noexcept;
  double read_element(const RealTimeOutput& o) const noexcept;
  double read_contact(const RealTimeOutput& o) const noexcept;
  double constraint_force(Index constraint) const noexcept;
};

} // namespace stickslip
