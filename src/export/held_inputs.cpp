#include "export/held_inputs.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <limits>

namespace stickslip {

HeldInputs::HeldInputs(const System& sys, const List<std::string>& names) {
  for (Index i = 0; i < sys.signals.size(); ++i) {
    const Signal& s = sys.signals[i];
    const auto at = std::find(names.begin(), names.end(), s.input);
    if (s.input.empty() || at == names.end()) continue;
    Signal rest = s;
    rest.input.clear();
    rest = rest + constant_signal(-s.input_gain * s.input_default);
    uses.push_back({i, at - names.begin(), std::move(rest), s.input_gain});
  }
}

void HeldInputs::write(System& sys, const Vector& before, const List<HeldValues>& held) const {
  for (const Use& use : uses) {
    Signal steps;
    const auto add = [&](double start, double value, double rate) {
      Piece& p = steps.pieces.emplace_back();
      p.start = start;
      p.c[0] = use.gain * value;
      if (rate != 0.0) p.anchor = start, p.c[1] = use.gain * rate;
    };
    add(-std::numeric_limits<double>::infinity(), before(use.input), 0.0);
    steps.pieces.front()
        .harmonics.emplace_back(); // of amplitude zero: no signal that a run takes for a constant
    for (const HeldValues& one : held)
      add(one.from, one.values(use.input), one.rates.size() > 0 ? one.rates(use.input) : 0.0);
    List<Piece>& pieces = sys.signals[use.signal].pieces;
    if (use.rest.pieces.size() > 1 || !is_flat(use.rest.pieces.front())) {
      pieces = (use.rest + steps).pieces;
      continue;
    }
    for (Piece& p : steps.pieces) p.c[0] += use.rest.pieces.front().c[0];
    pieces = std::move(steps.pieces);
  }
}

void HeldInputs::check(const System& sys, Index input, double given) const {
  for (const Use& use : uses) {
    if (use.input != input) continue;
    for (const Friction& p : sys.friction)
      if (p.load == use.signal && use.rest.pieces.size() == 1 &&
          use.gain * given + value(use.rest, 0.0) < 0.0)
        reject("normal_load of '" + p.name + "'", use.gain * given + value(use.rest, 0.0), ">= 0");
  }
}

} // namespace stickslip
