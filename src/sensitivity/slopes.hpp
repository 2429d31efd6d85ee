// Derivatives of the matrices of a regime by the parameters: computed once per regime; most entries do not change.
#pragma once

#include "sensitivity/motion_slopes.hpp"
#include "sensitivity/neighbours.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

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

// A sliding element whose force is another function of the state, or of signals that change, at neighbouring values.
struct ElementChange {
  enum class Of : std::int8_t {
    numbers, // only numbers of its law, which is all of its force
    law,     // only its law: velocity and load are the same
    signals, // only signals that its velocity and load follow, of an element that is its law at a given load
    numbers_and_signals, // these two
    any
  };
  Index element = 0; // counted as in the regime
  Of of = Of::any;
};

// x' = A x + B s + E F, F the nonlinear forces of sliding elements (none in an affine regime); the guards of an affine
// regime are G = Gx x + Gs s.
struct RegimeSlopes {
  struct Change {
    List<Entry> A, B, E, Gx, Gs;
    List<ElementChange> elements;
    Matrix Lx, Ls, LF;    // of holding forces, in a regime that is not affine; empty: none
    bool guards = false;  // these, the sliding elements and laws give the guards
    bool of_laws = false; // whose limits change
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
  // Of a complete regime that is not affine: columns of E; by each sliding element the parameters that change it; true
  // if a parameter changes E.
  List<List<Entry>> force_columns;
  struct Changed {
    Index parameter;
    ElementChange::Of of;
  };
  List<List<Changed>> by_element;
  bool changes_E = false;
  struct
  { // of each guard: by the forces of sliding elements, directly and through the holding forces; by these
    Matrix by_sliding, by_held;
  } guards;
  // True if the force of every sliding element is its law at a given load, so that x' has the slopes A and these entries,
  // each proportional to a slope of a law: of the force and then the rate of each internal state, by the velocity and then
  // each state, element by element.
  struct Slope {
    Index row, column, which;
    double factor;
  };
  struct {
    bool exist = false;
    List<Slope> entries;
    Index count = 0; // of slopes of laws
  } laws;
  bool velocities = false; // the first rates are velocities, the next coordinates
  bool same_guards = true; // neighbouring machines have the same number
};

class SlopesOf;

// A direction along which other parameters change together, each by its share.
struct Direction {
  SlopesOf* parts;
  Vector shares;
};

class SlopesOf {
public:
  // `along`: the only parameter is this direction.
  SlopesOf(Replica& base, const Parameters& parameters, std::optional<Direction> along = {})
      : machine(base), by(parameters), direction(std::move(along)) {}

  const RegimeSlopes& operator()(const Regime& of);

private:
  Replica& machine;
  const Parameters& by;
  std::optional<Direction> direction;
  std::map<const Regime*, RegimeSlopes> known;
  const RegimeSlopes* last = nullptr;
  List<MotionSlopes> motions; // of each parameter

  void find(RegimeSlopes& out);
  void find_changes(RegimeSlopes& out, bool by_motion, const SlidingForces& forces);
  RegimeSlopes::Change change_along(RegimeSlopes& of, const Direction& all);
  void find_signals(RegimeSlopes& out);
  // `reads`: neighbouring machines differ only in these columns of (x, s), and elements hold as in the regime; null:
  // anything may differ.
  RegimeSlopes::Change change(RegimeSlopes& of, const Neighbours& p, const List<Index>* reads);
  RegimeSlopes::Change change_of_motion(RegimeSlopes& of, Index j, const SlidingForces& forces);
  List<ElementChange> elements_that_differ(const Regime& r, const Neighbours& p) const;
  void find_elements(RegimeSlopes& out) const;
  void find_law_slopes(RegimeSlopes& out) const;
};

// In slip, an element whose force is its law at the present velocity and load, without memory.
bool is_law_alone(const Friction& element, int direction);
// The same, and the load is a signal.
bool is_law_at_given_load(const Friction& element, int direction);
// Without internal states too: its force is a function of velocity and given load.
bool is_curve(const Friction& element, int direction);

} // namespace stickslip
