// Compiled controllers as they run: blocks and their sampling, open to those who look inside.
#include "control_block.hpp"

#include "list.hpp"

#include "control/block.hpp"
#include "core/error.hpp"

#include <pybind11/eigen.h>
#include <pybind11/native_enum.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace pybind11::literals;

namespace stickslip::bindings {

namespace {

std::vector<std::string> input_names(const Block& b) {
  std::vector<std::string> names;
  for (const Channel& c : b.inputs) {
    std::string name = c.of == Channel::Of::reference ? "reference" : "measurement";
    if (c.index > 0) name += std::to_string(c.index);
    if (c.order == 1) name += ".rate";
    if (c.order == 2) name += ".acceleration";
    if (c.difference) name += ".difference";
    names.push_back(name);
  }
  return names;
}

void need(const char* name, const Vector& v, Index size) {
  if (v.size() != size) reject(name, "has the wrong length");
}

BlockInputs read(const Block& b, const Vector& z, const Vector& w, const std::optional<Vector>& wdot) {
  need("z", z, b.states());
  need("w", w, b.D.cols());
  if (wdot) need("wdot", *wdot, b.D.cols());
  if (!wdot && b.needs_input_rates()) reject("wdot", "is needed by this block");
  return {w.data(), wdot ? wdot->data() : nullptr};
}

Index output_of(const Block& b, Index output) {
  if (output < 0 || output >= b.outputs()) reject("output", "does not exist");
  return output;
}

// A sampled block together with its memory.
struct Ticker {
  Block block;
  Vector memory, work, u;

  explicit Ticker(const Block& b)
      : block(b), memory(memory_size(b)), work(work_size(b)), u(Vector::Zero(b.outputs())) {
    if (b.continuous()) reject("block", "is continuous: it has no sampling instants");
    start(block, memory.data());
  }
};

} // namespace

void bind_block(py::module_& m) {
  py::native_enum<Saturation>(m, "Saturation", "enum.Enum",
                              "Mode of a limited output of a continuous controller.")
      .value("free", Saturation::free)
      .value("high", Saturation::high)
      .value("low", Saturation::low)
      .value("high_frozen", Saturation::high_frozen)
      .value("low_frozen", Saturation::low_frozen)
      .value("high_following", Saturation::high_following)
      .value("low_following", Saturation::low_following)
      .finalize();
  using Trigger = BlockGuard::Trigger;
  py::native_enum<Trigger>(m, "BlockTrigger", "enum.Enum",
                           "Transitions of a limited output of a continuous controller.")
      .value("exceeds_max", Trigger::exceeds_max)
      .value("exceeds_min", Trigger::exceeds_min)
      .value("returns", Trigger::returns)
      .value("turns_outwards", Trigger::turns_outwards)
      .value("turns_inwards", Trigger::turns_inwards)
      .finalize();
  py::class_<BlockGuard>(m, "BlockGuard")
      .def_readonly("trigger", &BlockGuard::trigger)
      .def_readonly("z", &BlockGuard::z)
      .def_readonly("w", &BlockGuard::w)
      .def_readonly("wdot", &BlockGuard::wdot)
      .def_readonly("offset", &BlockGuard::offset);
  py::class_<AffineBlock>(m, "AffineBlock")
      .def_readonly("A", &AffineBlock::A)
      .def_readonly("B", &AffineBlock::B)
      .def_readonly("b", &AffineBlock::b)
      .def_readonly("C", &AffineBlock::C)
      .def_readonly("D", &AffineBlock::D)
      .def_readonly("d", &AffineBlock::d);
  py::class_<Block>(m, "Block", "A controller as a linear block: the form that the engine simulates.")
      .def_property_readonly("inputs", &input_names)
      .def_readonly("A", &Block::A)
      .def_readonly("B", &Block::B)
      .def_readonly("C", &Block::C)
      .def_readonly("D", &Block::D)
      .def_readonly("L", &Block::L)
      .def_readonly("lo", &Block::lo)
      .def_readonly("hi", &Block::hi)
      .def_readonly("period", &Block::period)
      .def_readonly("delay", &Block::delay)
      .def_readonly("quantum", &Block::quantum)
      .def_readonly("initial", &Block::initial)
      .def_readonly("integrator", &Block::integrator)
      .def_property_readonly("needs_input_rates", &Block::needs_input_rates)
      .def_property_readonly("is_program", [](const Block& b) { return b.program.has_value(); })
      .def(
          "affine",
          [](const Block& b, const std::vector<Saturation>& modes) {
            if (static_cast<Index>(modes.size()) != b.outputs()) reject("modes", "must be one per output");
            return affine(b, modes);
          },
          "modes"_a)
      .def(
          "guards", [](const Block& b, Index j, Saturation s) { return guards(b, output_of(b, j), s); },
          "output"_a, "mode"_a)
      .def(
          "after",
          [](const Block& b, Index j, Saturation mode, Trigger fired, const Vector& z, const Vector& w,
             const std::optional<Vector>& wdot) {
            return after(b, output_of(b, j), mode, fired, z.data(), read(b, z, w, wdot));
          },
          "output"_a, "mode"_a, "fired"_a, "z"_a, "w"_a, "wdot"_a = py::none())
      .def(
          "mode_anew",
          [](const Block& b, Index j, Saturation before, const Vector& z, const Vector& w,
             const std::optional<Vector>& wdot) {
            return mode_anew(b, output_of(b, j), before, z.data(), read(b, z, w, wdot));
          },
          "output"_a, "before"_a, "z"_a, "w"_a, "wdot"_a = py::none())
      .def(
          "settle",
          [](const Block& b, Index j, Saturation mode, const Vector& w, Vector z) {
            need("z", z, b.states());
            need("w", w, b.D.cols());
            settle(b, output_of(b, j), mode, w.data(), z.data());
            return z;
          },
          "output"_a, "mode"_a, "w"_a, "z"_a,
          "Return the states with the integral set so that the output follows its limit.");
  py::class_<Ticker>(m, "Ticker", "A sampled controller with its memory, stepped by the caller.")
      .def(py::init<const Block&>(), "block"_a)
      .def_readonly("memory", &Ticker::memory)
      .def(
          "step",
          [](Ticker& k, double t, const Vector& samples) {
            need("samples", samples, static_cast<Index>(k.block.inputs.size()));
            update_sampled(k.block, t, samples.data(), k.memory.data(), k.work.data(), k.u.data());
            return k.u;
          },
          "t"_a, "samples"_a,
          "Advance by one sampling instant. Takes samples in the order of block.inputs, returns the "
          "outputs.");
}

} // namespace stickslip::bindings
