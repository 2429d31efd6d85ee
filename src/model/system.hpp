// A machine reduced to first order for the solvers, x' = A x + S s(t) + sum_i e_i F_i, with one entry for every
// friction element. Mechanical plants and plants in matrix notation have the same form here.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"
#include "expression/tape.hpp"
#include "friction/automaton.hpp"
#include "friction/law.hpp"
#include "model/constraints.hpp"
#include "model/flanks.hpp"
#include "model/form.hpp"
#include "model/identity.hpp"
#include "model/loop.hpp"
#include "model/variable.hpp"
#include "signal/signal.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace stickslip {

// The description; few readers of a compiled machine need it: model/machine.hpp.
class Machine;
struct Smooth; // model/smooth.hpp
enum class ImpactRule : std::int8_t;

struct Friction {
  std::string name;
  Law law;
  LawTraits traits;
  Automaton automaton;
  Vector effect;              // e: change of x' per unit of F, the force that opposes motion
  Form velocity;              // relative velocity v
  Vector acceleration_s;      // v' = velocity.x . x' + acceleration_s . s
  Index load = -1;            // signal with the given normal load
  Index contact = -1;         // the contact whose normal force is the load instead
  bool of_compliance = false; // it belongs to a compliant contact, whose force is the given load
  // State-dependent part of the normal load, a polyline over a form: |F_l| of the automaton, or a table. Its values on
  // each segment, and the form minus each corner; empty without, or if a contact gives it.
  List<Form> load_parts, load_corners;
  Index load_shift =
      -1; // held, for a periodic table: the start of the period minus that of the first period,
  double load_period = 0.0;    // a multiple of this
  Index load_contact = -1;     // the contact whose normal force is F_l
  Index partner = -1;          // under the opposite reaction; users see both as one element
  double load_per_force = 0.0; // nu / F_k: normal load per newton of |F_l|
  double table_load = 0.0;     // the greatest load of a table
  Index surface = -1;          // signal with the surface velocity
  Index surface_rate = -1;     // signal with its derivative
  // Constraints prescribe its velocity: a form of signals alone, and its force moves nothing.
  bool prescribed = false;
  // Generalised force per unit, of a compensator, whose effect has the opposite sign, and along a prescribed motion;
  // of others it is the row of the velocity.
  Vector drives;
  double speed = 0.0; // size of a velocity that follows signals
  bool compensator = false;
  Index injected = -1;                    // correction of its first internal state by an observer
  double rate_damping = 0.0;              // force per unit load and unit rate of that correction
  Index states = -1;                      // first internal state of the law in x
  Index lagged = -1;                      // the lagged dry force
  Index delayed = -1;                     // the sliding velocity one dead time ago, zero while it stuck
  Index surface_travel = -1;              // presliding displacement s
  Index aged = -1;                        // held: f_sa / f_s at the last entry into stick
  Index peak = -1;                        // held: peak of the sliding curve relative to its static level
  Index entered = -1;                     // held: time of the last entry into stick
  double kinetic = 0.0, break_away = 0.0; // levels per unit load that the automaton's options refer to
  List<double> corners;                   // velocities at which the law's slope jumps
  // Distance from the seat of a detent, whose sign determines the force instead of that of the velocity; empty:
  // friction.
  Form way;
  List<Form> crests; // the distance minus that to the crests below and above; empty: there are none
  Index seat = -1;   // held: position of the nearest seat, a multiple of this
  double pitch = 0.0;
  double fine =
      0.0; // velocity below which the curve is within 5 % of its value at v = 0; 0: the curve is flat

  bool has_seat() const { return way.x.size() > 0; }
};

// Or a one-way clutch, a contact of velocities: its gap is always zero, and it is open while its rate is positive.
struct Contact {
  std::string name;
  bool of_velocity = false;
  Vector effect; // change of x' per unit of normal force
  Form gap, rate;
  Vector acceleration_s; // second derivative of the gap = rate.x . x' + acceleration_s . s
  double restitution = 0.0;
  Tape restitution_by_speed; // in place of the value; empty: none
  std::optional<double> tangential_restitution;
  ImpactRule impact{};             // Poisson's
  Index friction = -1;             // its friction; -1: none
  double impulsive_friction = 0.0; // kinetic level, which applies to impulses
  Index gap_signal = -1, gap_rate = -1, gap_acceleration = -1;
  std::string constraint; // that it holds together with the opposite contact that follows it; empty: none
  // For a compliant contact, signals that follow the state: its force, its stored energy, the power of its damper.
  Index force = -1, stored = -1, loss = -1;

  bool yields() const { return force >= 0; }
};

// A spring as the user added it.
struct Spring {
  std::string name;
  Vector effect;         // change of x' per unit of F, the force that opposes elongation
  Form elongation, rate; // rate = d elongation / dt
  double damping = 0.0;
  Index flanks = -1, count = 0; // first of its flanks, and their number
  Index rest = -1, rest_rate = -1;
};

struct System {
  Index n_coordinates = 0; // none in matrix notation
  Index plant_states =
      0; // positions and velocities, or the states of a plant in matrix notation: the first ones of x
  Index nx = 0;
  List<std::string> coordinates;
  List<std::string> states; // names of x
  Matrix A, S;
  List<Signal> signals;
  List<Friction> friction; // those of contacts last
  List<Contact> contacts;
  Vector start;   // value of each state at the start of a run, where it does not say otherwise
  Vector nominal; // size of each state, for tolerances
  Vector finest;  // size that absolute tolerances must not exceed, however large the state becomes; infinite:
                  // none
  Vector acceleration;     // size of the effect of loads and limits on each state's rate
  double time_scale = 0.0; // s; 0: the description contains no time
  bool paced = false;      // it comes from rates, samples or the user; else it grows during a run
  bool rated = false;      // it comes from rates or samples of the machine, or from the user
  Vector given_size;       // of states with a size given by the user; else 0
  Identity identity;

  // Matrices of the mechanical plant, for the energy balance. The skew part of the stiffness has no potential: its work
  // depends on the path (empty: none).
  Matrix mass, damping, stiffness, circulatory;
  struct Drive {
    std::string name; // place of action
    Vector direction; // generalised force per unit
    Vector effect;    // change of x' per unit
    Index signal;
  };
  List<Drive> drives;
  bool needs_interpreter = false;
  List<Variable> variables; // displayed variables, in the order in which the elements were added

  // Nonlinear parts: null in a linear machine. `tangent`: rows, columns and values hold at one instant; else those that
  // follow the state are invalid.
  std::shared_ptr<const Smooth> smooth;
  bool tangent = false;

  List<Loop> loops;       // controllers as the user added them
  List<Index> loop_order; // in the order of dataflow: continuous ones, then sampled ones
  Index saturations = 0;  // number of saturation modes
  Index one = -1;         // the constant signal 1
  List<Spring> springs;
  List<Flank> flanks; // of all springs: each has a mode
  Constraints constraints;
  List<Index> rate_of; // the signal that is the derivative of each signal, if controllers need it; else -1

  Index ns() const { return signals.size(); }

  // The modes of this element are those of its contact, or of its partner.
  bool shares_modes(Index element) const {
    const Index c = friction[element].contact;
    return (c >= 0 && contacts[c].friction == element) || friction[element].partner >= 0;
  }
};

// Velocity below which a curve is flat: above it the curve may change fast as v falls, and a long step could miss this.
double fine_structure(const Law& law, const LawTraits& traits);

// Throws InvalidArgument or UnknownName for an inconsistent description.
// own_signals: every use of a signal has an entry of its own, even of the same function.
System compile(const Machine& machine, bool own_signals = false);

// Sizes of the states from loads, forces and surface speeds; compile() has done so already.
void size_states(System& sys);

// True for both of the opposite contacts that hold a constraint.
inline bool holds_constraint(const System& sys, Index contact) {
  return !sys.contacts[contact].constraint.empty() ||
         (contact > 0 && !sys.contacts[contact - 1].constraint.empty());
}

// Sizes of velocities that constraints prescribe, for the time scale of the machine.
void size_prescribed_velocities(System& sys);

// Throws for a nonlinear machine: `what` requires constant matrices.
void linear_only(const System& sys, const std::string& what);

// Sizes of positions, then velocities, for a time t of the machine and these gaps (0: unknown), and of the effect of
// loads and limits on each state's rate within t.
struct MotionSizes {
  double time;
  Vector acceleration, nominal;
};
MotionSizes size_motion(const System& sys, double t, const Vector& gaps);
// The shortest time in which loads carry the machine across one of these gaps; infinite if there is none.
double time_across(const System& sys, const Vector& gaps);

// Index of a name in a list, or UnknownName that lists the known ones.
Index find_name(const List<std::string>& names, const std::string& name, std::string_view what);

} // namespace stickslip
