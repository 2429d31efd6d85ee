#include "realtime/planned_modes.hpp"

#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

FrictionZeros zeros_of(const System& local, const Vector& signals, const Vector& size) {
  const Index np = local.friction.size();
  FrictionZeros zeros{Vector(np), Vector(np)};
  for (Index i = 0; i < np; ++i) {
    const Friction& p = local.friction[i];
    zeros.velocity(i) = tolerance::product * velocity_size(p, size);
    zeros.force(i) = tolerance::product * p.break_away * std::abs(signals(p.load));
  }
  return zeros;
}

List<FrictionMode> modes_of(const Friction& p) {
  List<FrictionMode> out{{.mode = Mode::slip_forward}, {.mode = Mode::slip_backward}};
  if (p.contact >= 0) out.push_back({.mode = Mode::open});
  if (p.traits.sticks) out.push_back({.mode = Mode::stick});
  if (p.surface_travel >= 0)
    for (const Hold hold : {Hold::above_forward, Hold::above_backward})
      out.push_back({.mode = Mode::stick, .hold = hold});
  return out;
}

List<FlankMode> modes_of(const System& sys, const Flank& f) {
  List<FlankMode> out;
  for (const bool loose : {false, true})
    for (Index k = 0; k < f.line.stretches.size() && !(loose && sys.springs[f.spring].damping == 0.0); ++k)
      out.push_back({k, loose});
  return out;
}

List<Saturation> modes_of(const Block& b, Index output) {
  List<Saturation> out{Saturation::free};
  for (const int side : {1, -1})
    if (std::isfinite(side > 0 ? b.hi(output) : b.lo(output)))
      for (int kind = 1; kind <= (b.integrator >= 0 ? 3 : 1); ++kind)
        out.push_back(static_cast<Saturation>(side * kind));
  return out;
}

} // namespace

PlannedModes::PlannedModes(const System& system, LocalMachine& machine, double step, const Vector& x0)
    : zeros(zeros_of(machine.system(), machine.signals(), system.nominal.cwiseMax(x0.cwiseAbs()))),
      sys(system), local(machine), h(step) {}

const RealTimePlan* PlannedModes::known(const Modes& modes) const noexcept {
  const auto found = plans.find(modes);
  return found == plans.end() ? nullptr : found->second.get();
}

const RealTimePlan& PlannedModes::of(const Modes& modes) {
  if (const RealTimePlan* const found = known(modes)) return *found;
  auto made =
      std::make_unique<RealTimePlan>(make_plan(sys, cache.get(sys, modes), local.moving_signals(), h, zeros));
  guards = std::max(guards, made->tolerance.size());
  if (sys.smooth && !local.tangent().bare()) local.tangent().regime(modes);
  return *plans.emplace(modes, std::move(made)).first->second;
}

void PlannedModes::build_all() {
  List<Modes> all{now};
  all_built = list_combinations(all);
  if (!all_built) return;
  for (const Modes& one : all) of(one);
}

// False if there are too many.
bool PlannedModes::list_combinations(List<Modes>& all) const {
  bool few = true;
  const auto vary = [&](auto&& part, const auto& list) {
    few = few && all.size() * list.size() <= prebuilt_limit;
    if (!few) return;
    List<Modes> more;
    for (const Modes& one : all)
      for (const auto& value : list) part(more.emplace_back(one)) = value;
    all = std::move(more);
  };
  for (Index j = 0; j < sys.contacts.size(); ++j)
    if (!sys.contacts[j].yields())
      vary([j](Modes& m) -> auto& { return m.contact[j]; }, List<Mode>{Mode::open, Mode::closed});
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const Friction& p = sys.friction[i];
    few = few && p.traits.switches == 0;
    vary([i](Modes& m) -> auto& { return m.friction[i]; }, modes_of(p));
    if (p.contact >= 0) // open together with its contact
      std::erase_if(
          all, [&](const Modes& m) { return (m.contact[p.contact] == Mode::open) != m.friction[i].open(); });
    if (!p.load_parts.empty())
      vary([i](Modes& m) -> auto& { return m.friction[i].load_stretch; }, List<std::int16_t>{0, 1});
  }
  for (Index k = 0; k < sys.flanks.size(); ++k)
    vary([k](Modes& m) -> auto& { return m.flank[k]; }, modes_of(sys, sys.flanks[k]));
  for (const Loop& l : sys.loops)
    for (Index j = 0; l.saturation >= 0 && j < l.block.outputs(); ++j)
      vary([k = l.saturation + j](Modes& m) -> auto& { return m.saturation[k]; }, modes_of(l.block, j));
  return few;
}

bool PlannedModes::drop_shared() {
  if (!all_built) return false;
  std::erase_if(plans, [](const auto& one) { return one.second->regime->sharing.any(); });
  return std::any_of(plans.begin(), plans.end(), [](const auto& one) { return one.second->regime->shared; });
}

} // namespace stickslip
