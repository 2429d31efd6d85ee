// One tape for all that is not linear, with the derivatives that the equations of motion need.
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
    for (Index k = 0; k < d.forces.size(); ++k)
      if (!empty(d.forces[k]->expression)) value(d.sys.drives[k].signal, formula(d.forces[k]->expression));
    for (Index i = 0; i < d.friction.size(); ++i) friction(i);
    for (Index j = 0; j < d.contacts.size(); ++j) contact(j);
    if (results.empty()) return;
    smooth.tape = graph.tape(results);
    for (const std::string& name : smooth.tape.inputs) smooth.inputs.push_back(state_of(name));
    differentiate();
    smooth.inverse_mass = d.inverse_mass;
    if (smooth.moving_mass()) keep_for_mass();
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
  List<Index> drifts;   // of each row: the signal of its drift,
  List<Index> elements; // and its friction element; -1: a gap

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

  // q' M q' / 2 and, of its rate, what the change of M alone makes.
  void read_mass() {
    const Plant* plant = d.machine.mechanical();
    if (plant == nullptr || empty(plant->mass_expression)) return;
    mass = graph.load(plant->mass_expression).outputs;
    smooth.mass = add_results(mass);
    const Node kinetic = motion.kinetic(mass);
    smooth.kinetic = result(kinetic);
    smooth.powers.push_back({d.inertia, result(motion.rate(kinetic))});
  }

  void friction(Index i) {
    const FrictionElement& f = *d.friction[i];
    if (!empty(f.load_expression)) value(d.sys.friction[i].load, formula(f.load_expression));
    if (!empty(f.on_expression)) row(i, f.on_expression);
  }

  void row(Index element, const Tape& tape) {
    const Motion::Row w = motion.of_direction(graph.load(tape).outputs);
    const Index first = add_results(w.direction);
    smooth.rows.push_back({element, first, result(w.drift)});
    smooth.drifts.push_back(d.drifts.at(element));
    rows.push_back(w), drifts.push_back(smooth.drifts.back()), elements.push_back(element);
    smooth.slopes.forces.push_back(element);
  }

  void contact(Index j) {
    const ContactElement& c = *d.contacts[j];
    const Contact& of = d.sys.contacts[j];
    if (!empty(c.gap_expression)) {
      const Node gap = formula(c.gap_expression);
      const Motion::Row w = motion.of_gap(gap);
      if (of.yields()) push(j, gap, w);
      const Index at = result(gap), first = add_results(w.direction), rate = result(w.passing);
      smooth.gaps.push_back({j, at, first, rate, result(w.drift)});
      rows.push_back(w), drifts.push_back(of.gap_acceleration), elements.push_back(-1);
      smooth.slopes.forces.push_back(d.sys.friction.size() + j);
    } else if (of.yields()) {
      const Node gap = linear_gap(j);
      push(j, gap, motion.of_gap(gap));
    }
    if (!empty(c.tangent_expression)) row(of.friction, c.tangent_expression);
  }

  Node plus(Node a, Node b) { return graph.apply(Operation::add, a, b); }
  Node times(Node a, Node b) { return graph.apply(Operation::multiply, a, b); }

  Node linear_gap(Index j) {
    Node sum = graph.constant(::stickslip::value(d.contacts[j]->gap, 0.0));
    for (const Part& p : d.contacts[j]->normal.parts)
      sum = plus(sum, times(graph.constant(p.factor), graph.input(p.name + ".position")));
    return sum;
  }

  // The force of a contact that yields, what it stores and what its damper takes.
  void push(Index j, Node gap, const Motion::Row& row) {
    const Node zero = graph.constant(0.0), one = graph.constant(1.0);
    const Node depth = graph.apply(Operation::negate, gap),
               rate = graph.apply(Operation::negate, motion.velocity(row));
    const auto inside = [&](Node what) { return graph.where(depth, zero, true, what, zero); };
    Node elastic = zero, push = zero, stored = zero;
    const Compliance& compliance = d.contacts[j]->compliance;
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

  // Derivatives by everything that the tape reads.
  void differentiate() {
    List<std::string> names = smooth.tape.inputs;
    List<Node> by, acceleration, lambda, slopes;
    for (const std::string& name : names) by.push_back(graph.input(name));
    const auto further = [&](const std::string& name) {
      names.push_back(name);
      return graph.input(name);
    };
    for (const std::string& name : d.sys.coordinates) acceleration.push_back(further(name + ".acceleration"));
    for (Index k = 0; k < rows.size(); ++k) { // friction opposes its row, a normal force acts along it
      const Node force = further("force " + std::to_string(k));
      lambda.push_back(elements[k] < 0 ? force : graph.apply(Operation::negate, force));
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
      want(out.signals, drifts[k], motion.acceleration(rows[k], acceleration));
      if (elements[k] >= 0) want(out.velocities, elements[k], motion.velocity(rows[k]));
    }
    for (Index k = 0; k < n; ++k) want(out.balance, k, motion.balance(k, mass, rows, acceleration, lambda));
    const List<List<Node>> all = graph.jacobian(terms, by);
    for (Index k = 0; k < terms.size(); ++k)
      for (Index i = 0; i < by.size(); ++i) {
        const Index state = smooth.inputs[i];
        const bool known = wanted[k].list == &out.velocities && state >= n; // the row itself
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

  void keep_for_mass() {
    const System& sys = d.sys;
    smooth.A = sys.A, smooth.S = sys.S;
    for (const Friction& p : sys.friction) smooth.friction.push_back(p.effect);
    for (const Contact& c : sys.contacts) smooth.contacts.push_back(c.effect);
    for (const System::Drive& drive : sys.drives) smooth.drives.push_back(drive.effect);
    for (const Spring& p : sys.springs) smooth.springs.push_back(p.effect);
    for (const Loop& l : sys.loops) smooth.loops.push_back(l.effect);
  }
};

} // namespace

void linear_only(const System& sys, const std::string& what) {
  if (sys.smooth)
    reject("machine", "has parts that are functions of its motion, and " + what +
                          " is for linear ones with constant matrices");
}

void declare_smooth(Draft& d) {
  if (const Plant* plant = d.machine.mechanical();
      plant != nullptr && !plant->mass_expression.outputs.empty())
    d.inertia = d.add_own_signal();
  const auto drift = [&](Index element, const Tape& row) {
    if (!row.outputs.empty()) d.drifts[element] = d.add_own_signal();
  };
  for (Index i = 0; i < d.friction.size(); ++i) drift(i, d.friction[i]->on_expression);
  for (Index j = 0; j < d.contacts.size(); ++j)
    drift(d.sys.contacts[j].friction, d.contacts[j]->tangent_expression);
}

void wire_smooth(Draft& d) {
  for (const auto& [element, signal] : d.drifts) d.sys.friction[element].acceleration_s(signal) = 1.0;
  if (d.inertia >= 0) d.sys.drives.push_back({"inertia", Vector(), Vector::Zero(d.sys.nx), d.inertia});
  Collector(d).run();
}

} // namespace stickslip
