#include "model/check_names.hpp"

#include "model/check_values.hpp"

#include <algorithm>

namespace stickslip {

bool holds(const List<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool zero(const Combination& c) {
  return std::all_of(c.parts.begin(), c.parts.end(), [](const Part& p) { return p.factor == 0.0; });
}

void known(const std::string& kind, const List<std::string>& names, const Part& p, const std::string& what) {
  if (!holds(names, p.name))
    throw UnknownName("unknown " + kind + " '" + p.name + "'; known are: " + quoted(names));
  finite(what + ", factor of '" + p.name + "'", p.factor);
}

void NameCheck::enters(const std::string& what, const Combination& c) const {
  for (const Part& p : c.parts)
    if (const auto* m = std::get_if<Plant>(&plant))
      known("coordinate", m->names, p, what);
    else
      known("input", std::get<MatrixPlant>(plant).inputs, p, what);
}

// Names of other elements are resolved when the machine is compiled.
void NameCheck::load(const std::string& what, const Part& p) const {
  finite(what + ", factor of '" + p.name + "'", p.factor);
  const auto dot = std::min(p.name.rfind('.'), p.name.size());
  const std::string kind = p.name.substr(dot);
  if (kind == ".normal_force" || kind == ".force" || kind.starts_with(".output")) return;
  if (kind != ".position" && kind != ".velocity" && kind != ".applied_force")
    reject(what, "= '" + p.name +
                     "' is not allowed: it must be '<coordinate>.position', '.velocity' or '.applied_force', "
                     "a '<spring>.force', a '<constraint>.force', a '<controller>.output', or a "
                     "'<contact>.normal_force'");
  if (const auto* m = std::get_if<Plant>(&plant))
    known("coordinate", m->names, {p.name.substr(0, dot), p.factor}, what);
}

void NameCheck::gradient(const std::string& what, const Combination& c) const {
  enters(what, c);
  if (zero(c)) reject(what, "must be finite and not zero");
}

void NameCheck::source(const std::string& what, const Source& s) const {
  if (!s.signal.pieces.empty()) check_signal(what, s.signal);
  for (const Part& p : s.names.parts) {
    finite(what, p.factor);
    const auto dot = p.name.rfind('.');
    const std::string owner = p.name.substr(0, dot),
                      kind = dot == std::string::npos ? "" : p.name.substr(dot + 1);
    List<std::string> names;
    if (const auto* m = std::get_if<MatrixPlant>(&plant)) {
      names = m->outputs;
      for (const std::string& state : m->states)
        if (!holds(names, state)) names.push_back(state);
    } else {
      for (const std::string& c : std::get<Plant>(plant).names)
        for (const char* of_coordinate : {".position", ".velocity"}) names.push_back(c + of_coordinate);
    }
    if (!holds(names, p.name) && !kind.starts_with("output"))
      throw UnknownName(what + " names '" + p.name + "', which is unknown; known are: " + quoted(names) +
                        ", and the output of any controller: '<name>.output'");
  }
}

void NameCheck::expression(const std::string& what, const Tape& tape, Index results, bool moving) const {
  if (tape.outputs.empty()) return;
  const auto* m = std::get_if<Plant>(&plant);
  if (m == nullptr)
    reject(what,
           "is a function of the motion, which a plant in matrix notation does not support; use Machine");
  check(tape);
  const Index expected = results < 0 ? m->names.size() : results;
  if (tape.outputs.size() != expected)
    reject(what,
           "has " + std::to_string(tape.outputs.size()) + " results, expected " + std::to_string(expected));
  List<std::string> names;
  for (const char* kind : {".position", ".velocity"})
    for (const std::string& c : m->names)
      if (moving || kind[1] == 'p') names.push_back(c + kind);
  names.push_back("time");
  for (const std::string& input : tape.inputs)
    if (!holds(names, input))
      reject(what, "depends on '" + input + "', which is unknown; allowed are: " + quoted(names));
}

} // namespace stickslip
