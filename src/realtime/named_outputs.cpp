#include "realtime/named_outputs.hpp"

#include "core/error.hpp"
#include "run/sampled_variable.hpp"

#include <algorithm>

namespace stickslip {

NamedOutputs::NamedOutputs(const System& sys, const List<std::string>& names) : count(names.size()) {
  bool sums = false;
  for (Index k = 0; k < count; ++k) {
    const Variable& v = find_variable(sys, names[k], " in outputs");
    if (v.from == Read::constraint_impulse && has_rigid_contacts(sys))
      reject("outputs", "holds '" + names[k] +
                            "', which real time does not keep beside rigid contacts: read it from simulate");
    const auto add = [&](Read from, Index index, Index part, double factor) {
      terms.push_back({k, reads.size(), factor});
      reads.push_back({from, index, part});
    };
    sums = sums || v.from == Read::sum;
    if (v.from != Read::sum) add(v.from, v.index, v.part, 1.0);
    for (const VariableTerm& t : v.terms) add(t.from, t.index, t.part, t.factor);
  }
  if (!sums) terms.clear();
  work.resize(reads.size());
}

void NamedOutputs::read(RealTime& engine, double* out) noexcept {
  engine.read(reads.data(), reads.size(), terms.empty() ? out : work.data());
  if (terms.empty()) return;
  std::fill_n(out, count, 0.0);
  for (const Term& t : terms) out[t.output] += t.factor * work(t.read);
}

} // namespace stickslip
