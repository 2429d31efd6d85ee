// Callbacks of a run, and its outcome.
#pragma once

#include "core/list.hpp"
#include "flow/options.hpp"
#include "flow/step.hpp"
#include "run/passage.hpp"
#include "transition/event.hpp"

#include <cstdint>
#include <string>

namespace stickslip {

struct Outcome {
  Status status = Status::finished;
  std::string message;
  std::int64_t steps = 0, evaluations = 0, events = 0;
};

// Callbacks of a run.
class Recorder {
public:
  virtual ~Recorder() = default;
  // The motion over [t0, t1], in C unless it is a stride, perhaps beyond the end of the run; t0 == t1: a state that
  // held for no time.
  virtual void segment(const Regime&, double t0, double t1, const Step&, const Matrix& C) = 0;
  // The segment that holds at the end once more.
  virtual void last(const Regime&, double /*t0*/, double /*t1*/, const Step&, const Matrix& /*C*/) {}
  // segment() needs C; else step.columns may be 0.
  virtual bool motion() const = 0;
  virtual void events(List<Event>& events) = 0; // may be moved from
  // segment() accepts strides; else their coefficients are written out.
  virtual bool takes_strides() const { return false; }
  // Instants are recorded, and the callback for a passed one.
  virtual bool notes() const { return false; }
  virtual void passed(const Passage&, const Jump&) {}
};

} // namespace stickslip
