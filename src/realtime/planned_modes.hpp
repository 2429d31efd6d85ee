// Modes of the machine, and a plan of steps for each combination of them.
#pragma once

#include "realtime/local_machine.hpp"

#include <map>
#include <memory>

namespace stickslip {

class PlannedModes {
public:
  static constexpr Index prebuilt_limit = 1024; // combinations

  PlannedModes(const System& sys, LocalMachine& local, double h, const Vector& x0);

  Modes now;
  const RealTimePlan* plan = nullptr; // of the modes at the last renew()
  FrictionZeros zeros;
  RegimeCache cache;

  void renew() noexcept { plan = &of(now); }
  Index most_guards() const { return guards; } // of a plan so far
  // Null if these modes have not occurred and have not been built.
  const RealTimePlan* known(const Modes& modes) const noexcept;

  // Every reachable combination, if these are few; else each is built when it first occurs.
  void build_all();
  bool complete() const { return all_built; }
  const std::map<Modes, std::unique_ptr<RealTimePlan>>& all() const { return plans; }
  // Drops plans with indeterminate forces of contacts, which are never chosen. True if friction forces are shared.
  bool drop_shared();

private:
  const System& sys;
  LocalMachine& local;
  double h;
  std::map<Modes, std::unique_ptr<RealTimePlan>> plans;
  bool all_built = false;
  Index guards = 0;

  const RealTimePlan& of(const Modes& modes);
  bool list_combinations(List<Modes>& all) const;
};

} // namespace stickslip
