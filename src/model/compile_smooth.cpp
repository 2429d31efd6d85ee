// One tape for all that is not linear, with the derivatives that the equations of motion need.
#include "model/compile_smooth.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "expression/graph.hpp"
#include "model/smooth.hpp"

#include <algorithm>
#include <memory>

namespace stickslip {

namespace {

class Collector {
public:
  explicit Collector(Draft& draft) : d(draft), n(draft.sys.n_coordinates) {
    for (const std::string& name : d.sys.coordinates) q.push_back(graph.input(name + ".position"));
    for (const std::string& name : d.sys.coordinates) v.push_back(graph.input(name + ".velocity"));
    time = graph.input("time");
    for (Index i = 0; i < n; ++i) motion[q[i]] = v[i];
    motion[time] = graph.constant(1.0);
    passing = {{time, graph.constant(1.0)}};
  }

  void run() {
    mass();
    for (Index k = 0; k < d.forces.size(); ++k)
      if (!empty(d.forces[k]->expression))
        value(d.sys.drives[k].signal, graph.load(d.forces[k]->expression).outputs.front());
    for (Index i = 0; i < d.friction.size(); ++i) friction(i);
    for (Index j = 0; j < d.contacts.size(); ++j) contact(j);
    if (results.empty()) return;
    smooth.tape = graph.tape(results);
    for (const std::string& name : smooth.tape.inputs) smooth.inputs.push_back(state_of(name));
    smooth.inverse_mass = d.inverse_mass;
    if (smooth.moving_mass()) keep_for_mass();
    d.sys.smooth = std::make_shared<const Smooth>(std::move(smooth));
  }

private:
  Draft& d;
  Index n;
  Graph graph;
  List<Node> q, v, results;
  Node time{};
  Graph::Direction motion, passing;
  Smooth smooth;

  static bool empty(const Tape& tape) { return tape.outputs.empty(); }

  Index result(Node node) {
    results.push_back(node);
    return results.size() - 1;
  }
  void value(Index signal, Node node) { smooth.values.push_back({signal, result(node)}); }

  Index state_of(const std::string& name) const {
    if (name == "time") return -1;
    return find_name(d.sys.states, name, "input of an expression");
  }

  Node derivative(Node of, const Graph::Direction& along) { return graph.derivatives({of}, along).front(); }

  Node product(const List<Node>& a, const List<Node>& b) {
    Node sum = graph.constant(0.0);
    for (Index i = 0; i < a.size(); ++i)
      sum = graph.apply(Operation::add, sum, graph.apply(Operation::multiply, a[i], b[i]));
    return sum;
  }

  // q' M q' / 2 and, of its rate, what the change of M alone makes.
  void mass() {
    const Plant* plant = d.machine.mechanical();
    if (plant == nullptr || empty(plant->mass_expression)) return;
    const List<Node> M = graph.load(plant->mass_expression).outputs;
    smooth.mass = results.size();
    for (const Node entry : M) result(entry);
    List<Node> momentum;
    for (Index i = 0; i < n; ++i)
      momentum.push_back(product({M.begin() + i * n, M.begin() + (i + 1) * n}, v));
    const Node kinetic = graph.apply(Operation::multiply, graph.constant(0.5), product(momentum, v));
    smooth.kinetic = result(kinetic);
    smooth.inertia = d.inertia;
    value(d.inertia, derivative(kinetic, motion));
  }

  void friction(Index i) {
    const FrictionElement& f = *d.friction[i];
    if (!empty(f.load_expression))
      value(d.sys.friction[i].load, graph.load(f.load_expression).outputs.front());
    if (!empty(f.on_expression)) row(i, f.on_expression);
  }

  // w(q) with the drift w' q'.
  void row(Index element, const Tape& tape) {
    const List<Node> w = graph.load(tape).outputs;
    Smooth::Row out{element, results.size(), -1};
    for (const Node entry : w) result(entry);
    out.drift = result(derivative(product(w, v), motion));
    smooth.rows.push_back(out);
    smooth.drifts.push_back(d.drifts.at(element));
  }

  void contact(Index j) {
    const ContactElement& c = *d.contacts[j];
    if (!empty(c.gap_expression)) {
      const Node gap = graph.load(c.gap_expression).outputs.front();
      Smooth::Gap out{j, result(gap), results.size(), -1, -1};
      const List<List<Node>> gradient = graph.jacobian({gap}, q);
      for (const Node entry : gradient.front()) result(entry);
      out.rate = result(derivative(gap, passing));
      out.drift = result(derivative(derivative(gap, motion), motion));
      smooth.gaps.push_back(out);
    }
    if (!empty(c.tangent_expression)) row(d.sys.contacts[j].friction, c.tangent_expression);
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
