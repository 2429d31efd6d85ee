#include "realtime/refusals.hpp"

#include "core/error.hpp"
#include "model/relay_form.hpp"
#include "model/smooth.hpp"

namespace stickslip {

void refuse_without_fixed_steps(const System& sys) {
  for (const Loop& l : sys.loops)
    if (needs_interpreter(l.block))
      reject("machine", "has the controller '" + l.name +
                            "', a Python function, which has no bounded time: call it between steps and give "
                            "its output as an "
                            "Input");
  if (sys.needs_interpreter)
    reject(
        "machine",
        "has a friction law that is a Python function, which has no bounded time: sample it by Table.sample");
  for (const Friction& p : sys.friction)
    if (is_relay(p) && p.has_seat())
      reject("machine", "has the relay '" + p.name +
                            "', which RealTime supports only without hysteresis and on a form whose rate its "
                            "output opposes, such as a velocity; a sampled controller in Python can switch");
    else if (p.has_seat())
      reject("machine", "has the detent '" + p.name + "', which RealTime does not support");
  for (const Friction& p : sys.friction)
    if (p.table_load > 0.0)
      reject("machine", "has a load_table at '" + p.name + "', which RealTime does not support");
  if (sys.smooth && !sys.smooth->reactions.empty())
    reject("machine",
           "has the load of '" + sys.friction[sys.smooth->reactions.front().friction].name +
               "', the magnitude of two reactions, which RealTime does not support: give it as a formula");
  for (const Contact& c : sys.contacts)
    if (!c.yields() && sys.smooth)
      reject("machine",
             "has the " + std::string(c.of_velocity ? "one-way clutch" : "contact") + " '" + c.name +
                 "', which is rigid, and functions of the motion: RealTime supports rigid contacts "
                 "in linear machines only; give the contact a compliance");
}

} // namespace stickslip
