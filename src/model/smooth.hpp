// Nonlinear parts of a machine: functions of positions, velocities and time on one tape. At every instant such a
// machine is a linear one with the rows, columns and values of that instant (dynamics/tangent.hpp):
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
  List<Index> inputs; // state behind each input of the tape; -1: time

  // Indices of results of the tape, or -1.
  struct Value { // a signal whose value follows the state
    Index signal, result;
  };
  struct Gap { // g(q, t) of a contact, its gradient (first of one result per coordinate), d g / d t, drift
    Index contact, gap, row, rate, drift;
  };
  struct Row { // w(q) of a friction element, and its drift
    Index friction, row, drift;
  };
  struct Joint { // a constraint: `value` as of a gap (-1: of velocities alone), and its row; as in Gap
    Index constraint, value, row, rate, drift;
  };
  struct Reaction { // friction loaded by the magnitude of the forces of two constraints
    Index friction, along, across;
  };
  List<Reaction> reactions;
  List<Value> values;
  List<Value> powers;    // those in the energy balance only
  List<Value> compliant; // forces of compliant contacts, by the number of the contact
  List<Value> loads;     // normal loads that may become negative, by the number of the friction element
  List<Gap> gaps;
  List<Row> rows;
  List<Joint> joints;
  Index mass = -1;    // M(q), by columns
  Index kinetic = -1; // q' M q' / 2
  Index motion = 0;   // number of instructions for the motion; the others are for the energy balance

  Matrix inverse_mass; // of a constant mass matrix
  bool bound = false;  // with constraints, whose reduced inverse follows the state
  // If the inertia follows the state: the matrices of compile(), with the identity matrix in place of the mass.
  Matrix A, S;
  List<Vector> friction, contacts, drives, springs;
  List<List<Vector>> loops;
  // Signals of rows: the drift of each friction element in `rows`.
  List<Index> drifts;

  // Derivatives with respect to the inputs of the tape, accelerations and forces held.
  struct Slopes {
    Tape tape;          // inputs: those of the first tape, then accelerations, then forces
    List<Index> forces; // source of each force: a friction element, then contacts, then constraints
    struct Entry {
      Index of, state, result; // state -1: time
    };
    List<Index> conditions; // condition of the first tape behind each
    List<Entry> balance;    // residual of the equation of motion of each coordinate: generalised force
    List<Entry> signals;    // values; for drifts: the whole acceleration along the row
    List<Entry> velocities; // of friction elements, besides those that come with velocities
  } slopes;

  bool moving_mass() const { return mass >= 0; }
  bool moving_inertia() const { return moving_mass() || bound; }
};

} // namespace stickslip
