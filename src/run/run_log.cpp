#include "run/run_log.hpp"

namespace stickslip {

void RunLog::segment(PresentMachine& machine, Stepper& stepper, Advance& advance, const State& state,
                     double t_end) {
  Step& step = advance.step;
  const double t1 = advance.arrival.t;
  const bool asked = recorder->motion() && !recorder->takes_strides();
  if (step.stride != nullptr && (t1 > t_end || asked)) stepper.write_out(step);
  const auto add = [&](double a, double b, const Step& part) {
    recorder->segment(machine.lasting(*machine.regime), a, b, part, stepper.C);
  };
  if (step.columns > 0 || !recorder->motion())
    add(state.base_t, t1, step);
  else
    advance.polynomials(state, t1, add);
  last_start = {true, state.base_t, state.base_t_compensation};
}

void RunLog::last(PresentMachine& machine, Stepper& stepper, Advance& advance, const State& state) {
  if (recorder->motion()) return;
  advance.polynomials(state, state.base_t + advance.step.end * advance.step.h,
                      [&](double a, double b, const Step& part) {
                        recorder->last(machine.lasting(*machine.regime), a, b, part, stepper.C);
                      });
}

void RunLog::end(const Regime& r, double t, const Step& step, const Matrix& C) {
  recorder->segment(r, t, t, step, C);
  recorder->last(r, t, t, step, C);
}

void RunLog::before(const State& state, const List<Guard>& fired, bool scheduled, bool breakpoint) {
  if (!recorder->notes()) return;
  instant.before = state;
  instant.fired = fired;
  instant.scheduled = scheduled;
  instant.breakpoint = breakpoint;
}

std::int64_t RunLog::emit(const System& sys, const Jump& jump, State& state) {
  events.clear();
  append_events(sys, jump, state.instant, events);
  const auto count = static_cast<std::int64_t>(events.size());
  if (count > 0) recorder->events(events);
  return count;
}

} // namespace stickslip
