#include "model/paths.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "core/number_text.hpp"

#include <algorithm>
#include <map>

namespace stickslip {

namespace {

class Walk {
public:
  List<Path> found;

  Quantity quantity; // of the visited number

  void operator()(const std::string& path, double& number) {
    found.push_back({path, &number, {}, nullptr, quantity});
  }

  void operator()(const std::string& path, Signal& signal) {
    if (!signal.pieces.empty()) found.push_back({path, nullptr, {}, &signal, quantity});
  }

  void operator()(const std::string& path, Source& source) { (*this)(path, source.signal); }

  void operator()(const std::string& path, std::optional<double>& number) {
    if (number) (*this)(path, *number);
  }

  // references, measurements: reference, or reference0, reference1, ...
  void operator()(const std::string& path, List<Source>& sources) {
    const std::string one = path.substr(0, path.size() - 1);
    for (Index i = 0; i < sources.size(); ++i)
      (*this)(sources.size() > 1 ? one + std::to_string(i) : one, sources[i]);
  }

  // Parameters are named by themselves, wherever they stand.
  void parameters(Tape& tape) {
    for (Index k = 0; k < tape.parameters.size(); ++k) {
      const auto same = [&](const Path& p) { return p.name == tape.parameters[k]; };
      const auto at = std::find_if(found.begin(), found.end(), same);
      if (at == found.end())
        found.push_back({tape.parameters[k], &tape.constants[k], {}, nullptr, {}});
      else
        at->mirrors.push_back(&tape.constants[k]);
    }
  }

  void operator()(const std::string& path, Law& law) {
    std::map<std::string, int> count;
    each_number(law, [&](std::size_t, const auto& field, double&) { ++count[field.name]; });
    each_number(law, [&](Index term, const auto& field, double& number) {
      const char* name = field.name;
      found.push_back({path + "." + (count[name] > 1 ? std::to_string(term) + "." : "") + name, &number,
                       other_level(law.terms[term], &number), nullptr, field.quantity, &law});
    });
  }

  template <Described T> void operator()(const std::string& path, T& self) {
    std::string law;
    each_field(self, [&](const auto& field, auto& value) {
      using M = std::decay_t<decltype(value)>;
      if constexpr (std::is_same_v<M, Law>) law = field.name;
      // To a user the options of the automaton belong to its law, and the control law to its controller.
      const bool inside = std::is_same_v<M, ControlLaw> || std::is_same_v<M, ControlOptions>;
      const std::string name = std::is_same_v<M, Automaton> ? law : field.name;
      quantity = field.quantity;
      if constexpr (requires { (*this)(path, value); }) (*this)(inside ? path : path + "." + name, value);
    });
  }

  template <class... T> void operator()(const std::string& path, std::variant<T...>& law) {
    std::visit(
        [&](auto& x) {
          if constexpr (Described<std::decay_t<decltype(x)>>) (*this)(path, x);
        },
        law);
  }

  // All nonzero entries; an entry equal to its mirror image changes together with it.
  void entries(const std::string& name, Matrix& a, const List<std::string>& rows,
               const List<std::string>& columns, bool symmetric) {
    for (Index i = 0; i < a.rows(); ++i)
      for (Index j = 0; j < a.cols(); ++j) {
        const std::string& row = rows[i];
        const std::string& column = columns[j];
        const bool diagonal = symmetric && i == j;
        found.push_back(
            {diagonal ? row + "." + name : name + "[" + row + "," + column + "]", &a(i, j),
             symmetric && i != j && a(i, j) == a(j, i) ? List<double*>{&a(j, i)} : List<double*>{}, nullptr,
             quantity});
      }
  }

private:
  // The other one of two levels that were given as one number.
  static List<double*> other_level(Term& term, const double* number) {
    return std::visit(
        [&](auto& x) -> List<double*> {
          auto* levels = levels_of(x);
          if (levels == nullptr || !levels->kinetic_follows) return {};
          if (number == &levels->static_level) return {&levels->kinetic};
          if (number == &levels->kinetic) return {&levels->static_level};
          return {};
        },
        term);
  }

  struct Named { // a parameter of a formula, as a field
    const char* name;
    Quantity quantity;
  };
  template <class F> static void each_number(Law& law, F&& f) {
    for (Index k = 0; k < law.terms.size(); ++k)
      std::visit(
          [&](auto& term) {
            each_field(term, [&](const auto& field, auto& value) {
              if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>) f(k, field, value);
            });
            if constexpr (std::is_same_v<std::decay_t<decltype(term)>, Formula>)
              for (Index i = 0; i < term.values.size(); ++i)
                f(k, Named{term.parameters[i].c_str(), {}}, term.values[i]);
          },
          law.terms[k]);
  }
};

// f(tape) for every formula of a machine.
template <class M, class F> void each_tape(M& machine, F&& f) {
  const auto of = [&](auto& described) {
    each_field(described, [&](const auto&, auto& value) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Tape>) f(value);
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Law>)
        for (auto& term : value.terms)
          if (auto* formula = std::get_if<Formula>(&term))
            for (auto* tape : {&formula->motion, &formula->level, &formula->reset}) f(*tape);
    });
  };
  std::visit(of, machine.plant);
  for (auto& e : machine.elements) std::visit(of, e);
}

void walk_plant(Walk& walk, Plant& p) {
  const auto symmetric = [&](const char* name, Matrix& a, Quantity quantity) {
    walk.quantity = quantity;
    walk.entries(name, a, p.names, p.names, true);
  };
  if (p.mass_expression.outputs.empty()) symmetric("mass", p.mass, quantity::mass);
  symmetric("damping", p.damping, quantity::damping);
  symmetric("stiffness", p.stiffness, quantity::stiffness);
}

void walk_plant(Walk& walk, MatrixPlant& p) {
  walk.quantity = {};
  walk.entries("A", p.A, p.states, p.states, false);
  walk.entries("B", p.B, p.states, p.inputs, false);
  walk.entries("C", p.C, p.outputs, p.states, false);
  walk.entries("D", p.D, p.outputs, p.inputs, false);
}

// Forces have no names: a path exists if the force is the only one on its coordinate or input.
void walk_forces(Walk& walk, Machine& m) {
  std::map<std::string, List<Signal*>> on;
  for (Element& e : m.elements)
    if (auto* f = std::get_if<AppliedForce>(&e);
        f && f->expression.outputs.empty() && f->on.parts.size() == 1 && f->on.parts[0].factor == 1.0)
      on[f->on.parts[0].name].push_back(&f->signal);
  walk.quantity = m.mechanical() ? quantity::force : Quantity{};
  for (auto& [name, signals] : on)
    if (signals.size() == 1) walk(name + (m.mechanical() ? ".force" : ".signal"), *signals[0]);
}

} // namespace

List<Path> paths(Machine& m) {
  Walk walk;
  walk_forces(walk, m);
  for (Element& e : m.elements)
    std::visit(
        [&](auto& element) {
          if constexpr (requires { element.name; }) walk(element.name, element);
        },
        e);
  for (Element& e : m.elements)
    if (auto* c = std::get_if<ConstraintElement>(&e)) // ratios
      for (Part& p : c->on.parts) walk(c->name + ".on[" + p.name + "]", p.factor);
  std::visit([&](auto& plant) { walk_plant(walk, plant); }, m.plant);
  each_tape(m, [&](Tape& tape) { walk.parameters(tape); });
  for (const Element& e : m.elements) { // numbers that an expression replaces
    const auto* c = std::get_if<ContactElement>(&e);
    const auto* f = std::get_if<FrictionElement>(&e);
    const void* unused = c != nullptr && !c->gap_expression.outputs.empty()    ? &c->gap
                         : f != nullptr && !f->load_expression.outputs.empty() ? &f->normal_load
                                                                               : nullptr;
    if (unused != nullptr) std::erase_if(walk.found, [&](const Path& p) { return p.signal == unused; });
    if (c != nullptr && !c->restitution_expression.outputs.empty())
      std::erase_if(walk.found, [&](const Path& p) { return p.number == &c->restitution; });
  }
  return std::move(walk.found);
}

void check_parameters(const Machine& machine) {
  std::map<std::string, double> known;
  each_tape(machine, [&](const Tape& tape) {
    for (Index k = 0; k < tape.parameters.size(); ++k) {
      const std::string& name = tape.parameters[k];
      const double value = tape.constants[k], first = known.emplace(name, value).first->second;
      if (value != first)
        reject("parameter", "'" + name + "' is " + number_text(first) + " in one formula and " +
                                number_text(value) + " in another: give it one value, or two names");
      if (machine.has(name))
        reject("parameter", "'" + name + "' has the name of a coordinate or an element: rename one of them");
    }
  });
}

Machine with_own_numbers(Machine machine, const List<std::string>& varied) {
  const List<Path> all = paths(machine);
  const auto varies = [&](const double* number) {
    return std::any_of(all.begin(), all.end(), [&](const Path& p) {
      return p.number == number && std::find(varied.begin(), varied.end(), p.name) != varied.end();
    });
  };
  for (const Path& p : all)
    if (p.law != nullptr) give_own_numbers(*p.law, varies);
  return machine;
}

} // namespace stickslip
