// A machine whose motion within a regime another program integrates: x' and event indicators at its time, states and
// inputs; and at the instants that it has located the decisions of simulate().
//
// Between decisions signals keep the pieces that they have there, so that x' is smooth beyond a breakpoint, too. At a
// decision inputs grow as they did in the solver's last step, unless they have jumped: friction whose limit a growing
// force reaches breaks away, whatever its kinetic level.
#pragma once

#include "export/co_simulation.hpp"
#include "export/event_indicators.hpp"
#include "flow/right_hand_side.hpp"
#include "run/present_machine.hpp"

#include <memory>
#include <optional>
#include <string>

namespace stickslip {

// Why the motion of a machine cannot be integrated by another program; empty if it can.
std::string exchange_refusal(const System& sys);

class ModelExchange final : public CoSimulation {
public:
  // Throws InvalidArgument with the reason if it cannot be integrated by another program.
  explicit ModelExchange(std::shared_ptr<const ExportedMachine> of);

  const Vector& states();
  const Vector& nominals();
  const Vector& rates();
  const Vector& indicators();

  void set_time(double t);
  void set_states(const Vector& x);
  // After a step of the solver: true if it has missed an event, or constraints have drifted, which a decision repairs.
  bool complete_step();
  // Looks for guards that have fired; inputs that are set from here on jump.
  void enter_event();
  struct Update {
    bool states = false, nominals = false; // changed
    double next = 0.0;                     // instant of the next decision, perhaps infinite
  };
  Update update();

  // Derivatives of readings along a direction of states and inputs, by central differences.
  template <class Reading>
  Vector derivative(Index count, const Vector& by_states, const Vector& by_inputs, Reading&& read);

  void reset() override;
  double indicator(Index which) override { return indicators()(which); }
  void set_state(CoSimulationState given) override;

private:
  // The compiled machine between two decisions.
  struct Motion {
    Motion(const std::shared_ptr<Compiled>& of)
        : machine(of), rhs(of->system), present(of->system, of->regimes), guards(of->system) {}

    std::shared_ptr<Compiled> machine;
    RightHandSide rhs;
    PresentMachine present;
    EventIndicators guards;
    const Regime* regime = nullptr; // null: to be found
    bool framed = false;            // with the pieces of its signals
    bool evaluated = false;
    Vector xdot, values, out; // x', guards, indicators
  };
  std::optional<Motion> motion;
  List<Guard> fired; // at the event that has been entered
  bool drifted = false;
  Vector inputs_before; // an event
  Vector nominal;       // as told last

  void apply_inputs() override;
  void begin();
  Motion& evaluated();
  void moved();
  Vector guards_after(double time);
  void let_inputs_grow(double t);
  void decide(double t, const List<Guard>& guards);
  void arrive();
  double snapped(double next) const;
};

template <class Reading>
Vector ModelExchange::derivative(Index count, const Vector& by_states, const Vector& by_inputs,
                                 Reading&& read) {
  constexpr double share =
      6e-6; // cube root of the rounding error, where that and the truncation error are alike
  apply_inputs();
  const Vector x = s.now.state.x, u = s.inputs;
  double step = std::numeric_limits<double>::infinity();
  const auto limit = [&](const Vector& by, Index k, double size) {
    if (by(k) != 0.0) step = std::min(step, share * (size > 0.0 ? size : 1.0) / std::abs(by(k)));
  };
  for (Index k = 0; k < x.size(); ++k) limit(by_states, k, s.now.state.nominal(k));
  for (Index k = 0; k < u.size(); ++k) limit(by_inputs, k, std::abs(s.greatest(k)));
  Vector difference = Vector::Zero(count);
  if (!std::isfinite(step)) return difference;
  const auto move = [&](double by) {
    set_states(x + by * by_states);
    for (Index k = 0; k < u.size(); ++k) set_input(k, u(k) + by * by_inputs(k));
  };
  for (const double side : {1.0, -1.0}) {
    move(side * step);
    for (Index k = 0; k < count; ++k) difference(k) += side * read(k);
  }
  move(0.0);
  return difference / (2.0 * step);
}

} // namespace stickslip
