#include "friction/law.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "friction/undefined_force.hpp"
#include "friction/varied_law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <type_traits>
#include <utility>

namespace stickslip {

namespace {

template <class X> inline constexpr bool with_states = requires { X::is_bristle; };

template <class X> inline constexpr bool with_switches = requires { X::has_switches; };

template <class X> inline constexpr bool with_knots = requires(const X& x) { x.knots(); };

template <class X> Index count(const X& term) {
  if constexpr (with_states<X>)
    return term.states();
  else
    return 0;
}

// Offsets of the states and switches of a term in a loop over the terms.
struct Offset {
  Index state = 0, bit = 0;

  template <class X> void pass(const X& term) {
    state += count(term);
    if constexpr (with_switches<X>) bit += term.switches();
  }
};

template <class L, class F> void walk(const L& law, F&& f) {
  Offset at;
  for (const auto& term : law.terms)
    std::visit(
        [&](const auto& x) {
          f(x, at);
          at.pass(x);
        },
        term);
}

// The bits of one term. A term has at most max_elements of them, and so has a law.
template <class X> unsigned own_branch(const X& term, unsigned branch, Index bit) {
  if constexpr (with_switches<X>)
    return bit >= max_elements
               ? 0U
               : (branch >> bit) & ((term.switches() >= 32) ? ~0U : (1U << term.switches()) - 1U);
  else
    return 0U;
}

// The steady curve of a term, which may read the load.
template <class X, class T> ForceOf<T> curve_under(const X& x, const T& v, int direction, double load) {
  if constexpr (requires { curve(x, v, direction, load); })
    return curve(x, v, direction, load);
  else
    return curve(x, v, direction);
}

template <class X> Interval rest_of(const X& term, const double* z, double load) {
  if constexpr (requires { rest(term, z, load); }) {
    return rest(term, z, load);
  } else if constexpr (with_states<X>) {
    std::array<double, max_elements> unused{};
    const double dry = bristle(term, 0.0, 1, 0U, z, unused.data()).dry;
    return {dry, dry};
  } else {
    return about(term).break_away;
  }
}

} // namespace

void validate(const Law& law) {
  if (law.terms.empty()) reject("law", "has no terms");
  for (const Term& term : law.terms) std::visit([](const auto& x) { validate(x); }, term);
  Index states = 0; // at least as many as switches
  walk(law, [&](const auto& x, const Offset&) { states += count(x); });
  if (states > max_elements)
    reject("law", static_cast<double>(states), "at most 32 internal states in a sum");
}

void follow(Law& law) {
  for (Term& term : law.terms)
    std::visit(
        [](auto& x) {
          if constexpr (requires { follow(x); }) follow(x);
        },
        term);
}

void give_own_numbers(Law& law, const std::function<bool(const double*)>& varies) {
  for (Term& term : law.terms)
    std::visit(
        [&](auto& x) {
          if (auto* levels = levels_of(x);
              levels && varies(&levels->static_level) && varies(&levels->kinetic))
            levels->kinetic_follows = false;
          if constexpr (requires { x.alpha_follows; })
            if (varies(&x.alpha)) x.alpha_follows = false;
          if constexpr (requires { x.elastic_limit_follows; })
            if (varies(&x.elastic_limit)) x.elastic_limit_follows = false;
        },
        term);
}

Law operator+(const Law& a, const Law& b) {
  Law sum = a;
  sum.terms.insert(sum.terms.end(), b.terms.begin(), b.terms.end());
  return sum;
}

LawTraits traits(const Law& law) {
  LawTraits sum;
  walk(law, [&](const auto& x, const Offset&) {
    const LawTraits t = about(x);
    sum.states += t.states;
    sum.sticks = sum.sticks || t.sticks;
    sum.reversal_switches = sum.reversal_switches || t.reversal_switches;
    sum.affine = sum.affine && t.affine;
    sum.needs_interpreter = sum.needs_interpreter || t.needs_interpreter;
    sum.searches = sum.searches || t.searches;
    sum.reads_load = sum.reads_load || t.reads_load;
    sum.switches += t.switches;
    sum.break_away.lo += t.break_away.lo;
    sum.break_away.hi += t.break_away.hi;
    sum.stiffness += t.stiffness;
    sum.damping += t.damping;
    if constexpr (requires { bend_count(x); }) sum.bends += bend_count(x);
  });
  return sum;
}

List<std::string> state_names(const Law& law) {
  List<std::string> names;
  List<Index> owner;
  Index number = 0;
  walk(law, [&](const auto& x, const Offset&) {
    if constexpr (with_states<std::decay_t<decltype(x)>>)
      for (Index i = 0; i < x.states(); ++i) {
        names.push_back(x.state_name(i));
        owner.push_back(number);
      }
    ++number;
  });
  List<std::string> out = names;
  for (Index i = 0; i < names.size(); ++i)
    if (std::count(names.begin(), names.end(), names[i]) > 1)
      out[i] = std::to_string(owner[i]) + "." + names[i];
  return out;
}

namespace {

template <class L, class T>
ForceOf<T> sum_of_terms(const L& law, const T& v, int direction, unsigned branch, const T* z, T* zdot,
                        const T& load) {
  ForceOf<T> sum;
  walk(law, [&](const auto& x, const Offset& at) {
    using X = std::decay_t<decltype(x)>;
    ForceOf<T> f;
    if constexpr (requires { bristle(x, v, direction, branch, z, zdot, load); })
      f = bristle(x, v, direction, 0U, z + at.state, zdot + at.state, load);
    else if constexpr (with_states<X>)
      f = bristle(x, v, direction, own_branch(x, branch, at.bit), z + at.state, zdot + at.state);
    else
      f = curve(x, v, direction);
    sum.dry += f.dry;
    sum.viscous += f.viscous;
  });
  return sum;
}

} // namespace

template <class T>
ForceOf<T> evaluate(const Law& law, const T& v, int direction, unsigned branch,
                    const std::type_identity_t<T>* z, std::type_identity_t<T>* zdot,
                    const std::type_identity_t<T>& load) {
  return sum_of_terms(law, v, direction, branch, z, zdot, load);
}

template Force evaluate(const Law&, const double&, int, unsigned, const double*, double*, const double&);
template ForceOf<Dual<1>> evaluate(const Law&, const Dual<1>&, int, unsigned, const Dual<1>*, Dual<1>*,
                                   const Dual<1>&);
template ForceOf<Dual<2>> evaluate(const Law&, const Dual<2>&, int, unsigned, const Dual<2>*, Dual<2>*,
                                   const Dual<2>&);
template ForceOf<Dual<element_seeds>> evaluate(const Law&, const Dual<element_seeds>&, int, unsigned,
                                               const Dual<element_seeds>*, Dual<element_seeds>*,
                                               const Dual<element_seeds>&);

namespace {

// The same term with Duals in place of its numbers; void: it has no such form.
template <class X> struct WithDuals {
  using type = void;
};
template <template <class> class Of> struct WithDuals<Of<double>> {
  using type = Of<VariedLaw::Number>;
};
template <class X> using DualTerm = typename WithDuals<std::decay_t<X>>::type;

// Numbers and lists of numbers with their derivatives, one row after the other; other members as they are.
struct AddSlopes {
  const Matrix& slopes;
  Index row = 0;

  void operator()(double from, VariedLaw::Number& to) {
    to = VariedLaw::Number(from);
    for (Index k = 0; k < slopes.cols(); ++k) to.d[k] = slopes(row, k);
    ++row;
  }
  void operator()(const List<double>& from, List<VariedLaw::Number>& to) {
    to.resize(from.size());
    for (Index i = 0; i < from.size(); ++i) (*this)(from[i], to[i]);
  }
  template <class X> void operator()(const X& from, X& to) { to = from; }
};

} // namespace

bool VariedLaw::exists_for(const Law& law) {
  bool all = true;
  walk(law, [&](const auto& x, const Offset&) { all = all && !std::is_void_v<DualTerm<decltype(x)>>; });
  return all;
}

Vector VariedLaw::numbers(const Law& law) {
  List<double> all;
  const auto add = [&](double number) { all.push_back(std::isfinite(number) ? number : 0.0); };
  walk(law, [&](const auto& x, const Offset&) {
    each_field(x, [&](const auto&, const auto& value) {
      using X = std::decay_t<decltype(value)>;
      if constexpr (std::is_same_v<X, double>) add(value);
      if constexpr (std::is_same_v<X, List<double>>) std::for_each(value.begin(), value.end(), add);
    });
  });
  return Eigen::Map<const Vector>(all.data(), all.size());
}

VariedLaw::VariedLaw(const Law& law, const Matrix& slopes) {
  AddSlopes add{slopes};
  walk(law, [&](const auto& x, const Offset&) {
    if constexpr (!std::is_void_v<DualTerm<decltype(x)>>) {
      DualTerm<decltype(x)> term;
      each_pair(x, term, add);
      terms.emplace_back(std::move(term));
    }
  });
}

ForceOf<VariedLaw::Number> VariedLaw::force(double v, int direction, unsigned branch, const Number* z,
                                            Number* zdot) const {
  return sum_of_terms(*this, Number(v), direction, branch, z, zdot, Number(1.0));
}

Slopes linearise(const Law& law, double v, int direction, unsigned branch, const double* z, double load,
                 double* dry_z, double* zdot_v, double* zdot_z) {
  Index n = 0;
  for (const Term& term : law.terms) n += std::visit([](const auto& x) { return count(x); }, term);
  std::array<Dual<2>, max_elements> state, rate;
  ForceOf<Dual<2>> f;
  // One seed per state; the derivative by the velocity is the same each time.
  for (Index j = 0; j < std::max<Index>(n, 1); ++j) {
    for (Index i = 0; i < n; ++i) state[i] = i == j ? Dual<2>::variable(z[i], 1) : Dual<2>(z[i]);
    f = evaluate(law, Dual<2>::variable(v, 0), direction, branch, state.data(), rate.data(), load);
    if (n == 0) break;
    dry_z[j] = f.dry.d[1];
    for (Index i = 0; i < n; ++i) {
      zdot_v[i] = rate[i].d[0];
      zdot_z[i * n + j] = rate[i].d[1];
    }
  }
  return {f.dry.d[0], f.viscous.d[0]};
}

Interval rest_interval(const Law& law, const double* z, double load) {
  Interval sum;
  walk(law, [&](const auto& x, const Offset& at) {
    const Interval own = rest_of(x, z != nullptr ? z + at.state : nullptr, load);
    sum.lo += own.lo;
    sum.hi += own.hi;
  });
  return sum;
}

void rest_rates(const Law& law, double dry, const double* z, double* zdot, double load) {
  const Interval all = rest_interval(law, z, load);
  const double width = all.hi - all.lo;
  const double part =
      width > 0.0 ? (dry - all.lo) / width : 0.5; // beyond [0, 1] in steps that end at break-away
  walk(law, [&](const auto& x, const Offset& at) {
    if constexpr (requires { rates_at_rest(x, part, z, zdot, load); })
      rates_at_rest(x, part, z + at.state, zdot + at.state, load);
    else
      std::fill(zdot + at.state, zdot + at.state + count(x), 0.0);
  });
}

Vector start_states(const Law& law) {
  List<double> all;
  walk(law, [&](const auto& x, const Offset&) {
    if constexpr (requires { x.start; })
      all.insert(all.end(), x.start.begin(), x.start.end());
    else
      all.resize(all.size() + count(x));
  });
  return Eigen::Map<const Vector>(all.data(), all.size());
}

Vector state_sizes(const Law& law) {
  const Index n = start_states(law).size();
  Vector slow(n), fast(n);
  steady(law, tolerance::creep_velocity, slow.data(), 1.0);
  steady(law, tolerance::fast_velocity, fast.data(), 1.0);
  Vector out = slow.cwiseAbs().cwiseMax(fast.cwiseAbs());
  walk(law, [&](const auto& x, const Offset& at) {
    if constexpr (requires { sizes(x, out.data()); }) sizes(x, out.data() + at.state);
  });
  return out;
}

Force steady(const Law& law, double v, double* z, double load) {
  const int direction = v < 0.0 ? -1 : 1;
  Force sum;
  walk(law, [&](const auto& x, const Offset& at) {
    if constexpr (requires { settle(x, v, direction, z, load); }) {
      if (z != nullptr) settle(x, v, direction, z + at.state, load);
    } else if constexpr (with_states<std::decay_t<decltype(x)>>) {
      if (z != nullptr) settle(x, v, direction, z + at.state);
    }
    const Force f = curve_under(x, v, direction, load);
    sum.dry += f.dry;
    sum.viscous += f.viscous;
  });
  return sum;
}

double kinetic_level(const Law& law, int side) {
  return steady(law, side * tolerance::fast_velocity, nullptr, 1.0).dry;
}

Slopes steady_slopes(const Law& law, double v, int direction, double load) {
  Slopes sum;
  walk(law, [&](const auto& x, const Offset&) {
    const auto f = curve_under(x, Dual<1>::variable(v, 0), direction, load);
    sum.dry_v += f.dry.d[0];
    sum.viscous_v += f.viscous.d[0];
  });
  return sum;
}

double steady_force(const Law& law, const LawTraits& about_law, double v, double normal_load) {
  if (std::isnan(v)) return v;
  if (v == 0.0) return normal_load * 0.5 * (about_law.break_away.lo + about_law.break_away.hi);
  const Force f = steady(law, v, nullptr, normal_load);
  return normal_load * f.dry + f.viscous;
}

void switch_guards(const Law& law, double v, int direction, unsigned branch, const double* z,
                   double* guards) {
  walk(law, [&](const auto& x, const Offset& at) {
    if constexpr (with_switches<std::decay_t<decltype(x)>>)
      slip_guards(x, v, direction, own_branch(x, branch, at.bit), z + at.state, guards + at.bit);
  });
}

unsigned on_switch(const Law& law, Index fired, int direction, unsigned branch, double* z) {
  bool remembered = false;
  walk(law, [&](const auto& x, const Offset& at) {
    if constexpr (requires { on_switch(x, fired, direction, z); })
      if (fired >= at.bit && fired < at.bit + x.switches()) {
        on_switch(x, fired - at.bit, direction, z + at.state);
        remembered = true;
      }
  });
  return remembered ? branch : branch | (1U << fired);
}

void on_turn(const Law& law, int direction, double* z) {
  walk(law, [&](const auto& x, const Offset& at) {
    if constexpr (requires { on_turn(x, direction, z); }) on_turn(x, direction, z + at.state);
  });
}

void bends(const Law& law, double v, int direction, const double* z, double load, double* out) {
  walk(law, [&](const auto& x, const Offset& at) {
    if constexpr (requires { bend_count(x); }) {
      bends(x, v, direction, z + at.state, load, out);
      out += bend_count(x);
    }
  });
}

List<double> velocity_breakpoints(const Law& law) {
  std::set<double> all;
  walk(law, [&](const auto& x, const Offset&) {
    if constexpr (with_knots<std::decay_t<decltype(x)>>)
      for (double v : x.knots())
        if (v != 0.0) all.insert(v);
  });
  return {all.begin(), all.end()};
}

List<double> velocity_marks(const Law& law) {
  const List<double> breakpoints = velocity_breakpoints(law);
  std::set<double> all(breakpoints.begin(), breakpoints.end());
  List<double> speeds;
  walk(law, [&](const auto& x, const Offset&) {
    if constexpr (requires { marks(x, speeds); }) marks(x, speeds);
  });
  for (double s : speeds)
    if (std::isfinite(s) && s > 0.0) all.insert({s, -s});
  return {all.begin(), all.end()};
}

std::string undefined_force(const Law& law, double v, int direction, double load, const double* z) {
  std::string first;
  walk(law, [&](const auto& x, const Offset& at) {
    if constexpr (requires { undefined_force(x, v, direction, load, z); })
      if (first.empty())
        first = undefined_force(x, v, direction, load, z != nullptr ? z + at.state : nullptr);
  });
  return first;
}

} // namespace stickslip
