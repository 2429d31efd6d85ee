#include "transition/supports.hpp"

#include "core/list.hpp"
#include "core/switches.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

// By columns: size of the terms, holding forces included, of the acceleration along `row` that is caused by `by`.
Vector acceleration_terms(const System& sys, const Regime& r, const Vector& row, const Matrix& by,
                          const Matrix& held) {
  const Vector size = row.cwiseAbs();
  Vector sum = by.cwiseAbs().transpose() * size;
  for (Index k = 0; k < held.rows(); ++k) {
    const Index contact = k - r.sticking.size();
    const Vector& effect =
        contact < 0 ? sys.friction[r.sticking[k]].effect : sys.contacts[r.closed[contact]].effect;
    sum += size.dot(effect.cwiseAbs()) * held.row(k).transpose().cwiseAbs();
  }
  return sum;
}

struct Surface {
  Vector own, against, terms; // acceleration by signals: of the surface, and of it against the body
  double speed = 0.0;         // size of the velocity
};

// Surfaces of all elements that hold.
List<Surface> surfaces_of(const Instant& at, const Regime& r) {
  List<Surface> out;
  const auto add = [&](const Vector& row, const Vector& own, double speed) {
    out.push_back({own, r.S.transpose() * row + own,
                   acceleration_terms(at.sys, r, row, r.linear->S, r.Ls) + own.cwiseAbs(), speed});
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
    for (const Surface& s : surfaces) {
      const double c = s.against.dot(rate);
      if (std::abs(c) <= 10.0 * tolerance::constrained * s.terms.dot(rate.cwiseAbs())) continue;
      if (begin || std::abs(c) * power > tolerance::residual * s.speed) return false;
    }
    begin = false;
  }
  return true;
}

} // namespace stickslip
