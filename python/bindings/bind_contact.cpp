// The contact room: _core.lcp and _core.contact.
#include "bind_contact.hpp"
#include "bind.hpp"

namespace stickslip::bindings {

void bind_contact(pybind11::module_& m) {
  bind_lcp(m);
  bind_transition(m);
}

} // namespace stickslip::bindings
