// A Python function in the hands of the engine.
#pragma once

#include "control/controllers.hpp"

#include <pybind11/pybind11.h>

#include <utility>

namespace stickslip::bindings {

// The interpreter's lock is taken for letting go of the function; who calls it takes it as well.
class HeldFunction final : public ProgramIdentity {
public:
  explicit HeldFunction(pybind11::object f) : function(std::move(f)) {}
  HeldFunction(const HeldFunction&) = delete;
  HeldFunction& operator=(const HeldFunction&) = delete;
  ~HeldFunction() override {
    const pybind11::gil_scoped_acquire lock;
    function = pybind11::object();
  }

  bool same(const ProgramIdentity& other) const override {
    const auto* held = dynamic_cast<const HeldFunction*>(&other);
    if (held == nullptr) return false;
    const pybind11::gil_scoped_acquire lock;
    return function.is(held->function) || function.equal(held->function);
  }

  const pybind11::object& get() const { return function; }

private:
  pybind11::object function;
};

// A controller that calls `function`.
Program program(const pybind11::object& function, Index references, Index measurements, Index outputs,
                const Vector& memory);

} // namespace stickslip::bindings
