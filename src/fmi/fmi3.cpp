// The C interface of FMI 3.0: co-simulation with event mode and early return, model exchange. Functions of what the model description
// does not offer report an error.
#include "fmi/instance.hpp"
#include "fmi/interface.hpp"

#ifdef STICKSLIP_FMI_HEADERS // the standard's own, to compare the functions with
#include <fmi3Functions.h>
#else
#include "fmi/fmi3_types.hpp"
#endif

#include <algorithm>
#include <cmath>

namespace {

using namespace stickslip;
using namespace stickslip::fmi;

using References = const fmi3ValueReference*;

template <class F> fmi3Status call3(fmi3Instance instance, const char* function, F&& f) {
  return static_cast<fmi3Status>(guarded(instance, function, std::forward<F>(f)));
}

fmi3Status refuse3(fmi3Instance instance, const char* function) {
  return call3(instance, function,
               [](Instance&) { throw InvalidArgument("the model description does not offer this"); });
}

// A type that no variable has: nothing can be read or set.
fmi3Status no_variable3(fmi3Instance instance, const char* function, std::size_t count) {
  return count == 0 && instance != nullptr ? fmi3OK : refuse3(instance, function);
}

void same_count(std::size_t references, std::size_t values) {
  if (references != values) throw InvalidArgument("as many values as value references are needed");
}

Log log3(fmi3InstanceEnvironment environment, fmi3LogMessageCallback message) {
  return [=](Result result, const char* text) {
    if (message != nullptr) message(environment, static_cast<fmi3Status>(result), "logStatusError", text);
  };
}

Instance* instantiate3(InterfaceType type, fmi3String token, fmi3String resources,
                       fmi3InstanceEnvironment environment, fmi3LogMessageCallback message) {
  const Log log = log3(environment, message);
  if (resources == nullptr) return log(Result::error, "the path of the resources is missing"), nullptr;
  return make_instance(utf8_path(resources), token, type, log);
}

constexpr auto running = {Phase::stepping, Phase::events, Phase::continuous};
constexpr auto readable = {Phase::instantiated, Phase::initialising, Phase::stepping,
                           Phase::events,       Phase::continuous,   Phase::terminated};
constexpr auto settable = {Phase::instantiated, Phase::initialising, Phase::stepping, Phase::events,
                           Phase::continuous};
// Of the states of a model exchange.
constexpr auto defined = {Phase::initialising, Phase::events, Phase::continuous, Phase::terminated};

fmi3Status copy3(fmi3Instance instance, const char* function, fmi3Float64* values, std::size_t count,
                 const Vector& (ModelExchange::*of)()) {
  fmi3Status status = call3(instance, function, [&](Instance& i) {
    ModelExchange& exchange = i.exchange();
    i.demand(defined);
    const Vector& found = (exchange.*of)();
    same_count(static_cast<std::size_t>(found.size()), count);
    std::copy(found.begin(), found.end(), values);
  });
  if (status == fmi3OK && !std::all_of(values, values + count, [](double x) { return std::isfinite(x); }))
    status = fmi3Discard; // the solver tries a shorter step
  return status;
}

} // namespace

STICKSLIP_FMI const char* fmi3GetVersion(void) {
  return "3.0";
}

STICKSLIP_FMI fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean, std::size_t,
                                             const fmi3String*) {
  return instance == nullptr ? fmi3Error : fmi3OK; // errors are the only messages
}

STICKSLIP_FMI fmi3Instance fmi3InstantiateCoSimulation(fmi3String, fmi3String token, fmi3String resources,
                                                       fmi3Boolean, fmi3Boolean, fmi3Boolean event_mode,
                                                       fmi3Boolean early_return, References, std::size_t,
                                                       fmi3InstanceEnvironment environment,
                                                       fmi3LogMessageCallback message,
                                                       fmi3IntermediateUpdateCallback) {
  Instance* const made = instantiate3(InterfaceType::co_simulation, token, resources, environment, message);
  if (made != nullptr) made->event_mode = event_mode, made->early_return = early_return;
  return made;
}

STICKSLIP_FMI fmi3Instance fmi3InstantiateModelExchange(fmi3String, fmi3String token, fmi3String resources,
                                                        fmi3Boolean, fmi3Boolean,
                                                        fmi3InstanceEnvironment environment,
                                                        fmi3LogMessageCallback message) {
  Instance* const made = instantiate3(InterfaceType::model_exchange, token, resources, environment, message);
  if (made != nullptr) made->event_mode = true;
  return made;
}

STICKSLIP_FMI fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean,
                                                             fmi3Boolean, fmi3InstanceEnvironment environment,
                                                             fmi3LogMessageCallback message,
                                                             fmi3ClockUpdateCallback,
                                                             fmi3LockPreemptionCallback,
                                                             fmi3UnlockPreemptionCallback) {
  log3(environment, message)(Result::error,
                             "scheduled execution is not offered: choose co-simulation or model exchange");
  return nullptr;
}

STICKSLIP_FMI void fmi3FreeInstance(fmi3Instance instance) {
  delete static_cast<Instance*>(instance);
}

STICKSLIP_FMI fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean has_tolerance,
                                                     fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean,
                                                     fmi3Float64) {
  return call3(instance, __func__, [&](Instance& i) {
    i.demand({Phase::instantiated});
    i.begin(start, has_tolerance, tolerance);
  });
}

STICKSLIP_FMI fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
  return call3(instance, __func__, [](Instance& i) {
    i.demand({Phase::initialising});
    i.machine.settle();
    i.phase = i.event_mode ? Phase::events : Phase::stepping;
  });
}

STICKSLIP_FMI fmi3Status fmi3EnterEventMode(fmi3Instance instance) {
  return call3(instance, __func__, [](Instance& i) {
    i.demand({Phase::stepping, Phase::continuous});
    if (i.phase == Phase::continuous) i.exchange().enter_event();
    i.phase = Phase::events;
  });
}

STICKSLIP_FMI fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean* again,
                                                  fmi3Boolean* terminate, fmi3Boolean* nominals,
                                                  fmi3Boolean* values, fmi3Boolean* next_defined,
                                                  fmi3Float64* next) {
  return call3(instance, __func__, [&](Instance& i) {
    i.demand({Phase::events});
    *again = *terminate = *nominals = *values = *next_defined = false;
    *next = 0.0;
    if (!i.is_exchange()) return i.machine.settle();
    const ModelExchange::Update done = i.exchange().update();
    *values = done.states, *nominals = done.nominals;
    *next_defined = std::isfinite(done.next);
    if (*next_defined) *next = done.next;
  });
}

STICKSLIP_FMI fmi3Status fmi3EnterStepMode(fmi3Instance instance) {
  return call3(instance, __func__, [](Instance& i) {
    if (i.is_exchange())
      throw InvalidArgument("is for co-simulation, but the instance is for model exchange");
    i.demand({Phase::events});
    i.machine.settle();
    i.phase = Phase::stepping;
  });
}

STICKSLIP_FMI fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 start, fmi3Float64 step, fmi3Boolean,
                                    fmi3Boolean* event, fmi3Boolean* terminate, fmi3Boolean* early,
                                    fmi3Float64* reached) {
  return call3(instance, __func__, [&](Instance& i) {
    *event = *terminate = *early = false;
    *reached = i.machine.time();
    i.demand({Phase::stepping});
    i.step(start, step);
    *reached = i.machine.time();
    *event = i.at_event;
    *early = i.returned_early;
  });
}

STICKSLIP_FMI fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance) {
  return call3(instance, __func__, [](Instance& i) {
    i.exchange();
    i.demand({Phase::events});
    i.phase = Phase::continuous;
  });
}

STICKSLIP_FMI fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean, fmi3Boolean* event,
                                                     fmi3Boolean* terminate) {
  return call3(instance, __func__, [&](Instance& i) {
    *event = *terminate = false;
    i.demand({Phase::continuous});
    *event = i.exchange().complete_step();
  });
}

STICKSLIP_FMI fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time) {
  return call3(instance, __func__, [&](Instance& i) {
    i.demand({Phase::continuous});
    i.exchange().set_time(time);
  });
}

STICKSLIP_FMI fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64* states,
                                                 std::size_t count) {
  return call3(instance, __func__, [&](Instance& i) {
    i.demand({Phase::continuous});
    same_count(static_cast<std::size_t>(i.machine.state_count()), count);
    i.exchange().set_states(Eigen::Map<const Vector>(states, i.machine.state_count()));
  });
}

STICKSLIP_FMI fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64* states,
                                                 std::size_t count) {
  return copy3(instance, __func__, states, count, &ModelExchange::states);
}

STICKSLIP_FMI fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64* derivatives,
                                                           std::size_t count) {
  return copy3(instance, __func__, derivatives, count, &ModelExchange::rates);
}

STICKSLIP_FMI fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64* indicators,
                                                std::size_t count) {
  return copy3(instance, __func__, indicators, count, &ModelExchange::indicators);
}

STICKSLIP_FMI fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64* nominals,
                                                           std::size_t count) {
  return copy3(instance, __func__, nominals, count, &ModelExchange::nominals);
}

STICKSLIP_FMI fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, std::size_t* count) {
  return call3(instance, __func__,
               [&](Instance& i) { *count = static_cast<std::size_t>(i.exchange().indicator_count()); });
}

STICKSLIP_FMI fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, std::size_t* count) {
  return call3(instance, __func__,
               [&](Instance& i) { *count = static_cast<std::size_t>(i.exchange().state_count()); });
}

STICKSLIP_FMI fmi3Status fmi3Terminate(fmi3Instance instance) {
  return call3(instance, __func__, [](Instance& i) {
    i.demand(running);
    i.phase = Phase::terminated;
  });
}

STICKSLIP_FMI fmi3Status fmi3Reset(fmi3Instance instance) {
  return call3(instance, __func__, [](Instance& i) {
    i.machine.reset();
    i.phase = Phase::instantiated;
  });
}

STICKSLIP_FMI fmi3Status fmi3GetFloat64(fmi3Instance instance, References references, std::size_t count,
                                        fmi3Float64* values, std::size_t value_count) {
  return call3(instance, __func__, [&](Instance& i) {
    i.demand(readable);
    same_count(count, value_count);
    for (std::size_t k = 0; k < count; ++k) values[k] = i.real(references[k]);
  });
}

STICKSLIP_FMI fmi3Status fmi3SetFloat64(fmi3Instance instance, References references, std::size_t count,
                                        const fmi3Float64* values, std::size_t value_count) {
  return call3(instance, __func__, [&](Instance& i) {
    i.demand(settable);
    same_count(count, value_count);
    for (std::size_t k = 0; k < count; ++k) i.set_real(references[k], values[k]);
  });
}

STICKSLIP_FMI fmi3Status fmi3GetInt32(fmi3Instance instance, References references, std::size_t count,
                                      fmi3Int32* values, std::size_t value_count) {
  return call3(instance, __func__, [&](Instance& i) {
    i.demand(readable);
    same_count(count, value_count);
    for (std::size_t k = 0; k < count; ++k) values[k] = i.integer(references[k]);
  });
}

STICKSLIP_FMI fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* state) {
  return call3(instance, __func__, [&](Instance& i) { i.save(*state); });
}

STICKSLIP_FMI fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state) {
  return call3(instance, __func__, [&](Instance& i) { i.restore(state); });
}

STICKSLIP_FMI fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState* state) {
  return call3(instance, __func__, [&](Instance&) { Instance::forget(*state); });
}

STICKSLIP_FMI fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state,
                                                    std::size_t* size) {
  return call3(instance, __func__, [&](Instance&) { *size = Instance::bytes_of(state).size(); });
}

STICKSLIP_FMI fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte* bytes,
                                               std::size_t size) {
  return call3(instance, __func__, [&](Instance&) {
    const std::string out = Instance::bytes_of(state);
    same_count(out.size(), size);
    std::copy(out.begin(), out.end(), bytes);
  });
}

STICKSLIP_FMI fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte* bytes,
                                                 std::size_t size, fmi3FMUState* state) {
  return call3(instance, __func__,
               [&](Instance&) { Instance::read({reinterpret_cast<const char*>(bytes), size}, *state); });
}

// Types without variables.
#define STICKSLIP_NO_VARIABLE(Type)                                                                          \
  STICKSLIP_FMI fmi3Status fmi3Get##Type(fmi3Instance instance, References, std::size_t count, fmi3##Type*,  \
                                         std::size_t) {                                                      \
    return no_variable3(instance, __func__, count);                                                          \
  }                                                                                                          \
  STICKSLIP_FMI fmi3Status fmi3Set##Type(fmi3Instance instance, References, std::size_t count,               \
                                         const fmi3##Type*, std::size_t) {                                   \
    return no_variable3(instance, __func__, count);                                                          \
  }
STICKSLIP_NO_VARIABLE(Float32)
STICKSLIP_NO_VARIABLE(Int8)
STICKSLIP_NO_VARIABLE(UInt8)
STICKSLIP_NO_VARIABLE(Int16)
STICKSLIP_NO_VARIABLE(UInt16)
STICKSLIP_NO_VARIABLE(UInt32)
STICKSLIP_NO_VARIABLE(Int64)
STICKSLIP_NO_VARIABLE(UInt64)
STICKSLIP_NO_VARIABLE(Boolean)
STICKSLIP_NO_VARIABLE(String)
#undef STICKSLIP_NO_VARIABLE

STICKSLIP_FMI fmi3Status fmi3SetInt32(fmi3Instance instance, References, std::size_t count, const fmi3Int32*,
                                      std::size_t) {
  return no_variable3(instance, __func__, count); // modes are outputs
}
STICKSLIP_FMI fmi3Status fmi3GetBinary(fmi3Instance instance, References, std::size_t count, std::size_t*,
                                       fmi3Binary*, std::size_t) {
  return no_variable3(instance, __func__, count);
}
STICKSLIP_FMI fmi3Status fmi3SetBinary(fmi3Instance instance, References, std::size_t count,
                                       const std::size_t*, const fmi3Binary*, std::size_t) {
  return no_variable3(instance, __func__, count);
}
STICKSLIP_FMI fmi3Status fmi3GetClock(fmi3Instance instance, References, std::size_t count, fmi3Clock*) {
  return no_variable3(instance, __func__, count);
}
STICKSLIP_FMI fmi3Status fmi3SetClock(fmi3Instance instance, References, std::size_t count,
                                      const fmi3Clock*) {
  return no_variable3(instance, __func__, count);
}

STICKSLIP_FMI fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, References unknowns,
                                                      std::size_t count, References knowns,
                                                      std::size_t known_count, const fmi3Float64* seed,
                                                      std::size_t seed_count, fmi3Float64* sensitivity,
                                                      std::size_t sensitivity_count) {
  return call3(instance, __func__, [&](Instance& i) {
    i.demand(running);
    same_count(known_count, seed_count), same_count(count, sensitivity_count);
    const Vector found = i.directional_derivative(unknowns, count, knowns, known_count, seed);
    std::copy(found.begin(), found.end(), sensitivity);
  });
}

// Functions that the model description does not offer.
#define STICKSLIP_NOT_OFFERED(function, parameters)                                                          \
  STICKSLIP_FMI fmi3Status function parameters {                                                             \
    return refuse3(instance, __func__);                                                                      \
  }
STICKSLIP_NOT_OFFERED(fmi3GetNumberOfVariableDependencies,
                      (fmi3Instance instance, fmi3ValueReference, std::size_t*))
STICKSLIP_NOT_OFFERED(fmi3GetVariableDependencies,
                      (fmi3Instance instance, fmi3ValueReference, std::size_t*, fmi3ValueReference*,
                       std::size_t*, fmi3DependencyKind*, std::size_t))
STICKSLIP_NOT_OFFERED(fmi3GetAdjointDerivative,
                      (fmi3Instance instance, References, std::size_t, References, std::size_t,
                       const fmi3Float64*, std::size_t, fmi3Float64*, std::size_t))
STICKSLIP_NOT_OFFERED(fmi3EnterConfigurationMode, (fmi3Instance instance))
STICKSLIP_NOT_OFFERED(fmi3ExitConfigurationMode, (fmi3Instance instance))
STICKSLIP_NOT_OFFERED(fmi3GetIntervalDecimal,
                      (fmi3Instance instance, References, std::size_t, fmi3Float64*, fmi3IntervalQualifier*))
STICKSLIP_NOT_OFFERED(fmi3GetIntervalFraction, (fmi3Instance instance, References, std::size_t, fmi3UInt64*,
                                                fmi3UInt64*, fmi3IntervalQualifier*))
STICKSLIP_NOT_OFFERED(fmi3GetShiftDecimal, (fmi3Instance instance, References, std::size_t, fmi3Float64*))
STICKSLIP_NOT_OFFERED(fmi3GetShiftFraction,
                      (fmi3Instance instance, References, std::size_t, fmi3UInt64*, fmi3UInt64*))
STICKSLIP_NOT_OFFERED(fmi3SetIntervalDecimal,
                      (fmi3Instance instance, References, std::size_t, const fmi3Float64*))
STICKSLIP_NOT_OFFERED(fmi3SetIntervalFraction,
                      (fmi3Instance instance, References, std::size_t, const fmi3UInt64*, const fmi3UInt64*))
STICKSLIP_NOT_OFFERED(fmi3SetShiftDecimal,
                      (fmi3Instance instance, References, std::size_t, const fmi3Float64*))
STICKSLIP_NOT_OFFERED(fmi3SetShiftFraction,
                      (fmi3Instance instance, References, std::size_t, const fmi3UInt64*, const fmi3UInt64*))
STICKSLIP_NOT_OFFERED(fmi3EvaluateDiscreteStates, (fmi3Instance instance))
STICKSLIP_NOT_OFFERED(fmi3GetOutputDerivatives, (fmi3Instance instance, References, std::size_t,
                                                 const fmi3Int32*, fmi3Float64*, std::size_t))
STICKSLIP_NOT_OFFERED(fmi3ActivateModelPartition, (fmi3Instance instance, fmi3ValueReference, fmi3Float64))
#undef STICKSLIP_NOT_OFFERED
