#include "stickslip/real_time.hpp"

#include "realtime/named_outputs.hpp"
#include "stickslip/initial_values.hpp"

#include <utility>

namespace stickslip {

struct RealTimeModel::Content {
  List<std::string> names;
  System system;
  RealTime engine;
  NamedOutputs outputs;

  Content(System of, double step, List<std::string> what, const std::map<std::string, double>& initial,
          int most)
      : names(std::move(what)), system(std::move(of)),
        engine(system, step, start_states(system, initial), 0.0, most), outputs(system, names) {}
};

RealTimeModel::RealTimeModel(const Machine& machine, double step, List<std::string> outputs,
                             const std::map<std::string, double>& initial, int max_transitions)
    : content(
          std::make_unique<Content>(compile(machine), step, std::move(outputs), initial, max_transitions)) {}
RealTimeModel::~RealTimeModel() = default;
RealTimeModel::RealTimeModel(RealTimeModel&&) noexcept = default;
RealTimeModel& RealTimeModel::operator=(RealTimeModel&&) noexcept = default;

const List<std::string>& RealTimeModel::inputs() const {
  return content->engine.inputs();
}

const List<std::string>& RealTimeModel::outputs() const {
  return content->names;
}

void RealTimeModel::step(const double* inputs, double* outputs) noexcept {
  content->engine.step(inputs);
  content->outputs.read(content->engine, outputs);
}

double RealTimeModel::time() const noexcept {
  return content->engine.time();
}

bool RealTimeModel::prebuilt() const {
  return content->engine.prebuilt();
}

std::int64_t RealTimeModel::transitions() const noexcept {
  return content->engine.transitions;
}

bool RealTimeModel::late() const noexcept {
  return content->engine.late;
}

bool RealTimeModel::failed() const noexcept {
  return content->engine.failed;
}

} // namespace stickslip
