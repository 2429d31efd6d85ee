// Descriptions as dictionaries of plain values, made from their tables of fields; codec_read.cpp is the way back.
#include "codec.hpp"
#include "codec_fields.hpp"
#include "description.hpp"

namespace py = pybind11;

namespace stickslip::bindings {

py::dict pack(const Controller& c) {
  py::dict out = Packer{true}(c);
  out["format"] = description_format;
  return out;
}

py::dict pack(const Machine& m) {
  const Packer packer{true};
  py::dict out;
  out["format"] = description_format;
  out["plant"] = packer(m.plant);
  out["elements"] = packer(m.elements);
  out["scales"] = packer(m.scales);
  return out;
}

py::dict plant_of(const Machine& m) {
  return Packer{false}(m.plant);
}

py::object elements_of(const Machine& m) {
  return Packer{false}(m.elements);
}

py::object scales_of(const Machine& m) {
  return Packer{false}(m.scales);
}

} // namespace stickslip::bindings
