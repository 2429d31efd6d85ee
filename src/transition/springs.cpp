#include "transition/springs.hpp"

#include "core/tolerances.hpp"
#include "transition/mode_changes.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

// elongation minus corner
Form from_corner(const System& sys, Index flank, Index corner) {
  Form f = sys.springs[sys.flanks[flank].spring].elongation;
  f.s(sys.one) -= sys.flanks[flank].line.corners[corner];
  return f;
}

// Force of the flank with its damper, positive in compression of the flank.
Form push(const System& sys, Index flank, Index stretch) {
  const Flank& f = sys.flanks[flank];
  const Spring& p = sys.springs[f.spring];
  const Stretch& s = f.line.stretches[stretch];
  const double side = f.side[stretch];
  Form out{side * (s.slope * p.elongation.x + p.damping * p.rate.x),
           side * (s.slope * p.elongation.s + p.damping * p.rate.s)};
  out.s(sys.one) += side * s.offset;
  return out;
}

} // namespace

Mode mode_of(const System& sys, const Spring& spring, const Modes& modes) {
  bool high = false, low = false, two_sided = spring.count > 1;
  for (Index k = spring.flanks; k < spring.flanks + spring.count; ++k) {
    const Flank& f = sys.flanks[k];
    const FlankMode& now = modes.flank[k];
    if (f.attached) return Mode::closed;
    two_sided = two_sided || (std::count(f.side.begin(), f.side.end(), 1) > 0 &&
                              std::count(f.side.begin(), f.side.end(), -1) > 0);
    if (now.loose) continue;
    high = high || f.side[now.stretch] > 0;
    low = low || f.side[now.stretch] < 0;
  }
  if (!high && !low) return Mode::open;
  if (!two_sided || (high && low)) return Mode::closed;
  return high ? Mode::high : Mode::low;
}

Springs::Springs(const System& system, RegimeCache& c, State& st, MotionAfter& after)
    : sys(system), cache(c), state(st), motion(after), before(st.modes), x_before(st.base_x),
      open(sys.flanks.size(), false), corner(sys.flanks.size(), -1), balanced(sys.flanks.size(), false) {}

bool Springs::any_open() const {
  return std::find(open.begin(), open.end(), true) != open.end();
}

Index Springs::stretch_of(Index flank) const {
  const Flank& f = sys.flanks[flank];
  const Index now = state.modes.flank[flank].stretch;
  const auto side_of = [&](Index c) {
    const int sign = motion.sign(from_corner(sys, flank, c), corner[flank] == c).sign;
    if (sign != 0) return sign > 0 ? c + 1 : c;
    if (now == c || now == c + 1) return now; // it stays on the corner
    return f.pushes(c) ? c + 1 : c;
  };
  if (corner[flank] >= 0) return side_of(corner[flank]);
  Index k = f.line.stretch_at(motion.term(sys.springs[f.spring].elongation, 0));
  // Near a corner rounding must not decide.
  if (k > 0) k = side_of(k - 1);
  if (k < f.line.corners.size()) k = side_of(k);
  return k;
}

bool Springs::is_loose(Index flank, FlankMode now) const {
  const Flank& f = sys.flanks[flank];
  if (sys.springs[f.spring].damping == 0.0 || !f.lets_go(now.stretch)) return false;
  const int sign = motion.sign(push(sys, flank, now.stretch), balanced[flank]).sign;
  return sign == 0 ? now.loose : sign < 0;
}

void Springs::choose(const List<Guard>& fired, bool start) {
  starting = start;
  const bool all = start || fired.empty();
  std::fill(open.begin(), open.end(), all);
  const LinearPart& part = cache.linear(sys, before);
  for (const Guard& g : fired) {
    if (g.flank < 0) continue;
    const FlankGuard& at = part.flank_guards[g.flank_guard];
    const Index now = before.flank[g.flank].stretch;
    open[g.flank] = true;
    if (at.next.stretch == now)
      balanced[g.flank] = true;
    else
      corner[g.flank] = std::min(at.next.stretch, now);
  }
  if (!any_open()) return;
  motion.expand(!start);
  for (Index k = 0; k < open.size(); ++k) {
    if (!open[k]) continue;
    FlankMode& mode = state.modes.flank[k];
    const Index stretch = all || corner[k] >= 0 ? stretch_of(k) : mode.stretch;
    const bool entered = stretch != mode.stretch;
    mode = {stretch, is_loose(k, {stretch, mode.loose && !entered})};
  }
}

bool Springs::review() {
  const bool jumped = has_jumped(state, x_before);
  Modes others = state.modes;
  static_cast<SwitchModes&>(others) = before;
  if (!jumped && !(any_open() && (starting || others != before))) return false;
  if (jumped) std::fill(open.begin(), open.end(), true);
  motion.expand(true);
  bool changed = false;
  for (Index k = 0; k < open.size(); ++k) {
    if (!open[k]) continue;
    FlankMode& mode = state.modes.flank[k];
    const FlankMode old = mode;
    if (jumped) balanced[k] = false; // the velocity has changed
    const Index stretch = stretch_of(k);
    mode = {stretch, is_loose(k, {stretch, old.loose && stretch == old.stretch})};
    changed = changed || mode != old;
  }
  x_before = state.base_x;
  return changed;
}

std::optional<SignAfter> Springs::sign_of(const FlankGuard& guard) const {
  const Index k = guard.flank;
  if (!open[k]) return {};
  const Index now = state.modes.flank[k].stretch, next = guard.next.stretch;
  return motion.sign(guard.form, next == now ? balanced[k] : corner[k] == std::min(now, next));
}

} // namespace stickslip
