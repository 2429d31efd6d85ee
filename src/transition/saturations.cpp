#include "transition/saturations.hpp"

#include <cmath>

namespace stickslip {

namespace {

double value(const Form& f, const Vector& x, const double* s) {
  return f.x.dot(x) + f.s.dot(Eigen::Map<const Vector>(s, f.s.size()));
}

bool is_following(Saturation m) {
  return m == Saturation::high_following || m == Saturation::low_following;
}

} // namespace

Mode mode_of(Saturation s) {
  const int side = static_cast<int>(s);
  return side == 0 ? Mode::free : side > 0 ? Mode::high : Mode::low;
}

Mode mode_of(const Block& block, Index output, double held) {
  return held >= block.hi(output) ? Mode::high : held <= block.lo(output) ? Mode::low : Mode::free;
}

void settle_following(const System& sys, RegimeCache& cache, State& state) {
  bool any = false;
  for (Saturation m : state.modes.limit) any = any || is_following(m);
  if (!any) return;
  const LinearPart& part = cache.linear(sys, state.modes.limit);
  Vector s(sys.ns());
  for (Index i = 0; i < sys.ns(); ++i)
    s(i) = value_before(sys.signals[static_cast<std::size_t>(i)], state.base_t);
  for (Index b : sys.loop_order) {
    const Loop& l = sys.loops[static_cast<std::size_t>(b)];
    if (l.limit < 0) continue;
    Vector w(static_cast<Index>(l.inputs.size()));
    for (Index k = 0; k < w.size(); ++k)
      w(k) = value(part.inputs[static_cast<std::size_t>(b)][static_cast<std::size_t>(k)], state.base_x,
                   s.data());
    for (Index j = 0; j < l.block.outputs(); ++j)
      settle(l.block, j, state.modes.limit[l.limit + j], w.data(), state.base_x.data() + l.states);
  }
}

Saturations::Saturations(const System& system, RegimeCache& c, State& st)
    : sys(system), cache(c), state(st), before(st.modes),
      x_before(st.modes.limit.empty() ? Vector() : st.base_x) {}

void Saturations::choose(Index loop, Index output, const double* s, const double* sdot, const Vector& xdot,
                         const BlockGuard::Trigger* fired) {
  const Loop& l = sys.loops[static_cast<std::size_t>(loop)];
  const auto& inputs = cache.linear(sys, state.modes.limit).inputs[static_cast<std::size_t>(loop)];
  const auto m = static_cast<Index>(inputs.size());
  Vector w(m), wdot(m);
  for (Index k = 0; k < m; ++k) {
    const Form& f = inputs[static_cast<std::size_t>(k)];
    w(k) = value(f, state.base_x, s);
    wdot(k) = value(f, xdot, sdot);
  }
  Saturation& mode = state.modes.limit[l.limit + output];
  const BlockInputs in{w.data(), wdot.data()};
  const double* z = l.states >= 0 ? state.base_x.data() + l.states : nullptr;
  mode =
      fired ? after(l.block, output, mode, *fired, z, in) : stickslip::decide(l.block, output, mode, z, in);
}

void Saturations::decide(const std::vector<Guard>& fired, bool start) {
  if (sys.limits == 0) return;
  settle_following(sys, cache, state);
  const LinearPart& part = cache.linear(sys, state.modes.limit);
  Vector s(sys.ns()), sdot(sys.ns()), xdot = Vector::Zero(sys.nx);
  signal_values(sys, state.base_t, s.data());
  signal_rates(sys, state.base_t, sdot.data());
  starting = start;
  if (start) { // what sticks and which way things turn is not known yet: review() looks at accelerations
               // again
    xdot = part.A * state.base_x + part.S * s;
  } else {
    Scratch scratch(sys);
    evaluate(sys, cache.get(sys, state.modes), state.base_t, state.base_x.data(), s.data(), xdot.data(),
             scratch.force.data(), scratch);
  }
  for (Index b : sys.loop_order) {
    const Loop& l = sys.loops[static_cast<std::size_t>(b)];
    if (l.limit < 0) continue;
    for (Index j = 0; j < l.block.outputs(); ++j) {
      if (!std::isfinite(l.block.lo(j)) && !std::isfinite(l.block.hi(j))) continue;
      const BlockGuard::Trigger* trigger = nullptr;
      for (const Guard& g : fired)
        if (g.kind == GuardKind::limit && !trigger) {
          const LimitGuard& limit = part.guards[g.limit];
          if (limit.loop == b && limit.output == j) trigger = &limit.trigger;
        }
      if (trigger) {
        choose(b, j, s.data(), sdot.data(), xdot, trigger);
      } else if (start || fired.empty()) {
        choose(b, j, s.data(), sdot.data(), xdot, nullptr);
      }
    }
  }
}

bool Saturations::review() {
  if (sys.limits == 0) return false;
  bool rates = false;
  for (const Loop& l : sys.loops) rates = rates || (l.limit >= 0 && l.block.needs_input_rates());
  bool jumped = false;
  for (Index i = 0; i < sys.nx; ++i)
    jumped = jumped || std::abs(state.base_x(i) - x_before(i)) >
                           1e-9 * std::max(state.nominal(i), std::abs(x_before(i)));
  Modes others = state.modes;
  others.limit = before.limit;
  rates = rates && (starting || others != before); // else no acceleration has changed
  if (!rates && !jumped) return false;
  const Regime& r = cache.get(sys, state.modes);
  Scratch scratch(sys);
  Vector s(sys.ns()), sdot(sys.ns()), xdot = Vector::Zero(sys.nx);
  signal_values(sys, state.base_t, s.data());
  signal_rates(sys, state.base_t, sdot.data());
  evaluate(sys, r, state.base_t, state.base_x.data(), s.data(), xdot.data(), scratch.force.data(), scratch);
  bool changed = false;
  for (Index b : sys.loop_order) {
    const Loop& l = sys.loops[static_cast<std::size_t>(b)];
    if (l.limit < 0 || !(jumped || l.block.needs_input_rates())) continue;
    for (Index j = 0; j < l.block.outputs(); ++j) {
      if (!std::isfinite(l.block.lo(j)) && !std::isfinite(l.block.hi(j))) continue;
      const auto k = static_cast<std::size_t>(l.limit + j);
      const Saturation old = state.modes.limit[k];
      choose(b, j, s.data(), sdot.data(), xdot, nullptr);
      changed = changed || mode_of(old) != mode_of(state.modes.limit[k]);
    }
  }
  x_before = state.base_x;
  return changed && jumped;
}

} // namespace stickslip
