// Table of contents of the compiled module.
#include "bind.hpp"

PYBIND11_MODULE(_core, m) {
  namespace b = stickslip::bindings;
  m.doc() = "The compiled engine of stickslip.";
  m.attr("__version__") = STICKSLIP_VERSION;
  b::bind_errors(m);
  b::bind_signal(m);
  b::bind_friction(m);
  b::bind_contact(m);
  b::bind_control(m);
  b::bind_model(m);
  b::bind_run(m);
  b::bind_real_time(m);
  b::bind_ensemble(m);
}
