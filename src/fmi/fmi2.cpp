// The C interface of FMI 2.0 for co-simulation.
#include "fmi/instance.hpp"
#include "fmi/interface.hpp"

#ifdef STICKSLIP_FMI_HEADERS // the standard's own, to compare the functions with
#include <fmi2Functions.h>
#else
#include "fmi/fmi2_types.hpp"
#endif

#include <algorithm>
#include <cctype>
#include <string>

namespace {

using namespace stickslip;
using namespace stickslip::fmi;

using References2 = const fmi2ValueReference*;

template <class F> fmi2Status call2(fmi2Component component, const char* function, F&& f) {
  return static_cast<fmi2Status>(guarded(component, function, std::forward<F>(f)));
}

fmi2Status refuse2(fmi2Component component, const char* function) {
  return call2(component, function,
               [](Instance&) { throw InvalidArgument("the model description does not offer this"); });
}

fmi2Status no_variable2(fmi2Component component, const char* function, std::size_t count) {
  return count == 0 && component != nullptr ? fmi2OK : refuse2(component, function);
}

// Path of a URI: file:///path, with % and two digits for characters that it cannot hold.
std::filesystem::path path_of(std::string uri) {
  for (const std::string start : {"file://", "file:"})
    if (uri.starts_with(start)) {
      uri.erase(0, start.size());
      break;
    }
  std::string path;
  for (std::size_t k = 0; k < uri.size(); ++k) {
    const auto is_digit = [&](std::size_t at) {
      return at < uri.size() && std::isxdigit(static_cast<unsigned char>(uri[at])) != 0;
    };
    const bool coded = uri[k] == '%' && is_digit(k + 1) && is_digit(k + 2);
    path += coded ? static_cast<char>(std::stoi(uri.substr(k + 1, 2), nullptr, 16)) : uri[k];
    if (coded) k += 2;
  }
  const bool drive = path.size() > 2 && path[0] == '/' && path[2] == ':'; // file:///C:/folder
  return utf8_path(drive ? path.substr(1) : path);
}

constexpr auto any_but_failed = {Phase::instantiated, Phase::initialising, Phase::stepping,
                                 Phase::terminated};
constexpr auto before_end = {Phase::instantiated, Phase::initialising, Phase::stepping};

} // namespace

STICKSLIP_FMI const char* fmi2GetTypesPlatform(void) {
  return "default";
}

STICKSLIP_FMI const char* fmi2GetVersion(void) {
  return "2.0";
}

STICKSLIP_FMI fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean, std::size_t,
                                             const fmi2String*) {
  return component == nullptr ? fmi2Error : fmi2OK; // errors are the only messages
}

STICKSLIP_FMI fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String token,
                                            fmi2String resources, const fmi2CallbackFunctions* functions,
                                            fmi2Boolean, fmi2Boolean) {
  const std::string instance = name == nullptr ? "" : name;
  const Log log = [functions, instance](Result result, const char* text) {
    if (functions != nullptr && functions->logger != nullptr)
      functions->logger(functions->componentEnvironment, instance.c_str(), static_cast<fmi2Status>(result),
                        "logStatusError", "%s", text);
  };
  if (type != fmi2CoSimulation)
    return log(Result::error,
               "FMI 2.0 is for co-simulation only: choose co-simulation where it is imported, or FMI 3.0"),
           nullptr;
  if (resources == nullptr) return log(Result::error, "the location of the resources is missing"), nullptr;
  return make_instance(path_of(resources), token, InterfaceType::co_simulation, log);
}

STICKSLIP_FMI void fmi2FreeInstance(fmi2Component component) {
  delete static_cast<Instance*>(component);
}

STICKSLIP_FMI fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean has_tolerance,
                                             fmi2Real tolerance, fmi2Real start, fmi2Boolean, fmi2Real) {
  return call2(component, __func__, [&](Instance& i) {
    i.demand({Phase::instantiated});
    i.begin(start, has_tolerance != 0, tolerance);
    i.phase = Phase::instantiated;
  });
}

STICKSLIP_FMI fmi2Status fmi2EnterInitializationMode(fmi2Component component) {
  return call2(component, __func__, [](Instance& i) {
    i.demand({Phase::instantiated});
    i.phase = Phase::initialising;
  });
}

STICKSLIP_FMI fmi2Status fmi2ExitInitializationMode(fmi2Component component) {
  return call2(component, __func__, [](Instance& i) {
    i.demand({Phase::initialising});
    i.machine.settle();
    i.phase = Phase::stepping;
  });
}

STICKSLIP_FMI fmi2Status fmi2DoStep(fmi2Component component, fmi2Real start, fmi2Real step, fmi2Boolean) {
  return call2(component, __func__, [&](Instance& i) {
    i.demand({Phase::stepping});
    i.step(start, step);
  });
}

STICKSLIP_FMI fmi2Status fmi2Terminate(fmi2Component component) {
  return call2(component, __func__, [](Instance& i) {
    i.demand({Phase::stepping});
    i.phase = Phase::terminated;
  });
}

STICKSLIP_FMI fmi2Status fmi2Reset(fmi2Component component) {
  return call2(component, __func__, [](Instance& i) {
    i.machine.reset();
    i.phase = Phase::instantiated;
  });
}

STICKSLIP_FMI fmi2Status fmi2GetReal(fmi2Component component, References2 references, std::size_t count,
                                     fmi2Real* values) {
  return call2(component, __func__, [&](Instance& i) {
    i.demand(any_but_failed);
    for (std::size_t k = 0; k < count; ++k) values[k] = i.real(references[k]);
  });
}

STICKSLIP_FMI fmi2Status fmi2SetReal(fmi2Component component, References2 references, std::size_t count,
                                     const fmi2Real* values) {
  return call2(component, __func__, [&](Instance& i) {
    i.demand(before_end);
    for (std::size_t k = 0; k < count; ++k) i.set_real(references[k], values[k]);
  });
}

STICKSLIP_FMI fmi2Status fmi2GetInteger(fmi2Component component, References2 references, std::size_t count,
                                        fmi2Integer* values) {
  return call2(component, __func__, [&](Instance& i) {
    i.demand(any_but_failed);
    for (std::size_t k = 0; k < count; ++k) values[k] = i.integer(references[k]);
  });
}

STICKSLIP_FMI fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate* state) {
  return call2(component, __func__, [&](Instance& i) { i.save(*state); });
}

STICKSLIP_FMI fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state) {
  return call2(component, __func__, [&](Instance& i) { i.restore(state); });
}

STICKSLIP_FMI fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate* state) {
  return call2(component, __func__, [&](Instance&) { Instance::forget(*state); });
}

STICKSLIP_FMI fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state,
                                                    std::size_t* size) {
  return call2(component, __func__, [&](Instance&) { *size = Instance::bytes_of(state).size(); });
}

STICKSLIP_FMI fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state, fmi2Byte* bytes,
                                               std::size_t size) {
  return call2(component, __func__, [&](Instance&) {
    const std::string out = Instance::bytes_of(state);
    if (out.size() != size) throw InvalidArgument("the size is not that of fmi2SerializedFMUstateSize");
    std::copy(out.begin(), out.end(), bytes);
  });
}

STICKSLIP_FMI fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte* bytes,
                                                 std::size_t size, fmi2FMUstate* state) {
  return call2(component, __func__, [&](Instance&) { Instance::read({bytes, size}, *state); });
}

STICKSLIP_FMI fmi2Status fmi2GetRealStatus(fmi2Component component, const fmi2StatusKind kind,
                                           fmi2Real* value) {
  if (kind != fmi2LastSuccessfulTime) return refuse2(component, __func__);
  return call2(component, __func__, [&](Instance& i) { *value = i.machine.time(); });
}

STICKSLIP_FMI fmi2Status fmi2GetBooleanStatus(fmi2Component component, const fmi2StatusKind kind,
                                              fmi2Boolean* value) {
  if (kind != fmi2Terminated) return refuse2(component, __func__);
  return call2(component, __func__, [&](Instance&) { *value = 0; });
}

STICKSLIP_FMI fmi2Status fmi2GetDirectionalDerivative(fmi2Component component, References2 unknowns,
                                                      std::size_t count, References2 knowns,
                                                      std::size_t known_count, const fmi2Real* seed,
                                                      fmi2Real* sensitivity) {
  return call2(component, __func__, [&](Instance& i) {
    i.demand({Phase::stepping});
    const Vector found = i.directional_derivative(unknowns, count, knowns, known_count, seed);
    std::copy(found.begin(), found.end(), sensitivity);
  });
}

// Types without variables, and what the model description does not offer.
STICKSLIP_FMI fmi2Status fmi2GetBoolean(fmi2Component c, References2, std::size_t count, fmi2Boolean*) {
  return no_variable2(c, __func__, count);
}
STICKSLIP_FMI fmi2Status fmi2GetString(fmi2Component c, References2, std::size_t count, fmi2String*) {
  return no_variable2(c, __func__, count);
}
STICKSLIP_FMI fmi2Status fmi2SetInteger(fmi2Component c, References2, std::size_t count, const fmi2Integer*) {
  return no_variable2(c, __func__, count);
}
STICKSLIP_FMI fmi2Status fmi2SetBoolean(fmi2Component c, References2, std::size_t count, const fmi2Boolean*) {
  return no_variable2(c, __func__, count);
}
STICKSLIP_FMI fmi2Status fmi2SetString(fmi2Component c, References2, std::size_t count, const fmi2String*) {
  return no_variable2(c, __func__, count);
}
STICKSLIP_FMI fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, References2, std::size_t,
                                                     const fmi2Integer*, const fmi2Real*) {
  return refuse2(c, __func__);
}
STICKSLIP_FMI fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, References2, std::size_t,
                                                      const fmi2Integer*, fmi2Real*) {
  return refuse2(c, __func__);
}
STICKSLIP_FMI fmi2Status fmi2CancelStep(fmi2Component c) {
  return refuse2(c, __func__);
}
STICKSLIP_FMI fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind, fmi2Status*) {
  return refuse2(c, __func__);
}
STICKSLIP_FMI fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind, fmi2Integer*) {
  return refuse2(c, __func__);
}
STICKSLIP_FMI fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind, fmi2String*) {
  return refuse2(c, __func__);
}
