#include "ensemble/parameter.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <variant>

namespace stickslip {

namespace {

constexpr std::array<std::string_view, 5> options = {"memory", "dwell", "travel", "surface_damping",
                                                     "load_factor"};

double& option(Automaton& a, std::size_t k) {
  return *std::array<double*, 5>{&a.lag, &a.dwell, &a.travel, &a.surface_damping, &a.load_factor}[k];
}

// Calls f with every number of a term and its name.
template <class T, class F> void numbers(T& term, F&& f) {
  std::visit(
      [&](auto& x) {
        std::decay_t<decltype(x)>::each(x, [&](const char* name, auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>) f(name, value);
        });
      },
      term);
}

bool has(const Term& term, const std::string& key) {
  bool found = false;
  numbers(term, [&](const char* name, const double&) { found = found || key == name; });
  return found;
}

const Law& law_of(const Machine& m, const Parameter& p) {
  return p.contact ? m.contacts[p.element].friction : m.friction[p.element].law;
}

[[noreturn]] void unknown(const Machine& m, const System& sys, const std::string& name) {
  std::string text = "unknown parameter '" + name + "'; known are: initial values";
  for (const std::string& s : sys.states) text += " '" + s + "',";
  auto law = [&](const std::string& of, const Law& l) {
    for (const Term& t : l.terms)
      numbers(t, [&](const char* key, const double&) { text += " '" + of + "." + key + "',"; });
    for (std::string_view o : options) text += " '" + of + "." + std::string(o) + "',";
  };
  for (const FrictionPlace& f : m.friction) {
    text += " '" + f.name + ".surface_velocity', '" + f.name + ".normal_load',";
    law(f.name, f.law);
  }
  for (const ContactPlace& c : m.contacts) {
    text += " '" + c.name + ".gap', '" + c.name + ".restitution', '" + c.name + ".surface_velocity',";
    if (c.tangent.size() > 0) law(c.name, c.friction);
  }
  for (const std::string& c : m.plant.names)
    text += " '" + c + ".force', 'mass[" + c + "]', 'damping[" + c + "]', 'stiffness[" + c + "]',";
  text += " signals also with '_scale'";
  throw UnknownName(text);
}

bool of_law(const Machine& m, Parameter& p, const std::string& rest) {
  for (std::size_t k = 0; k < options.size(); ++k)
    if (rest == options[k]) {
      p.kind = Parameter::Kind::automaton;
      p.part = k;
      return true;
    }
  p.kind = Parameter::Kind::law;
  const Law& law = law_of(m, p);
  const std::size_t dot = rest.find('.');
  if (dot != std::string::npos) {
    if (dot != 1 || rest[0] < '0' || rest[0] > '9') return false;
    p.part = static_cast<std::size_t>(rest[0] - '0');
    p.key = rest.substr(2);
    return p.part < law.terms.size() && has(law.terms[p.part], p.key);
  }
  p.key = rest;
  std::size_t count = 0;
  for (std::size_t k = 0; k < law.terms.size(); ++k)
    if (has(law.terms[k], rest)) p.part = k, ++count;
  if (count > 1)
    reject("parameters", "name '" + p.name + "', which " + std::to_string(count) +
                             " terms of the law have: write the number of the term before it, such as '0." +
                             rest + "'");
  return count == 1;
}

const Signal& signal_of(const Machine& m, const Parameter& p) {
  switch (p.kind) {
  case Parameter::Kind::surface:
    return p.contact ? m.contacts[p.element].surface_velocity : m.friction[p.element].surface_velocity;
  case Parameter::Kind::load:
    return m.friction[p.element].normal_load;
  case Parameter::Kind::gap:
    return m.contacts[p.element].gap;
  default:
    return m.forces[p.element].signal;
  }
}

// Nothing derived depends on the value of this signal.
void find_signal(const Machine& m, const System& sys, Parameter& p) {
  if (!is_constant(signal_of(m, p))) {
    if (!p.scale)
      reject("parameters", "name '" + p.name + "', a signal that is not constant: vary '" + p.name +
                               "_scale', a factor on it");
    return;
  }
  if (p.scale || p.contact || p.kind == Parameter::Kind::gap || !sys.loops.empty()) return;
  if (p.kind == Parameter::Kind::load) {
    std::size_t sticking = 0;
    for (const Place& place : sys.places) {
      if (place.surface_travel >= 0) return; // its stiffness follows the load
      sticking += place.traits.sticks;
    }
    if (sticking > 1) return; // how several share a force may depend on their loads
  }
  p.signal = p.kind == Parameter::Kind::force  ? sys.drives[p.element].signal
             : p.kind == Parameter::Kind::load ? sys.places[p.element].load
                                               : sys.places[p.element].surface;
}

bool entry(const Machine& m, Parameter& p) {
  const std::size_t open = p.name.find('[');
  if (open == std::string::npos || p.name.back() != ']') return false;
  const std::string matrix = p.name.substr(0, open);
  std::string row = p.name.substr(open + 1, p.name.size() - open - 2), column = row;
  if (const std::size_t comma = row.find(','); comma != std::string::npos) {
    column = row.substr(comma + 1);
    row.resize(comma);
    column.erase(0, column.find_first_not_of(' '));
  }
  if (matrix == "mass")
    p.kind = Parameter::Kind::mass;
  else if (matrix == "damping")
    p.kind = Parameter::Kind::damping;
  else if (matrix == "stiffness")
    p.kind = Parameter::Kind::stiffness;
  else
    return false;
  p.element = static_cast<std::size_t>(find_name(m.plant.names, row, "coordinate"));
  p.part = static_cast<std::size_t>(find_name(m.plant.names, column, "coordinate"));
  return true;
}

} // namespace

Parameter find_parameter(const Machine& m, const System& sys, const std::string& name) {
  Parameter p;
  p.name = name;
  if (const auto it = std::find(sys.states.begin(), sys.states.end(), name); it != sys.states.end()) {
    p.element = static_cast<std::size_t>(it - sys.states.begin());
    return p;
  }
  if (entry(m, p)) return p;
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) unknown(m, sys, name);
  const std::string owner = name.substr(0, dot);
  std::string rest = name.substr(dot + 1);
  const std::string whole = rest;
  if (rest.ends_with("_scale")) p.scale = true, rest.resize(rest.size() - 6);
  auto is_signal = [&](std::string_view key, Parameter::Kind kind) {
    if (rest != key) return false;
    p.kind = kind;
    return true;
  };
  for (std::size_t i = 0; i < m.friction.size(); ++i)
    if (m.friction[i].name == owner) {
      p.element = i;
      if (is_signal("surface_velocity", Parameter::Kind::surface) ||
          is_signal("normal_load", Parameter::Kind::load)) {
        find_signal(m, sys, p);
        return p;
      }
      p.scale = false;
      if (of_law(m, p, whole)) return p;
      unknown(m, sys, name);
    }
  for (std::size_t i = 0; i < m.contacts.size(); ++i)
    if (m.contacts[i].name == owner) {
      p.element = i;
      p.contact = true;
      if (is_signal("gap", Parameter::Kind::gap) ||
          (m.contacts[i].tangent.size() > 0 && is_signal("surface_velocity", Parameter::Kind::surface))) {
        find_signal(m, sys, p);
        return p;
      }
      p.scale = false;
      if (whole == "restitution") {
        p.kind = Parameter::Kind::restitution;
        return p;
      }
      if (m.contacts[i].tangent.size() > 0 && of_law(m, p, whole)) return p;
      unknown(m, sys, name);
    }
  for (std::size_t i = 0; i < m.plant.names.size(); ++i)
    if (m.plant.names[i] == owner && is_signal("force", Parameter::Kind::force)) {
      std::size_t count = 0;
      const Vector unit = Vector::Unit(static_cast<Index>(m.plant.names.size()), static_cast<Index>(i));
      for (std::size_t k = 0; k < m.forces.size(); ++k)
        if (m.forces[k].direction == unit) p.element = k, ++count;
      if (count != 1)
        reject("parameters", "name '" + name + "', but " + std::to_string(count) +
                                 " forces are applied to '" + owner + "' alone: it must be one");
      find_signal(m, sys, p);
      return p;
    }
  unknown(m, sys, name);
}

void apply(const Parameter& p, double value, const Machine& base, Machine& m) {
  using Kind = Parameter::Kind;
  finite("parameters['" + p.name + "']", value);
  auto set = [&](Signal& to) { to = p.scale ? value * signal_of(base, p) : constant_signal(value); };
  auto set_entry = [&](Matrix& a) {
    const auto i = static_cast<Index>(p.element), j = static_cast<Index>(p.part);
    a(i, j) = a(j, i) = value;
  };
  switch (p.kind) {
  case Kind::initial:
    break;
  case Kind::surface:
    set(p.contact ? m.contacts[p.element].surface_velocity : m.friction[p.element].surface_velocity);
    break;
  case Kind::load:
    set(m.friction[p.element].normal_load);
    break;
  case Kind::force:
    set(m.forces[p.element].signal);
    break;
  case Kind::gap:
    set(m.contacts[p.element].gap);
    break;
  case Kind::law: {
    Law& law = p.contact ? m.contacts[p.element].friction : m.friction[p.element].law;
    numbers(law.terms[p.part], [&](const char* name, double& number) {
      if (p.key == name) number = value;
    });
    break;
  }
  case Kind::automaton:
    option(p.contact ? m.contacts[p.element].automaton : m.friction[p.element].automaton, p.part) = value;
    break;
  case Kind::restitution:
    m.contacts[p.element].restitution = value;
    break;
  case Kind::mass:
    set_entry(m.plant.mass);
    break;
  case Kind::damping:
    set_entry(m.plant.damping);
    break;
  case Kind::stiffness:
    set_entry(m.plant.stiffness);
    break;
  }
}

} // namespace stickslip
