// What the engine throws, as Python knows it.
#include "bind.hpp"

#include "core/error.hpp"

namespace stickslip::bindings {

void bind_core() {
  pybind11::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const InvalidArgument& e) {
      pybind11::set_error(PyExc_ValueError, e.what());
    } catch (const UnknownName& e) {
      pybind11::set_error(pybind11::module_::import("stickslip.errors").attr("UnknownNameError"), e.what());
    }
  });
}

} // namespace stickslip::bindings
