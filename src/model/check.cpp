// Checks of an element when it is added.
#include "control/block.hpp"
#include "core/list.hpp"
#include "model/check_names.hpp"
#include "model/check_values.hpp"
#include "model/flanks.hpp"

#include <algorithm>

namespace stickslip {

namespace {

// The damping of the bristle, the force per unit of its rate, depends on the velocity.
bool damping_falls(const Law& law) {
  return std::any_of(law.terms.begin(), law.terms.end(), [](const Term& term) {
    const auto* lugre = std::get_if<LuGre>(&term);
    return lugre && std::isfinite(lugre->damping_velocity);
  });
}

class Checker {
public:
  explicit Checker(const AnyPlant& p) : plant(p), names(p) {}

  void operator()(const AppliedForce& f) const {
    check_values(f, "");
    names.enters("on of a force", f.on);
    names.expression("force on '" + text(f.on) + "'", f.expression, 1, true);
    if (!f.expression.outputs.empty() && !(is_constant(f.signal) && value(f.signal, 0.0) == 0.0))
      reject("force on '" + text(f.on) + "'",
             "is a signal and a formula: add two forces, or the signal to the formula");
  }

  void operator()(const FrictionElement& f) const {
    const std::string suffix = of(f.name);
    check_values(f, suffix);
    check_law(f.law, f.automaton, suffix);
    if (const auto* m = std::get_if<MatrixPlant>(&plant)) {
      in_matrices(*m, f, suffix);
    } else {
      names.enters("on" + suffix, f.on);
      names.expression("on" + suffix, f.on_expression, -1, false);
      names.expression("normal_load" + suffix, f.load_expression, 1, true);
      if (zero(f.on) && f.on_expression.outputs.empty())
        reject("on" + suffix, "must give a finite, non-zero direction over the coordinates");
    }
    for (const Part& p : f.load.parts) names.load("load" + suffix, p);
    for (const Part& p : f.load_across.parts) names.load("load" + suffix, p);
    if (!f.load.parts.empty() && f.load.parts.front().name.ends_with(".normal_force"))
      takes_normal_force("law" + suffix, f.law);
    load_table(f, suffix);
    if (f.load_magnitude) magnitude(f, suffix);
    if (f.automaton.load_factor > 0.0 && f.load.empty())
      reject("load" + suffix,
             "is missing: load_factor needs the load force, a linear form or a contact's force");
  }

  void operator()(const ContactElement& c) const {
    const std::string suffix = of(c.name);
    if (!std::holds_alternative<Plant>(plant)) reject("plant", "in matrix notation has no contacts");
    check_values(c, suffix);
    check_continuous("gap" + suffix, c.gap);
    std::visit([&](const auto& law) { check_values(law, " of the compliance" + suffix); }, c.compliance);
    if (yields(c.compliance)) {
      if (c.restitution != 0.0 || c.tangential_restitution || !c.restitution_expression.outputs.empty())
        reject("restitution" + suffix, c.restitution,
               "0: a compliant contact loses energy through its damping");
      if (!is_constant(c.gap))
        reject("gap" + suffix, "moves; with a compliance a moving gap is a function of the motion, "
                               "gap=lambda q, t: ...");
    }
    of_speed("restitution" + suffix, c.restitution_expression);
    names.expression("gap" + suffix, c.gap_expression, 1, false);
    names.expression("tangent" + suffix, c.tangent_expression, -1, false);
    if (c.gap_expression.outputs.empty()) names.gradient("normal" + suffix, c.normal);
    if (!c.has_tangent()) return;
    if (c.tangent_expression.outputs.empty()) names.gradient("tangent" + suffix, c.tangent);
    check_law(c.friction, c.automaton, suffix);
    takes_normal_force("friction" + suffix, c.friction);
    if (c.automaton.load_factor > 0.0)
      reject("load_factor" + suffix, c.automaton.load_factor,
             "0: a contact's friction has its normal force for load");
  }

  void operator()(const SpringElement& s) const {
    const std::string suffix = of(s.name);
    if (!std::holds_alternative<Plant>(plant))
      reject("plant",
             "in matrix notation has no springs: it has no positions, and its A holds their stiffness");
    check_values(s, suffix);
    check_continuous("rest" + suffix, s.rest);
    names.gradient("on" + suffix, s.on);
    s.elongations.empty() && s.forces.empty() ? flanks(s, suffix) : table(s, suffix);
  }

  void operator()(const RelayElement& r) const { r.check(names); }
  void operator()(const QuantiserElement& q) const { q.check(names); }
  void operator()(const DetentElement& d) const { d.check(std::holds_alternative<Plant>(plant), names); }

  void operator()(const ClutchElement& c) const {
    if (!std::holds_alternative<Plant>(plant))
      reject("plant", "in matrix notation has no one-way clutches, since the meaning of its states is "
                      "unknown; use Machine");
    names.gradient("on" + of(c.name), c.on);
  }

  void operator()(const ConstraintElement& c) const {
    const std::string suffix = of(c.name);
    if (!std::holds_alternative<Plant>(plant))
      reject(
          "plant",
          "in matrix notation has no constraints, since the meaning of its states is unknown; use Machine");
    check_values(c, suffix);
    names.expression("on" + suffix, c.on_expression, c.level == Level::position ? 1 : -1, false);
    if (!c.curved())
      names.gradient("on" + suffix, c.on);
    else if (!is_constant(c.value) || (c.level == Level::position && value(c.value, 0.0) != 0.0))
      reject("value" + suffix, c.level == Level::position
                                   ? "must be left out where `on` is a formula g(q, t), which is held at zero"
                                   : "must be a constant rate where `on` is a row of formulas");
    if (!c.value.input.empty())
      reject("value" + suffix,
             "is the input '" + c.value.input + "', whose rate is unknown: it must be a function of time");
    check_continuous("value" + suffix, c.value);
  }

  void operator()(const ControllerElement& c) const {
    for (const Source& s : c.references) names.source("reference" + of(c.name), s);
    for (const Source& s : c.measurements) names.source("measure" + of(c.name), s);
    for (const Combination& to : c.to) names.enters("to" + of(c.name), to);
    check(c.control);
    counts(c, compile(c.control));
  }

  void operator()(const CompensatorElement& c) const {
    const std::string suffix = of(c.name);
    check_values(c, suffix);
    if (c.law.terms.empty()) reject("law" + suffix, "has no terms");
    validate(c.law);
    names.source("reference" + suffix, c.reference);
    names.source("measure" + suffix, c.measurement);
    names.enters("to" + suffix, c.to);
    c.observer ? observer(c, suffix) : feedforward(c, suffix);
  }

private:
  const AnyPlant& plant;
  const NameCheck names;

  static void of_speed(const std::string& what, const Tape& tape) {
    if (tape.outputs.empty()) return;
    check(tape);
    if (tape.outputs.size() != 1 || tape.inputs.size() > 1 ||
        (tape.inputs.size() == 1 && tape.inputs.front() != "speed"))
      reject(what, "must be one formula of 'speed', the speed of approach, alone");
    if (tape.slots() > longest_restitution)
      reject(what, "has " + std::to_string(tape.slots()) + " values: it must have at most " +
                       std::to_string(longest_restitution));
  }

  // A contact makes its normal force of the friction, and its friction starts from zero where it closes.
  static void takes_normal_force(const std::string& what, const Law& law) {
    if (traits(law).reads_load)
      reject(what,
             "reads the load, which a contact makes of the friction: write the law per unit normal force, "
             "without load, or add friction with a normal_load of its own");
    if (!start_states(law).isZero(0.0))
      reject(what,
             "has a state that does not start from zero, where a contact that closes starts: shift it by its "
             "start, or take its logarithm");
    if (traits(law).searches && grows(law))
      reject(what,
             "grows with the velocity without bound, but impacts take their friction from its level at high "
             "velocities: write the law without its viscous part, and add that as a term, + "
             "ss.Viscous(...)");
  }

  // Faster than a root of the velocity.
  static bool grows(const Law& law) {
    constexpr double fast = 1e8; // m/s, where formulas are known
    const double force = steady(law, fast, nullptr, 1.0).dry;
    const double rise = fast * steady_slopes(law, fast, 1, 1.0).dry_v;
    return force > 0.0 && rise > 0.5 * force;
  }

  static void load_table(const FrictionElement& f, const std::string& suffix) {
    const Index n = f.load_at.size();
    if (n == 0 && f.load_there.empty()) {
      if (f.load_periodic) reject("load_periodic" + suffix, "needs a load_table");
      return;
    }
    constexpr Index most = 10'000;
    if (n < 2 || f.load_there.size() != n || n > most)
      reject("load_table" + suffix, "has " + std::to_string(n) + " positions and " +
                                        std::to_string(f.load_there.size()) +
                                        " loads: both must have the same length, 2 to 10000");
    for (Index k = 0; k < n; ++k) {
      const std::string at = suffix + "[" + std::to_string(k) + "]";
      finite("positions of load_table" + at, f.load_at[k]);
      non_negative("loads of load_table" + at, f.load_there[k]);
      if (k > 0 && !(f.load_at[k] > f.load_at[k - 1]))
        reject("positions of load_table" + at, f.load_at[k], "greater than the one before");
    }
    if (f.load_periodic && f.load_there.front() != f.load_there.back())
      reject("load_table" + suffix, "is periodic: its last load, " + std::to_string(f.load_there.back()) +
                                        ", must equal its first, " + std::to_string(f.load_there.front()));
    if (f.load.empty())
      reject("load" + suffix, "is missing: load_table needs the positions over which it is given");
    if (f.load.parts.front().name.ends_with(".normal_force"))
      reject("load_table" + suffix, "is a table over positions, but load is the normal force of a contact");
    if (f.automaton.load_factor > 0.0)
      reject("load_table" + suffix, "and load_factor exclude each other: give one");
  }

  static void magnitude(const FrictionElement& f, const std::string& suffix) {
    if (f.load.empty()) reject("normal_load" + suffix, "names no force");
    if (!f.load_at.empty() || f.automaton.load_factor > 0.0)
      reject("normal_load" + suffix,
             "names forces, which a load_table and load_factor exclude: give these forces as load=");
  }

  // The flanks need a stiffness, which gives the force beyond the backlash.
  static void flanks(const SpringElement& s, const std::string& suffix) {
    const char* with = s.one_sided        ? "one_sided"
                       : s.backlash > 0.0 ? "backlash"
                       : s.preload > 0.0  ? "preload"
                                          : nullptr;
    if (with != nullptr && s.stiffness == 0.0)
      reject("stiffness" + suffix, s.stiffness, std::string("> 0 for a spring with ") + with);
  }

  static void table(const SpringElement& s, const std::string& suffix) {
    for (const auto& [name, value] : {std::pair{"stiffness", s.stiffness}, std::pair{"backlash", s.backlash},
                                      std::pair{"preload", s.preload}})
      if (value != 0.0) reject(name + suffix, value, "0 for a spring with a table, which replaces it");
    const Index n = s.elongations.size();
    if (n < 2 || s.forces.size() != n)
      reject("table" + suffix, "has " + std::to_string(n) + " elongations and " +
                                   std::to_string(s.forces.size()) +
                                   " forces: both must have the same length, at least 2");
    for (Index k = 0; k < n; ++k) {
      const std::string at = suffix + "[" + std::to_string(k) + "]";
      finite("elongations" + at, s.elongations[k]);
      finite("forces" + at, s.forces[k]);
      if (k > 0 && !(s.elongations[k] > s.elongations[k - 1]))
        reject("elongations" + at, s.elongations[k], "greater than the one before");
    }
    if (s.damping > 0.0 && passes_without_play(flanks_of(s).front()))
      reject("damping" + suffix, s.damping,
             "0 for a one-sided table whose force changes its sign at a point: there the damping force would "
             "jump");
  }

  // A controller takes as many inputs and drives as many targets as its block has; a single reference may be given to a
  // block that reads none.
  static void counts(const ControllerElement& c, const Block& block) {
    Index references = 0, measurements = 0;
    for (const Channel& channel : block.inputs) {
      auto& count = channel.of == Channel::Of::reference ? references : measurements;
      count = std::max(count, channel.index + 1);
    }
    const auto expect = [&](const char* what, Index given, Index least, Index most) {
      if (given < least || given > most)
        reject(what + of(c.name), "gives " + std::to_string(given) + " signals, but the controller reads " +
                                      std::to_string(least));
    };
    expect("reference", c.references.size(), references, std::max<Index>(references, 1));
    expect("measure", c.measurements.size(), measurements, measurements);
    const auto outputs = block.outputs();
    if (!c.to.empty() && c.to.size() != outputs)
      reject("to" + of(c.name),
             "names " + std::to_string(c.to.size()) + " targets for " + std::to_string(outputs) + " outputs");
  }

  static void feedforward(const CompensatorElement& c, const std::string& suffix) {
    if (!c.reference.names.empty())
      reject("reference" + suffix, "= '" + text(c.reference.names) +
                                       "' must be a signal: feedforward needs its velocity in advance");
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
    if (f.velocity.empty()) reject("velocity" + suffix, "is missing: friction opposes one");
    List<std::string> readable = m.outputs;
    readable.insert(readable.end(), m.states.begin(), m.states.end());
    for (const Part& p : f.velocity.parts) {
      if (!holds(readable, p.name))
        throw UnknownName("velocity" + suffix + " names '" + p.name +
                          "', which is unknown; known are: " + quoted(readable));
      finite("velocity" + suffix, p.factor);
    }
    for (const Part& p : f.feedthrough.parts) {
      if (!holds(m.outputs, p.name))
        throw UnknownName("feedthrough" + suffix + " names '" + p.name +
                          "', which is no output; known are: " + quoted(m.outputs));
      finite("feedthrough" + suffix, p.factor);
      for (const Part& v : f.velocity.parts)
        if (v.name == p.name)
          reject("feedthrough" + suffix,
                 "= '" + p.name +
                     "' is not allowed: it must be another output than the velocity that it opposes");
    }
  }
};

} // namespace

void check(const AnyPlant& plant, const Element& element) {
  std::visit(Checker(plant), element);
}

} // namespace stickslip
