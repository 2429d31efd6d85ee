// Parameters by which a run is differentiated: numbers of the description by name, values of a signal on a grid, and
// numbers from which the caller builds the machine.
#pragma once

#include "core/list.hpp"
#include "model/machine.hpp"

#include <memory>
#include <string>

namespace stickslip {

// A signal s + sum_k p_k f_k(t), each f_k zero outside its interval. Functions whose intervals do not overlap share a
// direction, their sum, and so their neighbouring machines: at any time at most one of them acts.
struct Profile {
  struct Value {
    std::string name;
    Index direction = 0;
    double from = 0.0, until = 0.0; // s
  };
  std::string signal; // its path
  double size = 1.0;  // of the values
  List<Signal> directions;
  List<Value> values;
};

// A number of which the machine is a smooth function: machines at value + offset step, by the offsets of a stencil.
struct Built {
  std::string name;
  double value = 0.0, step = 0.0;
  List<int> offsets;
  List<std::shared_ptr<const Machine>> machines;
};

struct Varied {
  List<std::string> names{}; // of all of them
  List<Profile> profiles{};
  List<Built> built{};
};

} // namespace stickslip
