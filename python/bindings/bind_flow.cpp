// Settings of a run.
#include "bind.hpp"

#include "flow/options.hpp"

#include <string>

#include <pybind11/eigen.h>
#include <pybind11/native_enum.h>

namespace stickslip::bindings {

namespace py = pybind11;

namespace {

Options settings(const py::kwargs& given) {
  Options o;
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string_view>();
    bool found = false;
    each_setting(o, [&](const auto& setting, auto& member) {
      if (name != setting.name) return;
      member = value.template cast<std::remove_reference_t<decltype(member)>>();
      found = true;
    });
    if (!found) throw py::type_error("there is no option " + std::string(py::repr(key)));
  }
  return o;
}

std::string text(const Options& o) {
  std::string out;
  each_setting(o, [&](const auto& setting, const auto& value) {
    out += (out.empty() ? "Options(" : ", ") + std::string(setting.name) + "=" +
           std::string(py::repr(py::cast(value)));
  });
  return out + ")";
}

} // namespace

void bind_flow(py::module_ m) {
  py::native_enum<Method>(m, "Method", "enum.Enum")
      .value("auto", Method::automatic)
      .value("exact", Method::exact)
      .value("explicit", Method::explicit_pair)
      .value("stiff", Method::stiff)
      .value("time_stepping", Method::time_stepping)
      .finalize();

  py::native_enum<Keep>(m, "Keep", "enum.Enum")
      .value("segments", Keep::segments)
      .value("events", Keep::events)
      .value("nothing", Keep::nothing)
      .finalize();

  py::class_<Options> options(m, "Options");
  options.def(py::init(&settings)).def("__repr__", &text);
  std::apply([&](const auto&... setting) { (options.def_readonly(setting.name, setting.member), ...); },
             Options::settings());
}

} // namespace stickslip::bindings
