#include "sensitivity/rate_changes.hpp"

#include "dynamics/friction_force.hpp"
#include "friction/law.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

RateChanges::RateChanges(Replica& base, const Parameters& parameters, SlopesOf& slopes_of,
                         const SignalChanges& signals)
    : machine(base), by(parameters), slopes(slopes_of), changes(signals) {
  const System& sys = base.system();
  rates.resize(sys.nx);
  beside_rates.resize(sys.nx);
  Index most = 0;
  for (const Friction& p : sys.friction) most = std::max<Index>(most, p.traits.states);
  Index widest = 0;
  for (const auto& p : parameters) widest = std::max<Index>(widest, p->beside.size());
  of.values.setZero(most + 2, widest);
  of.slope.setZero(most + 2);
  greatest.resize(sys.friction.size());
  for (auto& one : greatest) one.resize(most + 1, 0.0);
  laws.resize(sys.friction.size());
  own_state.resize(most), own_rate.resize(most);
  inputs.state.resize(most), inputs.slopes.resize(most + 1);
}

const Vector& RateChanges::motion(const Modes& modes, double frame, double t, const Vector& x) {
  machine.move(modes, frame, t, x.data(), rates, force);
  return rates;
}

Vector RateChanges::sliding_forces(const Regime& r) const {
  Vector out(r.sliding.size());
  for (Index k = 0; k < out.size(); ++k) out(k) = force(r.sliding[k]);
  return out;
}

namespace {

// The differences of a smooth number agree to 1e-11 of it and of the greatest that it has been (a rate that comes to
// rest is rounding), near a corner to the width of the stencil.
bool agree(double slope, double check, double size, double greatest) {
  constexpr double share = 1e-7;
  return std::abs(slope - check) * size <= share * std::max(greatest, std::abs(slope) * size);
}

Index own_states(const Friction& p) {
  return p.states >= 0 ? p.traits.states : 0;
}

} // namespace

// Of the rates of an element's own states, its force and the rate of its memory, by a parameter. `same_inputs`: velocity
// and load are those of the machine itself.
void RateChanges::difference(const Place& at, const Neighbours& p, bool same_inputs) {
  const Friction& element = at.element;
  const FrictionMode& mode = at.mode;
  const Index i = &element - machine.system().friction.data();
  const Index own = own_states(element), memory = memory_of(element, mode.force_side());
  double v = at.v, N = at.N;
  const Vector& x = at.x;
  List<double>& most = greatest[i];
  for (Index n = 0; n < p.beside.size(); ++n) {
    Replica& m = *p.beside[n];
    const Friction& other = m.system().friction[i];
    if (!same_inputs) {
      const double* const s = (p.signals.empty() ? machine : m).signals(at.frame, at.t).data();
      v = relative_velocity(other, x.data(), s);
      N = normal_load(other, mode.load_stretch, x.data(), s);
    }
    const ElementForce<double> f =
        friction_force(other, mode.force_side(), mode.branch, v, N, x.data(), beside_rates.data());
    double* const values = of.values.col(n).data();
    for (Index z = 0; z < own; ++z) values[z] = beside_rates(element.states + z);
    values[own] = f.dry * N + f.other;
    values[own + 1] = memory >= 0 ? beside_rates(memory) : 0.0;
  }
  bool smooth = true;
  for (Index z = 0; z <= own + 1; ++z) {
    // Of values minus the first one: a constant has the derivative zero, not rounding.
    const double first = of.values(z, 0);
    double slope = 0.0, check = 0.0, greatest_here = 0.0;
    for (Index n = 0; n < p.beside.size(); ++n) {
      const double value = of.values(z, n);
      slope += p.weights[n] * (value - first);
      check += p.check[n] * (value - first);
      greatest_here = std::max(greatest_here, std::abs(value));
    }
    of.slope(z) = slope;
    if (z > own) break; // the memory's rate
    most[z] = std::max(most[z], greatest_here);
    smooth = smooth && agree(slope, check, p.size, most[z]);
  }
  if (rough.empty() && !smooth)
    rough = "'" + element.name + "': its law is not smooth next to this value of '" + p.name + "'";
}

const List<RateChanges::Varied>& RateChanges::varied_laws(const RegimeSlopes& r, Index k) {
  using Of = ElementChange::Of;
  const Index i = r.regime->sliding[k];
  List<Varied>& out = laws[i];
  if (!out.empty()) return out;
  List<RegimeSlopes::Changed> all;
  for (const RegimeSlopes::Changed& change : r.by_element[k])
    if (change.of == Of::numbers || change.of == Of::numbers_and_signals) all.push_back(change);
  const Law& law = machine.system().friction[i].law;
  for (Index first = 0; first < all.size(); first += VariedLaw::seeds) {
    const auto count = std::min(VariedLaw::seeds, all.size() - first);
    Matrix slopes_of_numbers(VariedLaw::numbers(law).size(), count);
    for (Index n = 0; n < count; ++n)
      slopes_of_numbers.col(n) = by[all[first + n].parameter]->derivative(
          [i](Replica& m) { return VariedLaw::numbers(m.system().friction[i].law); });
    out.push_back({{law, slopes_of_numbers}, {all.begin() + first, all.begin() + first + count}});
  }
  return out;
}

// use(k, parameter) for all parameters that change numbers of its law, and perhaps signals.
template <class Use>
void RateChanges::differentiate_by_numbers(const RegimeSlopes& r, const Place& at, Use&& use) {
  const Index own = own_states(at.element);
  for (Index z = 0; z < own; ++z) own_state[z] = at.x(at.element.states + z);
  for (const Varied& some : varied_laws(r, at.number)) {
    const auto f =
        some.law.force(at.v, at.mode.force_side(), at.mode.branch, own_state.data(), own_rate.data());
    for (Index n = 0; n < some.parameters.size(); ++n) {
      const auto [parameter, changes_of] = some.parameters[n];
      for (Index z = 0; z < own; ++z) of.slope(z) = own_rate[z].d[n];
      of.slope(own) = f.dry.d[n] * at.N + f.viscous.d[n];
      of.slope(own + 1) = 0.0;
      if (changes_of == ElementChange::Of::numbers_and_signals) add_change_by_signals(at, *by[parameter]);
      use(at.number, parameter);
    }
  }
}

void RateChanges::add_change_by_signals(const Place& at, const Neighbours& p) {
  const Friction& element = at.element;
  const Index own = own_states(element);
  if (!inputs.known) {
    for (Index z = 0; z < own; ++z) inputs.state[z] = at.x(element.states + z);
    const auto load = Dual<2>::variable(at.N, 1);
    const ForceOf<Dual<2>> f = evaluate(element.law, Dual<2>::variable(at.v, 0), at.mode.force_side(),
                                        at.mode.branch, inputs.state.data(), inputs.slopes.data(), load);
    inputs.slopes[own] = f.dry * load + f.viscous;
    inputs.known = true;
  }
  double by_v = 0.0, by_N = 0.0; // changes of these
  for (const auto& [signal, derivative] : p.signals) {
    const double share = element.velocity.s(signal);
    if (share == 0.0 && signal != element.load) continue;
    const double change = value(piece_at(derivative, at.frame), at.t);
    by_v += share * change;
    if (signal == element.load) by_N += change;
  }
  for (Index z = 0; z <= own; ++z)
    for (const auto& [change, which] : {std::pair{by_v, 0}, {by_N, 1}})
      if (change != 0.0) of.slope(z) += inputs.slopes[z].d[which] * change;
}

// use(k, parameter) for every change of the k-th sliding element, with its derivatives in `of`.
template <class Use>
void RateChanges::for_each_element(const RegimeSlopes& r, double frame, double t, const Vector& x,
                                   Use&& use) {
  using Of = ElementChange::Of;
  for (Index k = 0; k < r.by_element.size(); ++k) {
    if (r.by_element[k].empty()) continue;
    const Index i = r.regime->sliding[k];
    const FrictionMode& mode = r.regime->modes.friction[i];
    const Friction& p = machine.system().friction[i];
    const double* const s = machine.signals(frame, t).data();
    const Place at{
        k,     p, mode, relative_velocity(p, x.data(), s), normal_load(p, mode.load_stretch, x.data(), s),
        frame, t, x};
    inputs.known = false;
    bool by_numbers = false;
    for (const RegimeSlopes::Changed& change : r.by_element[k]) {
      const Neighbours& beside = *by[change.parameter];
      if (!beside.acts(frame)) continue;
      if (change.of == Of::numbers || change.of == Of::numbers_and_signals) {
        if (!by_numbers) differentiate_by_numbers(r, at, use);
        by_numbers = true;
        continue;
      }
      if (change.of == Of::signals) {
        of.slope.head(own_states(p) + 2).setZero();
        add_change_by_signals(at, beside);
      } else {
        difference(at, beside, change.of == Of::law);
      }
      use(k, change.parameter);
    }
  }
}

const Tangents& RateChanges::forces(const Modes& modes, double frame, double t, const Vector& x) {
  const RegimeSlopes& r = slopes(machine.regime(modes));
  of_forces.setZero(r.regime->sliding.size(), by.size());
  for_each_element(r, frame, t, x, [&](Index k, Index j) {
    of_forces(k, j) = of.slope(own_states(machine.system().friction[r.regime->sliding[k]]));
  });
  return of_forces;
}

// Of all rates, from whole neighbouring machines.
Vector RateChanges::whole_change(const Neighbours& p, const Modes& modes, double frame, double t,
                                 const Vector& x) {
  const auto rates_of = [&](Replica& m) -> Vector {
    m.move(modes, frame, t, x.data(), rates, force);
    return rates;
  };
  if (!machine.regime(modes).coupled) return p.derivative(rates_of);
  return p.derivative(rates_of, [&](Replica& m) { return m.divisor(modes, frame, t, x.data()); }, machine);
}

void RateChanges::add(const Modes& modes, double frame, double t, const Vector& x, TangentsRef into) {
  const RegimeSlopes& r = slopes(machine.regime(modes));
  if (!r.complete) {
    for (Index j = 0; j < by.size(); ++j)
      if (by[j]->acts(frame)) into.col(j) += whole_change(*by[j], modes, frame, t, x);
    return;
  }
  const Vector& s = machine.signals(frame, t);
  for (const auto& [j, e] : r.all_A) into(e.row, j) += e.value * x(e.column);
  for (const auto& [j, e] : r.all_B) into(e.row, j) += e.value * s(e.column);
  if (r.changes_E) {
    motion(modes, frame, t, x); // for the forces
    for (Index j = 0; j < by.size(); ++j)
      for (const Entry& e : r.by[j].E) into(e.row, j) += e.value * force(r.regime->sliding[e.column]);
  }
  for_each_element(r, frame, t, x, [&](Index k, Index j) {
    const Friction& p = machine.system().friction[r.regime->sliding[k]];
    const Index own = own_states(p), memory = memory_of(p, modes.friction[r.regime->sliding[k]].force_side());
    for (Index z = 0; z < own; ++z) into(p.states + z, j) += of.slope(z);
    for (const Entry& e : r.force_columns[k]) into(e.row, j) += e.value * of.slope(own);
    if (memory >= 0) into(memory, j) += of.slope(own + 1);
  });
  for (const SignalChanges::One& c : changes.all) {
    if (!c.acts(frame)) continue;
    const double rate = c.rate(frame, t);
    for (const Entry& e : r.B)
      if (e.column == c.signal) into(e.row, c.parameter) += e.value * rate;
  }
}

void RateChanges::gather(const Modes& modes, double frame, double t, const Vector& x, const Vector& weight,
                         Cotangents& into) {
  const RegimeSlopes& r = slopes(machine.regime(modes));
  if (!r.complete) {
    for (Index j = 0; j < by.size(); ++j)
      if (by[j]->acts(frame)) into.gradient(j) += whole_change(*by[j], modes, frame, t, x).dot(weight);
    return;
  }
  const Vector& s = machine.signals(frame, t);
  RegimeCotangents& all = into.of(*r.regime);
  for (const Entry& e : r.any_A) all.A(e.row, e.column) += weight(e.row) * x(e.column);
  for (const Entry& e : r.any_B) all.B(e.row, e.column) += weight(e.row) * s(e.column);
  if (r.changes_E) {
    motion(modes, frame, t, x); // for the forces
    for (Index k = 0; k < r.regime->sliding.size(); ++k) all.E.col(k) += force(r.regime->sliding[k]) * weight;
  }
  for_each_element(r, frame, t, x, [&](Index k, Index j) {
    const Friction& p = machine.system().friction[r.regime->sliding[k]];
    const Index own = own_states(p), memory = memory_of(p, modes.friction[r.regime->sliding[k]].force_side());
    double sum = 0.0;
    for (Index z = 0; z < own; ++z) sum += weight(p.states + z) * of.slope(z);
    for (const Entry& e : r.force_columns[k]) sum += weight(e.row) * e.value * of.slope(own);
    if (memory >= 0) sum += weight(memory) * of.slope(own + 1);
    into.gradient(j) += sum;
  });
  for (const SignalChanges::One& c : changes.all) {
    if (!c.acts(frame)) continue;
    const double rate = c.rate(frame, t);
    for (const Entry& e : r.B)
      if (e.column == c.signal) into.gradient(c.parameter) += e.value * rate * weight(e.row);
  }
}

} // namespace stickslip
