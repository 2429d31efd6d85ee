// Simulation of a machine to a given time, with exact location of events.
//
//   const Run run = simulate(m, {.t_end = 60.0}, {{"block.velocity", 0.2}});
//   const Vector x = run.at(Vector::LinSpaced(601, 0.0, 60.0))["block.position"];
#pragma once

#include "core/list.hpp"
#include "core/mode.hpp"
#include "flow/options.hpp"
#include "stickslip/machine.hpp"

#include <map>
#include <memory>
#include <string>

namespace stickslip {

// Values of states by their names; states that are not named start at zero, or at the value that constraints give.
using InitialValues = std::map<std::string, double>;

// A change of mode, or an impact.
struct LoggedEvent {
  double time = 0.0; // s
  std::string element, cause;
  Mode before = Mode::stick, after = Mode::stick;
  bool impact = false;
  double normal_impulse = 0.0, loss = 0.0; // of an impact: N s, J
};

// Variables of a run at given times; at an event, values just after it.
class SampledRun {
public:
  // One value for each time. Modes are numbers of Mode. Throws UnknownName.
  Vector operator[](const std::string& variable) const;

private:
  friend class Run;
  struct Content;
  std::shared_ptr<Content> content;
};

// The result of a simulation: a cheap handle, whose copies share their content.
class Run {
public:
  Status status() const; // finished, or the reason for an early end
  bool success() const { return status() == Status::finished; }
  std::string message() const;

  double t_start() const;
  double t_end() const;                // reached
  List<std::string> variables() const; // "block.position", "belt.force", "belt.mode", ...
  List<LoggedEvent> events() const;
  // Throws InvalidArgument unless the times increase from t_start() to t_end() at most.
  SampledRun at(const VectorRef& times) const;
  // Of one variable at t_end().
  double final(const std::string& variable) const;
  // Greatest error of the energy balance, relative to the work done.
  double energy_residual() const;

  // The continued motion from t_end() to options.t_end: bitwise that of one long run.
  Run resume(const Options& options) const;

private:
  friend Run simulate(const Machine& machine, const Options& options, const InitialValues& initial,
                      double t_start);
  struct Content;
  explicit Run(std::shared_ptr<const Content> of) : content(std::move(of)) {}
  std::shared_ptr<const Content> content;
};

// Throws InvalidArgument or UnknownName for a machine, an option or an initial value that is not allowed. A motion that
// cannot be continued is no error: status() and message() tell why it ended.
Run simulate(const Machine& machine, const Options& options, const InitialValues& initial = {},
             double t_start = 0.0);

} // namespace stickslip
