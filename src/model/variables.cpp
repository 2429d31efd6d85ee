// The table of variables: states first, then what the elements show, in the order in which they were added, then
// the outputs of a plant in matrix notation.
#include "model/draft.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

// What belongs together in a motion along a length, an angle, or something that is neither.
struct Along {
  Quantity position, velocity, acceleration, force, impulse;
};
constexpr Along along_length{quantity::position, quantity::velocity, quantity::acceleration, quantity::force,
                             quantity::impulse};
constexpr Along along_angle{
    quantity::angle, {0, 0, -1, 1}, {0, 0, -2, 1}, quantity::torque, quantity::angular_momentum};
constexpr Along along_unknown{};

class VariableTable {
public:
  explicit VariableTable(Draft& draft) : d(draft), sys(draft.sys) {}

  void run() {
    states();
    for (const Element& e : d.machine.elements) std::visit(*this, e);
    if (const MatrixPlant* m = d.machine.matrices()) outputs(*m);
  }

  void operator()(const AppliedForce&) {}

  void operator()(const FrictionElement& f) { friction(f.name, along(f.on), element_named(f.name)); }

  void operator()(const ContactElement& c) {
    if (c.has_tangent()) friction(c.name, sliding(c), element_named(c.name));
    const Index j = contact++;
    const Along& n = along(c.normal);
    // A contact has one mode, which says whether it is open as well.
    sys.variables.erase(std::remove_if(sys.variables.begin(), sys.variables.end(),
                                       [&](const Variable& v) { return v.name == c.name + ".mode"; }),
                        sys.variables.end());
    add(c.name + ".normal_force", n.force, Read::normal_force, j);
    add(c.name + ".mode", quantity::number, Read::contact_mode, j);
    add(c.name + ".gap", n.position, Read::gap, j);
    add(c.name + ".gap_rate", n.velocity, Read::gap_rate, j);
    add(c.name + ".normal_impulse", n.impulse, Read::normal_impulse, j);
  }

  void operator()(const ClutchElement& c) {
    const Index j = d.contacts.size() + clutch++;
    const Along& one = along(c.on);
    add(c.name + ".force", one.force, Read::normal_force, j);
    add(c.name + ".velocity", one.velocity, Read::gap_rate, j);
    add(c.name + ".mode", quantity::number, Read::contact_mode, j);
    add(c.name + ".impulse", one.impulse, Read::normal_impulse, j);
  }

  void operator()(const SpringElement& s) {
    const Index i = spring++;
    const Along& one = along(s.on);
    add(s.name + ".force", one.force, Read::spring_force, i);
    add(s.name + ".elongation", one.position, Read::elongation, i);
    add(s.name + ".elongation_rate", one.velocity, Read::elongation_rate, i);
    add(s.name + ".mode", quantity::number, Read::spring_mode, i);
  }

  void operator()(const ConstraintElement& c) {
    const Index i = constraint++;
    add(c.name + ".force", along(c.on).force, Read::constraint_force, i);
    add(c.name + ".impulse", along(c.on).impulse, Read::constraint_impulse, i);
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

  void operator()(const CompensatorElement& c) {
    const Index i = element_named(c.name);
    const Along& one = along(c.to);
    add(c.name + ".output", one.force, Read::force, i);
    add(c.name + ".velocity", one.velocity, Read::velocity, i);
    add(c.name + ".load", one.force, Read::load, i);
  }

private:
  Draft& d;
  System& sys;
  Index contact = 0, loop = 0, spring = 0, constraint = 0, clutch = 0; // of the next one

  void add(std::string name, Quantity q, Read from, Index index, Index part = 0) {
    sys.variables.push_back({std::move(name), q, from, index, part, {}});
  }

  const Along& of(const std::string& coordinate) const {
    return holds(d.machine.mechanical()->rotary, coordinate) ? along_angle : along_length;
  }

  // Of a linear form: coordinates with the factor 1 or -1 say it, since other factors may have units of their own. Without
  // them lengths say it, whose factors are directions and ratios; angles do not: a factor is a radius, and the form a
  // length, as often as a ratio.
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

  // Of sliding in a contact: coefficients of friction are numbers, so what presses tells it where the motion does not.
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

  Index element_named(const std::string& name) const {
    const auto at = std::find_if(sys.friction.begin(), sys.friction.end(),
                                 [&](const Friction& p) { return p.name == name; });
    return at - sys.friction.begin();
  }

  void friction(const std::string& name, const Along& one, Index i) {
    add(name + ".force", one.force, Read::force, i);
    add(name + ".velocity", one.velocity, Read::velocity, i);
    add(name + ".load", one.force, Read::load, i);
    add(name + ".mode", quantity::number, Read::mode, i);
    add(name + ".limit", one.force, Read::limit, i);
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
      for (Index b = 0; b < d.controllers.size(); ++b)
        for (Index j = 0; j < d.controllers[b]->to.size(); ++j)
          term(Read::output, b, j, through(d.controllers[b]->to[j]));
      for (const CompensatorElement* c : d.compensators)
        term(Read::force, element_named(c->name), 0, through(c->to));
      for (const FrictionElement* f : d.friction)
        for (const Part& p : f->feedthrough.parts)
          if (p.name == m.outputs[i]) term(Read::force, element_named(f->name), 0, p.factor);
      sys.variables.push_back(std::move(y));
    }
  }
};

} // namespace

void list_variables(Draft& d) {
  VariableTable(d).run();
}

} // namespace stickslip
