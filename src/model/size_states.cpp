// Sizes of the states, and the time scale: for tolerances only; sizes grow with the motion.
#include "core/digits.hpp"
#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "model/relay_form.hpp"
#include "model/system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

// Weight of a state in a velocity or gap; zero for rounding errors of a right angle.
double weight(const Vector& form, Index i) {
  const double w = std::abs(form(i));
  return w > tolerance::residual * form.cwiseAbs().maxCoeff() ? w : 0.0;
}

constexpr double unknown = std::numeric_limits<double>::infinity();

// Approximate maximum of a signal at its breakpoints and within the time t after them, or the duration of a piece.
double greatest_of(const Signal& s, double t) {
  double size = 0.0;
  for (Index i = 0; i < s.pieces.size(); ++i) {
    const Piece& p = s.pieces[i];
    const double holds = i + 1 < s.pieces.size() ? s.pieces[i + 1].start - p.start
                         : s.repeats > 0         ? s.pieces[s.repeats].start + s.period - p.start
                                                 : unknown;
    double power = 1.0, piece = 0.0;
    for (double c : p.c) {
      piece = std::max(piece, std::abs(c) * power);
      power *= std::min(t, holds);
    }
    for (const Harmonic& h : p.harmonics) piece += std::abs(h.amplitude);
    size = std::max(size, piece);
  }
  return size;
}

// Initial gap at zero coordinates, if the wall is at a distance.
double clearance(const System& sys, const Contact& c) {
  const Signal& s = sys.signals[c.gap_signal];
  return s.pieces.empty() ? 0.0 : std::max(s.pieces.front().c[0], 0.0);
}

// Use(form over positions, distance from the point of zero coordinates) for every corner of a spring at another point.
template <class Use> void for_each_corner(const System& sys, Use&& use) {
  for (const Flank& f : sys.flanks)
    for (const double corner : f.line.corners)
      if (const double off = std::abs(corner + value(sys.signals[sys.springs[f.spring].rest], 0.0));
          off > 0.0)
        use(sys.springs[f.spring].elongation.x, off);
}

// Plant matrix with every spring in its stiffest segment.
Matrix stiffest(const System& sys) {
  Matrix A = sys.A;
  for (const Flank& f : sys.flanks) {
    const Spring& p = sys.springs[f.spring];
    double slope = 0.0;
    for (const Stretch& s : f.line.stretches) slope = std::max(slope, std::abs(s.slope));
    A += p.effect * (slope * p.elongation.x + p.damping * p.rate.x).transpose();
  }
  return A;
}

// Sizes of one coordinate from the description, by the order of the time derivative: lengths, velocities, accelerations
// and their rates.
using Orders = std::array<double, 3 + signal_max_degree>;

class OwnTime {
public:
  explicit OwnTime(const System& system)
      : sys(system), orders(std::max<Index>(sys.n_coordinates, 1), Orders{}) {
    elements();
    contacts();
    for (const auto& d : sys.drives) note(d.effect, 1.0, sys.signals[d.signal], 2);
  }

  // The shortest time that follows from two of them, or is given in a signal or law; 0 if there is none.
  double shortest() const {
    double t = unknown;
    Orders all{};
    for (const Orders& o : orders) {
      t = std::min(t, time_of(o));
      for (Index k = 0; k < std::ssize(o); ++k) all[k] = std::max(all[k], o[k]);
    }
    if (!std::isfinite(t)) t = time_of(all); // from sizes of different coordinates
    for (const Signal& s : sys.signals) t = std::min(t, pace(s));
    for (const Friction& p : sys.friction)
      for (const double own : {p.automaton.lag, p.automaton.dead_time, p.automaton.dwell})
        if (own > 0.0) t = std::min(t, own);
    return std::isfinite(t) ? t : 0.0;
  }

private:
  const System& sys;
  List<Orders> orders;

  static double time_of(const Orders& o) {
    double t = unknown;
    for (Index p = 0; p < std::ssize(o); ++p)
      for (Index q = p + 1; q < std::ssize(o); ++q)
        if (o[p] > 0.0 && o[q] > 0.0) t = std::min(t, root(o[p] / o[q], q - p));
    return t;
  }

  static double root(double x, Index order) {
    if (order == 1) return x;
    return order == 2 ? std::sqrt(x) : std::pow(x, 1.0 / static_cast<double>(order));
  }

  // Time scale of its harmonics, and the mean distance of its breakpoints.
  static double pace(const Signal& s) {
    double t = unknown;
    for (const Piece& p : s.pieces)
      for (const Harmonic& h : p.harmonics)
        if (h.omega != 0.0) t = std::min(t, 1.0 / std::abs(h.omega));
    if (const Index n = s.pieces.size(); n > 2)
      t = std::min(t, (s.pieces[n - 1].start - s.pieces[1].start) / static_cast<double>(n - 2));
    return t;
  }

  void note(Index coordinate, Index order, double size) {
    double& known = orders[coordinate][order];
    known = std::max(known, size);
  }

  // Records a signal times `factor` per unit of `column`, a change of the rate of each state.
  void note(const Vector& column, double factor, const Signal& s, Index order) {
    const Index n = sys.n_coordinates;
    for (Index i = 0; i < n; ++i) {
      const double per_unit = std::abs(column(n + i)) * factor;
      for (const Piece& p : s.pieces) {
        double level = std::abs(p.c[0]);
        for (const Harmonic& h : p.harmonics) level += std::abs(h.amplitude);
        note(i, order, per_unit * level);
        for (Index k = 1; k <= signal_max_degree && order + k < std::ssize(orders[i]); ++k)
          note(i, order + k, per_unit * std::abs(p.c[k]));
      }
    }
  }

  void elements() {
    const Index n = sys.n_coordinates;
    for (const Friction& p : sys.friction) {
      if (p.traits.sticks && p.load >= 0) note(p.effect, p.break_away, sys.signals[p.load], 2);
      if (p.traits.states > 0 && p.load >= 0) note(p.effect, p.kinetic, sys.signals[p.load], 2);
      double length = p.automaton.travel;
      if (p.traits.states > 0) {
        List<double> z(p.traits.states);
        steady(p.law, tolerance::creep_velocity, z.data(), 1.0);
        if (p.traits.stiffness > 0.0) length = std::abs(z[0]); // else its first state is no deflection
      }
      for (Index i = 0; i < n; ++i) {
        const double w = weight(p.velocity.x, n + i);
        if (w == 0.0) continue;
        note(i, 0, length / w);
        const double fast = is_relay(p) ? 0.0 : greatest_of(sys.signals[p.surface], 0.0);
        note(i, 1, (fast > 0.0 ? fast : p.fine) / w);
      }
    }
  }

  void contacts() {
    const Index n = sys.n_coordinates;
    for (const Contact& c : sys.contacts)
      for (Index i = 0; i < n; ++i)
        if (const double w = weight(c.gap.x, i); w > 0.0) note(i, 0, clearance(sys, c) / w);
    for_each_corner(sys, [&](const Vector& form, double off) {
      for (Index i = 0; i < n; ++i)
        if (const double w = weight(form, i); w > 0.0) note(i, 0, off / w);
    });
  }
};

// The reciprocal of the plant's fastest rate, else from times in the description.
void set_time_scale(System& sys) {
  if (sys.time_scale > 0.0) return; // given by the user
  const Index n = sys.plant_states;
  const double rate = linalg::spectral_radius(stiffest(sys).topLeftCorner(n, n));
  sys.time_scale = few_digits(rate > 0.0 ? 1.0 / rate : OwnTime(sys).shortest());
  sys.paced = sys.time_scale > 0.0;
  sys.rated = rate > 0.0;
}

// Matrix notation: states with an input take their size from it, all others from the states that drive them.
void size_matrix_states(System& sys, const Vector& rates) {
  sys.nominal = sys.time_scale * rates;
  for (Index round = 0; round < sys.plant_states; ++round) {
    const Vector driven = sys.time_scale * (sys.A.cwiseAbs() * sys.nominal);
    for (Index i = 0; i < sys.plant_states; ++i)
      if (sys.nominal(i) == 0.0) sys.nominal(i) = driven(i);
  }
}

// A bristle's deflection has the size of its steady state.
void size_bristles(System& sys) {
  for (const Friction& p : sys.friction) {
    if (p.traits.states > 0) sys.nominal.segment(p.states, p.traits.states) = state_sizes(p.law);
  }
}

constexpr double least_share_of_start = 1e-6;

// While a bristle deflects, or a force falls from its peak, velocities are of the order of the Stribeck velocity,
// whatever the speeds at other times: velocity errors are relative to it.
void size_fine_velocities(System& sys) {
  sys.finest = Vector::Constant(sys.nx, std::numeric_limits<double>::infinity());
  for (const Friction& p : sys.friction) {
    // A state that starts away from zero may fall by orders of magnitude, as the age of contacts does.
    const Vector start = start_states(p.law).cwiseAbs();
    for (Index i = 0; i < start.size(); ++i)
      if (start(i) > 0.0) sys.finest(p.states + i) = least_share_of_start * start(i);
    if (p.fine == 0.0) continue;
    for (Index i = sys.n_coordinates; i < sys.plant_states;
         ++i) // a plant in matrix notation has no positions to skip
      if (p.velocity.x(i) != 0.0)
        sys.finest(i) = std::min(sys.finest(i), 4.0 * p.fine / std::abs(p.velocity.x(i)));
  }
}

} // namespace

// Acceleration of each state's rate due to loads, limits and preloaded springs within a time t; `speed` gets that of
// surfaces.
static Vector driven_rates(const System& sys, double t, Vector& speed) {
  const Index n = sys.n_coordinates;
  Vector rates = Vector::Zero(sys.nx);
  const auto size = [&](Index signal) { return greatest_of(sys.signals[signal], t); };
  for (const auto& d : sys.drives) rates += d.effect.cwiseAbs() * size(d.signal);
  speed = Vector::Zero(n);
  for (const Friction& p : sys.friction) {
    const double level = p.traits.sticks ? p.break_away : 0.0;
    rates += p.effect.cwiseAbs() * (level * (size(p.load) + p.table_load));
    if (n > 0 && !is_relay(p))
      speed = speed.cwiseMax(p.velocity.x.segment(n, n).cwiseAbs() * size(p.surface));
  }
  for (const Spring& p : sys.springs) { // at zero coordinates
    const double rest = size(p.rest);
    double most = 0.0;
    for (const double x : {-rest, 0.0, rest}) {
      double force = 0.0;
      for (Index k = p.flanks; k < p.flanks + p.count; ++k) {
        const auto& line = sys.flanks[k].line;
        force += line.value(line.stretch_at(x), x);
      }
      most = std::max(most, std::abs(force));
    }
    rates += most * p.effect.cwiseAbs();
  }
  const Constraints& c = sys.constraints;
  for (Index k = 0; k < c.all.size(); ++k) {
    rates.segment(n, n) += c.prescribed.col(k).cwiseAbs() * size(c.all[k].acceleration);
    for (Index i = 0; i < c.velocities.which.size(); ++i) {
      double& fast = speed(c.velocities.which[i]);
      fast = std::max(fast, std::abs(c.velocities.values(i, k)) * size(c.all[k].rate));
    }
  }
  return rates;
}

// Coordinates without a drive may be moved by others: they get the speed and distance of the fastest coordinate that
// acts on them. Repeated passes make the result independent of the order of elements.
static void size_dragged(const System& sys, Vector& nominal) {
  const Index n = sys.n_coordinates;
  bool grows = true;
  const auto drag = [&](const Vector& row, const Vector& known, Index i) {
    const double own = weight(row, n + i);
    if (own == 0.0 || known(n + i) > 0.0) return;
    for (Index j = 0; j < n; ++j)
      if (const double w = weight(row, n + j); j != i && w > 0.0 && known(n + j) > 0.0) {
        nominal(n + i) = std::max(nominal(n + i), w / own * known(n + j));
        nominal(i) = std::max(nominal(i), w / own * known(j));
        grows = true;
      }
  };
  for (Index pass = 0; grows && pass < n; ++pass) {
    grows = false;
    const Vector known = nominal;
    for (Index i = 0; i < n; ++i) {
      for (const Contact& c : sys.contacts) drag(c.rate.x, known, i);
      for (const Friction& p : sys.friction) drag(p.velocity.x, known, i);
    }
  }
}

MotionSizes size_motion(const System& sys, double t, const Vector& gaps) {
  const Index n = sys.n_coordinates;
  Vector speed, narrow = Vector::Constant(n, unknown);
  MotionSizes out{t, driven_rates(sys, t, speed), Vector::Zero(2 * n)};
  for (Index j = 0; j < sys.contacts.size(); ++j)
    for (Index i = 0; i < n; ++i)
      if (const double w = weight(sys.contacts[j].gap.x, i); gaps(j) > 0.0 && w > 0.0)
        narrow(i) = std::min(narrow(i), gaps(j) / w);
  for_each_corner(sys, [&](const Vector& form, double off) {
    for (Index i = 0; i < n; ++i)
      if (const double w = weight(form, i); w > 0.0) narrow(i) = std::min(narrow(i), off / w);
  });
  for (Index i = 0; i < n; ++i) {
    const double a = out.acceleration(n + i);
    const double own = a * t * t > narrow(i) ? few_digits(std::sqrt(narrow(i) / a)) : t;
    const double v = std::max(speed(i), a * own);
    out.nominal(n + i) = v;
    out.nominal(i) = std::min(v * t, narrow(i));
  }
  size_dragged(sys, out.nominal);
  const Constraints& c = sys.constraints;
  for (Index i = 0; i < c.positions.which.size(); ++i)
    for (Index k = 0; k < c.all.size(); ++k)
      if (c.all[k].value >= 0) {
        double& far = out.nominal(c.positions.which[i]);
        far = std::max(far, std::abs(c.positions.values(i, k)) * greatest_of(sys.signals[c.all[k].value], t));
      }
  return out;
}

double time_across(const System& sys, const Vector& gaps) {
  double shortest = unknown;
  for (Index j = 0; j < sys.contacts.size(); ++j)
    if (const double a = sys.contacts[j].rate.x.cwiseAbs().dot(sys.acceleration); gaps(j) > 0.0 && a > 0.0)
      shortest = std::min(shortest, std::sqrt(gaps(j) / a));
  return std::isfinite(shortest) ? few_digits(shortest) : unknown;
}

// Size of a velocity that is a form of signals.
static double speed_of(const System& sys, const Friction& p) {
  double speed = 0.0;
  for (Index k = 0; k < sys.ns(); ++k)
    if (p.velocity.s(k) != 0.0)
      speed += std::abs(p.velocity.s(k)) * greatest_of(sys.signals[k], sys.time_scale);
  return speed;
}

void size_prescribed_velocities(System& sys) {
  for (Friction& p : sys.friction)
    if (p.prescribed) p.speed = speed_of(sys, p);
}

// A size for every state from the description: times from the plant, accelerations from loads and limits, velocities
// from surfaces, lengths from gaps, since within the machine's own time a load might carry a coordinate far beyond a
// narrow gap. It sets absolute tolerances only, and grows with the motion.
void size_states(System& sys) {
  set_time_scale(sys);
  const double t = sys.time_scale;
  Vector gaps(sys.contacts.size());
  for (Index j = 0; j < sys.contacts.size(); ++j) gaps(j) = clearance(sys, sys.contacts[j]);
  const MotionSizes motion = size_motion(sys, t, gaps);
  sys.acceleration = motion.acceleration;
  sys.nominal = Vector::Zero(sys.nx);
  sys.nominal.head(motion.nominal.size()) = motion.nominal;
  if (sys.n_coordinates == 0) size_matrix_states(sys, sys.acceleration);
  for (const Friction& p : sys.friction) {
    if (p.surface_travel >= 0) sys.nominal(p.surface_travel) = p.automaton.travel;
    if (p.lagged >= 0) sys.nominal(p.lagged) = p.break_away * greatest_of(sys.signals[p.load], t);
    if (p.delayed >= 0)
      sys.nominal(p.delayed) = p.prescribed ? speed_of(sys, p) : p.velocity.x.cwiseAbs().dot(sys.nominal);
  }
  size_bristles(sys);
  size_fine_velocities(sys);
}

} // namespace stickslip
