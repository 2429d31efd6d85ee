#include "model/output_form.hpp"

#include "core/error.hpp"
#include "core/list.hpp"

#include <algorithm>

namespace stickslip {

Form OutputForms::form_of(const Reading& r, const std::string& what) {
  Form form = stickslip::form_of(sys, r);
  for (const OutputOf& one : r.outputs) {
    const Form part = output(one, what);
    form.x += one.factor * part.x, form.s += one.factor * part.s;
  }
  return form;
}

Form OutputForms::output(const OutputOf& of, const std::string& what) {
  const auto at = std::ranges::find(sys.loops, of.controller, &Loop::name);
  if (at == sys.loops.end()) {
    List<std::string> known;
    for (const Loop& l : sys.loops) known.push_back(l.name);
    throw UnknownName(what + ": unknown controller '" + of.controller + "'; known are: " + quoted(known));
  }
  const Index loop = at - sys.loops.begin();
  if (of.output >= at->block.outputs())
    reject(what, "= '" + of.controller + ".output" + std::to_string(of.output) + "' does not exist: '" +
                     of.controller + "' has " + std::to_string(at->block.outputs()) + " outputs");
  unlimited(loop, what);
  if (!linear) linear = linear_part(sys, modes_at_zero(sys));
  return linear->outputs[loop][of.output];
}

// A limited output is another form while it is at its limit. Sampled outputs are held.
void OutputForms::unlimited(Index loop, const std::string& what) const {
  const Loop& l = sys.loops[loop];
  if (!l.block.continuous()) return;
  if (l.saturation >= 0)
    reject(what, "= '" + l.name + ".output' follows the continuous controller '" + l.name +
                     "', which has limits: give it a period, or leave its limits out");
  for (Index k = 0; k < l.inputs.size(); ++k)
    if (!l.block.D.col(k).isZero(0.0))
      for (const OutputTerm& t : l.inputs[k].outputs) unlimited(t.loop, what);
}

} // namespace stickslip
