// The tangent over one step of a motion that is integrated numerically, s' = f_x s + f_p: collocation of order 2 n - 1 at
// n points of Radau (Hairer, Wanner, Solving ODEs II, IV.5), which is implicit in s and so accepts any step of the run.
// Its order is that of the run or above: 3 points for stiff methods and the pair of order 5, and 5 points for the pair of
// order 8, with which the multipliers of van der Pol's oscillator at rtol 1e-10 are exact to 1e-11 (4e-9 with 3).
//   K_i = J_i (S + h sum_j a_ij K_j) + f_p,i,   S+ = S + h sum_j a_nj K_j
// Steps of an explicit method are short in units of the fastest thing: fixed-point iteration solves these equations in a
// few sweeps. Elsewhere, and for many columns, they are solved by elimination.
#pragma once

#include "core/radau.hpp"
#include "run/trajectory.hpp"
#include "sensitivity/rate_changes.hpp"
#include "sensitivity/reading.hpp"
#include "sensitivity/stage_slopes.hpp"

#include <array>
#include <span>

namespace stickslip {

// Columns of a tangent: derivatives by the parameters, or the one by time, x'.
enum class By { parameters, time };

template <Index n> class CollocatedTangent { // n = 3, 5
public:
  CollocatedTangent(Replica& base, Index parameters, SlopesOf& slopes_of, RateChanges& rate_changes);

  void advance(const Trajectory& run, const Segment& segment, double t0, double t1, TangentsRef S,
               By kind = By::parameters);
  // These rows of S at increasing times within the step, from S at its start. `end`: S at its end; null: unknown.
  void sample(const Trajectory& run, const Segment& segment, double t0, double t1,
              std::span<const double> times, std::span<const Index> rows, const Tangents& S,
              const Tangents* end, const Sink& sink);
  // The transpose, with these readings within the step.
  void retreat(const Trajectory& run, const Segment& segment, double t0, double t1,
               std::span<const Reading> readings, Vector& lambda, Cotangents& into);

private:
  using Points = Radau<n>;

  Replica& machine;
  SlopesOf& slopes;
  RateChanges& rates;
  std::array<StageSlopes, n> J;
  std::array<Vector, n> x; // the states at the points
  std::array<double, n> t{};
  std::array<Tangents, n> f, K; // derivatives of x' by the parameters, and rates of S
  Tangents sum, product, right, solution;
  std::array<Vector, n> owed, back;
  Vector owed_sum;
  Matrix M;
  std::vector<int> order;
  List<int> sides;

  void retreat(const Trajectory& run, const Segment& segment, double t0, double t1, Vector& lambda,
               Cotangents& into);
  void rates_at(const Trajectory& run, const Segment& segment, double frame, double at, const Tangents& S,
                Tangents& out);
  void gather_rates_at(const Trajectory& run, const Segment& segment, double frame, double at,
                       const Vector& weight, Vector& lambda, Cotangents& into);
  void look_along(const Trajectory& run, const Segment& segment, double t0, double t1);
  bool prefers_sweeps(const Segment& segment, Index columns) const;
  bool sweep(double h);
  bool sweep_back(double h, const Vector& lambda);
  Index eliminate(double h);
  Index positions() const;
  const List<int>& sides_of(const Modes& modes, double frame, double t, const Vector& x);
  enum class End { first, last };
  double within(const Segment& segment, const Trajectory& run, double t0, double t1, End end);
};

} // namespace stickslip
