#include "realtime/driven_signals.hpp"

#include "core/tolerances.hpp"
#include "model/smooth.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

bool has_jumps(const Signal& s) {
  bool found = false;
  for_each_breakpoint(s, [&](double t, const Held& p, const Held& next) {
    const double before = value(p, t), after = value(next, t);
    found = found || std::abs(after - before) > tolerance::same * std::max(std::abs(after), std::abs(before));
  });
  return found;
}

// Weight of each signal in the elements, without controllers.
Vector seen_by_elements(const System& sys) {
  Vector seen = sys.S.cwiseAbs().colwise().sum().transpose();
  if (sys.smooth && sys.smooth->moving_inertia())
    seen += sys.smooth->S.cwiseAbs().colwise().sum().transpose();
  for (const System::Drive& one : sys.drives) seen(one.signal) += 1.0; // outputs of the plant may show them
  for (const Spring& p : sys.springs) seen += p.elongation.s.cwiseAbs() + p.rate.s.cwiseAbs();
  for (const Friction& p : sys.friction) {
    seen += p.velocity.s.cwiseAbs();
    if (p.acceleration_s.size() == sys.ns()) seen += p.acceleration_s.cwiseAbs();
    if (p.load >= 0) seen(p.load) += 1.0;
    if (p.surface >= 0) seen(p.surface) += 1.0;
    for (const Form& f : p.load_parts) seen += f.s.cwiseAbs();
  }
  for (const Contact& c : sys.contacts)
    if (!c.yields()) seen += c.gap.s.cwiseAbs() + c.rate.s.cwiseAbs() + c.acceleration_s.cwiseAbs();
  return seen;
}

Vector seen_by_controllers(const System& sys) {
  const Index ns = sys.ns();
  Vector seen = Vector::Zero(ns);
  for (const Loop& l : sys.loops) {
    for (const Input& in : l.inputs) {
      seen += in.fixed.s.cwiseAbs();
      if (in.has_rate && (l.saturation >= 0 || !in.outputs.empty())) seen += in.rate.s.cwiseAbs();
    }
    for (const Input* in : {&l.reference, &l.measured})
      if (in->fixed.s.size() == ns) seen += in->fixed.s.cwiseAbs();
  }
  return seen;
}

// Some controllers read rates of outputs of others.
bool has_chained_loops(const System& sys) {
  return std::any_of(sys.loops.begin(), sys.loops.end(), [](const Loop& l) {
    return std::any_of(l.inputs.begin(), l.inputs.end(), [](const Input& in) { return !in.outputs.empty(); });
  });
}

} // namespace

DrivenSignals::DrivenSignals(const System& system, double t0) : sys(system) {
  find_inputs(t0);
  find_moving();
  before = Vector::Zero(which.size());
}

void DrivenSignals::find_inputs(double t0) {
  first.resize(sys.ns());
  for (Index i = 0; i < sys.ns(); ++i) {
    const Signal& s = sys.signals[i];
    first(i) = value(s, t0);
    if (s.input.empty() || std::find(names.begin(), names.end(), s.input) != names.end()) continue;
    names.push_back(s.input);
    values.conservativeResize(values.size() + 1);
    values(values.size() - 1) = s.input_default;
  }
}

// Signals that are not constant, or are inputs, if any element depends on them.
void DrivenSignals::find_moving() {
  const Vector seen = seen_by_elements(sys) + seen_by_controllers(sys);
  const bool chained = has_chained_loops(sys);
  which.still = first;
  for (Index i = 0; i < sys.ns(); ++i) {
    const Signal& s = sys.signals[i];
    if ((is_constant(s) && s.input.empty()) || (!chained && seen(i) == 0.0)) continue;
    const bool load =
        std::any_of(sys.friction.begin(), sys.friction.end(), [i](const Friction& p) { return p.load == i; });
    Drive one{i, -1, has_jumps(s), s.pieces.size() < 2 && s.input.empty(), signal_max_degree, load};
    if (!s.input.empty()) one.input = std::find(names.begin(), names.end(), s.input) - names.begin();
    if (!s.pieces.empty()) one.degree = degree(s.pieces.front());
    drives.push_back(one);
    which.signals.push_back(i);
    which.still(i) = 0.0;
  }
}

DrivenSignals::Seen DrivenSignals::sample(const double* given, const StepClock& clock,
                                          StepPoint& a) noexcept {
  const double t = clock.start(), end = clock.end(), near = tolerance::same * clock.h;
  std::copy_n(given, values.size(), values.data());
  Seen seen;
  for (Index j = 0; j < drives.size(); ++j) {
    const Drive& one = drives[j];
    const Signal& s = sys.signals[one.signal];
    if (one.whole) { // continues from the end of the last step
      a.change[j] = value(s.pieces.front(), end, one.degree) - a.s[j];
    } else { // the piece at the start of the step is used to its end
      double from = 0.0, to = 0.0;
      if (!s.pieces.empty()) {
        const Held piece = piece_at(s, t + near);
        from = value(piece, t);
        to = one.jumps || next_breakpoint(s, t + near) > end - near ? value(piece, end) : value(s, end);
      }
      if (one.input >= 0) {
        const double more = input_correction(s, values(one.input));
        from += more;
        to += more;
      }
      before(j) = a.s[j];
      seen.jumped = seen.jumped || std::abs(from - a.s[j]) > tolerance::product * std::abs(from);
      a.s[j] = from;
      a.change[j] = to - from;
    }
    if (one.load) seen.clipped = clip_load(j, a) || seen.clipped;
  }
  return seen;
}

// A surface cannot pull: negative loads are clipped to zero.
bool DrivenSignals::clip_load(Index j, StepPoint& a) const noexcept {
  const double from = a.s[j], to = from + a.change[j];
  if (from >= 0.0 && to >= 0.0) return false;
  a.s[j] = std::max(from, 0.0);
  a.change[j] = std::max(to, 0.0) - a.s[j];
  return true;
}

double DrivenSignals::jump(const Form& form, const StepPoint& a) const noexcept {
  double sum = 0.0;
  for (Index j = 0; j < drives.size(); ++j)
    if (!drives[j].whole) sum += form.s(drives[j].signal) * (a.s[j] - before(j));
  return sum;
}

} // namespace stickslip
