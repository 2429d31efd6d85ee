#include "model/machine.hpp"

#include "core/list.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace stickslip {

bool Combination::operator==(const Combination& o) const {
  if (parts.size() != o.parts.size()) return false;
  const auto sorted = [](List<Part> p) {
    std::sort(p.begin(), p.end(), [](const Part& a, const Part& b) { return a.name < b.name; });
    return p;
  };
  return parts == o.parts || sorted(parts) == sorted(o.parts);
}

bool Machine::operator==(const Machine& o) const {
  return plant == o.plant && elements == o.elements && scales == o.scales;
}

std::string text(const Combination& c) {
  std::ostringstream out;
  for (Index i = 0; i < c.parts.size(); ++i) {
    const double factor = c.parts[i].factor, size = std::abs(factor);
    if (i > 0) out << (factor < 0.0 ? " - " : " + ");
    if (i == 0 && factor < 0.0) out << "-";
    if (size != 1.0) out << size << " ";
    out << c.parts[i].name;
  }
  return out.str();
}

Machine::Machine(AnyPlant p) : plant(std::move(p)) {
  check(plant);
  for (const std::string& name : mechanical() ? mechanical()->names : matrices()->states) names.insert(name);
}

void Machine::check_again() const {
  check(plant);
  for (const Element& e : elements) check(plant, e);
}

void Machine::add(Element element) {
  check(plant, element);
  std::visit(
      [this](const auto& e) {
        if constexpr (requires { e.name; }) {
          if (e.name.empty()) reject("name", "is an empty string");
          if (e.name.find('.') != std::string::npos)
            reject("name", "= '" + e.name + "' contains a dot, which is reserved for signals of elements");
          if (!names.insert(e.name).second)
            reject("name", "= '" + e.name + "' is taken: all names of a machine share one name space");
        }
      },
      element);
  elements.push_back(std::move(element));
}

} // namespace stickslip
