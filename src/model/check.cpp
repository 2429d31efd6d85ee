// What is checked of an element when it is added: types, ranges, and the coordinates, states, inputs and outputs
// that it names.
#include "control/block.hpp"
#include "model/machine.hpp"

#include <algorithm>
#include <sstream>

namespace stickslip {

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text.empty() ? "none" : text;
}

namespace {

std::string of(const std::string& name) {
  return " of '" + name + "'";
}

void check_signal(const std::string& name, const Signal& s) {
  if (s.pieces.empty()) reject(name, "is an empty signal");
  for (const Piece& p : s.pieces) {
    bool ok = std::isfinite(p.anchor);
    for (double c : p.c) ok = ok && std::isfinite(c);
    for (const Harmonic& h : p.harmonics)
      ok = ok && std::isfinite(h.amplitude) && std::isfinite(h.omega) && std::isfinite(h.phase);
    if (!ok) reject(name, "holds NaN or infinity: every value must be finite");
  }
}

// A wall cannot jump.
void check_continuous(const std::string& name, const Signal& s) {
  double size = 0.0;
  for (const Piece& p : s.pieces) {
    size = std::max(size, std::abs(p.c[0]));
    for (const Harmonic& h : p.harmonics) size = std::max(size, std::abs(h.amplitude));
  }
  for (std::size_t k = 1; k < s.pieces.size(); ++k) {
    const double t = s.pieces[k].start;
    const Signal past{{s.pieces[k - 1]}, {}}, next{{s.pieces[k]}, {}};
    const double a = value(past, t), b = value(next, t);
    if (std::abs(b - a) <= 1e-9 * std::max({size, std::abs(a), std::abs(b)})) continue;
    std::ostringstream text;
    text << "jumps from " << a << " to " << b << " at t = " << t << ": a wall must move without jumps";
    reject(name, text.str());
  }
}

// Ranges of numbers and signals, from the table of fields.
template <Described T> void check_values(const T& self, const std::string& suffix) {
  each_field(self, [&](const auto& field, const auto& member) {
    using M = std::decay_t<decltype(member)>;
    if constexpr (std::is_same_v<M, double>) {
      check_range(field.name + suffix, member, field.range);
    } else if constexpr (std::is_same_v<M, Signal>) {
      check_signal(field.name + suffix, member);
      if (is_constant(member)) check_range(field.name + suffix, value(member, 0.0), field.range);
    }
  });
}

// Whether the bristle's damping, the force per unit of its rate, depends on the velocity.
bool damping_falls(const Law& law) {
  return std::any_of(law.terms.begin(), law.terms.end(), [](const Term& term) {
    const auto* lugre = std::get_if<LuGre>(&term);
    return lugre && std::isfinite(lugre->damping_velocity);
  });
}

class Checker {
public:
  explicit Checker(const AnyPlant& p) : plant(p) {}

  void operator()(const AppliedForce& f) const {
    check_values(f, "");
    enters("on of a force", f.on);
  }

  void operator()(const FrictionElement& f) const {
    const std::string suffix = of(f.name);
    check_values(f, suffix);
    check_law(f.law, f.automaton, suffix);
    if (const auto* m = std::get_if<MatrixPlant>(&plant)) {
      in_matrices(*m, f, suffix);
    } else {
      enters("on" + suffix, f.on);
      if (zero(f.on)) reject("on" + suffix, "must give a finite, non-zero direction over the coordinates");
    }
    for (const Part& p : f.load.parts) load("load" + suffix, p);
    if (f.automaton.load_factor > 0.0 && f.load.empty())
      reject("load" + suffix,
             "is missing: load_factor needs the load force, a linear form or a contact's force");
  }

  void operator()(const ContactElement& c) const {
    const std::string suffix = of(c.name);
    if (!std::holds_alternative<Plant>(plant)) reject("plant", "in matrix notation has no contacts");
    check_values(c, suffix);
    check_continuous("gap" + suffix, c.gap);
    gradient("normal" + suffix, c.normal);
    if (c.tangent.empty()) return;
    gradient("tangent" + suffix, c.tangent);
    check_law(c.friction, c.automaton, suffix);
    if (c.automaton.load_factor > 0.0)
      reject("load_factor" + suffix, c.automaton.load_factor,
             "0: a contact's friction has its normal force for load");
  }

  void operator()(const ControllerElement& c) const {
    for (const Source& s : c.references) source("reference" + of(c.name), s);
    for (const Source& s : c.measurements) source("measure" + of(c.name), s);
    for (const Combination& to : c.to) enters("to" + of(c.name), to);
    check(c.control);
    counts(c, compile(c.control));
  }

  void operator()(const CompensatorElement& c) const {
    const std::string suffix = of(c.name);
    check_values(c, suffix);
    if (c.law.terms.empty()) reject("law" + suffix, "has no terms");
    validate(c.law);
    source("reference" + suffix, c.reference);
    source("measure" + suffix, c.measurement);
    enters("to" + suffix, c.to);
    c.observer ? observer(c, suffix) : feedforward(c, suffix);
  }

private:
  const AnyPlant& plant;

  static bool zero(const Combination& c) {
    return std::all_of(c.parts.begin(), c.parts.end(), [](const Part& p) { return p.factor == 0.0; });
  }

  static void known(const std::string& kind, const std::vector<std::string>& names, const Part& p,
                    const std::string& what) {
    if (!holds(names, p.name))
      throw InvalidArgument("unknown " + kind + " '" + p.name + "'; known are: " + quoted(names));
    finite(what + ", factor of '" + p.name + "'", p.factor);
  }

  // Where a force enters.
  void enters(const std::string& what, const Combination& c) const {
    for (const Part& p : c.parts)
      if (const auto* m = std::get_if<Plant>(&plant))
        known("coordinate", m->names, p, what);
      else
        known("input", std::get<MatrixPlant>(plant).inputs, p, what);
  }

  // A contact is looked up when the machine is compiled.
  void load(const std::string& what, const Part& p) const {
    finite(what + ", factor of '" + p.name + "'", p.factor);
    const std::size_t dot = std::min(p.name.rfind('.'), p.name.size());
    const std::string kind = p.name.substr(dot);
    if (kind == ".normal_force") return;
    if (kind != ".position" && kind != ".velocity" && kind != ".applied_force")
      reject(what,
             "= '" + p.name +
                 "' is not allowed: it must be '<coordinate>.position', '.velocity' or '.applied_force', "
                 "or a contact's '<contact>.normal_force'");
    if (const auto* m = std::get_if<Plant>(&plant))
      known("coordinate", m->names, {p.name.substr(0, dot), p.factor}, what);
  }

  void gradient(const std::string& what, const Combination& c) const {
    enters(what, c);
    if (zero(c)) reject(what, "must be finite and not zero");
  }

  // Names of controllers and elements are looked up when the machine is compiled.
  void source(const std::string& what, const Source& s) const {
    if (!s.signal.pieces.empty()) check_signal(what, s.signal);
    for (const Part& p : s.names.parts) {
      finite(what, p.factor);
      const std::size_t dot = p.name.rfind('.');
      const std::string owner = p.name.substr(0, dot),
                        kind = dot == std::string::npos ? "" : p.name.substr(dot + 1);
      std::vector<std::string> names;
      if (const auto* m = std::get_if<MatrixPlant>(&plant)) {
        names = m->outputs;
        for (const std::string& state : m->states)
          if (!holds(names, state)) names.push_back(state);
      } else {
        for (const std::string& c : std::get<Plant>(plant).names)
          for (const char* of_coordinate : {".position", ".velocity"}) names.push_back(c + of_coordinate);
      }
      if (!holds(names, p.name) && !kind.starts_with("output"))
        throw InvalidArgument(what + " names '" + p.name + "', which is unknown; known are: " +
                              quoted(names) + ", and the output of any controller: '<name>.output'");
    }
  }

  // A controller gets as many signals as it reads and drives as much as it has outputs; one reference may be given
  // to one that reads none.
  static void counts(const ControllerElement& c, const Block& block) {
    std::size_t references = 0, measurements = 0;
    for (const Channel& channel : block.inputs) {
      auto& count = channel.of == Channel::Of::reference ? references : measurements;
      count = std::max(count, static_cast<std::size_t>(channel.index) + 1);
    }
    const auto expect = [&](const char* what, std::size_t given, std::size_t least, std::size_t most) {
      if (given < least || given > most)
        reject(what + of(c.name), "gives " + std::to_string(given) + " signals, but the controller reads " +
                                      std::to_string(least));
    };
    expect("reference", c.references.size(), references, std::max<std::size_t>(references, 1));
    expect("measure", c.measurements.size(), measurements, measurements);
    const auto outputs = static_cast<std::size_t>(block.outputs());
    if (!c.to.empty() && c.to.size() != outputs)
      reject("to" + of(c.name),
             "names " + std::to_string(c.to.size()) + " targets for " + std::to_string(outputs) + " outputs");
  }

  static void feedforward(const CompensatorElement& c, const std::string& suffix) {
    if (!c.reference.names.empty())
      reject("reference" + suffix, "= '" + text(c.reference.names) +
                                       "' must be a signal: feedforward knows its velocity beforehand");
    if (c.reference.signal.pieces.empty())
      reject("reference" + suffix, "is missing: feedforward follows its velocity");
    if (c.gain != 0.0) reject("gain" + suffix, c.gain, "0 for feedforward, which measures nothing");
  }

  static void observer(const CompensatorElement& c, const std::string& suffix) {
    const LawTraits t = traits(c.law);
    if (t.sticks && t.states == 0)
      reject("law" + suffix,
             "jumps at v = 0: an observer needs a law with bristles, such as LuGre, or without a jump");
    if (c.measurement.names.empty()) reject("measure" + suffix, "must be a position of the plant");
    if (c.gain == 0.0) return;
    if (t.states != 1) reject("gain" + suffix, c.gain, "0 unless the law has just one internal state");
    if (damping_falls(c.law)) reject("gain" + suffix, c.gain, "0 unless the law's damping is constant");
    if (!is_constant(c.normal_load))
      reject("normal_load" + suffix, "varies: with a gain it must be constant");
  }

  static void in_matrices(const MatrixPlant& m, const FrictionElement& f, const std::string& suffix) {
    if (f.on.empty() == f.column.empty())
      throw InvalidArgument("on or column" + suffix + ": exactly one of them must be given");
    if (f.automaton.load_factor > 0.0)
      reject("law" + suffix, "is not allowed: it must be without load_factor on a plant in matrix notation");
    for (const Part& p : f.on.parts) known("input", m.inputs, p, "on" + suffix);
    for (const Part& p : f.column.parts) known("state", m.states, p, "column" + suffix);
    std::vector<std::string> readable = m.outputs;
    readable.insert(readable.end(), m.states.begin(), m.states.end());
    for (const Part& p : f.velocity.parts) {
      if (!holds(readable, p.name))
        throw InvalidArgument("velocity" + suffix + " names '" + p.name +
                              "', which is unknown; known are: " + quoted(readable));
      finite("velocity" + suffix, p.factor);
    }
    for (const Part& p : f.feedthrough.parts) {
      if (!holds(m.outputs, p.name))
        throw InvalidArgument("feedthrough" + suffix + " names '" + p.name +
                              "', which is no output; known are: " + quoted(m.outputs));
      finite("feedthrough" + suffix, p.factor);
      for (const Part& v : f.velocity.parts)
        if (v.name == p.name)
          reject("feedthrough" + suffix,
                 "= '" + p.name +
                     "' is not allowed: it must be another output than the velocity that it opposes");
    }
  }

  // Options of the stick/slip automaton need a curve that sticks.
  static void check_law(const Law& law, const Automaton& a, const std::string& suffix) {
    if (law.terms.empty()) reject("law" + suffix, "has no terms");
    validate(law);
    check_numbers(a, suffix);
    if (a == Automaton{}) return;
    const LawTraits t = traits(law);
    if (t.states > 0)
      reject("law" + suffix,
             "has internal states: the options of StickSlip need a curve such as Coulomb or Stribeck");
    if (!t.sticks)
      reject("law" + suffix, "has no jump at v = 0: the options of StickSlip need one that sticks");
    const double level = std::max(std::abs(t.break_away.lo), std::abs(t.break_away.hi));
    if (std::abs(t.break_away.lo + t.break_away.hi) > 1e-12 * level)
      reject("law" + suffix, "is not odd: the options of StickSlip need one level for both directions");
    if (a.load_factor > 0.0) {
      const double kinetic = evaluate(law, 1e100, 1, 0, nullptr, nullptr).dry;
      if (!(kinetic > 0.0)) reject("kinetic level" + suffix, kinetic, "> 0 where the load adds to it");
    }
  }
};

} // namespace

void check(const AnyPlant& plant, const Element& element) {
  std::visit(Checker(plant), element);
}

} // namespace stickslip
