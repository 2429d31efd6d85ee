#include "transition/sampler.hpp"

#include "core/tolerances.hpp"
#include "dynamics/state.hpp"
#include "transition/outputs.hpp"
#include "transition/saturations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

// Distance below zero at which a guard is certainly negative.
double clear_of(const System& sys, const Regime& r, const Guard& g, double t, const double* x,
                const double* s, const double* force, const Vector& nominal) {
  switch (g.kind) {
  case GuardKind::slip_ends:
  case GuardKind::velocity_reversal:
  case GuardKind::breaks_away:
    return tolerance::event_zero * guard_size(sys, r, g, t, x, s, force, nominal);
  case GuardKind::saturation:
    return tolerance::product * guard_size(sys, r, g, t, x, s, force, nominal);
  default:
    return 0.0;
  }
}

// For guards that are linear forms: all are far below zero compared with their terms.
bool clearly_off(const Regime& r, const double* x, const Vector& s, const Vector& nominal) {
  const auto off = [&](auto&& by_state, auto&& by_signal) {
    double most = 0.0;
    for (Index i = 0; i < nominal.size(); ++i)
      if (const double g = by_state(i); g != 0.0)
        most += g * x[i] + tolerance::negligible * std::abs(g) * nominal[i];
    for (Index i = 0; i < s.size(); ++i)
      if (const double g = by_signal(i) * s[i]; g != 0.0) most += g + tolerance::negligible * std::abs(g);
    return most < 0.0;
  };
  for (Index k = 0; k < r.guards.size(); ++k) {
    const GuardTerms& g = r.guard_terms[k];
    if (r.affine ? !off([&](Index i) { return r.Gx(k, i); }, [&](Index i) { return r.Gs(k, i); })
                 : !g.linear() || !off([&](Index i) { return g.sign * g.form->x(i); },
                                       [&](Index i) { return g.sign * g.form->s(i); }))
      return false;
  }
  return true;
}

} // namespace

double Sampler::together(double t) {
  return tolerance::last_digits * std::abs(t);
}

Sampler::Sampler(const System& system, RegimeCache& c, Scratch& shared)
    : sys(system), cache(c), scratch(shared), s(Vector::Zero(system.ns())) {
  Index most = 1, room = 1, count = 0;
  for (const Loop& l : sys.loops) {
    offset.push_back(count);
    count += l.block.outputs();
    most = std::max(most, l.inputs.size());
    room = std::max(room, work_size(l.block));
  }
  for (Index b : sys.loop_order)
    if (!sys.loops[b].block.continuous()) sampled.push_back(b);
  for (Index i = 0; i < sys.signals.size(); ++i)
    if (!is_constant(sys.signals[i])) varying.push_back(i);
  samples = Vector::Zero(most);
  work = Vector::Zero(room);
}

double Sampler::next(const State& state) const {
  double t = std::numeric_limits<double>::infinity();
  for (Index b : sampled) {
    const Loop& l = sys.loops[b];
    t = std::min(t, instant(l, state.sampling.next[b]));
    if (state.sampling.pending[b] != SamplingState::none)
      t = std::min(t, instant(l, state.sampling.pending[b]) + l.block.delay);
  }
  return t;
}

void Sampler::read_signals(double t) {
  if (t == read_at) return;
  if (std::isnan(read_at)) signal_values(sys, t, s.data());
  for (const Index i : varying) s(i) = value(sys.signals[i], t);
  read_at = t;
}

void Sampler::run(State& state, const LinearPart& part) {
  const double t = state.base_t;
  settle_following(sys, cache, state);
  read_signals(t);
  // A controller that reads another one due at the same instant gets its new output: loop_order puts that one first.
  // All other inputs come from the plant, whose state does not change here.
  for_each_due(
      state.sampling, t,
      [&](Index b) { put_out(sys.loops[b], state.sampling.output.data() + offset[b], state.base_x.data()); },
      [&](Index b) {
        const auto input = [&](Index, Index k) {
          return value(part.sampled[b][k], state.base_x.data(), s.data());
        };
        compute(sys, b, instant(sys.loops[b], state.sampling.next[b]), input, samples.data(),
                state.sampling.memory.data(), work.data(), state.sampling.output.data() + offset[b]);
      });
  see(sys, state);
}

bool Sampler::quiet(const State& state, const Regime& r) {
  if (r.shared) return false;
  const double t = state.base_t;
  const double* x = state.base_x.data();
  read_signals(t);
  if (!sys.smooth && clearly_off(r, x, s, state.nominal)) return true;
  scratch.xdot.setZero();
  evaluate(sys, r, t, x, s.data(), scratch.xdot.data(), scratch.force.data(), scratch);
  if (scratch.guards.size() < r.guards.size()) scratch.guards.resize(r.guards.size());
  guard_values(sys, r, t, x, s.data(), scratch.force.data(), scratch.guards.data(), scratch);
  for (Index k = 0; k < r.guards.size(); ++k)
    if (!(scratch.guards(k) <
          -clear_of(sys, r, r.guards[k], t, x, s.data(), scratch.force.data(), state.nominal)))
      return false;
  return true;
}

} // namespace stickslip
