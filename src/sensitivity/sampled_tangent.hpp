// Effect of the sampling instants of linear sampled controllers on the tangent of a run:
//   w = forms of (x, s) or their difference quotients,   u = C z + D w limited,   z+ = A z + B w + L (u - u_raw)
// with the limits and the anti-windup as they were. Where a parameter moves the instants, t_k = k T and t_k + delay,
// they are events whose time is known, dt_k / dT = k: samples move with the motion, and outputs change it.
#pragma once

#include "dynamics/sampling_state.hpp"
#include "sensitivity/sampled_changes.hpp"
#include "transition/sampler.hpp"

#include <optional>
#include <string>

namespace stickslip {

class SampledTangent {
public:
  SampledTangent(Replica& base, const Parameters& parameters);

  // Derivatives of the sampling instant at t by the parameters; false if they separate coinciding instants.
  bool due(const SamplingState& before, double t);
  // The same instant, due at any time, and nothing else with it; nullopt where controllers call programs, which depend
  // on the time.
  std::optional<SamplingState> at_any_time(const SamplingState& before, double t) const;
  // At t, from the states x and the memory of the controllers just before; rows of S: states, memory, outputs that
  // wait. `frame`: a time of the motion before. Empty, or why there is no derivative.
  std::string pass(const Regime& regime, double frame, double t, const Vector& x, const SamplingState& before,
                   TangentsRef S);
  // The state after the last instant.
  Vector x;
  SamplingState sampling;
  // For the last instant: its derivatives by the parameters, and x' before and after it.
  Vector moves, fm, fp;
  // Backwards: `lambda` has the derivatives by these rows after the instant, then by those before it.
  void retreat(const Regime& regime, double t, const Vector& x, const SamplingState& before, Vector& lambda,
               Cotangents& into);
  void contract(Cotangents& all) { changes.contract(all); }

private:
  Replica& machine;
  const Parameters& by;
  SampledChanges changes;
  Scratch scratch;
  RegimeCache none;
  Sampler sampler;
  // Of the controller that samples: inputs, before and after difference quotients, states and raw outputs; tangents of
  // inputs, of new states and of raw outputs.
  struct {
    Vector samples, inputs, work, z, raw;
    Tangents W, Z, R, row;
  } sampled;
  Vector s, sdot, force;
  std::string why;
  bool moved = false;

  void sample(const Regime& regime, Index loop, double t, TangentsRef S);
  void read(const LinearPart& part, Index loop, const SampledChanges::Changes& changed, double t,
            TangentsRef S);
  void limit(const Block& block, const SampledChanges::Changes& changed);
  void clamp(const Block& block, const SampledChanges::Changes& changed, double step,
             const Tangents& by_step);
  struct Done;
  void look(const Regime& regime, Index loop, Done& out);
  BlockCotangents& gathered(const Regime& regime, Index loop, Cotangents& into) const;
  void unsample(const Regime& regime, const Done& at, double t, Vector& lambda, Cotangents& into);
  void unclamp(const Block& b, const Done& at, Vector& states, Vector& outputs, Vector& old,
               BlockCotangents& of) const;
  void unread(const Regime& regime, const Done& done, double t, const Vector& owed, Vector& lambda,
              BlockCotangents& of, Cotangents& into) const;
  void look_at_corner(double excess, double size, const Eigen::Ref<const Tangents>& slope);
};

} // namespace stickslip
