#include "model/opposite_contacts.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "expression/graph.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr std::string_view force_suffix = ".force";

const ConstraintElement* constraint_of(const Machine& machine, const Part& load) {
  if (!load.name.ends_with(force_suffix)) return nullptr;
  const std::string owner = load.name.substr(0, load.name.size() - force_suffix.size());
  for (const Element& e : machine.elements)
    if (const auto* c = std::get_if<ConstraintElement>(&e); c != nullptr && c->name == owner) return c;
  return nullptr;
}

void check_load(const FrictionElement& f, const ConstraintElement& c) {
  const std::string what = "load of '" + f.name + "'",
                    is = "= '" + c.name + std::string(force_suffix) + "' is the force of a constraint: ";
  if (f.load.parts.size() > 1 || std::abs(f.load.parts.front().factor) != 1.0)
    reject(what, is + "it must be the only term, with factor 1; scale the law instead, and add a friction "
                      "element for each further force");
  if (!f.load_magnitude || f.automaton != Automaton{})
    reject(what,
           is + "it cannot load a StickSlip with options, nor be the argument of a load_table: name it as "
                "the normal_load of a friction element of its own with a law without options");
  if (c.level == Level::velocity)
    reject(what,
           is + "it must be one of positions: give 'value' in place of 'rate', or load the friction by a "
                "formula, normal_load=lambda q, v, t: ...");
}

// The contact whose normal force acts against `on` if `side` is +1, as F > 0 does, else along it.
ContactElement side_of(const ConstraintElement& c, double side) {
  ContactElement out;
  out.name = side > 0.0 ? positive(c.name) : negative(c.name);
  if (c.curved()) {
    Graph graph;
    const Node held = graph.load(c.on_expression).outputs.front();
    out.gap_expression = graph.tape({side > 0.0 ? graph.apply(Operation::negate, held) : held});
    return out;
  }
  for (const Part& p : c.on.parts) out.normal.parts.push_back({p.name, -side * p.factor});
  out.gap = side * c.value;
  return out;
}

FrictionElement loaded_by(FrictionElement f, const std::string& contact) {
  f.load = {{{contact + ".normal_force", 1.0}}};
  f.load_magnitude = false;
  return f;
}

} // namespace

std::optional<Machine> with_opposite_contacts(const Machine& machine) {
  List<const ConstraintElement*> loading;
  for (const FrictionElement* f : machine.all<FrictionElement>())
    for (const Part& p : f->load_across.empty() ? f->load.parts : List<Part>{})
      if (const ConstraintElement* c = constraint_of(machine, p)) check_load(*f, *c), loading.push_back(c);
  if (loading.empty()) return std::nullopt;
  Machine out(machine.plant);
  out.scales = machine.scales;
  List<FrictionElement> under_negative;
  for (const Element& e : machine.elements) {
    const auto* const c = std::get_if<ConstraintElement>(&e);
    const auto* const f = std::get_if<FrictionElement>(&e);
    if (std::ranges::find(loading, c) != loading.end()) continue;
    const ConstraintElement* const by = f == nullptr || f->load.empty() || !f->load_across.empty()
                                            ? nullptr
                                            : constraint_of(machine, f->load.parts.front());
    out.add(by == nullptr ? e : Element(loaded_by(*f, positive(by->name))));
    if (by == nullptr) continue;
    under_negative.push_back(loaded_by(*f, negative(by->name)));
    under_negative.back().name = negative(f->name);
  }
  for (const FrictionElement& f : under_negative) out.add(f);
  for (const ConstraintElement* c : machine.all<ConstraintElement>())
    if (std::ranges::find(loading, c) != loading.end()) out.add(side_of(*c, 1.0)), out.add(side_of(*c, -1.0));
  return out;
}

} // namespace stickslip
