// Sliding velocities one dead time tau ago during a run: the method of steps. Within a step it is a known function of
// time, since no step in which such an element slides is longer than its tau. A jump of the velocity or of one of its
// derivatives ends a step tau later.
#pragma once

#include "core/list.hpp"
#include "dynamics/state.hpp"
#include "model/system.hpp"

namespace stickslip {

class Delays {
public:
  explicit Delays(const System& sys);

  bool any() const { return !lines.empty(); }
  // All stored velocities are zero, so the delayed velocities stay zero.
  bool rest(const State& state) const;

  // Before a step from state.base_t: finds the stored pieces for this step.
  void frame(const State& state);
  // The velocities of tau ago into x, their rates into xdot; within the step that was framed.
  void set(const State& state, double t, double* x) const;
  void set_rates(const State& state, double t, double* xdot) const;
  // A Jacobian by x and t, where x' depends on these states: on time, in truth.
  void in_time(const State& state, double t, Matrix& J, Vector& dfdt) const;
  double longest_step(const Modes& modes) const;
  double velocity_size(Index line, const Vector& nominal) const;
  Index count() const { return lines.size(); }
  Index state_of(Index line) const { return lines[line].state; }
  const Friction& element(Index line) const { return sys.friction[lines[line].element]; }

  // The next time at which something that jumped comes back; perhaps never.
  double next(const State& state) const;

  void start(State& state) const;
  // Stores the step from state.base_t, in its dense form C, before the state moves to its end.
  void record(State& state, double h, const Matrix& C) const;
  // The state is at the end of the step. The lowest derivative that jumped tau ago, Past::smooth if none.
  int arrive(State& state, double before);
  // A transition: `lowest` is the lowest derivative of a velocity that may have jumped though no mode changed.
  void change(State& state, const Modes& before, int lowest) const;

private:
  struct Line {
    Index element, state; // number of the element, and where x has its delayed velocity
    double tau;
    List<Index> signals; // that its velocity depends on
    // For the present step: the stored pieces in it, and the pieces of the signals at their times.
    Index first = 0, last = 0;
    List<Held> then;
  };
  const System& sys;
  List<Line> lines;

  double value(const Line& line, const Past& past, double t, int derivative) const;
  void look_up(Line& line, const Past& past, double t) const;
  double velocity(const Line& line, const State& state) const;
  void begin(const Line& line, State& state, Past& past) const;
};

} // namespace stickslip
