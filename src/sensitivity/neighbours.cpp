#include "sensitivity/neighbours.hpp"

#include "core/error.hpp"
#include "dynamics/free.hpp"
#include "ensemble/with_numbers.hpp"
#include "model/compile_beside.hpp"

#include <algorithm>
#include <cmath>
#include <map>

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

namespace {

// Numbers in one copy of a machine, each moved by its share of a change, and signals likewise.
class Moved {
public:
  explicit Moved(const Machine& machine) : copy(machine) {}

  void add(const Parameter& parameter, double share) {
    const Handle handle(parameter, copy);
    numbers.push_back({handle, handle.value(), share});
  }
  void add(const std::string& path, const Signal& direction) {
    Signal& at = signal_of(copy, path);
    signals.push_back({&at, at, direction});
  }
  const Machine& at(double change) {
    for (Number& n : numbers) n.handle.set(n.value + change * n.share);
    for (const Function& f : signals) *f.at = f.value + change * f.direction;
    copy.check_again();
    return copy;
  }

private:
  struct Number {
    Handle handle;
    double value, share;
  };
  struct Function {
    Signal* at;
    Signal value, direction;
  };
  Machine copy;
  List<Number> numbers;
  List<Function> signals;
};

} // namespace

Signal within(const Signal& of, double from, double until) {
  if (std::isinf(from) && std::isinf(until)) return of;
  const Signal there = of.period > 0.0 ? unrolled(of, until) : Signal{};
  const Signal& s = of.period > 0.0 ? there : of;
  Signal out = constant_signal(0.0);
  if (std::isinf(from)) out.pieces.clear();
  for (Index k = 0; k < s.pieces.size(); ++k) {
    const double start = std::max(s.pieces[k].start, from);
    const double end = k + 1 < s.pieces.size() ? s.pieces[k + 1].start : until;
    if (!(start < std::min(end, until))) continue;
    out.pieces.push_back(s.pieces[k]);
    out.pieces.back().start = start;
  }
  if (std::isfinite(until)) {
    out.pieces.push_back(constant_signal(0.0).pieces.front());
    out.pieces.back().start = until;
  }
  return out;
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
  Moved moved(machine);
  moved.add(found, 1.0);
  look_beside([&](double change) -> const Machine& { return moved.at(change); }, base, h, cutoffs);
}

Neighbours::Neighbours(const Machine& machine, const System& base, const List<Share>& shares,
                       const List<Along>& along, const Cutoffs& cutoffs)
    : name("all"), size(1.0) {
  Moved moved(machine);
  bool any = !along.empty();
  for (const Share& share : shares) {
    const Parameter found = find_parameter(machine, base, share.parameter);
    if (found.state < 0) {
      moved.add(found, share.change);
      any = true;
      continue;
    }
    if (start.size() == 0) start = Vector::Zero(base.nx);
    start(found.state) += share.change;
  }
  for (const Along& one : along) moved.add(one.signal, one.change);
  if (any)
    look_beside([&](double change) -> const Machine& { return moved.at(change); }, base, step_of(size),
                cutoffs);
}

Neighbours::Neighbours(const Machine& machine, const System& base, const Profile& profile,
                       const Signal& direction, const Cutoffs& cutoffs)
    : name(profile.signal), size(profile.size), signals_alone(true) {
  Moved moved(machine);
  moved.add(profile.signal, direction);
  look_beside([&](double change) -> const Machine& { return moved.at(change); }, base, step_of(size),
              cutoffs);
}

Neighbours::Neighbours(const Neighbours& direction, const Profile::Value& value)
    : name(value.name), size(direction.size), beside(direction.beside), weights(direction.weights),
      check(direction.check), signals_alone(true), from(value.from), until(value.until),
      side(direction.side) {
  for (const auto& [i, change] : direction.signals) signals.emplace_back(i, within(change, from, until));
}

Neighbours::Neighbours(const Built& built, const System& base, const Cutoffs& cutoffs)
    : name(built.name), size(built.value != 0.0 ? std::abs(built.value) : built.step / step_share) {
  const auto at = [&](double change) -> const Machine& {
    const auto offset = static_cast<int>(std::lround(change / built.step));
    const auto found = std::find(built.offsets.begin(), built.offsets.end(), offset);
    if (found == built.offsets.end())
      reject("sensitivities", "name '" + name + "', which has no neighbouring value there");
    return *built.machines[found - built.offsets.begin()];
  };
  look_beside(at, base, built.step, cutoffs);
}

// At a bound of the allowed range the derivative is one-sided, from the side on which the machine exists.
void Neighbours::look_beside(const At& machine, const System& base, double h, const Cutoffs& cutoffs) {
  std::string refused;
  if (!place(machine, base, central_stencil(), h, cutoffs, refused)) {
    side = place(machine, base, forward_stencil, h, cutoffs, refused) ? 1 : -1;
    if (side < 0 && !place(machine, base, mirrored_stencil(forward_stencil), h, cutoffs, refused))
      reject("sensitivities", "name '" + name + "', which cannot be varied on either side: " + refused);
  }
  check_kinds(base);
  find_signals(base);
}

void Neighbours::check_kinds(const System& base) const {
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
}

void Neighbours::find_signals(const System& base) {
  for (Index i = 0; i < base.ns(); ++i) {
    bool same = true;
    for (const auto& one : beside) same = same && one->system().signals[i] == base.signals[i];
    if (same) continue;
    Signal sum = weights[0] * beside[0]->system().signals[i];
    for (Index k = 1; k < beside.size(); ++k) sum = sum + weights[k] * beside[k]->system().signals[i];
    signals.emplace_back(i, std::move(sum));
  }
}

bool Neighbours::place(const At& machine, const System& base, const Stencil& stencil, double h,
                       const Cutoffs& cutoffs, std::string& refused) {
  beside.clear(), weights.clear(), check.clear();
  for (Index k = 0; k < stencil.offsets.size(); ++k) {
    auto compiled = std::make_shared<Compiled>();
    try {
      compiled->system = compile_beside(machine(stencil.offsets[k] * h), base);
    } catch (const InvalidArgument& error) {
      refused = error.what();
      return false;
    }
    beside.push_back(std::make_shared<Replica>(std::move(compiled), cutoffs));
    weights.push_back(stencil.weights[k] / h);
    check.push_back(stencil.check[k] / h);
  }
  return true;
}

List<std::unique_ptr<Neighbours>> neighbours_of(const Machine& of, const System& base, const Varied& varied,
                                                const Cutoffs& cutoffs) {
  const Machine machine = with_own_numbers(of, varied.names);
  std::map<std::string, std::unique_ptr<Neighbours>> found;
  for (const Built& one : varied.built) found[one.name] = std::make_unique<Neighbours>(one, base, cutoffs);
  for (const Profile& profile : varied.profiles) {
    List<Neighbours> directions;
    for (const Signal& direction : profile.directions)
      directions.emplace_back(machine, base, profile, direction, cutoffs);
    for (const Profile::Value& value : profile.values)
      found[value.name] = std::make_unique<Neighbours>(directions[value.direction], value);
  }
  List<std::unique_ptr<Neighbours>> all;
  for (const std::string& name : varied.names)
    if (const auto at = found.find(name); at != found.end())
      all.push_back(std::move(at->second));
    else
      all.push_back(std::make_unique<Neighbours>(machine, base, name, cutoffs));
  return all;
}

} // namespace stickslip
