// What of a machine is not linear: numbers that one tape makes of positions, velocities and time. At every instant a
// machine that has such parts is a linear one with the rows, columns and values that hold there (dynamics/tangent.hpp):
//
//   M(q) q'' = h(q, q', t) + sum w_N(q) lambda_N + ... - sum w_i(q) F_i,   rates  gamma_i = w_i q' + w^_i,
//   gamma_i' = w_i q'' + zeta_i,   zeta_i = w_i' q' + d w^_i / dt.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"
#include "expression/tape.hpp"

namespace stickslip {

struct Smooth {
  Tape tape;
  List<Index> inputs; // of the tape: the state that each is; -1: time

  // Numbers of results of the tape, or -1.
  struct Value { // a signal whose value follows the state
    Index signal, result;
  };
  struct Gap { // g(q, t) of a contact, its gradient (first of one result per coordinate), d g / d t, drift
    Index contact, gap, row, rate, drift;
  };
  struct Row { // w(q) of a friction element, and its drift
    Index friction, row, drift;
  };
  struct
      Joint { // a constraint: what `value` is of a gap (-1: of velocities alone), and its row; as a Gap has them
    Index constraint, value, row, rate, drift;
  };
  List<Value> values;
  List<Value> powers;    // those that only the energy balance reads
  List<Value> compliant; // forces of contacts that yield, by the number of the contact
  List<Value> loads;     // normal loads that may become negative, by the number of the friction element
  List<Gap> gaps;
  List<Row> rows;
  List<Joint> joints;
  Index mass = -1;    // M(q), by columns
  Index kinetic = -1; // q' M q' / 2
  Index motion =
      0; // so many instructions of the tape are what moves the machine; the others are of its energy

  Matrix inverse_mass; // of a constant mass matrix
  bool bound = false;  // there are constraints, and what they leave of it follows the state
  // Where the inertia follows the state: what compile() has made, with the unit matrix in place of the mass.
  Matrix A, S;
  List<Vector> friction, contacts, drives, springs;
  List<List<Vector>> loops;
  // Signals of rows: the drift of each friction element in `rows`.
  List<Index> drifts;

  // How all this changes with what the tape reads, accelerations and forces held.
  struct Slopes {
    Tape tape; // inputs: those of the other, then accelerations, then forces
    List<Index>
        forces; // which each of these is: a friction element's, behind them a contact's, a constraint's
    struct Entry {
      Index of, state, result; // state -1: time
    };
    List<Index> conditions; // which each is of the other tape's
    List<Entry> balance;    // of each coordinate: generalised force that is missing
    List<Entry> signals;    // values; of drifts: all of what they are for, the acceleration along the row
    List<Entry> velocities; // of friction elements, besides those that come with velocities
  } slopes;

  bool moving_mass() const { return mass >= 0; }
  bool moving_inertia() const { return moving_mass() || bound; }
};

} // namespace stickslip
