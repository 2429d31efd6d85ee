#include "fmi/instance.hpp"

#include "core/error.hpp"
#include "core/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <utility>

namespace stickslip::fmi {

namespace {

constexpr const char* file_name = "machine.bin";

std::shared_ptr<const ExportedMachine> read_machine(const std::filesystem::path& resources,
                                                    std::string_view token) {
  const std::filesystem::path path = resources / file_name;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InvalidArgument("cannot read " + path.string());
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  try {
    auto exported = std::make_shared<const ExportedMachine>(exported_machine(bytes));
    if (const std::string expected = token_of(bytes); token != expected)
      throw InvalidArgument("the machine belongs to another model description: its token is '" + expected +
                            "', not '" + std::string(token) + "'");
    return exported;
  } catch (const std::exception& e) {
    throw InvalidArgument(path.string() + ": " + e.what());
  }
}

const char* text(Phase phase) {
  switch (phase) {
  case Phase::instantiated:
    return "instantiated";
  case Phase::initialising:
    return "initialization mode";
  case Phase::stepping:
    return "step mode";
  case Phase::events:
    return "event mode";
  case Phase::continuous:
    return "continuous-time mode";
  case Phase::terminated:
    return "terminated";
  case Phase::failed:
    break;
  }
  return "failed";
}

} // namespace

Instance::Instance(const std::filesystem::path& resources, std::string_view token, InterfaceType type, Log to)
    : Instance(read_machine(resources, token), type, std::move(to)) {}

Instance::Instance(std::shared_ptr<const ExportedMachine> exported, InterfaceType type, Log to)
    : run(type == InterfaceType::model_exchange ? std::make_unique<ModelExchange>(exported)
                                                : std::make_unique<CoSimulation>(exported)),
      machine(*run), log(std::move(to)), inputs(exported->inputs.size()), outputs(exported->outputs.size()),
      parameters(exported->parameters.size()) {}

ModelExchange& Instance::exchange() {
  if (!is_exchange()) throw InvalidArgument("is for model exchange, but the instance is for co-simulation");
  return static_cast<ModelExchange&>(machine);
}

void Instance::demand(std::initializer_list<Phase> allowed) const {
  if (std::find(allowed.begin(), allowed.end(), phase) != allowed.end()) return;
  throw InvalidArgument(std::string("is not allowed while the instance is in the state '") + text(phase) +
                        "'");
}

void Instance::unknown(std::uint32_t reference, const char* what) const {
  throw InvalidArgument("value reference " + std::to_string(reference) + " is not " + what +
                        ": 0 is the time, 1 to " + std::to_string(inputs) + " are inputs, then " +
                        std::to_string(outputs) + " outputs and " + std::to_string(parameters) +
                        " parameters follow, then states, their derivatives and event indicators");
}

double Instance::real(std::uint32_t reference) {
  Index k = static_cast<Index>(reference) - 1;
  if (k < 0) return machine.time();
  if (k < inputs) return machine.input(k);
  if ((k -= inputs) < outputs) {
    if (machine.machine().outputs[k].integer) unknown(reference, "a number");
    return machine.output(k);
  }
  if ((k -= outputs) < parameters) return machine.parameter(k);
  if ((k -= parameters) < machine.state_count()) return machine.continuous_state(k);
  if ((k -= machine.state_count()) < machine.state_count()) return machine.rate(k);
  if ((k -= machine.state_count()) < machine.indicator_count()) return machine.indicator(k);
  unknown(reference, "known");
}

std::int32_t Instance::integer(std::uint32_t reference) {
  const Index k = static_cast<Index>(reference) - 1 - inputs;
  if (k < 0 || k >= outputs || !machine.machine().outputs[k].integer) unknown(reference, "an integer");
  return static_cast<std::int32_t>(machine.output(k));
}

void Instance::set_real(std::uint32_t reference, double value) {
  Index k = static_cast<Index>(reference) - 1;
  if (k >= 0 && k < inputs) {
    machine.set_input(k, value);
    if (phase == Phase::instantiated || phase == Phase::initialising) machine.restart();
    return;
  }
  if ((k -= inputs + outputs) < 0 || k >= parameters) unknown(reference, "an input or a parameter");
  if (phase == Phase::instantiated || phase == Phase::initialising) return machine.set_parameter(k, value);
  if (!machine.machine().parameters[k].tunable)
    throw InvalidArgument("'" + machine.machine().parameters[k].name +
                          "' is a fixed parameter: it can be set before the end of the initialization only");
  if (phase == Phase::continuous)
    throw InvalidArgument("'" + machine.machine().parameters[k].name +
                          "' is a parameter: it can be set in event mode, not in continuous-time mode");
  machine.tune(k, value);
}

Vector Instance::directional_derivative(const std::uint32_t* unknowns, std::size_t count,
                                        const std::uint32_t* knowns, std::size_t known_count,
                                        const double* seed) {
  if (is_exchange()) return exchange_derivative(unknowns, count, knowns, known_count, seed);
  List<Index> of, by;
  for (std::size_t k = 0; k < known_count; ++k) {
    by.push_back(static_cast<Index>(knowns[k]) - 1);
    if (by.back() < 0 || by.back() >= inputs) unknown(knowns[k], "an input");
  }
  for (std::size_t k = 0; k < count; ++k) {
    of.push_back(static_cast<Index>(unknowns[k]) - 1 - inputs);
    if (of.back() < 0 || of.back() >= outputs || machine.machine().outputs[of.back()].integer)
      unknown(unknowns[k], "an output with a derivative");
  }
  return machine.directional_derivative(of, by, Eigen::Map<const Vector>(seed, by.size()));
}

Vector Instance::exchange_derivative(const std::uint32_t* unknowns, std::size_t count,
                                     const std::uint32_t* knowns, std::size_t known_count,
                                     const double* seed) {
  Vector by_states = Vector::Zero(machine.state_count()), by_inputs = Vector::Zero(inputs);
  for (std::size_t j = 0; j < known_count; ++j) {
    const Index k = static_cast<Index>(knowns[j]) - 1, state = k - inputs - outputs - parameters;
    if (k >= 0 && k < inputs)
      by_inputs(k) += seed[j];
    else if (state >= 0 && state < by_states.size())
      by_states(state) += seed[j];
    else
      unknown(knowns[j], "an input or a continuous state");
  }
  return exchange().derivative(static_cast<Index>(count), by_states, by_inputs,
                               [&](Index k) { return real(unknowns[k]); });
}

void Instance::begin(double t, bool has_tolerance, double tolerance) {
  machine.set_start(t, has_tolerance ? std::optional(tolerance) : std::nullopt);
  phase = Phase::initialising;
}

void Instance::step(double start, double length) {
  // Points are computed by the importer: k times a step and sums of steps differ by rounding.
  const double rounding = 1e-9 * length + 1e-15 * std::abs(start);
  if (!(length >= 0.0) || !std::isfinite(start + length))
    throw InvalidArgument("the step " + number_text(length) + " s is not allowed: it must be >= 0");
  if (std::abs(start - machine.time()) > rounding)
    throw InvalidArgument("the step starts at " + number_text(start) + " s, but the last one has ended at " +
                          number_text(machine.time()) + " s");
  const double end = std::max(start + length, machine.time());
  const bool stops = event_mode && early_return;
  at_event = machine.advance(end, stops);
  returned_early = machine.time() < end;
}

namespace {

struct SavedInstance {
  Phase phase;
  CoSimulationState state;
};

SavedInstance& saved(void* handle) {
  if (handle == nullptr) throw InvalidArgument("the state is missing");
  return *static_cast<SavedInstance*>(handle);
}

} // namespace

void Instance::save(void*& handle) {
  SavedInstance now{phase, machine.state()};
  if (handle == nullptr)
    handle = new SavedInstance(std::move(now));
  else
    saved(handle) = std::move(now);
}

void Instance::restore(void* handle) {
  machine.set_state(saved(handle).state);
  phase = saved(handle).phase;
}

void Instance::forget(void*& handle) {
  delete static_cast<SavedInstance*>(handle);
  handle = nullptr;
}

std::string Instance::bytes_of(void* handle) {
  const SavedInstance& one = saved(handle);
  return static_cast<char>(one.phase) + to_bytes(one.state);
}

void Instance::read(std::string_view bytes, void*& handle) {
  if (bytes.empty() || bytes[0] < 0 || bytes[0] > static_cast<char>(Phase::failed))
    throw InvalidArgument("the bytes are no state of this library");
  handle = new SavedInstance{static_cast<Phase>(bytes[0]), co_simulation_state(bytes.substr(1))};
}

Instance* make_instance(const std::filesystem::path& resources, const char* token, InterfaceType type,
                        Log log) {
  try {
    return new Instance(resources, token == nullptr ? "" : token, type, log);
  } catch (const std::exception& e) {
    log(Result::error, e.what());
    return nullptr;
  }
}

} // namespace stickslip::fmi
