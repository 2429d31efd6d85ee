// Derivatives of the matrices of a regime by the parameters: computed once per regime; most entries do not change.
#pragma once

#include "sensitivity/motion_slopes.hpp"
#include "sensitivity/neighbours.hpp"

#include <map>
#include <memory>

namespace stickslip {

// A row for each state, a column for each parameter.
using Tangents = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using TangentsRef = Eigen::Ref<Tangents>;
using Parameters = List<std::unique_ptr<Neighbours>>;

// One entry of a matrix, or its derivative.
struct Entry {
  Index row = 0, column = 0;
  double value = 0.0;
};
List<Entry> entries(const Matrix& of); // those that are not zero

// x' = A x + B s + E F, F the nonlinear forces of sliding elements (none in an affine regime); the guards of an affine
// regime are G = Gx x + Gs s.
struct RegimeSlopes {
  struct Change {
    List<Entry> A, B, E, Gx, Gs;
    // Elements that slide, counted as in the regime, whose force is another function of the state, or of signals that
    // change: in those beside.
    List<Index> elements;
  };
  const Regime* regime = nullptr;
  double pace = 0.0;   // 1/s: of the fastest thing in it; 0: A^n = 0
  List<Entry> A, B, E; // of the machine itself
  List<Change> by;
  struct Of { // an entry of A or B that a parameter changes
    Index parameter;
    Entry entry;
  };
  List<Of> all_A, all_B;      // of all parameters
  List<Entry> any_A, any_B;   // each of these places once
  List<Index> drives, guides; // signals that are not constant and act on the motion, or on guards alone
  // True if these give all of x': else only the whole machine has its derivative.
  bool complete = false;
  bool same_guards = true; // neighbouring machines have the same number
};

class SlopesOf {
public:
  SlopesOf(Replica& base, const Parameters& parameters) : machine(base), by(parameters) {}

  const RegimeSlopes& operator()(const Regime& of);

private:
  Replica& machine;
  const Parameters& by;
  std::map<const Regime*, RegimeSlopes> known;
  const RegimeSlopes* last = nullptr;
  List<MotionSlopes> motions; // of each parameter

  void find(RegimeSlopes& out);
  void find_signals(RegimeSlopes& out);
  // `reads`: neighbouring machines differ only in these columns of (x, s), and elements hold as in the regime; null:
  // anything may differ.
  RegimeSlopes::Change change(RegimeSlopes& of, const Neighbours& p, const List<Index>* reads);
  RegimeSlopes::Change change_of_motion(RegimeSlopes& of, Index j, const SlidingForces& forces);
  List<Index> elements_that_differ(const Regime& r, const Neighbours& p) const;
};

} // namespace stickslip
