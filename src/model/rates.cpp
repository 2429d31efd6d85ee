// Derivatives of the inputs of controllers.
#include "core/tolerances.hpp"
#include "model/compile_control.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace stickslip {

namespace {

// Sum of the magnitudes of the terms of a piece, to which its rounding error is relative.
double piece_size(const Held& held, double t) {
  const Piece& p = *held.piece;
  double v = 0.0;
  for (int k = signal_max_degree; k >= 0; --k)
    v = v * std::abs((t - held.later) - p.anchor) + std::abs(p.c[k]);
  for (const Harmonic& h : p.harmonics) v += std::abs(h.amplitude);
  return v;
}

// First jump of a signal above rounding. A piece that returns to zero, such as the speed of a smooth step, ends with
// the rounding error of its terms, which are not small.
std::optional<double> first_jump(const Signal& s) {
  double size = 0.0;
  for_each_breakpoint(s, [&](double t, const Held& before, const Held& after) {
    size = std::max({size, piece_size(before, t), piece_size(after, t)});
  });
  std::optional<double> found;
  for_each_breakpoint(s, [&](double t, const Held& before, const Held& after) {
    if (!found && std::abs(value(after, t) - value(before, t)) > tolerance::same * size) found = t;
  });
  return found;
}

} // namespace

bool jumps_with_forces(const System& sys, const Form& f) {
  auto acts = [&](const Vector& effect) {
    return std::abs(f.x.dot(effect)) > tolerance::product * f.x.cwiseAbs().dot(effect.cwiseAbs());
  };
  bool direct = false;
  for (const Friction& p : sys.friction) direct = direct || acts(p.effect);
  for (const Spring& p : sys.springs) direct = direct || acts(p.effect);
  for (const Contact& c : sys.contacts) direct = direct || acts(c.effect);
  for (const Loop& l : sys.loops)
    for (const Vector& e : l.effect) direct = direct || acts(e);
  return direct;
}

std::optional<Form> rate_of(const System& sys, const Form& f, std::string& why) {
  if (jumps_with_forces(sys, f)) {
    why = "it would be an acceleration, which jumps with every force";
    return std::nullopt;
  }
  Form out{sys.A.transpose() * f.x, sys.S.transpose() * f.x};
  for (Index i = 0; i < f.s.size(); ++i) {
    if (f.s(i) == 0.0) continue;
    const Signal& s = sys.signals[i];
    if (is_constant(s)) continue;
    if (const auto jump = first_jump(s)) {
      std::ostringstream text;
      text << "the signal jumps at t = " << *jump << " s";
      why = text.str();
      return std::nullopt;
    }
    const Index r = sys.rate_of[i];
    if (r < 0) {
      why = "the derivative of the signal is not available";
      return std::nullopt;
    }
    out.s(r) += f.s(i);
  }
  return out;
}

} // namespace stickslip
