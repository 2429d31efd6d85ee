// Descriptions from dictionaries of plain values, by their tables of fields.
#include "codec.hpp"
#include "codec_fields.hpp"
#include "description.hpp"

#include <string>

namespace py = pybind11;

namespace stickslip::bindings {

namespace {

void same_format(const py::dict& saved, const char* what) {
  const bool known = saved.contains("format") && py::isinstance<py::int_>(saved["format"]);
  const int given = known ? saved["format"].cast<int>() : -1;
  if (given >= oldest_format && given <= description_format) return;
  throw py::value_error("this " + std::string(what) +
                        " was saved by another version of stickslip: its format is " +
                        (given < 0 ? "unknown" : std::to_string(given)) + ", this version reads formats " +
                        std::to_string(oldest_format) + " to " + std::to_string(description_format));
}

} // namespace

Controller unpack_controller(const py::dict& saved) {
  same_format(saved, "controller");
  py::dict fields(saved);
  fields.attr("pop")("format");
  Controller c;
  unpack("controller", fields, c);
  return c;
}

namespace {

Machine read_machine(const py::dict& saved) {
  same_format(saved, "machine");
  Machine m = machine_of(saved["plant"]);
  for (const py::handle item : saved["elements"]) {
    Element element;
    unpack("element", item, element);
    m.add(std::move(element));
  }
  unpack("scales", saved["scales"], m.scales);
  return m;
}

} // namespace

Machine unpack_machine(const py::dict& saved) {
  return read_soundly("machine", [&] { return read_machine(saved); });
}

Machine machine_of(const py::dict& fields) {
  AnyPlant plant;
  unpack("plant", fields, plant);
  return Machine(std::move(plant));
}

void add_to(Description& description, const py::dict& fields) {
  Element element;
  unpack("element", fields, element);
  description.add(std::move(element));
}

} // namespace stickslip::bindings
