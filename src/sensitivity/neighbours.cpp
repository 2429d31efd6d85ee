#include "sensitivity/neighbours.hpp"

#include "core/error.hpp"
#include "dynamics/free.hpp"
#include "model/compile_beside.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double step_share = 2.5e-4; // of the parameter
constexpr double step_at_zero = 1e-6;

const Stencil forward_stencil{{0, 1, 2, 3, 4, 5, 6},
                              {-49.0 / 20, 6.0, -15.0 / 2, 20.0 / 3, -15.0 / 4, 6.0 / 5, -1.0 / 6},
                              {-137.0 / 60, 5.0, -5.0, 10.0 / 3, -5.0 / 4, 1.0 / 5, 0.0}};

// True if a load that is zero in an interval is not zero there in the neighbouring machine.
bool begins_to_press(const Signal& load, const Signal& beside) {
  return std::any_of(load.pieces.begin(), load.pieces.end(),
                     [&](const Piece& p) { return idle(p) && !idle(beside, p.start); });
}

Stencil mirrored_stencil(const Stencil& of) {
  Stencil out = of;
  for (int& k : out.offsets) k = -k;
  for (double& w : out.weights) w = -w;
  for (double& w : out.check) w = -w;
  return out;
}

// An exponent of just 1 makes a law linear: with neighbouring exponents other guards end its modes.
bool is_of_other_kind(const LawTraits& a, const LawTraits& b) {
  return a.affine != b.affine || a.sticks != b.sticks || a.states != b.states || a.switches != b.switches ||
         a.reversal_switches != b.reversal_switches;
}

// A power of two, so that neighbouring values of a number are exact.
double step_of(double value) {
  return std::exp2(std::floor(std::log2(value != 0.0 ? step_share * std::abs(value) : step_at_zero)));
}

} // namespace

const Stencil& central_stencil() {
  static const Stencil central{{-3, -2, -1, 1, 2, 3},
                               {-1.0 / 60, 3.0 / 20, -3.0 / 4, 3.0 / 4, -3.0 / 20, 1.0 / 60},
                               {0.0, 1.0 / 12, -2.0 / 3, 2.0 / 3, -1.0 / 12, 0.0}};
  return central;
}

double in_sizes(const Vector& changes, const Vector& sizes) {
  double most = 0.0;
  for (Index i = 0; i < changes.size(); ++i)
    if (changes(i) != 0.0 && sizes(i) > 0.0) most = std::max(most, std::abs(changes(i)) / sizes(i));
  return most;
}

Neighbours::Neighbours(const Machine& machine, const System& base, const std::string& parameter,
                       const Cutoffs& cutoffs)
    : name(parameter) {
  const Parameter found = find_parameter(machine, base, parameter);
  state = found.state;
  if (state >= 0) {
    start = Vector::Unit(base.nx, state);
    return;
  }
  Machine copy = machine;
  const double value = Handle(found, copy).value();
  if (!std::isfinite(value))
    reject("sensitivities", "name '" + name + "', which is infinite and cannot be varied");
  const double h = step_of(value);
  size = value != 0.0 ? std::abs(value) : h / step_share;
  look_beside(machine, base, {{found, 1.0}}, h, cutoffs);
}

Neighbours::Neighbours(const Machine& machine, const System& base, const List<Share>& shares,
                       const Cutoffs& cutoffs)
    : name("all"), size(1.0) {
  List<Move> moves;
  for (const Share& share : shares) {
    Parameter found = find_parameter(machine, base, share.parameter);
    if (found.state < 0) {
      moves.push_back({std::move(found), share.change});
      continue;
    }
    if (start.size() == 0) start = Vector::Zero(base.nx);
    start(found.state) += share.change;
  }
  if (!moves.empty()) look_beside(machine, base, moves, step_of(size), cutoffs);
}

// At a bound of the allowed range the derivative is one-sided, from the side on which the machine exists.
void Neighbours::look_beside(const Machine& machine, const System& base, const List<Move>& moves, double h,
                             const Cutoffs& cutoffs) {
  std::string refused;
  if (!place(machine, base, moves, central_stencil(), h, cutoffs, refused)) {
    side = place(machine, base, moves, forward_stencil, h, cutoffs, refused) ? 1 : -1;
    if (side < 0 && !place(machine, base, moves, mirrored_stencil(forward_stencil), h, cutoffs, refused))
      reject("sensitivities", "name '" + name + "', which cannot be varied on either side: " + refused);
  }
  for (const auto& one : beside) {
    const System& sys = one->system();
    if (sys.nx != base.nx || sys.ns() != base.ns())
      reject("sensitivities", "name '" + name + "': the number of states depends on it");
    for (const Loop& l : sys.loops)
      if (l.block.quantum > 0.0)
        reject("sensitivities", "name '" + name + "': quantisation has no derivative");
    for (Index i = 0; i < base.friction.size(); ++i)
      if (is_of_other_kind(sys.friction[i].traits, base.friction[i].traits))
        reject("sensitivities", "name '" + name + "': exactly at this value the law of '" +
                                    base.friction[i].name +
                                    "' is of another kind than at neighbouring values");
    for (const Friction& p : base.friction)
      if (can_be_free(base, p) && begins_to_press(base.signals[p.load], sys.signals[p.load]))
        reject("sensitivities",
               "name '" + name + "': exactly at this value '" + p.name +
                   "' is unloaded for some time, and its friction is not differentiable with "
                   "respect to the load when the motion reverses");
  }
  for (Index i = 0; i < base.ns(); ++i) {
    bool same = true;
    for (const auto& one : beside) same = same && one->system().signals[i] == base.signals[i];
    if (same) continue;
    Signal sum = weights[0] * beside[0]->system().signals[i];
    for (Index k = 1; k < beside.size(); ++k) sum = sum + weights[k] * beside[k]->system().signals[i];
    signals.emplace_back(i, std::move(sum));
  }
}

bool Neighbours::place(const Machine& machine, const System& base, const List<Move>& moves,
                       const Stencil& stencil, double h, const Cutoffs& cutoffs, std::string& refused) {
  beside.clear(), weights.clear(), check.clear();
  Machine copy = machine;
  List<std::pair<Handle, double>> handles; // with the value of each as it stands
  for (const Move& move : moves) {
    const Handle handle(move.parameter, copy);
    handles.emplace_back(handle, handle.value());
  }
  for (Index k = 0; k < stencil.offsets.size(); ++k) {
    for (Index i = 0; i < moves.size(); ++i)
      handles[i].first.set(handles[i].second + stencil.offsets[k] * h * moves[i].by);
    auto compiled = std::make_shared<Compiled>();
    try {
      copy.check_again();
      compiled->system = compile_beside(copy, base);
    } catch (const InvalidArgument& error) {
      refused = error.what();
      return false;
    }
    beside.push_back(std::make_unique<Replica>(std::move(compiled), cutoffs));
    weights.push_back(stencil.weights[k] / h);
    check.push_back(stencil.check[k] / h);
  }
  return true;
}

} // namespace stickslip
