// A machine with a fixed step and bounded work, for real-time loops. Its error is of first order in the step.
//
//   RealTimeModel axis(m, 1e-3, {"motor.position", "motor.velocity"});
//   for (;;) axis.step(inputs, outputs); // arrays of axis.inputs().size() and axis.outputs().size() numbers
#pragma once

#include "core/list.hpp"
#include "stickslip/machine.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace stickslip {

class RealTimeModel {
public:
  // `step` in s; `outputs`: names of variables; `initial`: values of states, others start at zero. After
  // `max_transitions` changes of mode in one step, the next one waits for the step after (late()). Throws
  // InvalidArgument or UnknownName.
  RealTimeModel(const Machine& machine, double step, List<std::string> outputs,
                const std::map<std::string, double>& initial = {}, int max_transitions = 2);
  ~RealTimeModel();
  RealTimeModel(RealTimeModel&&) noexcept;
  RealTimeModel& operator=(RealTimeModel&&) noexcept;

  const List<std::string>& inputs() const; // names of input_signal, in the order of the array `inputs`
  const List<std::string>& outputs() const;

  // Inputs are held over the step; outputs are values at its end. Neither allocates nor throws where all combinations
  // of modes were prepared (prebuilt()).
  void step(const double* inputs, double* outputs) noexcept;

  double time() const noexcept; // s, of the end of the last step
  bool prebuilt() const;
  std::int64_t transitions() const noexcept; // instants with changes of mode so far
  bool late() const noexcept;                // the last step has postponed a transition
  bool failed() const noexcept; // the motion would not be finite: the state stays at its last value

private:
  struct Content;
  std::unique_ptr<Content> content;
};

} // namespace stickslip
