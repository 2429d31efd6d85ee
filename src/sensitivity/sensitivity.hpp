// Derivatives of a run by parameters: the run is gone through once more with its modes and events as they were, and the
// tangent of its motion with it. At an event with guard h(x, p, t) = 0, flows f- and f+ and reset x+ = R(x-, p, t)
//   t' = -(h_x s- + h_p) / (h_x f- + h_t),   s+ = R_x (s- + f- t') + R_p + R_t t' - f+ t'
// (saltation; Leine, Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical Systems, 2004, 7.3). Where these say
// nothing (a grazing guard, events whose order changes, an accumulation point, a start on a guard) the derivatives end.
#pragma once

#include "flow/options.hpp"
#include "sensitivity/reset.hpp"
#include "sensitivity/run_steps.hpp"
#include "sensitivity/sampled_tangent.hpp"
#include "sensitivity/variation.hpp"

#include <limits>
#include <optional>
#include <string>

namespace stickslip {

// True if an instant changes modes and nothing else.
bool is_plain(const System& sys, const Passage& p);

// The sampling instant that a parameter moves at t, an end of the run; empty: none.
std::string moved_end(const System& sys, const Parameters& by, double t);

// Tangents at the start of a segment, and the moves of the rest on a vertical tangent behind which it is; empty: none.
struct Beginning {
  Tangents S;
  Vector shift;
  bool goes_on = false; // S is that at the end of the segment before

  const Vector* moves() const { return shift.size() > 0 ? &shift : nullptr; }
};

class Sensitivity {
public:
  // `initial`: initial values of the run. Throws if a name is unknown, or a machine has no derivatives.
  Sensitivity(const Machine& machine, std::shared_ptr<const Trajectory> run, Passages passages,
              const Vector& initial, const Options& options, const Varied& varied);

  // Extent of the computation: derivatives at the start only, or along the run.
  enum class Reach { start, all };
  Sensitivity(std::shared_ptr<Replica> machine, std::shared_ptr<const Trajectory> run,
              std::shared_ptr<const Passages> passages, const Vector& initial,
              std::shared_ptr<const Parameters> by, Reach reach, std::optional<Direction> along = {});

  List<std::string> parameters;
  double valid_until = std::numeric_limits<double>::infinity(); // s; infinite: no limit
  Index valid_event = -1; // the event that ends it; -1: none, or none of a mode
  std::string reason;
  struct {
    Matrix times;                 // parameters x events; NaN where they are not determined
    Matrix impulses;              // parameters x events: the normal ones of impacts
    List<Tangents> before, after; // of each event: the states on both sides, at its time in each run
  } events;

  // True if a parameter moves sampling instants.
  bool moves_instants(Index parameter) const;
  // At the end of the run: of the states, of the memory of sampled controllers and of their pending outputs.
  Matrix at_end() const;
  Index state_count() const { return machine->system().nx; }
  // Derivatives of some states, the rows, at increasing times, from the right: rows x parameters at each time.
  void sample(const List<double>& times, const List<Index>& rows, const Sink& sink);
  // Derivatives of the sum of the normal impulses at a contact so far, which only impacts change.
  Vector impulse_at(Index contact, double t) const;
  Vector constraint_impulse_at(Index constraint, double t) const;
  // Runs at neighbouring values, each a motion of length zero at these times, and the weights with which their samples
  // give the derivative by parameter j: first those of x (a weight for each time), then those of the parameter itself.
  struct Beside {
    List<std::shared_ptr<Trajectory>> runs;
    Matrix weights; // runs x times
  };
  Beside beside(Index j, const List<double>& times);

private:
  friend class Adjoint;

  Sensitivity(const Machine& machine, std::shared_ptr<Replica> replica, std::shared_ptr<const Trajectory> run,
              Passages passages, const Vector& initial, const Options& options, const Varied& varied);

  std::shared_ptr<const Trajectory> run;
  std::shared_ptr<const Passages> instants;
  const List<Passage>& passages;
  SamplingState sampling_memory; // before one of them
  Vector initial;
  std::shared_ptr<Replica> machine;
  std::shared_ptr<const Parameters> all;
  const Parameters& by;
  ResetSlopes resets;
  std::unique_ptr<Variation> variation;
  std::unique_ptr<SampledTangent> sampled;
  List<Beginning> starts;                              // of each segment
  List<std::pair<double, Matrix>> constraint_impulses; // of each instant of impacts: constraints x parameters

  // Quantities propagated along the run: tangents of states, of the memory of controllers and of pending outputs;
  // derivatives of the present instant by the parameters; x' before and after it, and its jump in the sizes of the states.
  struct {
    Tangents S, before;
    Vector moves, last_moves, fm, fp, shift;
    double rate_jump = 0.0, last_rate_jump = 0.0;
    std::optional<SamplingState> due; // at any time, where parameters move them
    Matrix impulses;                  // contacts, then constraints x parameters, of this instant
  } now;

  List<RunStep> steps;
  void follow();
  std::string begin();
  std::string slopes_at_start(Matrix& slack);
  std::string arrive(Index passage);
  std::string pass(const Passage& p, double frame);
  std::string move_instants(const Passage& p);
  std::string move_guards(const Passage& p, double frame);
  std::string reset(const Passage& p, double frame, const Tangents& W);
  std::string check(const Passage& p, bool start);
  void note_events(Index first, Index next);
  bool flow(const Passage& p, Index segment, bool goes_on);
  // True if a guard grazes during a segment; the derivatives then end there.
  bool grazes(const Passage& p, const Segment& segment);
  void end(const Passage& p, std::string why);
  bool quiet_instant(const RunStep& step);
  double size_of(Index j) const;
};

// A guard that goes through zero, not one that only grazes it.
bool is_crossed(double rate, double size, double time_scale);
// A parameter of this size moves two events of one instant apart, and the motion depends on it: a neighbouring motion
// between the two has the rates of one side where this one has those of the other.
bool separates(double move, double other, double rate_jump, double size, double time_scale);
// Its element; empty: none.
std::string name_of_guard(const System& sys, const Guard& guard);

// The machine of a run, once more. Throws where it has no derivatives.
std::shared_ptr<Replica> replica_of(const Machine& machine, const Options& options);
std::shared_ptr<Parameters> parameters_of(const Machine& machine, const System& sys, const Options& options,
                                          const Varied& varied);

} // namespace stickslip
