#include "simulate/transition.hpp"

#include "simulate/automaton_states.hpp"
#include "simulate/decision.hpp"
#include "simulate/place_force.hpp"
#include "simulate/saturations.hpp"

#include <Eigen/LU>
#include <Eigen/QR>

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip {

bool State::operator==(const State& o) const {
  return t == o.t && x == o.x && modes == o.modes && base_t == o.base_t && base_rest == o.base_rest &&
         base_x == o.base_x && after_transition == o.after_transition && started == o.started &&
         step == o.step && last_error == o.last_error && stiff == o.stiff && nominal == o.nominal &&
         instant == o.instant && ticks == o.ticks;
}

double velocity_size(const Place& place, const Vector& nominal) {
  return place.velocity.x.cwiseAbs().dot(nominal) + place.speed;
}

// The velocity of a law without a jump changes its side, and all elements of the law stick again; or an
// element slips.
static void switch_flow(const System& sys, Modes& modes, const Guard& g) {
  const auto i = static_cast<std::size_t>(g.element);
  if (g.kind == GuardKind::kink) {
    modes.place[i] = static_cast<std::int8_t>(-modes.place[i]);
    modes.branch[i] = initial_branch(sys.places[i].law);
  } else if (g.kind == GuardKind::branch) {
    modes.branch[i] = switch_branch(sys.places[i].law, modes.branch[i], g.side);
  }
}

// x' with the resting places taken out altogether.
void Decision::free_acceleration(Vector& xdot) {
  const double* x = state.base_x.data();
  const LinearPart& linear = cache.linear(sys, state.modes.limit);
  xdot.noalias() = linear.A * state.base_x;
  xdot.noalias() += linear.S * sig;
  Vector unused = xdot;
  for (std::size_t i = 0; i < n; ++i) {
    if (rests[i] || contact_friction(i)) continue;
    if (set_valued(i) && !presliding(i) && state.modes.place[i] == 0) continue; // held: no force of its own
    const Place& p = sys.places[i];
    const double N = normal_load(p, state.modes.load_sign[i], x, sig.data());
    const PlaceForce f =
        place_force(p, state.modes.place[i], state.modes.branch[i], v(i), N, x, unused.data());
    xdot += p.effect * (f.dry * N + f.other);
  }
}

// Force with which a resting place starts to slide: its kinetic side, at v = 0. A lagged force starts at the
// level that was reached.
double Decision::sliding_force(std::size_t i, int d) {
  const Place& p = sys.places[i];
  const double* x = state.base_x.data();
  const double N = normal_load(p, state.modes.load_sign[i], x, sig.data());
  if (p.lagged >= 0) {
    if (before.place[i] != 0) return d * x[p.lagged]; // a direct reversal keeps the lagged force
    const Interval limits = stick_limits(p, state.modes.load_sign[i], t, x, sig.data());
    return d > 0 ? limits.hi : limits.lo;
  }
  Vector unused = Vector::Zero(sys.nx);
  const Force f =
      evaluate(p.law, 0.0, d, state.modes.branch[i], p.states >= 0 ? x + p.states : nullptr, unused.data());
  if (p.peak < 0) return f.dry * N + f.viscous;
  return with_peak(p, f.dry, before.place[i] == 0 ? aged_share(p, t, x) : x[p.peak]) * N + f.viscous;
}

void Decision::switches(const std::vector<Guard>& fired, bool start) {
  for (const Guard& g : fired) {
    const auto i = static_cast<std::size_t>(g.element);
    switch_flow(sys, state.modes, g);
    if (g.kind == GuardKind::load_sign)
      state.modes.load_sign[i] = static_cast<std::int8_t>(-state.modes.load_sign[i]);
  }
  if (start)
    for (std::size_t i = 0; i < n; ++i)
      if (sys.places[i].load_per_force != 0.0) {
        const Form& f = sys.places[i].load_force;
        state.modes.load_sign[i] = f.x.dot(state.base_x) + f.s.dot(sig) < 0.0 ? -1 : 1;
      }
}

// Laws without a jump lie on one side of v = 0; at rest the side to which the motion turns.
void Decision::sides_of_kinks(bool start) {
  // Forces are asked for below, and none of these laws has a side 0.
  for (std::size_t i = 0; i < n; ++i)
    if (!sys.places[i].traits.sticks && state.modes.place[i] == 0) state.modes.place[i] = v(i) < 0.0 ? -1 : 1;
  for (std::size_t i = 0; i < n; ++i) {
    const Place& p = sys.places[i];
    if (p.traits.sticks) continue;
    if (!touches(i)) {
      state.modes.place[i] = static_cast<std::int8_t>(Mode::open);
      continue;
    }
    const double speed = v(i);
    const double tiny = 1e-13 * velocity_size(p, state.nominal);
    const auto was = state.modes.place[i];
    if (std::abs(speed) > tiny) {
      state.modes.place[i] = static_cast<std::int8_t>(speed > 0.0 ? 1 : -1);
    } else if (start || std::abs(state.modes.place[i]) != 1) {
      state.modes.place[i] = 1;
      Vector xdot(sys.nx);
      free_acceleration(xdot);
      const double a = p.velocity.x.dot(xdot) + p.acceleration_s.dot(sig);
      if (a != 0.0) state.modes.place[i] = static_cast<std::int8_t>(a > 0.0 ? 1 : -1);
    }
    if (state.modes.place[i] != was) state.modes.branch[i] = initial_branch(p.law);
  }
}

// Whether a presliding place moves to that side, or at v = 0 is about to.
bool Decision::moves_towards(std::size_t i, int side) {
  const Place& p = sys.places[i];
  const double speed = v(i);
  if (std::abs(speed) > 1e-11 * velocity_size(p, state.nominal)) return speed * side > 0.0;
  Vector xdot = Vector::Zero(sys.nx);
  evaluate(sys, cache.get(sys, before), t, state.base_x.data(), sig.data(), xdot.data(), force.data(), w);
  return (p.velocity.x.dot(xdot) + p.acceleration_s.dot(sig)) * side >= 0.0;
}

void Decision::find_resting(const std::vector<Guard>& fired, bool start) {
  std::vector<bool> stopped(n, false);
  for (const Guard& g : fired)
    if (g.kind == GuardKind::slip_ends) stopped[static_cast<std::size_t>(g.element)] = true;
  for (std::size_t i = 0; i < n; ++i) {
    if (!set_valued(i)) continue;
    if (!touches(i)) {
      state.modes.place[i] = static_cast<std::int8_t>(Mode::open);
      continue;
    }
    const double speed = v(i);
    const double tiny = std::max(1e-11 * velocity_size(sys.places[i], state.nominal),
                                 before.place[i] == 0 ? drift(sys.places[i].velocity.x) : 0.0);
    if (state.modes.place[i] == static_cast<std::int8_t>(Mode::open))
      state.modes.place[i] = 0; // it has just closed
    const int mode = state.modes.place[i];
    bool moves = std::abs(speed) > tiny && !stopped[i];
    if (moves && before.place[i] == 0 && !start && !presliding(i) && impulses.empty()) {
      // Held until now: it moves only if its surface jumps away. What numerical steps have left over is taken
      // back.
      const Signal& surface = sys.signals[static_cast<std::size_t>(sys.places[i].surface)];
      moves = std::abs(value(surface, t) - value_before(surface, t)) > tiny;
    }
    if (presliding(i)) {
      // Sticking is a motion of its own here; the force is continuous and nothing has to be balanced.
      if ((start || before.place[i] == static_cast<std::int8_t>(Mode::open)) && moves)
        state.modes.place[i] = static_cast<std::int8_t>(speed > 0.0 ? 1 : -1);
      // A surface velocity that jumps can also leave a sliding place at rest.
      if (stopped[i] || (!start && fired.empty() && mode != 0 && !moves)) state.modes.place[i] = 0;
      continue;
    }
    if (moves) { // a surface that jumps away from a stuck place, or the motion given at the start
      state.modes.place[i] = static_cast<std::int8_t>(speed > 0.0 ? 1 : -1);
      continue;
    }
    bool ends = start || mode == 0 || stopped[i] || !impulses.empty();
    if (!ends) {
      // Also at zero at this instant, by coincidence: it rests if it comes to a halt, and slides on if it
      // departs.
      Vector xdot = Vector::Zero(sys.nx);
      evaluate(sys, cache.get(sys, before), t, state.base_x.data(), sig.data(), xdot.data(), force.data(), w);
      ends = (sys.places[i].velocity.x.dot(xdot) + sys.places[i].acceleration_s.dot(sig)) * mode < 0.0;
    }
    rests[i] = ends;
    if (ends && mode != 0) start_clock(sys.places[i], mode, load(i), t, state.base_x.data());
  }
  for (const Guard& g : fired) {
    const auto i = static_cast<std::size_t>(g.element);
    if (g.kind == GuardKind::breaks_away) {
      if (!presliding(i))
        dir[i] = g.side;
      else if (moves_towards(i, g.side))
        state.modes.place[i] = static_cast<std::int8_t>(g.side);
      else
        state.modes.branch[i] = over_limit(g.side); // v opposes the force: it stays stuck until v turns
    }
    if (g.kind == GuardKind::surface_turns) state.modes.place[i] = static_cast<std::int8_t>(g.side);
    if (g.kind == GuardKind::limit_again) state.modes.branch[i] = 0;
    if (g.kind == GuardKind::shared_limit) {
      const Regime& r = cache.get(sys, before);
      const Facet& f = r.facets[i];
      for (std::size_t j = 0; j < f.members.size(); ++j)
        dir[static_cast<std::size_t>(r.stuck[static_cast<std::size_t>(f.members[j])])] =
            f.share(static_cast<Index>(j)) * g.side > 0.0 ? 1 : -1;
    }
  }
}

// Velocities of resting places and the rates of closed gaps are set to zero exactly, with the least change of
// kinetic energy.
void Decision::project() {
  std::vector<const Vector*> rows, columns;
  std::vector<double> values;
  for (std::size_t i : resting()) {
    rows.push_back(&sys.places[i].velocity.x);
    columns.push_back(&sys.places[i].effect);
    values.push_back(v(i));
  }
  for (std::size_t j = 0; j < sys.contacts.size(); ++j)
    if (candidate[j]) {
      rows.push_back(&sys.contacts[j].rate.x);
      columns.push_back(&sys.contacts[j].effect);
      values.push_back(rate_at(j));
    }
  const Index m = static_cast<Index>(rows.size());
  const Vector speed = Eigen::Map<const Vector>(values.data(), m);
  if (m == 0 || speed.isZero(0.0)) return;
  Matrix G(m, m), U(sys.nx, m);
  for (Index k = 0; k < m; ++k) {
    U.col(k) = *columns[static_cast<std::size_t>(k)];
    for (Index l = 0; l < m; ++l)
      G(k, l) = rows[static_cast<std::size_t>(k)]->dot(*columns[static_cast<std::size_t>(l)]);
  }
  state.base_x -= U * Matrix(G.completeOrthogonalDecomposition().pseudoInverse()) * speed;
}

// Forces at static levels for resting places that have not left, kinetic ones for those that have: a linear
// complementarity problem with two bounds each. Places at a bound that start to move leave. Returns whether
// one did.
bool Decision::balance() {
  const auto r = resting();
  const Index m = static_cast<Index>(r.size());
  Vector xdot(sys.nx);
  free_acceleration(xdot);
  Vector b(m), F = Vector::Zero(m), lo(m), hi(m);
  Matrix G(m, m);
  for (Index k = 0; k < m; ++k) {
    const std::size_t i = r[static_cast<std::size_t>(k)];
    const Place& p = sys.places[i];
    b(k) = p.velocity.x.dot(xdot) + p.acceleration_s.dot(sig);
    for (Index l = 0; l < m; ++l)
      G(k, l) = -p.velocity.x.dot(sys.places[r[static_cast<std::size_t>(l)]].effect);
    const Interval limits = stick_limits(p, state.modes.load_sign[i], t, state.base_x.data(), sig.data());
    lo(k) = limits.lo;
    hi(k) = limits.hi;
    if (dir[i] != 0) lo(k) = hi(k) = sliding_force(i, dir[i]);
  }
  // Least-index principal pivoting; finite where G is a P-matrix, and for shared forces bounded by the round
  // count.
  std::vector<int> at(static_cast<std::size_t>(m), 0); // 0 held, +1 at hi, -1 at lo
  for (Index k = 0; k < m; ++k)
    if (lo(k) == hi(k)) at[static_cast<std::size_t>(k)] = 2; // fixed
  const double size = F.size() > 0 ? std::max({b.cwiseAbs().maxCoeff(), 1e-300}) : 1.0;
  for (int round = 0; round < 50 * (m + 1); ++round) {
    std::vector<Index> held;
    for (Index k = 0; k < m; ++k) {
      const int a = at[static_cast<std::size_t>(k)];
      if (a == 0)
        held.push_back(k);
      else
        F(k) = a == -1 ? lo(k) : hi(k);
    }
    const Index h = static_cast<Index>(held.size());
    shared = false;
    if (h > 0) {
      Matrix Gh(h, h);
      Vector bh(h), root(h);
      for (Index c = 0; c < h; ++c) {
        const Index k = held[static_cast<std::size_t>(c)];
        bh(c) = b(k);
        for (Index l = 0; l < m; ++l)
          if (at[static_cast<std::size_t>(l)] != 0) bh(c) -= G(k, l) * F(l);
        for (Index d = 0; d < h; ++d) Gh(c, d) = G(k, held[static_cast<std::size_t>(d)]);
        root(c) = std::sqrt(std::max(hi(k) - lo(k), 1e-300));
      }
      const Vector scale = Gh.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
      Eigen::CompleteOrthogonalDecomposition<Matrix> cod;
      cod.setThreshold(1e-10);
      root /= root.maxCoeff();
      cod.compute(scale.asDiagonal() * Gh * root.asDiagonal());
      shared = cod.rank() < h;
      const Vector fh = root.asDiagonal() * cod.solve(scale.asDiagonal() * bh);
      for (Index c = 0; c < h; ++c) F(held[static_cast<std::size_t>(c)]) = fh(c);
    }
    const Vector a = b - G * F;
    Index worst = -1;
    int to = 0;
    if (shared) {
      // Held places whose surfaces move apart cannot all hold: their forces grow against each other until one
      // gives way.
      std::vector<Index> apart;
      for (Index k : held)
        if (std::abs(a(k)) > 1e-11 * (size + (G.row(k).cwiseAbs() * F.cwiseAbs())(0))) apart.push_back(k);
      double least = INFINITY;
      for (Index k : apart) {
        const double reach =
            std::max(0.0, a(k) > 0.0 ? hi(k) - F(k) : F(k) - lo(k)) * G(k, k) / std::abs(a(k));
        if (reach < least) least = reach, worst = k, to = a(k) > 0.0 ? 1 : -1;
      }
    }
    for (Index k = 0; k < m && worst < 0; ++k) {
      const auto u = static_cast<std::size_t>(k);
      const double slack = 1e-12 * (std::abs(hi(k)) + std::abs(lo(k)) + std::abs(F(k)));
      const double still = 1e-12 * (size + (G.row(k).cwiseAbs() * F.cwiseAbs())(0));
      if (at[u] == 0 && F(k) > hi(k) + slack)
        worst = k, to = 1;
      else if (at[u] == 0 && F(k) < lo(k) - slack)
        worst = k, to = -1;
      else if (at[u] == 1 && a(k) < -still)
        worst = k, to = 0;
      else if (at[u] == -1 && a(k) > still)
        worst = k, to = 0;
    }
    if (worst < 0) break;
    at[static_cast<std::size_t>(worst)] = to;
  }
  const Vector a = b - G * F;
  bool left = false;
  for (Index k = 0; k < m; ++k) {
    const std::size_t i = r[static_cast<std::size_t>(k)];
    const int side = at[static_cast<std::size_t>(k)];
    const double still = 1e-12 * (size + (G.row(k).cwiseAbs() * F.cwiseAbs())(0));
    if ((side == 1 || side == -1) && a(k) * side > still && !blocked[i][side > 0 ? 1 : 0]) {
      dir[i] = side;
      left = true;
    }
  }
  return left;
}

void Decision::apply_modes() {
  for (std::size_t i = 0; i < n; ++i)
    if (rests[i]) state.modes.place[i] = static_cast<std::int8_t>(dir[i]);
}

void Decision::guard_series(const Regime& r, Matrix& c) {
  const std::size_t ng = r.guards.size();
  c = Matrix::Zero(static_cast<Index>(ng), series_terms);
  Vector xdot = Vector::Zero(sys.nx);
  evaluate(sys, r, t, state.base_x.data(), sig.data(), xdot.data(), force.data(), w);
  if (r.affine) {
    Matrix S(sys.ns(), series_terms);
    Vector coefficients(series_terms);
    for (Index i = 0; i < sys.ns(); ++i) {
      taylor(sys.signals[static_cast<std::size_t>(i)], t, series_terms, coefficients.data());
      S.row(i) = coefficients.transpose();
    }
    Vector x = state.base_x;
    for (int k = 0; k < series_terms; ++k) {
      c.col(k) = r.Gx * x + r.Gs * S.col(k);
      x = Vector((r.Ax * x + r.As * S.col(k)) / (k + 1));
    }
  } else {
    // Values at t, t + h and t + 2h along the parabola that the flow starts on.
    const double h = 1e-4 * sys.time_scale;
    Vector x1 = state.base_x + h * xdot, s1(sys.ns()), f1 = Vector::Zero(sys.nx), g0(static_cast<Index>(ng)),
           g1 = g0, g2 = g0;
    Vector unused = force;
    signal_values(sys, t + h, s1.data());
    guard_values(sys, r, t, state.base_x.data(), sig.data(), force.data(), g0.data());
    evaluate(sys, r, t + h, x1.data(), s1.data(), f1.data(), unused.data(), w);
    const Vector half = 0.5 * (f1 - xdot) / h;
    auto guards_at = [&](double tau, Vector& g) {
      const Vector x = state.base_x + tau * xdot + tau * tau * half;
      signal_values(sys, t + tau, s1.data());
      Vector f = Vector::Zero(sys.nx);
      evaluate(sys, r, t + tau, x.data(), s1.data(), f.data(), unused.data(), w);
      guard_values(sys, r, t + tau, x.data(), s1.data(), unused.data(), g.data());
    };
    guards_at(h, g1);
    guards_at(2.0 * h, g2);
    c.col(0) = g0;
    c.col(1) = (-3.0 * g0 + 4.0 * g1 - g2) / (2.0 * h);
    c.col(2) = (g0 - 2.0 * g1 + g2) / (2.0 * h * h);
  }
}

// What a guard does just after t: +1 it has fired, -1 it is off, 0 it stays where it is.
int Decision::sign_of(const Regime& r, std::size_t k, const Matrix& c) {
  const Guard& g = r.guards[k];
  const auto i = static_cast<std::size_t>(g.element);
  Vector row = c.row(static_cast<Index>(k)).transpose();
  double size = 0.0;
  switch (g.kind) {
  case GuardKind::slip_ends:
    if (rests[i]) {
      row(0) = 0.0;
      // Where friction and normal force were solved from each other, the slope is known no better than its
      // terms.
      if (r.affine && r.coupled) {
        const Vector rates = r.Ax.cwiseAbs() * state.base_x.cwiseAbs() + r.As.cwiseAbs() * sig.cwiseAbs();
        const double rounding = 1024.0 * std::numeric_limits<double>::epsilon() *
                                r.Gx.row(static_cast<Index>(k)).cwiseAbs().dot(rates);
        if (std::abs(row(1)) <= rounding) row(1) = 0.0;
      }
    }
    size = velocity_size(sys.places[i], state.nominal);
    if (row.isZero(0.0)) return 1; // it does not move at all, so it does not slip
    break;
  case GuardKind::breaks_away: {
    const Place& p = sys.places[i];
    const Interval limits = stick_limits(p, state.modes.load_sign[i], t, state.base_x.data(), sig.data());
    const double N = p.contact >= 0 ? std::abs(force(static_cast<Index>(n) + p.contact)) : 1.0;
    size = (std::abs(limits.lo) + std::abs(limits.hi)) * N + std::abs(force(g.element));
    break;
  }
  case GuardKind::shared_limit:
    for (Index m : r.facets[i].members) {
      const auto place = static_cast<std::size_t>(r.stuck[static_cast<std::size_t>(m)]);
      const Interval limits = stick_limits(sys.places[place], 1, t, state.base_x.data(), sig.data());
      size += (limits.hi - limits.lo) * limit_load(sys, sys.places[place], force.data());
    }
    break;
  case GuardKind::opens:
    size = force.cwiseAbs().maxCoeff();
    break;
  case GuardKind::closes:
    if (!candidate[i]) return -1;
    row(0) = row(1) = 0.0;
    size = gap_size(i);
    break;
  default:
    return -1;
  }
  return sign_after(row.data(), size, sys.time_scale, t);
}

// Stuck places that hold one body between surfaces which start to move apart, at whatever order of time: the
// forces grow against each other along the direction that balances itself, and the first to reach its limit
// leaves.
bool Decision::surfaces_part(const Regime& r) {
  if (!r.shared || !r.affine) return false;
  Vector x = state.base_x, coefficients(series_terms);
  Matrix S(sys.ns(), series_terms);
  for (Index i = 0; i < sys.ns(); ++i) {
    taylor(sys.signals[static_cast<std::size_t>(i)], t, series_terms, coefficients.data());
    S.row(i) = coefficients.transpose();
  }
  double power = 1.0;
  for (int k = 0; k < series_terms; ++k, power *= sys.time_scale) {
    double least = INFINITY;
    std::size_t leaves = 0;
    int side = 0;
    for (Index stuck : r.stuck) {
      const auto i = static_cast<std::size_t>(stuck);
      const Place& p = sys.places[i];
      const double c = p.velocity.x.dot(x) + p.velocity.s.dot(S.col(k));
      if (k == 0 || !rests[i] || std::abs(c) * power <= 1e-11 * velocity_size(p, state.nominal)) continue;
      const int to = c > 0.0 ? 1 : -1;
      if (blocked[i][to > 0 ? 1 : 0]) continue;
      const Interval limits = stick_limits(p, state.modes.load_sign[i], t, state.base_x.data(), sig.data());
      const double F = force(static_cast<Index>(i));
      const double reach =
          std::max(0.0, to > 0 ? limits.hi - F : F - limits.lo) * -p.velocity.x.dot(p.effect) / std::abs(c);
      if (reach < least) least = reach, leaves = i, side = to;
    }
    if (side != 0) {
      dir[leaves] = side;
      return true;
    }
    x = Vector((r.Ax * x + r.As * S.col(k)) / (k + 1));
  }
  return false;
}

// Admissible means on an interval after t, not at t alone: follow the candidate's guards a little. Returns
// whether a place changed its mind.
bool Decision::look_ahead() {
  apply_modes();
  const Regime& r = cache.get(sys, state.modes);
  const std::size_t ng = r.guards.size();
  if (ng == 0) return false;
  Matrix c;
  guard_series(r, c);
  bool changed = surfaces_part(r);
  for (std::size_t k = 0; k < ng; ++k) {
    const Guard& g = r.guards[k];
    const auto i = static_cast<std::size_t>(g.element);
    if (sign_of(r, k, c) <= 0) continue;
    if (g.kind == GuardKind::slip_ends && rests[i]) {
      // Accelerates the wrong way, or does not move at all: it did not leave.
      blocked[i][dir[i] > 0 ? 1 : 0] = true;
      dir[i] = 0;
      changed = true;
    } else if (g.kind == GuardKind::breaks_away && rests[i] && !blocked[i][g.side > 0 ? 1 : 0]) {
      dir[i] = g.side;
      changed = true;
    } else if (g.kind == GuardKind::shared_limit) {
      const Facet& f = r.facets[i];
      for (std::size_t j = 0; j < f.members.size(); ++j) {
        const auto place = static_cast<std::size_t>(r.stuck[static_cast<std::size_t>(f.members[j])]);
        const int side = f.share(static_cast<Index>(j)) * g.side > 0.0 ? 1 : -1;
        if (blocked[place][side > 0 ? 1 : 0]) continue;
        dir[place] = side;
        changed = true;
      }
    }
  }
  return changed;
}

void Decision::decide() {
  rule = "unique";
  std::size_t open = 0, leaving = 0;
  for (std::size_t i = 0; i < n; ++i) {
    open += rests[i];
    leaving += dir[i] != 0;
  }
  for (std::size_t j = 0; j < sys.contacts.size(); ++j)
    state.modes.contact[j] = static_cast<std::int8_t>(Mode::open);
  if (open == 0) return;
  if (leaving > 0) rule = "static to kinetic";
  const std::size_t most = 4 * open + 4;
  for (std::size_t round = 0; round < most; ++round) {
    if (balance()) {
      rule = "static to kinetic";
      continue;
    }
    if (!look_ahead()) return;
  }
  apply_modes();
  log.status = TransitionStatus::undecided;
}

// The automaton's states: the table is in automaton_states.hpp.
void Decision::enter_modes(bool start) {
  double* x = state.base_x.data();
  for (std::size_t i = 0; i < n; ++i) // bristles of a contact that opens are let go
    if (sys.places[i].states >= 0 && state.modes.place[i] == static_cast<std::int8_t>(Mode::open))
      for (Index k = 0; k < sys.places[i].traits.states; ++k) x[sys.places[i].states + k] = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const Place& p = sys.places[i];
    if (!set_valued(i) || p.automaton == Automaton{}) continue;
    const int was = before.place[i], is = state.modes.place[i];
    if (is == static_cast<int>(Mode::open)) continue;
    const double N = load(i);
    if (start || was == static_cast<int>(Mode::open))
      start_in_mode(p, is, v(i), N, t, x);
    else if (was != is)
      change_mode(p, was, is, v(i), N, t, x);
    if (presliding(i) && was != is) state.modes.branch[i] = 0;
  }
}

static std::string cause_of(const System& sys, const Guard& g, bool struck) {
  const auto i = static_cast<std::size_t>(g.element);
  switch (g.kind) {
  case GuardKind::slip_ends:
    return sys.places[i].name + " stops";
  case GuardKind::breaks_away:
  case GuardKind::surface_turns:
    return sys.places[i].name + " breaks away";
  case GuardKind::shared_limit:
    return "shared limit";
  case GuardKind::opens:
    return sys.contacts[i].name + " loses its force";
  case GuardKind::closes:
    return sys.contacts[i].name + (struck ? " strikes" : " touches");
  default:
    return {};
  }
}

std::string cause_of(const System& sys, const Event& e) {
  return e.fired.element < 0 ? e.text : cause_of(sys, e.fired, e.impact);
}

std::string rule_of(const Event& e) {
  return std::string(e.rule) + (e.energy_gained ? ", energy gained" : "") +
         (e.force_shared ? ", force shared" : "");
}

void Decision::record(const std::vector<Guard>& fired, bool start) {
  if (start && impulses.empty()) return;
  const bool single = fired.size() == 1 && impulses.empty() && fired[0].kind <= GuardKind::breaks_away;
  std::string what = start ? "start" : fired.empty() ? "kink of a signal" : "";
  if (!single)
    for (const Guard& g : fired) {
      const std::string one = cause_of(sys, g, !impulses.empty());
      if (!one.empty()) what += (what.empty() ? "" : ", ") + one;
    }
  bool any = false;
  auto note = [&](Index element, Mode was, Mode is, const Impulse* impulse) {
    if (!any) ++state.instant;
    any = true;
    Event e;
    e.time = t;
    e.instant = state.instant;
    e.element = element;
    e.before = was;
    e.after = is;
    if (single)
      e.fired = fired[0];
    else
      e.text = what;
    if (impulse && !impulse->collision) e.text += ", impact without collision";
    if (impulse && mixed_laws) e.text += ", laws of impact differ: Newton's";
    e.energy_gained = gains;
    const bool together = shared || std::any_of(fired.begin(), fired.end(), [](const Guard& g) {
                            return g.kind == GuardKind::shared_limit;
                          });
    e.rule = rule;
    e.force_shared = together;
    e.solutions = together ? -1 : solutions;
    e.ambiguous = ambiguous;
    if (impulse) {
      e.impact = true;
      e.normal_impulse = impulse->normal;
      e.tangential_impulse = impulse->tangential;
      e.loss = impulse->loss;
      e.wall_work = impulse->wall_work;
    }
    log.events.push_back(std::move(e));
  };
  for (std::size_t i = 0; i < n; ++i)
    if (set_valued(i) && !contact_friction(i) && state.modes.place[i] != before.place[i])
      note(static_cast<Index>(i), static_cast<Mode>(before.place[i]), static_cast<Mode>(state.modes.place[i]),
           nullptr);
  for (std::size_t j = 0; j < sys.contacts.size(); ++j) {
    const Impulse* impulse = nullptr;
    for (const Impulse& one : impulses)
      if (one.contact == static_cast<Index>(j)) impulse = &one;
    const Mode was = contact_mode(sys, before, j), is = contact_mode(sys, state.modes, j);
    if (was != is || impulse) note(static_cast<Index>(n + j), was, is, impulse);
  }
}

void Decision::run(const std::vector<Guard>& fired, bool start) {
  t = state.base_t;
  before = state.modes;
  starting = start;
  signal_values(sys, t, sig.data());
  const LinearPart& linear = cache.linear(sys, state.modes.limit);
  terms = linear.A.cwiseAbs() * state.base_x.cwiseAbs() + linear.S.cwiseAbs() * sig.cwiseAbs();
  switches(fired, start);
  for (int round = 0; round < 2; ++round) {
    find_candidates(fired, start);
    if (unsolved) {
      log.status = TransitionStatus::undecided;
      break;
    }
    sides_of_kinks(start);
    rests.assign(n, false);
    find_resting(fired, start);
    project();
    if (sys.contacts.empty() || std::none_of(candidate.begin(), candidate.end(), [](bool c) { return c; })) {
      decide();
      break;
    }
    if (decide_contacts(fired)) break;
    // No answer: where a contact slides the velocities can jump without a collision (Painleve); then look
    // once more.
    std::vector<Index> touching;
    bool slides = false;
    for (std::size_t j = 0; j < candidate.size(); ++j)
      if (candidate[j]) {
        touching.push_back(static_cast<Index>(j));
        const Index place = sys.contacts[j].place;
        slides = slides || (place >= 0 && !rests[static_cast<std::size_t>(place)]);
      }
    if (round > 0 || !slides) {
      log.status = TransitionStatus::undecided;
      break;
    }
    strike(touching, false);
    if (impulses.empty()) {
      log.status = TransitionStatus::undecided;
      break;
    }
  }
  for (std::size_t i = 0; i < n; ++i) // elements of a law that also sticks begin anew with each rest
    if (set_valued(i) && state.modes.place[i] != before.place[i])
      state.modes.branch[i] = initial_branch(sys.places[i].law);
  enter_modes(start);
  record(fired, start);
  state.after_transition = true;
}

void transition(const System& sys, RegimeCache& cache, State& state, const std::vector<Guard>& fired,
                bool start, TransitionLog& log) {
  // No force changes when the velocity of a bristle passes zero or an element of it lets go, so nothing else
  // has to be decided.
  if (!fired.empty() && std::all_of(fired.begin(), fired.end(), [](const Guard& g) {
        return g.kind == GuardKind::kink || g.kind == GuardKind::branch;
      })) {
    for (const Guard& g : fired) switch_flow(sys, state.modes, g);
    state.after_transition = true;
    return;
  }
  Saturations limits(sys, cache, state);
  limits.decide(fired, start);
  Decision(sys, cache, state, log).run(fired, start);
  for (int round = 0; round < 3 && limits.review(); ++round) Decision(sys, cache, state, log).run({}, false);
  if (!start) limits.record(log);
}

} // namespace stickslip
