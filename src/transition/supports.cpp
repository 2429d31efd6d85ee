#include "transition/supports.hpp"

#include "core/list.hpp"
#include "core/switches.hpp"
#include "core/tolerances.hpp"
#include "transition/motion_series.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

struct Surface {
  const Vector& row;
  Vector own, against; // acceleration by signals: of the surface, and of it against the body
  double speed = 0.0;  // size of the velocity
};

// Surfaces of all elements that hold.
List<Surface> surfaces_of(const Instant& at, const Regime& r) {
  List<Surface> out;
  const auto add = [&](const Vector& row, const Vector& own, double speed) {
    out.push_back({row, own, r.S.transpose() * row + own, speed});
  };
  for (const Index i : r.sticking)
    add(at.sys.friction[i].velocity.x, at.sys.friction[i].acceleration_s, at.v_size(i));
  for (const Index j : r.closed)
    add(at.sys.contacts[j].rate.x, at.sys.contacts[j].acceleration_s, at.rate_size(j));
  return out;
}

} // namespace

bool stay_together(const Instant& at, const Regime& r) {
  if (!STICKSLIP_RULE("rests_stay") || !r.shared) return true;
  const List<Surface> surfaces = surfaces_of(at, r);
  const Vector at_rest = Vector::Zero(at.sys.nx);
  Vector held;
  double power = at.state->time_scale;
  // No surface has a term of lower order: a surface with such a term moves already, and terms from the state are
  // numerical noise.
  bool begin = at.tangent == nullptr;
  for (int k = 1; k < series_terms; ++k, power *= at.state->time_scale) {
    const Vector rate = at.signal_series.col(k - 1) / k;
    const bool moves = std::any_of(surfaces.begin(), surfaces.end(), [&](const Surface& s) {
      return s.own.cwiseAbs().dot(rate.cwiseAbs()) > 0.0;
    });
    if (!moves) continue; // the rest is numerical noise
    const Vector sizes = rate.cwiseAbs(), terms = rate_terms(at.sys, r, at_rest, sizes, held);
    for (const Surface& s : surfaces) {
      const double c = s.against.dot(rate);
      const double size = s.row.cwiseAbs().dot(terms) + s.own.cwiseAbs().dot(sizes);
      if (std::abs(c) <= tolerance::rounding * size) continue;
      if (begin || std::abs(c) * power > tolerance::residual * s.speed) return false;
    }
    begin = false;
  }
  return true;
}

} // namespace stickslip
