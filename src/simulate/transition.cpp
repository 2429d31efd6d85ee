#include "simulate/transition.hpp"

#include "simulate/saturations.hpp"
#include "simulate/place_force.hpp"

#include <Eigen/LU>
#include <Eigen/QR>

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip {

bool State::operator==(const State& o) const {
  return t == o.t && x == o.x && modes == o.modes && base_t == o.base_t && base_x == o.base_x &&
         after_transition == o.after_transition && started == o.started && step == o.step &&
         last_error == o.last_error && stiff == o.stiff && nominal == o.nominal && instant == o.instant &&
         ticks == o.ticks;
}

double velocity_size(const Place& place, const Vector& nominal) { return place.velocity.x.cwiseAbs().dot(nominal); }

namespace {

constexpr int series_terms = 6;

// Signs of guards just after an instant, from the first coefficients of their Taylor series.
// +1 becomes positive, -1 negative, 0 stays zero as far as can be told. t: the instant, whose last digits are not known.
int sign_after(const double* c, double size, double time_scale, double t) {
  const double tiny = 1e-11 * size;
  double power = 1.0;
  std::array<double, series_terms> scaled{};
  for (int k = 0; k < series_terms; ++k, power *= time_scale) scaled[static_cast<std::size_t>(k)] = c[k] * power;
  const double unresolved = 4.0 * std::numeric_limits<double>::epsilon() * std::abs(t) / time_scale;
  if (std::abs(scaled[0]) > std::max(tiny, unresolved * std::abs(scaled[1]))) return scaled[0] > 0.0 ? 1 : -1;
  for (std::size_t k = 1; k < scaled.size(); ++k) {
    if (std::abs(scaled[k]) <= tiny) continue;
    if (k == 1 && std::abs(scaled[1]) <= 2.0 * unresolved * std::abs(scaled[2])) continue;
    // A first derivative left over by rounding at the top of a touch must not count: it lifts the guard by c1^2/4c2.
    if (k == 1 && scaled[1] > 0.0 && scaled[2] < 0.0 && scaled[1] * scaled[1] < -4.0 * scaled[2] * 1e-13 * size) continue;
    return scaled[k] > 0.0 ? 1 : -1;
  }
  return 0;
}

class Decision {
public:
  Decision(const System& s, RegimeCache& c, State& st, TransitionLog& l)
      : sys(s), cache(c), state(st), log(l), w(s), n(s.places.size()), rests(n, false), dir(n, 0),
        blocked(n, {false, false}), force(Vector::Zero(static_cast<Index>(n))), sig(Vector::Zero(s.ns())) {}

  void run(const std::vector<Guard>& fired, bool start);

private:
  const System& sys;
  RegimeCache& cache;
  State& state;
  TransitionLog& log;
  Scratch w;
  std::size_t n;
  std::vector<bool> rests;  // velocity is zero and the mode open
  std::vector<int> dir;     // resting places that leave: their direction
  std::vector<std::array<bool, 2>> blocked; // leaving in that direction was tried and accelerates the wrong way
  Vector force, sig;
  double t = 0.0;
  Modes before;
  std::string cause, rule;
  bool shared = false;

  bool set_valued(std::size_t i) const { return sys.places[i].traits.sticks; }
  bool presliding(std::size_t i) const { return sys.places[i].surface_travel >= 0; }
  double v(std::size_t i) const { return relative_velocity(sys.places[i], state.base_x.data(), sig.data()); }
  std::vector<std::size_t> resting() const {
    std::vector<std::size_t> r;
    for (std::size_t i = 0; i < n; ++i)
      if (rests[i]) r.push_back(i);
    return r;
  }

  void switches(const std::vector<Guard>& fired, bool start);
  void sides_of_kinks(bool start);
  void find_resting(const std::vector<Guard>& fired, bool start);
  void project();
  void decide();
  bool balance();
  bool look_ahead();
  void free_acceleration(Vector& xdot);
  double sliding_force(std::size_t i, int d);
  void apply_modes();
  void enter_modes(bool start);
  void start_clock(std::size_t i);
  double reached_force(std::size_t i);
  void record(const std::vector<Guard>& fired, bool start);
};

// x' with the resting places taken out altogether.
void Decision::free_acceleration(Vector& xdot) {
  const double* x = state.base_x.data();
  const LinearPart& linear = cache.linear(sys, state.modes.limit);
  xdot.noalias() = linear.A * state.base_x;
  xdot.noalias() += linear.S * sig;
  Vector unused = Vector::Zero(sys.nx);
  for (std::size_t i = 0; i < n; ++i) {
    if (rests[i]) continue;
    const Place& p = sys.places[i];
    const double N = normal_load(p, state.modes.load_sign[i], x, sig.data());
    const PlaceForce f = place_force(p, state.modes.place[i], state.modes.branch[i], v(i), N, x, unused.data());
    xdot += p.effect * (f.dry * N + f.other);
  }
}

// Force with which a resting place starts to slide: its kinetic side, at v = 0. A lagged force starts at the level
// that was reached.
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
  const Force f = evaluate(p.law, 0.0, d, state.modes.branch[i], p.states >= 0 ? x + p.states : nullptr, unused.data());
  if (p.peak < 0) return f.dry * N + f.viscous;
  return with_peak(p, f.dry, before.place[i] == 0 ? aged_share(p, t, x) : x[p.peak]) * N + f.viscous;
}

void Decision::switches(const std::vector<Guard>& fired, bool start) {
  for (const Guard& g : fired) {
    const auto i = static_cast<std::size_t>(g.element);
    if (g.kind == GuardKind::kink) state.modes.place[i] = static_cast<std::int8_t>(-state.modes.place[i]);
    if (g.kind == GuardKind::load_sign) state.modes.load_sign[i] = static_cast<std::int8_t>(-state.modes.load_sign[i]);
    if (g.kind == GuardKind::branch)
      state.modes.branch[i] = switch_branch(sys.places[i].law, state.modes.branch[i], g.side);
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
  for (std::size_t i = 0; i < n; ++i) {
    const Place& p = sys.places[i];
    if (p.traits.sticks) continue;
    const double speed = v(i);
    const double tiny = 1e-13 * velocity_size(p, state.nominal);
    if (std::abs(speed) > tiny) {
      state.modes.place[i] = static_cast<std::int8_t>(speed > 0.0 ? 1 : -1);
    } else if (start || state.modes.place[i] == 0) {
      if (state.modes.place[i] == 0) state.modes.place[i] = 1;
      Vector xdot(sys.nx);
      free_acceleration(xdot);
      const double a = p.velocity.x.dot(xdot) + p.acceleration_s.dot(sig);
      if (a != 0.0) state.modes.place[i] = static_cast<std::int8_t>(a > 0.0 ? 1 : -1);
    }
  }
}

void Decision::find_resting(const std::vector<Guard>& fired, bool start) {
  std::vector<bool> stopped(n, false);
  for (const Guard& g : fired)
    if (g.kind == GuardKind::slip_ends) stopped[static_cast<std::size_t>(g.element)] = true;
  for (std::size_t i = 0; i < n; ++i) {
    if (!set_valued(i)) continue;
    const double speed = v(i);
    const double tiny = 1e-11 * velocity_size(sys.places[i], state.nominal);
    const int mode = state.modes.place[i];
    const bool moves = std::abs(speed) > tiny && !stopped[i];
    if (presliding(i)) {
      // Sticking is a motion of its own here; the force is continuous and nothing has to be balanced.
      if (start && moves) state.modes.place[i] = static_cast<std::int8_t>(speed > 0.0 ? 1 : -1);
      if (stopped[i]) state.modes.place[i] = 0;
      continue;
    }
    if (moves) { // a surface that jumps away from a stuck place, or the motion given at the start
      state.modes.place[i] = static_cast<std::int8_t>(speed > 0.0 ? 1 : -1);
      continue;
    }
    bool ends = start || mode == 0 || stopped[i];
    if (!ends) {
      // Also at zero at this instant, by coincidence: it rests if it comes to a halt, and slides on if it departs.
      Vector xdot(sys.nx);
      free_acceleration(xdot);
      ends = (sys.places[i].velocity.x.dot(xdot) + sys.places[i].acceleration_s.dot(sig)) * mode < 0.0;
    }
    rests[i] = ends;
    if (ends && mode != 0) start_clock(i);
  }
  for (const Guard& g : fired) {
    const auto i = static_cast<std::size_t>(g.element);
    if (g.kind == GuardKind::breaks_away) {
      if (!presliding(i)) dir[i] = g.side;
      else if (v(i) * g.side >= 0.0) state.modes.place[i] = static_cast<std::int8_t>(g.side); // else it stays stuck
    }
    if (g.kind == GuardKind::shared_limit) {
      const Regime& r = cache.get(sys, before);
      const Facet& f = r.facets[i];
      for (std::size_t j = 0; j < f.members.size(); ++j)
        dir[static_cast<std::size_t>(r.stuck[static_cast<std::size_t>(f.members[j])])] =
            f.share(static_cast<Index>(j)) * g.side > 0.0 ? 1 : -1;
    }
  }
}

// Entering stick: the static level starts from the force that was reached, f_sa, and ages from there.
void Decision::start_clock(std::size_t i) {
  const Place& p = sys.places[i];
  if (p.aged < 0) return;
  double* x = state.base_x.data();
  const double N = normal_load(p, state.modes.load_sign[i], x, sig.data());
  const double level = p.break_away * N;
  x[p.aged] = level > 0.0 ? std::min(reached_force(i) / level, 1.0) : 1.0;
  x[p.entered] = t;
}

// Dry force with which a sliding place comes to v = 0.
double Decision::reached_force(std::size_t i) {
  const Place& p = sys.places[i];
  const double* x = state.base_x.data();
  if (p.lagged >= 0) return x[p.lagged];
  const int d = before.place[i];
  const double N = normal_load(p, state.modes.load_sign[i], x, sig.data());
  double dry = evaluate(p.law, 0.0, d, 0, nullptr, nullptr).dry;
  if (p.peak >= 0) dry = with_peak(p, dry, x[p.peak]);
  return std::abs(dry) * N;
}

// Velocities of resting places are set to zero exactly, with the least change of kinetic energy.
void Decision::project() {
  const auto r = resting();
  const Index m = static_cast<Index>(r.size());
  if (m == 0) return;
  Vector speed(m);
  for (Index k = 0; k < m; ++k) speed(k) = v(r[static_cast<std::size_t>(k)]);
  if (speed.isZero(0.0)) return;
  Matrix G(m, m), U(sys.nx, m);
  for (Index k = 0; k < m; ++k) {
    U.col(k) = sys.places[r[static_cast<std::size_t>(k)]].effect;
    for (Index l = 0; l < m; ++l)
      G(k, l) = -sys.places[r[static_cast<std::size_t>(k)]].velocity.x.dot(sys.places[r[static_cast<std::size_t>(l)]].effect);
  }
  state.base_x += U * Matrix(G.completeOrthogonalDecomposition().pseudoInverse()) * speed;
}

// Forces at static levels for resting places that have not left, kinetic ones for those that have: a linear
// complementarity problem with two bounds each. Places at a bound that start to move leave. Returns whether one did.
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
    for (Index l = 0; l < m; ++l) G(k, l) = -p.velocity.x.dot(sys.places[r[static_cast<std::size_t>(l)]].effect);
    const Interval limits = stick_limits(p, state.modes.load_sign[i], t, state.base_x.data(), sig.data());
    lo(k) = limits.lo;
    hi(k) = limits.hi;
    if (dir[i] != 0) lo(k) = hi(k) = sliding_force(i, dir[i]);
  }
  // Least-index principal pivoting; finite where G is a P-matrix, and for shared forces bounded by the round count.
  std::vector<int> at(static_cast<std::size_t>(m), 0); // 0 held, +1 at hi, -1 at lo
  for (Index k = 0; k < m; ++k)
    if (lo(k) == hi(k)) at[static_cast<std::size_t>(k)] = 2; // fixed
  const double size = F.size() > 0 ? std::max({b.cwiseAbs().maxCoeff(), 1e-300}) : 1.0;
  for (int round = 0; round < 50 * (m + 1); ++round) {
    std::vector<Index> held;
    for (Index k = 0; k < m; ++k) {
      const int a = at[static_cast<std::size_t>(k)];
      if (a == 0) held.push_back(k);
      else F(k) = a == -1 ? lo(k) : hi(k);
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
    for (Index k = 0; k < m && worst < 0; ++k) {
      const auto u = static_cast<std::size_t>(k);
      const double slack = 1e-12 * (std::abs(hi(k)) + std::abs(lo(k)) + std::abs(F(k)));
      const double still = 1e-12 * (size + (G.row(k).cwiseAbs() * F.cwiseAbs())(0));
      if (at[u] == 0 && F(k) > hi(k) + slack) worst = k, to = 1;
      else if (at[u] == 0 && F(k) < lo(k) - slack) worst = k, to = -1;
      else if (at[u] == 1 && a(k) < -still) worst = k, to = 0;
      else if (at[u] == -1 && a(k) > still) worst = k, to = 0;
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

// Admissible means on an interval after t, not at t alone: follow the candidate's guards a little. Returns whether a
// place changed its mind.
bool Decision::look_ahead() {
  apply_modes();
  const Regime& r = cache.get(sys, state.modes);
  const std::size_t ng = r.guards.size();
  if (ng == 0) return false;
  Matrix c = Matrix::Zero(static_cast<Index>(ng), series_terms);
  Vector xdot = Vector::Zero(sys.nx);
  if (w.guards.size() < static_cast<Index>(ng)) w.guards.resize(static_cast<Index>(ng));
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
    Vector x1 = state.base_x + h * xdot, s1(sys.ns()), f1 = Vector::Zero(sys.nx), g0(static_cast<Index>(ng)), g1 = g0, g2 = g0;
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
  bool changed = false;
  for (std::size_t k = 0; k < ng; ++k) {
    const Guard& g = r.guards[k];
    const auto i = static_cast<std::size_t>(g.element);
    Vector row = c.row(static_cast<Index>(k)).transpose();
    if (g.kind == GuardKind::slip_ends && rests[i]) {
      row(0) = 0.0;
      double size = velocity_size(sys.places[i], state.nominal);
      const int after = sign_after(row.data(), size, sys.time_scale, t);
      const bool fired_outwards = after > 0;
      if (fired_outwards || (after == 0 && row.isZero(0.0))) {
        // Accelerates the wrong way, or does not move at all: it did not leave.
        blocked[i][dir[i] > 0 ? 1 : 0] = true;
        dir[i] = 0;
        changed = true;
      }
    } else if (g.kind == GuardKind::breaks_away && rests[i]) {
      const Interval limits = stick_limits(sys.places[i], state.modes.load_sign[i], t, state.base_x.data(), sig.data());
      const double size = std::abs(limits.lo) + std::abs(limits.hi) + std::abs(force(static_cast<Index>(i)));
      if (sign_after(row.data(), size, sys.time_scale, t) > 0 && !blocked[i][g.side > 0 ? 1 : 0]) {
        dir[i] = g.side;
        changed = true;
      }
    } else if (g.kind == GuardKind::shared_limit) {
      const Facet& f = r.facets[i];
      double size = 0.0;
      for (Index m : f.members) {
        const Interval limits = stick_limits(sys.places[static_cast<std::size_t>(r.stuck[static_cast<std::size_t>(m)])], 1, t,
                                             state.base_x.data(), sig.data());
        size += limits.hi - limits.lo;
      }
      if (sign_after(row.data(), size, sys.time_scale, t) > 0)
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

// What each transition sets of the automaton's states (physics: Klotzbach, Henrichfreise, section 3):
//   start at rest     fully aged, no presliding          start sliding    lagged force on the curve, peak as given
//   slip -> stick     level ages from f_sa, s continuous stick -> slip    lagged force and peak from the level reached
//   slip -> slip      the lagged force is kept
void Decision::enter_modes(bool start) {
  double* x = state.base_x.data();
  for (std::size_t i = 0; i < n; ++i) {
    const Place& p = sys.places[i];
    if (!set_valued(i) || p.automaton == Automaton{}) continue;
    const int was = before.place[i], is = state.modes.place[i];
    const double N = normal_load(p, state.modes.load_sign[i], x, sig.data());
    const double speed = v(i);
    if (start) {
      if (p.aged >= 0) x[p.aged] = x[p.peak] = 1.0, x[p.entered] = t;
      if (p.surface_travel >= 0) x[p.surface_travel] = 0.0;
      if (p.lagged >= 0)
        x[p.lagged] = is == 0 ? p.break_away * N : evaluate(p.law, speed, is, 0, nullptr, nullptr).dry * is * N;
      continue;
    }
    if (was == is) continue;
    if (is == 0 && presliding(i)) {
      start_clock(i);
      const double k = presliding_stiffness(p, N);
      x[p.surface_travel] = k > 0.0 ? reached_force(i) * was / k : 0.0;
    } else if (was == 0) {
      const Interval limits = stick_limits(p, state.modes.load_sign[i], t, x, sig.data());
      const double share = aged_share(p, t, x);
      if (p.peak >= 0) x[p.peak] = share;
      if (p.lagged >= 0) {
        const double viscous = evaluate(p.law, speed, is, 0, nullptr, nullptr).viscous * is;
        x[p.lagged] = std::max(0.0, (is > 0 ? limits.hi : -limits.lo) - viscous);
      }
    }
  }
}

void Decision::record(const std::vector<Guard>& fired, bool start) {
  if (start) return;
  std::string what = fired.empty() ? "kink of a signal" : "";
  for (const Guard& g : fired) {
    std::string one;
    switch (g.kind) {
    case GuardKind::slip_ends: one = sys.places[static_cast<std::size_t>(g.element)].name + " stops"; break;
    case GuardKind::breaks_away: one = sys.places[static_cast<std::size_t>(g.element)].name + " breaks away"; break;
    case GuardKind::shared_limit: one = "shared limit"; break;
    default: continue;
    }
    what += (what.empty() ? "" : ", ") + one;
  }
  std::size_t open = 0;
  for (std::size_t i = 0; i < n; ++i) open += rests[i];
  bool any = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (!set_valued(i) || state.modes.place[i] == before.place[i]) continue;
    if (!any) ++state.instant;
    any = true;
    Event e;
    e.time = t;
    e.instant = state.instant;
    e.element = static_cast<Index>(i);
    e.before = static_cast<Mode>(before.place[i]);
    e.after = static_cast<Mode>(state.modes.place[i]);
    e.cause = what;
    e.rule = shared ? rule + ", force shared" : rule;
    e.solutions = shared ? -1 : 1;
    log.events.push_back(std::move(e));
  }
}

void Decision::run(const std::vector<Guard>& fired, bool start) {
  t = state.base_t;
  before = state.modes;
  signal_values(sys, t, sig.data());
  switches(fired, start);
  sides_of_kinks(start);
  find_resting(fired, start);
  project();
  decide();
  enter_modes(start);
  record(fired, start);
  state.after_transition = true;
}

} // namespace

void transition(const System& sys, RegimeCache& cache, State& state, const std::vector<Guard>& fired, bool start,
                TransitionLog& log) {
  Saturations limits(sys, cache, state);
  limits.decide(fired, start);
  Decision(sys, cache, state, log).run(fired, start);
  for (int round = 0; round < 3 && limits.review(); ++round) Decision(sys, cache, state, log).run({}, false);
  if (!start) limits.record(log);
}

} // namespace stickslip
