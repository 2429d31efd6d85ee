// A machine that another program advances from one communication point to the next, with inputs that are held in
// between. Motion and events are those of simulate() with the same signals, whatever the distance of the points: a run
// that ends within a step repeats it when it continues.
//
// Inputs that are set at a communication point hold from there on, the point itself included. Sampling instants or
// events at the point have been computed with the inputs before; they are computed again from the state before the
// point.
#pragma once

#include "export/exported_machine.hpp"
#include "export/held_inputs.hpp"
#include "run/run.hpp"
#include "run/samples.hpp"

#include <memory>
#include <optional>
#include <string>

namespace stickslip {

// A run and the sums of the impulses of its impacts so far, of each contact.
struct ReachedPoint {
  State state;
  Vector impulses;
};

// The motion from a reached point to the end of the step within which the point lies.
struct MotionAhead {
  double t0 = 1.0, t1 = 0.0, h = 0.0; // nothing is known
  Matrix coefficients;                // in powers of (t - t0) / h
};

// All that distinguishes one instance from another of the same machine.
struct CoSimulationState {
  Vector parameters, inputs;
  double t = 0.0;        // the communication point
  double rounding = 0.0; // instants of the run within this of the point are at the point
  double t_start = 0.0, rtol = 0.0;
  bool started = false;
  bool inputs_changed = false, parameters_changed = false;
  bool open = false; // sampling instants at the communication point are still to be computed
  Vector greatest;   // size of each input so far
  List<HeldValues> held;
  ReachedPoint before, now; // a state before the communication point, and the state there
  // Of a model exchange: offsets of guards (event_indicators.hpp), and inputs at the last two steps of the solver.
  Vector offsets;
  HeldValues last_step, step_before;
};

std::string to_bytes(const CoSimulationState& state);
CoSimulationState co_simulation_state(std::string_view bytes);

class CoSimulation {
public:
  explicit CoSimulation(std::shared_ptr<const ExportedMachine> of);
  virtual ~CoSimulation() = default;
  CoSimulation(const CoSimulation&) = delete;

  const ExportedMachine& machine() const { return *exported; }
  double time() const { return s.t; }

  virtual void reset();
  void set_start(double t, std::optional<double> rtol); // before the start
  void set_parameter(Index which, double value);        // before the start
  // A tunable parameter at a communication point: positions, velocities and internal states stay, and modes are decided anew.
  // Sampling instants at the point have been computed with the value before.
  void tune(Index which, double value);
  void set_input(Index which, double value);
  double parameter(Index which) const { return s.parameters(which); }
  double input(Index which) const { return s.inputs(which); }
  double output(Index which); // at the communication point
  Index state_count();
  Index indicator_count();
  double continuous_state(Index which);
  double rate(Index which);                        // of a continuous state
  virtual double indicator(Index) { return -1.0; } // of events: none ends a step

  void start();
  void restart() { s.started = false; } // before the end of the initialization
  // Applies inputs that have been set at the communication point, and computes sampling instants there.
  void settle();
  // To t_end, or to the first event before. True at an event. Throws RunEnded if the run cannot continue.
  bool advance(double t_end, bool to_event);

  // Derivatives of outputs at the communication point along a direction of inputs, whose other values and the states
  // stay.
  Vector directional_derivative(const List<Index>& of_outputs, const List<Index>& by_inputs,
                                const Vector& seed);

  const CoSimulationState& state();
  virtual void set_state(CoSimulationState given);

protected:
  std::shared_ptr<const ExportedMachine> exported;
  CoSimulationState s;
  Options options;
  std::shared_ptr<Compiled> compiled;
  Vector compiled_parameters;
  Vector start_values; // of its states
  std::optional<HeldInputs> inputs;
  List<const Variable*> outputs;
  std::unique_ptr<Runner> runner;
  std::unique_ptr<Samples> samples; // of the communication point
  MotionAhead ahead;
  bool expects_change =
      false; // the signals have a breakpoint at the present time, where inputs may change again

  void compile_machine();
  void make_runner();
  void apply_parameters();
  virtual void apply_inputs();
  void write_inputs();
  void forget_expected_change();
  double next_sampling() const;
  bool run_to(double t, bool to_event);
  bool run_to_change(double t, bool to_event);
  bool move_to(double t);
  void check_outcome(const Outcome& outcome) const; // throws RunEnded
  Samples& present();
  double read(Read from, Index index, Index part);
};

struct RunEnded : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace stickslip
