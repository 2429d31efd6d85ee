#include "dynamics/restoration.hpp"

#include "core/linalg.hpp"
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/regime_parts.hpp"
#include "dynamics/tangent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

Restoration::Restoration(Tangent& of, double at, Vector& state, const List<Sign>& chosen)
    : tangent(of), sys(of.system), bound(sys.smooth->bound), t(at), x(state), sides(chosen), s(sys.ns()) {
  evaluate_rows();
}

void Restoration::evaluate_rows() {
  tangent.move_to(t, x.data(), sides);
  signal_values(sys, t, s.data());
  tangent.write(s.data());
}

void Restoration::restore_positions(const List<Index>& contacts) {
  const Index n = sys.n_coordinates;
  double before = std::numeric_limits<double>::infinity();
  for (double now = violation(contacts); now > 1.0 && now < 0.5 * before;
       before = now, now = violation(contacts)) {
    if (bound) restore_constraints(0, true);
    if (!contacts.empty()) {
      const ForceDirections acting = force_directions(sys, contacts, {});
      const Matrix R = acting.rows.middleCols(n, n), U = acting.columns.middleRows(n, n);
      Vector left(contacts.size());
      for (Index k = 0; k < left.size(); ++k)
        left(k) = value(sys.contacts[contacts[k]].gap, x.data(), s.data());
      x.head(n) -= U * impulses_to_rest(R * U, left);
    }
    evaluate_rows();
  }
}

void Restoration::restore_velocities(const List<Index>& contacts, const List<Index>& elements, Index open) {
  const Index n = sys.n_coordinates, m = contacts.size();
  if (bound) restore_constraints(n, false);
  if (contacts.empty() && elements.empty()) return;
  const ForceDirections acting = force_directions(sys, contacts, elements);
  const Matrix R = acting.rows.middleCols(n, n), U = acting.columns.middleRows(n, n);
  Vector left(R.rows());
  for (Index k = 0; k < left.size(); ++k)
    left(k) = k < m ? value(sys.contacts[contacts[k]].rate, x.data(), s.data())
                    : relative_velocity(sys.friction[elements[k - m]], x.data(), s.data());
  Matrix shifts;
  x.segment(n, n) -= U * (open < 0    ? impulses_to_rest(R * U, left)
                          : open == 0 ? Vector(linalg::solve(R * U, left))
                                      : Vector(least_forces(R * U, open, shifts) * left));
}

// They come first: effects of elements leave them as they are.
void Restoration::restore_constraints(Index first, bool positions) {
  const Index n = sys.n_coordinates;
  const Constraints& c = sys.constraints;
  Vector left = Vector::Zero(c.all.size());
  for (Index k = 0; k < left.size(); ++k)
    if (const Index signal = positions ? c.all[k].value : c.all[k].rate; signal >= 0)
      left(k) = c.all[k].row.dot(x.segment(first, n)) - s(signal);
  x.segment(first, n) -= c.prescribed * left;
}

// The greatest residual of constraints and gaps, in units of the rounding of their terms.
double Restoration::violation(const List<Index>& contacts) const {
  const Index n = sys.n_coordinates;
  double worst = 0.0;
  const auto see = [&worst](double left, double terms) {
    if (left != 0.0) worst = std::max(worst, std::abs(left) / (tolerance::epsilon * terms));
  };
  if (bound)
    for (const Constraint& c : sys.constraints.all)
      if (c.value >= 0)
        see(c.row.dot(x.head(n)) - s(c.value),
            c.row.cwiseAbs().dot(x.head(n).cwiseAbs()) + std::abs(s(c.value)));
  for (const Index j : contacts) {
    const Form& gap = sys.contacts[j].gap;
    see(value(gap, x.data(), s.data()), size_of(gap, x.cwiseAbs(), s.data()));
  }
  return worst;
}

} // namespace stickslip
