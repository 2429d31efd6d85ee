// Effect of the sampling instants of linear sampled controllers on the tangent of a run:
//   w = forms of (x, s) or their difference quotients,   u = C z + D w limited,   z+ = A z + B w + L (u - u_raw)
// with the limits and the anti-windup as they were. Where a parameter moves the instants, t_k = k T and t_k + delay,
// they are events whose time is known, dt_k / dT = k: samples move with the motion, and outputs change it.
#pragma once

#include "dynamics/ticks.hpp"
#include "sensitivity/cotangents.hpp"
#include "sensitivity/slopes.hpp"
#include "transition/sampler.hpp"

#include <map>
#include <optional>
#include <string>

namespace stickslip {

class TickTangent {
public:
  TickTangent(Replica& base, const Parameters& parameters);

  // Derivatives of the sampling instant at t by the parameters; false if they separate coinciding instants.
  bool due(const Ticks& before, double t);
  // The same instant, due at any time, and nothing else with it; nullopt where controllers call programs, which depend
  // on the time.
  std::optional<Ticks> at_any_time(const Ticks& before, double t) const;
  // At t, from the states x and the memory of the controllers just before; rows of S: states, memory, outputs that
  // wait. `frame`: a time of the motion before. Empty, or why there is no derivative.
  std::string pass(const Regime& regime, double frame, double t, const Vector& x, const Ticks& before,
                   TangentsRef S);
  // The state after the last instant.
  Vector x;
  Ticks ticks;
  // For the last instant: its derivatives by the parameters, and x' before and after it.
  Vector moves, fm, fp;
  // Backwards: `lambda` has the derivatives by these rows after the instant, then by those before it.
  void retreat(const Regime& regime, double t, const Vector& x, const Ticks& before, Vector& lambda,
               Cotangents& into);
  // The derivatives by the parameters that the gathered ones of controllers amount to.
  void contract(Cotangents& all);

private:
  struct Change { // of a block and of its inputs, by a parameter
    Index parameter;
    Matrix A, B, C, D, L;
    Vector lo, hi;
    double period;
    Matrix by_state, by_signal; // of its inputs
  };
  using Changes = List<Change>;

  Replica& machine;
  const Parameters& by;
  Scratch scratch;
  RegimeCache none;
  Sampler sampler;
  std::map<std::pair<const LinearPart*, Index>, Changes> known;
  Matrix periods, delays; // derivatives: parameters x loops

  Vector samples, inputs, work, z, raw, s, sdot, force;
  Tangents W, Z, R, row; // of inputs, of new states, of raw outputs
  std::string why;

  const Changes& changes(const Regime& regime, Index loop);
  bool moved = false;
  void sample(const Regime& regime, Index loop, double t, TangentsRef S);
  void read(const LinearPart& part, Index loop, const Changes& changed, double t, TangentsRef S);
  void limit(const Block& block, const Changes& changed);
  void clamp(const Block& block, const Changes& changed, double step, const Tangents& by_step);
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

// The name of a sampled controller whose instants this parameter moves; empty: none.
std::string moved_ticks(const System& base, const Neighbours& p);

} // namespace stickslip
