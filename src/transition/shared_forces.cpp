#include "transition/shared_forces.hpp"

#include "contact/share.hpp"
#include "core/switches.hpp"
#include "core/tolerances.hpp"
#include "dynamics/tangent.hpp"
#include "transition/guard_series.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

// A rate is as accurate as the rates of the limits with which it is shared; a value is as accurate as the time of the
// instant allows; a difference of rates is as accurate as the forces at its ends.
void size_by_group(const List<Index>& group, bool affine, const Matrix& margins, double instant,
                   Matrix& size) {
  if (!STICKSLIP_RULE("size_by_group")) return;
  const Vector forces = size.col(0);
  Matrix most = Matrix::Zero(size.rows(), size.cols());
  for (Index k = 0; k < group.size(); ++k)
    most.row(group[k]) = most.row(group[k]).cwiseMax(margins.row(k).cwiseAbs());
  most.col(0).setZero();
  for (Index k = 0; k < group.size(); ++k) {
    size.row(k) = size.row(k).cwiseMax(most.row(group[k]));
    size(k, 0) = std::max(size(k, 0), tolerance::cancelled * instant * most(group[k], 1));
    if (!affine) size(k, 2) = std::max(size(k, 2), forces(k) / tolerance::parabola + most(group[k], 1));
  }
}

// Guards besides those of the sharing that fire at the same instant.
void note_firing(Instant& at, const Regime& r, Matrix& series) {
  guard_series(at, r, series);
  for (Index k = 0; k < r.guards.size(); ++k) {
    const Guard& g = r.guards[k];
    if (g.kind == GuardKind::sharing_changes || g.kind == GuardKind::branch ||
        g.kind == GuardKind::condition || g.kind == GuardKind::load_negative)
      continue;
    const double size = guard_size(at.sys, r, g, at.t, at.x(), at.s(), at.w.force.data(), at.state->nominal);
    if (sign_after([&](int j) { return series(k, j); }, size, at.state->time_scale, at.t).sign > 0)
      at.jump->fired.push_back(g);
  }
}

// Guards of the elements that leave where limits contradict each other: friction before contacts.
void note_broken(const Instant& at, const List<ForceLimit>& broken, List<Guard>& fired) {
  const Index n = at.sys.friction.size();
  const bool friction =
      std::any_of(broken.begin(), broken.end(), [n](const ForceLimit& l) { return l.force < n; });
  // After rows have turned, a single limit is shared with no other element.
  if (at.tangent != nullptr && friction && broken.size() == 1)
    fired.push_back(Guard::of_friction(GuardKind::breaks_away, broken[0].force, broken[0].side));
  else if (friction)
    fired.push_back(Guard::of_shared_forces());
  for (const ForceLimit& l : broken)
    if (l.force >= n && !friction) fired.push_back(Guard::of_contact(GuardKind::lifts_off, l.force - n));
}

} // namespace

bool share(Instant& at, const Regime& r, const Matrix& series, double pace, List<ForceLimit>& broken) {
  const System& sys = at.sys;
  const Index m = r.sharing.limits.size();
  const bool turns = at.tangent != nullptr;
  if (turns || r.coupled) // rows and sliding friction at this instant
    evaluate(sys, r, at.t, at.x(), at.s(), at.xdot.data(), at.w.force.data(), at.w);
  const Regime& now = turns ? at.w.tangent(sys).regime(r.modes) : r;
  Sharing turned;
  if (turns) turned = now.sharing, find_relief(sys, now, turned);
  const Sharing& sharing = turns ? turned : r.sharing;
  Matrix margins(m, series_terms), size(m, series_terms);
  for (Index k = 0; k < r.guards.size(); ++k) {
    const Guard& g = r.guards[k];
    if (g.kind != GuardKind::sharing_changes) continue;
    double power = 1.0;
    for (Index j = 0; j < series_terms; ++j, power *= pace) margins(g.limit, j) = -power * series(k, j);
    size.row(g.limit).setConstant(sharing_size(sys, r, g.limit, at.t, at.x(), at.s(), at.w.force.data()));
  }
  size_by_group(sharing.group, r.affine, margins, std::max(std::abs(at.t) / pace, 1.0), size);
  List<ForceLimit>& at_limit = at.state->modes.at_limit;
  at_limit.clear();
  broken.clear();
  if (contact::within_limits(margins, size)) return true;
  const contact::HeldLimits found = hold_limits(sharing, margins_by_shared(sys, now),
                                                margins_by_multipliers(sys, now, at.w), margins, size);
  for (const Index k : found.held) {
    ForceLimit l = r.sharing.limits[k];
    if (std::find(found.relieved.begin(), found.relieved.end(), k) != found.relieved.end()) l.side = 0;
    at_limit.push_back(l);
  }
  std::sort(at_limit.begin(), at_limit.end());
  for (const Index k : found.against) broken.push_back(r.sharing.limits[k]);
  return found.found && can_hold(sys, now, found.held);
}

bool share_anew(Instant& at, Matrix& series, List<ForceLimit>& broken) {
  Modes& modes = at.state->modes;
  modes.at_limit.clear();
  const Regime& r = at.regime(modes);
  if (r.affine) at.expand_signals();
  guard_series(at, r, series);
  at.jump->fired.clear();
  const bool shared = share(at, r, series, at.state->time_scale, broken);
  if (shared) note_firing(at, at.regime(modes), series);
  if (shared && at.jump->fired.empty()) return true;
  modes = at.before;
  if (!shared) note_broken(at, broken, at.jump->fired);
  return false;
}

} // namespace stickslip
