// One tape for all nonlinear parts, with the derivatives that the equations of motion need.
#include "model/compile_smooth.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "expression/graph.hpp"
#include "expression/motion.hpp"
#include "model/smooth.hpp"

#include <algorithm>
#include <memory>

namespace stickslip {

namespace {

class Collector {
public:
  explicit Collector(Draft& draft)
      : d(draft), n(draft.sys.n_coordinates), motion(graph, draft.sys.coordinates) {}

  void run() {
    read_mass();
    for (Index k = 0; k < d.all<AppliedForce>().size(); ++k)
      if (!empty(d.all<AppliedForce>()[k]->expression))
        value(d.sys.drives[k].signal, formula(d.all<AppliedForce>()[k]->expression));
    for (Index i = 0; i < d.all<FrictionElement>().size(); ++i) friction(i);
    for (Index j = 0; j < d.all<ContactElement>().size(); ++j) contact(j);
    for (Index k = 0; k < d.all<ConstraintElement>().size(); ++k) joint(k);
    if (results.empty() && smooth.reactions.empty()) return;
    const Index moving = results.size();
    energy_of_mass();
    smooth.tape = graph.tape(results);
    for (Index k = 0; k < moving; ++k) // each refers to earlier ones only
      smooth.motion = std::max(smooth.motion, smooth.tape.outputs[k] + 1 - smooth.tape.first_result());
    for (const std::string& name : smooth.tape.inputs) smooth.inputs.push_back(state_of(name));
    differentiate();
    smooth.inverse_mass = d.inverse_mass;
    smooth.bound = d.moving_inertia() && !d.all<ConstraintElement>().empty();
    if (smooth.moving_inertia()) keep_forces();
    d.sys.smooth = std::make_shared<const Smooth>(std::move(smooth));
  }

private:
  Draft& d;
  Index n;
  Graph graph;
  Motion motion;
  List<Node> results, mass;
  Smooth smooth;
  List<Motion::Row> rows;
  // For each row: the signal of its drift, its friction element (-1: none), and the signs with which both enter the
  // equations. A normal force acts along its row; friction and constraint forces act against theirs; a constraint
  // prescribes minus its drift.
  struct Use {
    Index drift, element;
    bool opposes, prescribes;
  };
  List<Use> uses;

  static bool empty(const Tape& tape) { return tape.outputs.empty(); }

  Index result(Node node) {
    results.push_back(node);
    return results.size() - 1;
  }
  Index add_results(const List<Node>& nodes) {
    const Index first = results.size();
    for (const Node node : nodes) result(node);
    return first;
  }
  Node formula(const Tape& tape) { return graph.load(tape).outputs.front(); }
  void value(Index signal, Node node) { smooth.values.push_back({signal, result(node)}); }

  Index state_of(const std::string& name) const {
    if (name == "time") return -1;
    return find_name(d.sys.states, name, "input of an expression");
  }

  void read_mass() {
    const Plant* plant = d.machine.mechanical();
    if (plant == nullptr || empty(plant->mass_expression)) return;
    mass = graph.load(plant->mass_expression).outputs;
    smooth.mass = add_results(mass);
  }

  // q' M q' / 2, and the part of its rate due to the change of M.
  void energy_of_mass() {
    if (mass.empty()) return;
    const Node kinetic = motion.kinetic(mass);
    smooth.kinetic = result(kinetic);
    smooth.powers.push_back({d.inertia, result(motion.rate(kinetic))});
  }

  void friction(Index i) {
    const FrictionElement& f = *d.all<FrictionElement>()[i];
    if (!empty(f.load_expression)) {
      const Node load = formula(f.load_expression);
      value(d.sys.friction[i].load, load);
      if (!graph.is_non_negative(load)) smooth.loads.push_back({i, smooth.values.back().result});
    }
    if (!empty(f.on_expression)) row(i, f.on_expression);
    if (!f.load_across.empty())
      smooth.reactions.push_back(
          {i, loading_constraint(d, f, f.load), loading_constraint(d, f, f.load_across)});
  }

  void row(Index element, const Tape& tape) {
    const Motion::Row w = motion.of_direction(graph.load(tape).outputs);
    const Index first = add_results(w.direction);
    smooth.rows.push_back({element, first, result(w.drift)});
    smooth.drifts.push_back(d.drifts.at(element));
    rows.push_back(w), uses.push_back({smooth.drifts.back(), element, true, false});
    smooth.slopes.forces.push_back(element);
  }

  void contact(Index j) {
    const ContactElement& c = *d.all<ContactElement>()[j];
    const Contact& of = d.sys.contacts[j];
    if (!empty(c.gap_expression)) {
      const Node gap = formula(c.gap_expression);
      const Motion::Row w = motion.of_gap(gap);
      if (of.yields()) push(j, gap, w);
      const Index at = result(gap), first = add_results(w.direction), rate = result(w.passing);
      smooth.gaps.push_back({j, at, first, rate, result(w.drift)});
      rows.push_back(w), uses.push_back({of.gap_acceleration, -1, false, false});
      smooth.slopes.forces.push_back(d.sys.friction.size() + j);
    } else if (of.yields()) {
      const Node gap = linear_gap(j);
      push(j, gap, motion.of_gap(gap));
    }
    if (!empty(c.tangent_expression)) row(of.friction, c.tangent_expression);
  }

  void joint(Index k) {
    const ConstraintElement& e = *d.all<ConstraintElement>()[k];
    if (!e.curved()) return;
    const Constraint& c = d.sys.constraints.all[k];
    const List<Node> on = graph.load(e.on_expression).outputs;
    const bool of_position = e.level == Level::position;
    const Motion::Row w = of_position ? motion.of_gap(on.front()) : motion.of_direction(on);
    const Index at = of_position ? result(on.front()) : -1, first = add_results(w.direction),
                rate = of_position ? result(w.passing) : -1;
    smooth.joints.push_back({k, at, first, rate, result(w.drift)});
    rows.push_back(w), uses.push_back({c.acceleration, -1, true, true});
    smooth.slopes.forces.push_back(d.sys.friction.size() + d.sys.contacts.size() + k);
  }

  Node plus(Node a, Node b) { return graph.apply(Operation::add, a, b); }
  Node times(Node a, Node b) { return graph.apply(Operation::multiply, a, b); }

  Node linear_gap(Index j) {
    Node sum = graph.constant(::stickslip::value(d.all<ContactElement>()[j]->gap, 0.0));
    for (const Part& p : d.all<ContactElement>()[j]->normal.parts)
      sum = plus(sum, times(graph.constant(p.factor), graph.input(p.name + ".position")));
    return sum;
  }

  // Force of a compliant contact, its stored energy and the power of its damper.
  void push(Index j, Node gap, const Motion::Row& row) {
    const Node zero = graph.constant(0.0), one = graph.constant(1.0);
    const Node depth = graph.apply(Operation::negate, gap),
               rate = graph.apply(Operation::negate, motion.velocity(row));
    const auto inside = [&](Node what) { return graph.where(depth, zero, true, what, zero); };
    Node elastic = zero, push = zero, stored = zero;
    const Compliance& compliance = d.all<ContactElement>()[j]->compliance;
    if (const auto* h = std::get_if<HuntCrossley>(&compliance)) {
      const auto power = [&](double exponent) {
        return graph.apply(Operation::power, depth, graph.constant(exponent));
      };
      const double of_depth = h->exponent;
      elastic = times(graph.constant(h->stiffness), power(of_depth));
      const Node factor = plus(one, times(graph.constant(h->damping), rate));
      push = graph.where(factor, zero, true, times(elastic, factor), zero);
      stored = times(graph.constant(h->stiffness / (of_depth + 1.0)), power(of_depth + 1.0));
    } else if (const auto* k = std::get_if<KelvinVoigt>(&compliance)) {
      elastic = times(graph.constant(k->stiffness), depth);
      const Node sum = plus(elastic, times(graph.constant(k->damping), rate));
      push = graph.where(sum, zero, true, sum, zero);
      stored = times(graph.constant(0.5 * k->stiffness), graph.apply(Operation::square, depth));
    }
    const Contact& c = d.sys.contacts[j];
    const Node force = inside(push);
    value(c.force, force);
    smooth.compliant.push_back({j, smooth.values.back().result});
    smooth.powers.push_back({c.stored, result(inside(stored))});
    const Node lost = graph.apply(Operation::subtract, force, inside(elastic));
    smooth.powers.push_back({c.loss, result(times(lost, rate))});
  }

  // Derivatives with respect to all inputs of the tape.
  void differentiate() {
    List<std::string> names = smooth.tape.inputs;
    List<Node> by, acceleration, lambda, slopes;
    for (const std::string& name : names) by.push_back(graph.input(name));
    const auto further = [&](const std::string& name) {
      names.push_back(name);
      return graph.input(name);
    };
    for (const std::string& name : d.sys.coordinates) acceleration.push_back(further(name + ".acceleration"));
    for (Index k = 0; k < rows.size(); ++k) {
      const Node force = further("force " + std::to_string(k));
      lambda.push_back(uses[k].opposes ? graph.apply(Operation::negate, force) : force);
    }
    Smooth::Slopes& out = smooth.slopes;
    struct Wanted {
      List<Smooth::Slopes::Entry>* list;
      Index of;
    };
    List<Wanted> wanted;
    List<Node> terms;
    const auto want = [&](List<Smooth::Slopes::Entry>& list, Index of, Node term) {
      wanted.push_back({&list, of}), terms.push_back(term);
    };
    for (const Smooth::Value& v : smooth.values) want(out.signals, v.signal, results[v.result]);
    for (Index k = 0; k < rows.size(); ++k) {
      const Node along = motion.acceleration(rows[k], acceleration);
      want(out.signals, uses[k].drift, uses[k].prescribes ? graph.apply(Operation::negate, along) : along);
      if (uses[k].element >= 0) want(out.velocities, uses[k].element, motion.velocity(rows[k]));
    }
    for (Index k = 0; k < n; ++k) want(out.balance, k, motion.balance(k, mass, rows, acceleration, lambda));
    const List<List<Node>> all = graph.jacobian(terms, by);
    for (Index k = 0; k < terms.size(); ++k)
      for (Index i = 0; i < by.size(); ++i) {
        const Index state = smooth.inputs[i];
        const bool known = wanted[k].list == &out.velocities &&
                           state >= n; // derivative of the velocity with respect to itself: the row
        if (known || graph.value(all[k][i]) == 0.0) continue;
        wanted[k].list->push_back({wanted[k].of, state, slopes.size()});
        slopes.push_back(all[k][i]);
      }
    out.tape = graph.tape(slopes, names);
    const List<Node> all_conditions = graph.conditions(results);
    for (const Node c : graph.conditions(slopes))
      out.conditions.push_back(std::find(all_conditions.begin(), all_conditions.end(), c) -
                               all_conditions.begin());
  }

  // Generalised forces in place of accelerations.
  void keep_forces() {
    const System& sys = d.sys;
    const Matrix M = smooth.moving_mass() ? Matrix::Identity(n, n) : sys.mass;
    const auto forces = [&](Matrix rows_of) {
      rows_of.middleRows(n, n) = (M * rows_of.middleRows(n, n)).eval();
      return rows_of;
    };
    smooth.A = forces(sys.A), smooth.S = forces(sys.S);
    for (const Friction& p : sys.friction) smooth.friction.emplace_back(forces(p.effect));
    for (const Contact& c : sys.contacts) smooth.contacts.emplace_back(forces(c.effect));
    for (const System::Drive& drive : sys.drives) smooth.drives.emplace_back(forces(drive.effect));
    for (const Spring& p : sys.springs) smooth.springs.emplace_back(forces(p.effect));
    for (const Loop& l : sys.loops) {
      smooth.loops.emplace_back();
      for (const Vector& effect : l.effect) smooth.loops.back().emplace_back(forces(effect));
    }
  }
};

} // namespace

void linear_only(const System& sys, const std::string& what) {
  if (sys.smooth)
    reject("machine",
           "has elements that are functions of the motion, but " + what + " needs constant matrices");
}

void declare_smooth(Draft& d) {
  if (const Plant* plant = d.machine.mechanical();
      plant != nullptr && !plant->mass_expression.outputs.empty())
    d.inertia = d.add_own_signal();
  const auto drift = [&](Index element, const Tape& row) {
    if (!row.outputs.empty()) d.drifts[element] = d.add_own_signal();
  };
  for (Index i = 0; i < d.all<FrictionElement>().size(); ++i)
    drift(i, d.all<FrictionElement>()[i]->on_expression);
  for (Index j = 0; j < d.all<ContactElement>().size(); ++j)
    drift(d.sys.contacts[j].friction, d.all<ContactElement>()[j]->tangent_expression);
}

void wire_smooth(Draft& d) {
  for (const auto& [element, signal] : d.drifts) d.sys.friction[element].acceleration_s(signal) = 1.0;
  if (d.inertia >= 0) d.sys.drives.push_back({"inertia", Vector(), Vector::Zero(d.sys.nx), d.inertia});
  Collector(d).run();
}

} // namespace stickslip
