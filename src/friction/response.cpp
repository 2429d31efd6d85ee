#include "friction/response.hpp"

#include "core/list.hpp"
#include "core/radau.hpp"
#include "core/roots.hpp"
#include "core/small_lu.hpp"
#include "core/tolerances.hpp"
#include "friction/local_velocity.hpp"
#include "friction/switch_times.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

constexpr double share_of_size = 1e-3; // of a settled state or work, below which errors count absolutely
constexpr double shortest = 1e-15;     // step, relative to the time: near the resolution of the time
constexpr double least_error = 1e-12;  // bounds the growth of steps
constexpr double converged = 1e-15,
                 nearly = 1e-12; // last change of the stages; the latter where it no longer falls

// A high order makes 1e-12 cheap for bristles under prescribed motion, which are stiff scalar equations.
using Method = Radau<5>;
constexpr int n_stages = Method::stages;

// The motion between two switch points: one piece of the velocity, one direction.
struct Span {
  double from = 0.0, to = 0.0;
  const Piece* piece = nullptr;
  int direction = 0; // 0: at rest throughout
};

int direction_of(const Piece& p, double from, double to) {
  // The span crosses no zero; asking where the velocity is largest avoids the rounding noise at its ends.
  double largest = 0.0;
  for (double x : {0.0, 0.1127, 0.25, 0.5, 0.75, 0.8873, 1.0}) {
    const double v = value(p, from + x * (to - from));
    if (std::abs(v) > std::abs(largest)) largest = v;
  }
  return largest > 0.0 ? 1 : (largest < 0.0 ? -1 : 0);
}

List<Span> spans_of(const Law& law, const Signal& velocity, double from, double to) {
  List<double> levels = velocity_marks(law);
  levels.push_back(0.0);
  List<Span> spans;
  double begin = from;
  while (begin < to) {
    const double end = std::min(to, next_breakpoint(velocity, begin));
    const Piece& p = *piece_at(velocity, begin).piece;
    List<double> stops;
    for (double level : levels) {
      const List<double> t = crossings(p, level, begin, end);
      stops.insert(stops.end(), t.begin(), t.end());
    }
    std::sort(stops.begin(), stops.end());
    stops.push_back(end);
    for (double stop : stops) {
      if (stop <= begin) continue;
      spans.push_back({begin, stop, &p, direction_of(p, begin, stop)});
      begin = stop;
    }
  }
  return spans;
}

// State of one law. The states of all laws are decoupled (d zdot_i / d z_j = 0 for i != j), so a step is one small
// linear system per state and iteration.
class Mover {
public:
  Mover(const Law& law, const ResponseOptions& options)
      : law_(law), load_(options.normal_load), rtol_(options.rtol), traits_(traits(law)), n_(traits_.states),
        z(n_, 0.0), branch(0U), size_(n_), rate_(n_), dry_z_(n_), zdot_v_(n_), zdot_z_(n_ * n_),
        guards_(traits_.switches), bends_(traits_.bends), turn_(bends_.size(), 0) {
    for (auto* s : {&whole_, &first_, &second_}) s->z.resize(n_);
    for (auto* block : {&value_, &f_, &df_}) block->resize(n_);
    List<double> other(n_);
    steady(law, DBL_MIN, size_.data(), load_); // sizes of the states: settled, just before or after v = 0
    steady(law, -DBL_MIN, other.data(), load_);
    const double height = std::max(traits_.break_away.hi, -traits_.break_away.lo);
    if (traits_.stiffness > 0.0) energy_ = share_of_size * load_ * height * height / traits_.stiffness;
    for (Index i = 0; i < n_; ++i) size_[i] = std::max(std::abs(size_[i]), std::abs(other[i]));
  }

  // From here on times are those since `origin`.
  void enter(const Piece& piece, int direction, double origin) {
    local_.set(piece, origin);
    origin_ = origin;
    if (direction != direction_) {
      branch = 0U;
      if (direction != 0) on_turn(law_, direction, z.data());
    }
    direction_ = direction;
    double fastest = 0.0;
    for (const Harmonic& h : piece.harmonics) fastest = std::max(fastest, std::abs(h.omega));
    longest_ = fastest > 0.0 ? 1.0 / fastest : std::numeric_limits<double>::infinity();
  }

  double velocity(double t) const { return direction_ == 0 ? 0.0 : local_(t); }

  double force(double t) {
    Force f;
    if (direction_ == 0) {
      const Interval rest = rest_interval(law_, z.data(), load_);
      f.dry = 0.5 * (rest.lo + rest.hi);
    } else {
      f = evaluate(law_, velocity(t), direction_, branch, z.data(), rate_.data(), load_);
    }
    return load_ * f.dry + f.viscous;
  }

  // From t to `end` with as many steps as the tolerance asks for.
  void advance(double t, double end) {
    fire(t);
    for (long attempts = 0; t < end; ++attempts) {
      if (attempts > 1'000'000)
        throw std::runtime_error("response: more than a million steps at time " +
                                 std::to_string(origin_ + t));
      double h = std::min({step_, longest_, end - t});
      if (end - t - h < 0.1 * h) h = end - t;
      const bool to_end = h >= end - t;
      const double error = attempt(t, h);
      const bool stuck = h <= shortest * end; // at the resolution of the time: accepted
      if (!(error <= 1.0) && !stuck) {
        step_ = h * (std::isfinite(error) ? std::clamp(0.9 * std::pow(error, -0.1), 0.1, 0.9) : 0.1);
        continue;
      }
      if (!finite_step())
        throw std::runtime_error("response: no finite solution at time " + std::to_string(origin_ + t));
      const double grown = h * std::min(6.0, 0.9 * std::pow(std::max(error, least_error), -0.1));
      step_ = to_end ? std::max(step_, grown) : grown;
      const double switched = limited() && limit(t + h, second_.z) > touch() ? locate(t, h) : 0.0;
      if (switched > 0.0) {
        t += switched;
      } else {
        z = second_.z;
        work += first_.work + second_.work;
        turnover += first_.turnover + second_.turnover;
        t = to_end ? end : t + h;
      }
      fire(t);
    }
  }

  void restart(double h) { step_ = h; }

private:
  struct Step {
    List<double> z;
    double work = 0.0, turnover = 0.0;
    bool converged = false;
  };

  bool finite_step() const {
    return std::all_of(second_.z.begin(), second_.z.end(), [](double x) { return std::isfinite(x); }) &&
           std::isfinite(second_.work);
  }

  // Newton's method with the exact Jacobian for the stages of a step, from the values they have.
  bool newton(double t, double h, const List<double>& from, int most) {
    const Method& r = radau<n_stages>();
    double last = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < most; ++iteration) {
      for (int j = 0; j < n_stages; ++j) rates(t + r.c[j] * h, j, true);
      double change = 0.0;
      for (Index i = 0; i < n_; ++i) {
        Method::Square m = Method::Square::Identity() - h * r.a * df_[i].asDiagonal();
        const Method::Stages miss = Method::Stages::Constant(from[i]) + h * (r.a * f_[i]) - value_[i];
        Method::Stages delta;
        int order[n_stages];
        if (!lu_factor<n_stages>(m.data(), n_stages, order)) return false;
        lu_solve<n_stages>(m.data(), n_stages, order, miss.data(), delta.data());
        value_[i] += delta;
        change = std::max(change, delta.cwiseAbs().maxCoeff() / scale(i, value_[i].cwiseAbs().maxCoeff()));
      }
      if (!std::isfinite(change)) return false;
      if (change < converged || (change < nearly && change > 0.3 * last)) return true;
      last = change;
    }
    return false;
  }

  // One collocation step. The stages start from the previous values and, if Newton's method fails, from the steady
  // state: a Dahl exponent below 1 makes the rate a root of the distance from there, and Newton's method converges from
  // one side only.
  void collocate(double t, double h, const List<double>& from, Step& to) {
    const Method& r = radau<n_stages>();
    for (Index i = 0; i < n_; ++i) value_[i].setConstant(from[i]);
    to.converged = n_ == 0 || newton(t, h, from, 12);
    if (!to.converged && direction_ != 0) {
      const double v = velocity(t + h);
      steady(law_, direction_ * std::max(direction_ * v, DBL_MIN), to.z.data(), load_);
      for (Index i = 0; i < n_; ++i) value_[i].setConstant(to.z[i]);
      to.converged = newton(t, h, from, 50);
    }
    to.work = to.turnover = 0.0;
    for (int j = 0; j < n_stages; ++j) {
      const double power = rates(t + r.c[j] * h, j, false);
      to.work += h * r.a(n_stages - 1, j) * power;
      to.turnover += h * r.a(n_stages - 1, j) * std::abs(power);
    }
    for (Index i = 0; i < n_; ++i) to.z[i] = value_[i][n_stages - 1];
  }

  // Rates (and their slopes) of the states at stage j; returns the power F v.
  double rates(double t, int j, bool with_slopes) {
    List<double>& here = stage_;
    here.resize(n_);
    for (Index i = 0; i < n_; ++i) here[i] = value_[i][j];
    const double v = velocity(t);
    Force f;
    try {
      if (direction_ == 0) {
        const Interval rest = rest_interval(law_, here.data(), load_);
        rest_rates(law_, 0.5 * (rest.lo + rest.hi), here.data(), rate_.data(), load_);
      } else {
        f = evaluate(law_, v, direction_, branch, here.data(), rate_.data(), load_);
      }
      if (with_slopes && n_ > 0)
        linearise(law_, v, direction_ == 0 ? 1 : direction_, branch, here.data(), load_, dry_z_.data(),
                  zdot_v_.data(), zdot_z_.data());
    } catch (const CurveError& e) {
      throw e.with_time(origin_ + t);
    }
    for (Index i = 0; i < n_; ++i) {
      f_[i][j] = rate_[i];
      if (with_slopes) df_[i][j] = zdot_z_[i * n_ + i];
    }
    return (load_ * f.dry + f.viscous) * v;
  }

  double scale(Index i, double magnitude) const { return magnitude + share_of_size * size_[i] + DBL_MIN; }

  // Compares one step with two of half its length and keeps the two; returns the error in units of the tolerance.
  double attempt(double t, double h) {
    collocate(t, h, z, whole_);
    if (!whole_.converged) return std::numeric_limits<double>::infinity();
    collocate(t, 0.5 * h, z, first_);
    collocate(t + 0.5 * h, 0.5 * h, first_.z, second_);
    if (!first_.converged || !second_.converged) return std::numeric_limits<double>::infinity();
    double worst = 0.0;
    for (Index i = 0; i < n_; ++i)
      worst = std::max(worst, std::abs(second_.z[i] - whole_.z[i]) / scale(i, std::abs(second_.z[i])));
    const double halves = first_.turnover + second_.turnover;
    const double work_error = std::abs(first_.work + second_.work - whole_.work);
    if (work_error > 0.0) worst = std::max(worst, work_error / (turnover + halves + energy_ + DBL_MIN));
    return worst / rtol_;
  }

  // Functions that must not cross zero upwards within a step: guards of sticking elements, and bends with the sign
  // with which they begin below zero. Functions that begin at zero have just been crossed.
  double limit(double t, const List<double>& state) {
    double worst = -std::numeric_limits<double>::infinity();
    const double v = velocity(t);
    switch_guards(law_, v, direction_, branch, state.data(), guards_.data());
    for (double g : guards_) worst = std::max(worst, g);
    bends(law_, v, direction_, state.data(), load_, bends_.data());
    for (Index i = 0; i < bends_.size(); ++i)
      if (turn_[i] != 0) worst = std::max(worst, turn_[i] * bends_[i]);
    return worst;
  }

  // Guards and bends smaller than this, in units of the force, are rounding.
  double touch() const {
    return tolerance::few_terms * std::max(traits_.break_away.hi, -traits_.break_away.lo);
  }

  bool limited() const { return direction_ != 0 && guards_.size() + bends_.size() > 0; }

  // Elements whose guard is met slip from now on; the sides of all bends are noted.
  void fire(double t) {
    if (!limited()) return;
    const double v = velocity(t);
    switch_guards(law_, v, direction_, branch, z.data(), guards_.data());
    for (Index i = 0; i < guards_.size(); ++i)
      if (guards_[i] >= -touch()) branch = on_switch(law_, i, direction_, branch, z.data());
    bends(law_, v, direction_, z.data(), load_, bends_.data());
    for (Index i = 0; i < bends_.size(); ++i)
      turn_[i] = std::abs(bends_[i]) <= 100.0 * touch() ? 0 : (bends_[i] > 0.0 ? -1 : 1);
  }

  // Goes to the first zero of the limit within the step (t, t + h), as a function of the length of one step,
  // and returns that length; 0 if the zero was one of rounding only, which one long step in place of two
  // halves lacks.
  double locate(double t, double h) {
    const auto at_length = [&](double x) {
      if (x == 0.0) return limit(t, z);
      collocate(t, x, z, first_);
      return limit(t + x, first_.z);
    };
    const double x = refine_root(at_length, 0.0, h);
    if (!(x > 0.0)) return 0.0;
    collocate(t, x, z, whole_);
    z = whole_.z;
    work += whole_.work;
    turnover += whole_.turnover;
    // The element that fired does so even if rounding left its guard a little below zero.
    if (!guards_.empty()) {
      switch_guards(law_, velocity(t + x), direction_, branch, z.data(), guards_.data());
      const auto first = std::max_element(guards_.begin(), guards_.end());
      if (*first > -1e5 * touch())
        branch = on_switch(law_, first - guards_.begin(), direction_, branch, z.data());
    }
    return x;
  }

  const Law& law_;
  double load_, rtol_;
  LawTraits traits_;
  Index n_;
  LocalVelocity local_;
  double origin_ = 0.0;
  double energy_ = 0.0; // a thousandth of the energy stored in a bristle: scale of the work
  int direction_ = 0;
  double step_ = 0.0, longest_ = 0.0;

public:
  List<double> z;
  unsigned branch;
  double work = 0.0, turnover = 0.0;

private:
  List<double> size_, rate_, dry_z_, zdot_v_, zdot_z_, guards_, bends_, stage_;
  List<int> turn_;
  List<Method::Stages> value_, f_, df_;
  Step whole_, first_, second_;
};

void check(const Law& law, const VectorRef& times, const VectorRef& initial, const ResponseOptions& options) {
  validate(law);
  non_negative("normal_load", options.normal_load);
  if (!(options.rtol >= 1e-14 && options.rtol < 1.0)) reject("rtol", options.rtol, ">= 1e-14 and < 1");
  if (times.size() == 0) reject("t", "must have at least one time");
  for (Index i = 0; i < times.size(); ++i) {
    finite("t", times[i]);
    if (i > 0 && times[i] < times[i - 1]) reject("t", times[i], "not less than the time before it");
  }
  const Index n = traits(law).states;
  if (initial.size() != 0 && initial.size() != n) reject("initial", "must have one value per internal state");
  for (Index i = 0; i < initial.size(); ++i) finite("initial", initial[i]);
}

} // namespace

Response respond(const Law& law, const Signal& velocity, const VectorRef& times, const VectorRef& initial,
                 const ResponseOptions& options) {
  check(law, times, initial, options);
  const Index count = times.size();
  const double begin = times[0], end = times[count - 1];
  const Signal motion = velocity.pieces.empty() ? constant_signal(0.0) : unrolled(velocity, end);

  Mover mover(law, options);
  for (Index i = 0; i < initial.size(); ++i) mover.z[i] = initial[i];
  Response out{Vector(count), Vector(count), Vector(count), Matrix(mover.z.size(), count)};
  Index next = 0;
  double origin = begin;
  const auto record = [&](double t) {
    const double tau = t - origin;
    out.velocity[next] = mover.velocity(tau);
    try {
      out.force[next] = mover.force(tau);
    } catch (const CurveError& e) {
      throw e.with_time(t);
    }
    out.work[next] = mover.work;
    for (Index i = 0; i < mover.z.size(); ++i) out.states(i, next) = mover.z[i];
    ++next;
  };
  const auto enter = [&](const Piece& piece, int direction, double from) {
    mover.enter(piece, direction, from);
    origin = from;
  };

  const List<Span> spans = spans_of(law, motion, begin, end);
  for (const Span& span : spans) {
    enter(*span.piece, span.direction, span.from);
    mover.restart(span.to - span.from);
    double t = span.from;
    while (next < count && times[next] < span.to) {
      mover.advance(t - origin, times[next] - origin);
      t = times[next];
      record(t);
    }
    mover.advance(t - origin, span.to - origin);
    // A time that stands twice here shows the left side first.
    while (next + 1 < count && times[next] == span.to && times[next + 1] == span.to) record(span.to);
  }
  if (spans.empty() ||
      (count > 1 && times[count - 2] == end)) { // a single instant, or the right side of a jump
    const Piece& piece = *piece_at(motion, end).piece;
    enter(piece, direction_of(piece, end, end), end);
  }
  while (next < count) record(end);
  return out;
}

} // namespace stickslip
