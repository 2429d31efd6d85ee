// A step in one regime, from a at the present time to b, and the points between them: by the map of its plan over a whole
// step, or by an implicit step over the rest of this one.
#pragma once

#include "realtime/implicit_step.hpp"
#include "realtime/mapped_step.hpp"
#include "realtime/planned_modes.hpp"

namespace stickslip {

class BaseStep {
public:
  BaseStep(const System& sys, StepClock& clock, LocalMachine& local, PlannedModes& modes);

  StepPoint a;

  void advance() noexcept;
  // The point a time tau after a: b at its end, a point in between on a parabola or on the exact flow.
  StepPoint& at(double tau) noexcept { return tau == span ? b : between_ends(tau); }
  StepPoint& on_exact_flow(double tau) noexcept; // of a plan that has it
  // Goes on from this point, which is a or was found by at(tau).
  void move_to(const StepPoint& p, double tau) noexcept {
    std::copy_n(p.x, sys.nx + moving.size(), a.x);
    restart();
    clock.advance(tau);
  }
  void complete_signals() noexcept;                   // to the end of the step, where the state is already
  void restart() noexcept { mapped.forget_forces(); } // a has changed
  void find_forces() noexcept { mapped.find_forces(*modes.plan, a); }
  void change_modes() noexcept; // to those of PlannedModes

  // Guards at a point tau after a, and one of them in a plan with maps.
  void guards(const StepPoint& p, double tau, double* g) noexcept;
  double guard(Index which, const StepPoint& p, double tau) const noexcept;
  // Rates of (x, signals) at a; of (x, signals, forces) over the step, x' being that at its end, which contains no fast
  // transients.
  const Vector& rates_at_start() noexcept;
  const Vector& rates_at_end() noexcept;

  // Signals at a; at() also those that follow the state, with rows and columns.
  const double* signals_at_start() noexcept { return local.at(clock.now(), a, modes.now); }
  // Velocities and gaps that are held become zero at a: with the rows at that point, or with those of a linear machine.
  void hold() noexcept {
    if (sys.smooth)
      hold_by_rows();
    else
      hold_by_plan();
  }
  void hold_by_plan() noexcept {
    modes.plan->gaps(a.x, held.data());
    modes.plan->held(a.x, held.data());
  }

  double length() const { return span; } // in time

private:
  const System& sys;
  StepClock& clock;
  LocalMachine& local;
  PlannedModes& modes;
  const Moving& moving;
  MappedStep mapped;
  ImplicitStep implicit;
  StepPoint b, between;
  double span = 0.0;
  bool end_known = false; // rates at the end
  Vector first, last;     // rates
  List<double> half, held;

  StepPoint& between_ends(double tau) noexcept;
  void rates(const StepPoint& p, double tau, double* out) noexcept;
  void find_end() noexcept;
  void hold_by_rows() noexcept;
};

} // namespace stickslip
