// One instance of an exported machine as FMI sees it: a phase, numbered variables, messages. FMI 2.0 and FMI 3.0 are
// two sets of C functions on it.
#pragma once

#include "export/model_exchange.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace stickslip::fmi {

enum class Phase { instantiated, initialising, stepping, events, continuous, terminated, failed };

enum class InterfaceType { co_simulation, model_exchange };

// As fmi3Status and fmi2Status number them.
enum class Result { ok = 0, warning = 1, discard = 2, error = 3 };

using Log = std::function<void(Result, const char* message)>;

// Value references: 0 is the time, then inputs, outputs, parameters, continuous states, their derivatives and event
// indicators in their order follow.
class Instance {
  std::unique_ptr<CoSimulation> run;

public:
  // Throws where the machine in `resources` cannot be read, is not the one of the model description, or is of another
  // kind.
  Instance(const std::filesystem::path& resources, std::string_view token, InterfaceType type, Log log);

  CoSimulation& machine;
  Phase phase = Phase::instantiated;
  bool event_mode = false, early_return = false;

  void report(Result result, const std::string& message) const { log(result, message.c_str()); }
  void demand(std::initializer_list<Phase> allowed) const; // throws in other phases

  bool is_exchange() const { return dynamic_cast<const ModelExchange*>(run.get()) != nullptr; }
  ModelExchange& exchange(); // throws in co-simulation
  double real(std::uint32_t reference);
  std::int32_t integer(std::uint32_t reference);
  void set_real(std::uint32_t reference, double value);
  // Derivatives of outputs by inputs along the seed, which has one number for each known variable; in a model exchange
  // of all continuous variables by inputs and states.
  Vector directional_derivative(const std::uint32_t* unknowns, std::size_t count, const std::uint32_t* knowns,
                                std::size_t known_count, const double* seed);
  void begin(double t, bool has_tolerance, double tolerance);
  // From a communication point to the next, or to an event before if the importer takes early returns.
  void step(double start, double length);
  bool at_event = false, returned_early = false;

  // States by their handles in C.
  void save(void*& handle); // into the state of the handle, unless it is null
  void restore(void* handle);
  static void forget(void*& handle);
  static std::string bytes_of(void* handle);
  static void read(std::string_view bytes, void*& handle);

private:
  Log log;
  Index inputs, outputs, parameters;

  Instance(std::shared_ptr<const ExportedMachine> exported, InterfaceType type, Log log);
  Vector exchange_derivative(const std::uint32_t* unknowns, std::size_t count, const std::uint32_t* knowns,
                             std::size_t known_count, const double* seed);
  [[noreturn]] void unknown(std::uint32_t reference, const char* what) const;
};

// Runs f on an instance; errors become messages, and the instance fails.
template <class F> Result guarded(void* given, const char* function, F&& f) {
  auto* const instance = static_cast<Instance*>(given);
  if (instance == nullptr) return Result::error;
  try {
    f(*instance);
    return Result::ok;
  } catch (const std::exception& e) {
    if (dynamic_cast<const RunEnded*>(&e) != nullptr) instance->phase = Phase::failed;
    instance->report(Result::error, std::string(function) + ": " + e.what());
    return Result::error;
  } catch (...) { // no exception may leave the library
    instance->report(Result::error, std::string(function) + ": interrupted");
    return Result::error;
  }
}

inline std::filesystem::path utf8_path(std::string_view text) {
  return std::u8string(text.begin(), text.end());
}

// New instance, or null with a message.
Instance* make_instance(const std::filesystem::path& resources, const char* token, InterfaceType type,
                        Log log);

} // namespace stickslip::fmi
