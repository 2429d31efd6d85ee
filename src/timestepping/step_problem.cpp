#include "timestepping/step_problem.hpp"

#include "core/tolerances.hpp"
#include "dynamics/restitution.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

StepProblem::StepProblem(const ThetaMap& of) : map(of), sys(of.system()) {
  number.resize(sys.contacts.size());
  impulse = Vector::Zero(sys.contacts.size() + sys.friction.size());
}

void StepProblem::find_active(const State& state) {
  contacts.clear(), elements.clear();
  for (Index j = 0; j < sys.contacts.size(); ++j) {
    const Contact& c = sys.contacts[j];
    const bool closed = !c.yields() && map.gap(c) <= tolerance::product * map.gap_size(c, state.nominal);
    number[j] = closed ? contacts.size() : -1;
    if (closed) contacts.push_back(j);
  }
  for (Index i = 0; i < sys.friction.size(); ++i)
    if (const Friction& p = sys.friction[i]; p.contact >= 0 ? number[p.contact] >= 0 : p.traits.sticks)
      elements.push_back(i);
}

bool StepProblem::solve(const State& state, const Vector& before, const Vector& free) {
  impulse.setZero();
  const Index m = contacts.size() + elements.size();
  if (m == 0) return true;
  pose(state, before, free);
  if (!choose()) { // no kinetic answer on the way that static levels allow: static ones alone
    for (contact::Element& q : problem.elements) q.minus = q.low, q.plus = q.high;
    if (!choose()) return false;
  }
  for (Index k = 0; k < m; ++k) impulse(row(k)) = (k < contacts.size() ? 1.0 : -1.0) * found.answer.force[k];
  return true;
}

bool StepProblem::choose() {
  contact::choose(problem, present, allowed, {}, work, found);
  return found.found();
}

void StepProblem::pose(const State& state, const Vector& before, const Vector& free) {
  const Index ka = contacts.size(), m = ka + elements.size();
  problem.contacts = ka;
  problem.G.resize(m, m);
  problem.free.resize(m);
  problem.free_size.resize(m);
  for (Index k = 0; k < m; ++k) {
    const double v = before(row(k));
    problem.free(k) = free(row(k));
    if (k < ka) // a contact rebounds only from an approach
      problem.free(k) += restitution(sys.contacts[contacts[k]], v) * std::min(v, 0.0);
    problem.free_size(k) = std::abs(free(row(k))) + std::abs(v);
    for (Index l = 0; l < m; ++l) problem.G(k, l) = map.G(row(k), row(l));
  }
  problem.elements.clear();
  present.clear();
  allowed.assign(m, contact::anything);
  for (const Index j : contacts)
    present.push_back(state.modes.contact[j] == Mode::open ? Mode::open : Mode::closed);
  for (const Index i : elements) pose_element(i, before(sys.contacts.size() + i), state.modes.friction[i]);
}

// Limits of its impulse, by its levels at the speed v of the start of the step.
void StepProblem::pose_element(Index i, double v, const FrictionMode& mode) {
  const Friction& p = sys.friction[i];
  const double N = p.contact >= 0 ? 1.0 : map.load(p);
  const auto level = [&](int side) {
    return evaluate(p.law, side * v > 0.0 ? v : 0.0, side, mode.branch, nullptr, nullptr, N);
  };
  const Force up = level(1), down = level(-1);
  const double h = map.step(), given = p.contact >= 0 ? 0.0 : h * N; // impulse of a given load
  const auto line = [&](double dry, double viscous) {
    return p.contact >= 0 ? contact::Line{0.0, dry + viscous} : contact::Line{dry * given + h * viscous, 0.0};
  };
  contact::Element q;
  q.contact = p.contact >= 0 ? number[p.contact] : -1;
  q.plus = line(up.dry, up.viscous);
  q.minus = line(down.dry, down.viscous);
  const Mode side = slip(v < 0.0 ? -1 : 1);
  if (p.traits.sticks) {
    const Interval rest = rest_interval(p.law, nullptr, N);
    // A curve that has fallen by the start of the step is the level that it can stop at.
    q.low = line(std::min(rest.lo, down.dry), std::min(down.viscous, 0.0));
    q.high = line(std::max(rest.hi, up.dry), std::max(up.viscous, 0.0));
    present.push_back(mode.mode == Mode::open && p.contact < 0 ? side : mode.mode);
  } else {
    q.state = side;
    q.low = q.high = q.plus = q.minus = v < 0.0 ? q.minus : q.plus;
    present.push_back(side);
  }
  problem.elements.push_back(q);
}

} // namespace stickslip
