// The machine at neighbouring values of one parameter, compiled. Smooth functions of the parameter are differentiated
// by differences of sixth order: over values so close that only this number of the machine changes, and so far apart
// that their difference keeps its digits (error about 1e-13 of the function).
#pragma once

#include "core/list.hpp"
#include "ensemble/parameter.hpp"
#include "sensitivity/replica.hpp"
#include "sensitivity/varied.hpp"

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace stickslip {

// f'(0) = sum weight f(offset h) / h, of sixth order; `check`: another formula on the same points, of lower order.
// Both agree if f is smooth over the stencil.
struct Stencil {
  List<int> offsets;
  List<double> weights, check;
};
const Stencil& central_stencil();

// Steps of directional differences, relative to the sizes of states: for smooth neighbourhoods; and where a mode or the
// kind of a guard may change nearby.
inline constexpr double far_beside = 1e-3, close_beside = 1e-5;

// Greatest of these changes in units of the sizes, where these are known.
double in_sizes(const Vector& changes, const Vector& sizes);

// Derivatives of several numbers by both formulas, from their values at the points of a stencil one after the other: of
// values minus the first one, so that a constant has the derivative zero, not rounding.
struct Differences {
  Vector first{}, slope{}, check{};

  void add(double weight, double other, const Vector& value) {
    if (first.size() == 0) first = value, slope = check = Vector::Zero(value.size());
    slope += weight * (value - first);
    check += other * (value - first);
  }
};

class Neighbours {
public:
  // `base`: the machine of the run, compiled with signals of its own for every use.
  Neighbours(const Machine& machine, const System& base, const std::string& parameter,
             const Cutoffs& cutoffs);
  // One of `count` components of a state.
  Neighbours(std::string component, Index number, Index count)
      : name(std::move(component)), state(number), start(Vector::Unit(count, number)) {}
  // Many parameters that change together, each by its share: a direction, along which derivatives are as those by one.
  struct Share {
    std::string parameter;
    double change = 0.0;
  };
  struct Along { // a signal changes by a function of time
    std::string signal;
    Signal change;
  };
  Neighbours(const Machine& machine, const System& base, const List<Share>& shares,
             const List<Along>& signals, const Cutoffs& cutoffs);
  // A direction of a profile, and a value of it, whose neighbouring machines are those of its direction.
  Neighbours(const Machine& machine, const System& base, const Profile& profile, const Signal& direction,
             const Cutoffs& cutoffs);
  Neighbours(const Neighbours& direction, const Profile::Value& value);
  // A number from which the caller has built machines.
  Neighbours(const Built& built, const System& base, const Cutoffs& cutoffs);

  std::string name;
  Index state = -1;  // of an initial value alone, which changes no machine
  Vector start;      // how initial values change; empty: not at all
  double size = 0.0; // of the parameter: a change by all of it is one in the leading digit
  List<std::shared_ptr<Replica>> beside;
  List<double> weights, check; // of each in the derivative, and in the one that it is compared with
  List<std::pair<Index, Signal>> signals; // derivatives of those that change
  bool signals_alone = false;             // nothing but these
  // Interval in which the neighbouring machines change with this parameter alone, s.
  double from = -std::numeric_limits<double>::infinity(), until = std::numeric_limits<double>::infinity();

  bool changes_machine() const { return !beside.empty(); }
  bool acts(double t) const { return changes_machine() && t >= from && t < until; }
  // +1, -1: the machine exists on one side of the parameter alone; 0: on both.
  int side = 0;

  // The derivative of the function `of` of a machine, by the parameter alone. The weights sum up to zero: they apply to
  // values minus the first one, so that a constant has the derivative zero, not rounding.
  template <class F> auto derivative(F&& of) const {
    const auto first = of(*beside[0]);
    auto sum = first;
    sum -= first;
    for (Index k = 1; k < beside.size(); ++k) sum += weights[k] * (of(*beside[k]) - first);
    return sum;
  }

  // The same where `of` has a divisor (see Replica) that may be close to zero, so that only its product with the divisor
  // is smooth over the stencil:  f' = sum of weight d / d_0 (f - f_0),  since the weights sum up to zero.
  template <class F, class D> auto derivative(F&& of, D&& divisor, Replica& here) const {
    const auto present = of(here);
    const double own = divisor(here);
    auto sum = present;
    sum -= present;
    for (Index k = 0; k < beside.size(); ++k)
      sum += weights[k] * (divisor(*beside[k]) / own) * (of(*beside[k]) - present);
    return sum;
  }

private:
  // The machine where the parameter has changed by `change`.
  using At = std::function<const Machine&(double change)>;

  void look_beside(const At& machine, const System& base, double h, const Cutoffs& cutoffs);
  void check_kinds(const System& base) const;
  void find_signals(const System& base);
  bool place(const At& machine, const System& base, const Stencil& stencil, double h, const Cutoffs& cutoffs,
             std::string& refused);
};

// The signal in an interval, and zero outside.
Signal within(const Signal& of, double from, double until);

// Neighbours of all these parameters, in the order of their names.
List<std::unique_ptr<Neighbours>> neighbours_of(const Machine& machine, const System& base,
                                                const Varied& varied, const Cutoffs& cutoffs);

} // namespace stickslip
