// Table of variables: states first, then those of the elements, in the order in which they were added, then the outputs
// of a plant in matrix notation.
#include "model/draft.hpp"
#include "model/opposite_contacts.hpp"
#include "model/relay_form.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace stickslip {

namespace {

constexpr Along along_length{quantity::position, quantity::velocity, quantity::acceleration, quantity::force,
                             quantity::impulse};
constexpr Along along_angle{
    quantity::angle, {0, 0, -1, 1}, {0, 0, -2, 1}, quantity::torque, quantity::angular_momentum};
constexpr Along along_unknown{};

class VariableTable {
public:
  explicit VariableTable(Draft& draft) : d(draft), sys(draft.sys) {}

  void run(const Machine& described) {
    states();
    for (const Element& e : described.elements) std::visit(*this, e);
    if (const MatrixPlant* m = d.machine.matrices()) outputs(*m);
  }

  template <class E> void operator()(const E& e) { // of any kind with rows in the table
    if constexpr (requires { e.on; })
      show(e.name, E::shown, along(e.on));
    else
      show(e.name, E::shown, along(e.to));
  }

  void operator()(const AppliedForce&) {}

  // Friction with a partner: their forces, loads and limits add up.
  void operator()(const FrictionElement& f) {
    const Index first = sys.variables.size(), i = place(Read::force, f.name);
    show(f.name, f.shown, along(f.on));
    const auto partner = std::ranges::find(sys.friction, i, &Friction::partner);
    if (partner == sys.friction.end()) return;
    for (Index k = first; k < sys.variables.size(); ++k)
      if (Variable& v = sys.variables[k]; v.from != Read::velocity && v.from != Read::mode)
        make_sum(v, {{v.from, i}, {v.from, partner - sys.friction.begin()}});
  }

  // As two opposite contacts it has the difference of their forces and impulses.
  void operator()(const ConstraintElement& c) {
    const Index first = sys.variables.size();
    show(c.name, c.shown, along(c.on));
    if (place(Read::constraint_force, c.name) < sys.constraints.all.size()) return;
    const Index plus = place(Read::normal_force, positive(c.name)),
                minus = place(Read::normal_force, negative(c.name));
    for (Index k = first; k < sys.variables.size(); ++k) {
      Variable& v = sys.variables[k];
      const Read of = v.from == Read::constraint_force ? Read::normal_force : Read::normal_impulse;
      make_sum(v, {{of, plus}, {of, minus, 0, -1.0}});
    }
  }

  void operator()(const RelayElement& r) {
    const Index i = place(Read::force, r.name);
    Variable output = output_of(r.name, r.to);
    const double side = r.high < r.low ? -1.0 : 1.0;
    output.terms = {{Read::signal, mean_of(r)}, {Read::force, i, 0, side}};
    sys.variables.push_back(std::move(output));
    add(r.name + ".mode", quantity::number, Read::mode, i);
  }

  void operator()(const QuantiserElement& q) {
    Variable output = output_of(q.name, q.to);
    for (const Index k : parts_of(q)) output.terms.push_back({Read::force, k});
    sys.variables.push_back(std::move(output));
  }

  // A contact has one mode, which includes open.
  void operator()(const ContactElement& c) {
    if (c.has_tangent()) show(c.name, FrictionElement::shown, sliding(c));
    std::erase_if(sys.variables, [&](const Variable& v) { return v.name == c.name + ".mode"; });
    show(c.name, c.shown, along(c.normal));
  }

  void operator()(const ControllerElement&) {
    const Index i = loop++;
    const Loop& l = sys.loops[i];
    for (Index j = 0; j < l.block.outputs(); ++j) {
      const std::string number = l.block.outputs() > 1 ? std::to_string(j) : "";
      add(l.name + ".output" + number, quantity::number, Read::output, i, j);
      add(l.name + ".mode" + number, quantity::number, Read::saturation, i, j);
    }
    if (l.has_reference) add(l.name + ".reference", quantity::number, Read::reference, i);
    if (l.has_reference && l.has_measured) add(l.name + ".error", quantity::number, Read::error, i);
  }

private:
  Draft& d;
  System& sys;
  Index loop = 0; // of the next controller

  List<Index> parts_of(const QuantiserElement& q) const {
    List<Index> out;
    for (Index i = 0; i < sys.friction.size(); ++i)
      if (is_relay(sys.friction[i]) && sys.friction[i].name.starts_with(q.name + "[")) out.push_back(i);
    return out;
  }

  // The signal with the mean output; relays follow the applied forces.
  Index mean_of(const RelayElement& r) const {
    const auto first = sys.drives.begin() + d.all<AppliedForce>().size();
    return std::find_if(first, sys.drives.end(), [&](const auto& drive) { return drive.name == r.name; })
        ->signal;
  }

  // Sum of the parts of a relay's output.
  Variable output_of(const std::string& name, const Combination& to) const {
    const Quantity unit = d.machine.mechanical() ? along(to).force : quantity::number;
    return {name + ".output", unit, Read::sum, 0, 0, {}};
  }

  void add(std::string name, Quantity q, Read from, Index index, Index part = 0) {
    sys.variables.push_back({std::move(name), q, from, index, part, {}});
  }

  static void make_sum(Variable& v, List<VariableTerm> terms) {
    v.from = Read::sum, v.index = 0;
    v.terms = std::move(terms);
  }

  void show(const std::string& name, std::span<const Shown> variables, const Along& one) {
    for (const Shown& v : variables) {
      add(name + v.suffix, v.quantity == nullptr ? quantity::number : one.*v.quantity, v.from,
          place(v.from, name));
      if (v.also == Read::sum) continue;
      make_sum(sys.variables.back(), {{v.from, place(v.from, name)}, {v.also, place(v.also, name)}});
    }
  }

  // Row with this name and this source.
  Index place(Read from, const std::string& name) const {
    const auto among = [&](const auto& rows) {
      return std::ranges::find_if(rows, [&](const auto& row) { return row.name == name; }) - rows.begin();
    };
    return from < Read::normal_force       ? among(sys.friction)
           : from < Read::spring_force     ? among(sys.contacts)
           : from < Read::constraint_force ? among(sys.springs)
                                           : among(sys.constraints.all);
  }

  const Along& of(const std::string& coordinate) const {
    return holds(d.machine.mechanical()->rotary, coordinate) ? along_angle : along_length;
  }

  // Unit of a linear form. Coordinates with the factor 1 or -1 determine it, since other factors may have units of
  // their own. Without such coordinates lengths determine it, whose factors are directions and ratios; angles do not: a
  // factor may be a radius, and the form a length, as well as a ratio.
  const Along& along(const Combination& on) const {
    if (d.machine.mechanical() == nullptr || on.empty()) return along_length;
    const auto agreed = [&](const auto& counts) {
      const Along* found = nullptr;
      for (const Part& p : on.parts) {
        if (!counts(p)) continue;
        if (found != nullptr && found != &of(p.name)) return &along_unknown;
        found = &of(p.name);
      }
      return found;
    };
    if (const Along* plain = agreed([](const Part& p) { return std::abs(p.factor) == 1.0; })) return *plain;
    return agreed([](const Part&) { return true; }) == &along_length ? along_length : along_unknown;
  }

  // Unit of sliding in a contact: coefficients of friction are dimensionless, so the normal direction determines it if
  // the motion does not.
  const Along& sliding(const ContactElement& c) const {
    const Along& one = along(c.tangent);
    return &one == &along_unknown ? along(c.normal) : one;
  }

  void states() {
    const Index n = sys.n_coordinates;
    for (Index i = 0; i < sys.nx; ++i) {
      if (i >= 2 * n) {
        add(sys.states[i], quantity::number, Read::state, i);
        continue;
      }
      const Along& one = of(sys.coordinates[i % n]);
      add(sys.states[i], i < n ? one.position : one.velocity, Read::state, i);
    }
    for (Index i = 0; i < n; ++i)
      add(sys.coordinates[i] + ".acceleration", of(sys.coordinates[i]).acceleration, Read::rate, n + i);
  }

  // y = C x + D u + D_NL F, where u are signals and the outputs of controllers.
  void outputs(const MatrixPlant& m) {
    for (Index i = 0; i < m.outputs.size(); ++i) {
      if (holds(m.states, m.outputs[i])) continue; // it is that state
      Variable y{m.outputs[i], quantity::number, Read::sum, 0, 0, {}};
      const auto term = [&](Read from, Index index, Index part, double factor) {
        if (factor != 0.0) y.terms.push_back({from, index, part, factor});
      };
      const auto through = [&](const Combination& on) {
        double sum = 0.0;
        for (const Part& p : on.parts) sum += m.D(i, find_name(m.inputs, p.name, "input")) * p.factor;
        return sum;
      };
      for (Index k = 0; k < m.A.rows(); ++k) term(Read::state, k, 0, m.C(i, k));
      const auto forces = d.machine.all<AppliedForce>();
      for (Index k = 0; k < forces.size(); ++k)
        term(Read::signal, sys.drives[k].signal, 0, through(forces[k]->on));
      for (Index b = 0; b < d.all<ControllerElement>().size(); ++b)
        for (Index j = 0; j < d.all<ControllerElement>()[b]->to.size(); ++j)
          term(Read::output, b, j, through(d.all<ControllerElement>()[b]->to[j]));
      for (const CompensatorElement* c : d.all<CompensatorElement>())
        term(Read::force, place(Read::force, c->name), 0, through(c->to));
      for (const RelayElement* r : d.all<RelayElement>()) {
        term(Read::signal, mean_of(*r), 0, through(r->to));
        term(Read::force, place(Read::force, r->name), 0, (r->high < r->low ? -1.0 : 1.0) * through(r->to));
      }
      for (const QuantiserElement* q : d.all<QuantiserElement>())
        for (const Index k : parts_of(*q)) term(Read::force, k, 0, through(q->to));
      for (const FrictionElement* f : d.all<FrictionElement>())
        for (const Part& p : f->feedthrough.parts)
          if (p.name == m.outputs[i]) term(Read::force, place(Read::force, f->name), 0, p.factor);
      sys.variables.push_back(std::move(y));
    }
  }
};

} // namespace

void list_variables(Draft& d, const Machine& described) {
  VariableTable(d).run(described);
}

} // namespace stickslip
