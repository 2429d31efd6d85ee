// Description of a machine: a linear plant, signals that drive it, and elements with friction, contact and impact. A
// plain value that stores the user's input: names, not resolved indices; compile() resolves them, so the order of
// adding does not matter. Checks of a single element are made when it is added, checks across elements when the machine
// is compiled.
#pragma once

#include "control/controllers.hpp"
#include "core/fields.hpp"
#include "core/list.hpp"
#include "expression/tape.hpp"
#include "friction/automaton.hpp"
#include "friction/law.hpp"
#include "model/combination.hpp"
#include "model/compliance.hpp"
#include "model/detent.hpp"
#include "model/relay.hpp"
#include "model/variable.hpp"
#include "signal/signal.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <variant>

namespace stickslip {

// M q'' + D q' + K q = sum of forces - sum of w_i F_i. The skew part of D is gyroscopic and does no work; that
// of K is circulatory and may give energy.
struct Plant {
  Matrix mass, damping, stiffness;
  List<std::string> names;  // one per coordinate
  List<std::string> rotary; // coordinates that are angles, rad; the others are lengths, m
  Tape mass_expression;     // M(q) instead, by columns; empty: none

  static constexpr auto fields() {
    return std::tuple{field("mass", &Plant::mass, quantity::mass),
                      field("damping", &Plant::damping, quantity::damping),
                      field("stiffness", &Plant::stiffness, quantity::stiffness),
                      field("names", &Plant::names),
                      field("rotary", &Plant::rotary),
                      field("mass_expression", &Plant::mass_expression)};
  }
};

// x' = A x + B u + A_NL F, y = C x + D u + D_NL F instead: a plant in matrix notation. Forces and controllers
// act on inputs, and friction gives its velocity and its columns of A_NL and D_NL.
struct MatrixPlant {
  Matrix A, B, C, D;
  List<std::string> states, inputs, outputs;

  static constexpr auto fields() {
    using M = MatrixPlant;
    return std::tuple{field("A", &M::A),
                      field("B", &M::B),
                      field("C", &M::C),
                      field("D", &M::D),
                      field("states", &M::states),
                      field("inputs", &M::inputs),
                      field("outputs", &M::outputs)};
  }
};

struct AppliedForce {
  static constexpr const char* kind = "force";
  Combination on; // coordinates or inputs: generalised force per unit of the signal
  Signal signal = constant_signal(0.0);
  Tape expression; // of positions, velocities and time, in place of the signal; empty: none

  static constexpr auto fields() {
    return std::tuple{field("on", &AppliedForce::on),
                      field("force", &AppliedForce::signal, quantity::force, Range::finite),
                      field("expression", &AppliedForce::expression)};
  }
};

struct FrictionElement {
  static constexpr const char* kind = "friction";
  static constexpr Shown shown[] = {{".force", Read::force, &Along::force},
                                    {".velocity", Read::velocity, &Along::velocity},
                                    {".load", Read::load, &Along::force},
                                    {".mode", Read::mode},
                                    {".limit", Read::limit, &Along::force}};

  std::string name;
  Combination on;       // coordinates: relative velocity is their combination - surface_velocity
  Combination velocity; // matrix notation: outputs and states whose combination it is instead
  Combination column;   // matrix notation: change of each state's rate per unit of F, instead of `on` inputs
  Law law;
  Automaton automaton;
  Signal normal_load = constant_signal(1.0);
  Signal surface_velocity = constant_signal(0.0);
  Combination load; // load force F_l: states, applied forces, springs, outputs, or a contact's normal force
  bool load_magnitude = false; // |F_l| is added to the normal load, with any law
  Combination load_across;     // a constraint's force across that of F_l: the load is the magnitude of both
  List<double> load_at, load_there; // table of what the load force adds to the normal load, with any law
  bool load_periodic = false;       // the table is periodic; else it is constant beyond its ends
  Combination feedthrough;          // matrix notation: change of outputs per unit of F
  Tape on_expression;               // w(q), one result per coordinate, instead of `on`; empty: none
  Tape load_expression;             // N(q, q', t), which is added to normal_load; empty: none

  static constexpr auto fields() {
    using E = FrictionElement;
    return std::tuple{field("name", &E::name),
                      field("on", &E::on),
                      field("velocity", &E::velocity),
                      field("column", &E::column),
                      field("law", &E::law),
                      field("automaton", &E::automaton),
                      field("normal_load", &E::normal_load, quantity::force, Range::non_negative),
                      field("surface_velocity", &E::surface_velocity, quantity::velocity, Range::finite),
                      field("load", &E::load),
                      field("load_magnitude", &E::load_magnitude),
                      field("load_across", &E::load_across),
                      field("load_at", &E::load_at),
                      field("load_there", &E::load_there, quantity::force),
                      field("load_periodic", &E::load_periodic),
                      field("feedthrough", &E::feedthrough),
                      field("on_expression", &E::on_expression),
                      field("load_expression", &E::load_expression)};
  }
};

enum class ImpactRule : std::int8_t { poisson, newton };
template <> struct Words<ImpactRule> {
  static constexpr const char* list[] = {"poisson", "newton"};
};

inline constexpr Index longest_restitution = 4096; // slots of a formula of the speed

// A unilateral contact: gap = normal' q + gap(t), or gap(q, t), with friction along `tangent`. A rigid contact keeps
// its gap >= 0; a compliant one has the force of its compliance.
struct ContactElement {
  static constexpr const char* kind = "contact";
  static constexpr Shown shown[] = {{".normal_force", Read::normal_force, &Along::force},
                                    {".mode", Read::contact_mode},
                                    {".gap", Read::gap, &Along::position},
                                    {".gap_rate", Read::gap_rate, &Along::velocity},
                                    {".normal_impulse", Read::normal_impulse, &Along::impulse}};

  std::string name;
  Combination normal;  // w_N
  Combination tangent; // w_T; empty: without friction
  Law friction;        // per unit normal force
  Automaton automaton;
  Signal gap = constant_signal(0.0);
  Signal surface_velocity = constant_signal(0.0);
  double restitution = 0.0;
  std::optional<double> tangential_restitution; // none: friction of an impact is dry friction in both phases
  ImpactRule impact = ImpactRule::poisson;
  Compliance compliance;
  Tape restitution_expression; // of the "speed" of approach, instead of restitution; empty: none
  Tape gap_expression;         // g(q, t) instead of `normal` and `gap`; empty: none
  Tape tangent_expression;     // w_T(q), one result per coordinate, instead of `tangent`; empty: none

  bool has_tangent() const { return !tangent.empty() || !tangent_expression.outputs.empty(); }
  static constexpr auto fields() {
    using E = ContactElement;
    return std::tuple{
        field("name", &E::name),
        field("normal", &E::normal),
        field("tangent", &E::tangent),
        field("friction", &E::friction),
        field("automaton", &E::automaton),
        field("gap", &E::gap, quantity::position, Range::finite),
        field("surface_velocity", &E::surface_velocity, quantity::velocity, Range::finite),
        field("restitution", &E::restitution, quantity::number, Range::fraction),
        field("restitution_expression", &E::restitution_expression),
        field("tangential_restitution", &E::tangential_restitution, quantity::number, Range::fraction),
        field("impact", &E::impact),
        field("compliance", &E::compliance),
        field("gap_expression", &E::gap_expression),
        field("tangent_expression", &E::tangent_expression)};
  }
};

// An elastic element along x = on . q - rest. Force opposes x: piecewise linear. Plain (no backlash, preload, one side
// or table with backlash): acts in both directions, F = k x + d x'. Else it has flanks with compressive force only: the
// upper one begins at x = backlash / 2 - preload / stiffness, the lower one at minus that; on a flank F = k delta + d
// delta' with delta its compression, and zero instead of a tensile force. One-sided: the lower flank alone.
struct SpringElement {
  static constexpr const char* kind = "spring";
  static constexpr Shown shown[] = {{".force", Read::spring_force, &Along::force},
                                    {".elongation", Read::elongation, &Along::position},
                                    {".elongation_rate", Read::elongation_rate, &Along::velocity},
                                    {".mode", Read::spring_mode}};

  std::string name;
  Combination on;
  double stiffness = 0.0, damping = 0.0;
  double backlash = 0.0; // total backlash
  double preload = 0.0;  // force of each flank at the end of the backlash
  bool one_sided = false;
  Signal rest = constant_signal(0.0);
  List<double> elongations, forces; // a table instead of stiffness, backlash and preload

  static constexpr auto fields() {
    using E = SpringElement;
    return std::tuple{field("name", &E::name),
                      field("on", &E::on),
                      field("stiffness", &E::stiffness, quantity::stiffness, Range::non_negative),
                      field("damping", &E::damping, quantity::damping, Range::non_negative),
                      field("backlash", &E::backlash, quantity::position, Range::non_negative),
                      field("preload", &E::preload, quantity::force, Range::non_negative),
                      field("one_sided", &E::one_sided),
                      field("rest", &E::rest, quantity::position, Range::finite),
                      field("elongations", &E::elongations, quantity::position),
                      field("forces", &E::forces, quantity::force)};
  }
};

// Prescribed quantity of a bilateral constraint: on . q = value(t), or on . q' = value(t) without a condition on the
// positions; in formulas g(q, t) = 0, or w(q, t) . q' = value.
enum class Level : std::int8_t { position, velocity };
template <> struct Words<Level> {
  static constexpr const char* list[] = {"position", "velocity"};
};

// An ideal gear, a rigid coupling, a prescribed motion. Its constraint force F acts, like friction, with -F along `on`.
struct ConstraintElement {
  static constexpr const char* kind = "constraint";
  static constexpr Shown shown[] = {{".force", Read::constraint_force, &Along::force},
                                    {".impulse", Read::constraint_impulse, &Along::impulse}};

  std::string name;
  Combination on;
  Signal value = constant_signal(0.0);
  Level level = Level::position;
  Tape on_expression; // g(q, t), or w(q, t) with one result per coordinate, instead of `on`; empty: none

  bool curved() const { return !on_expression.outputs.empty(); }

  static constexpr auto fields() {
    using E = ConstraintElement;
    return std::tuple{field("name", &E::name), field("on", &E::on),
                      field("value", &E::value, quantity::position, Range::finite), field("level", &E::level),
                      field("on_expression", &E::on_expression)};
  }
};

// A one-way clutch: its velocity v = on . q' cannot become negative. v >= 0, force L >= 0 along `on`, v L = 0.
struct ClutchElement {
  static constexpr const char* kind = "one_way_clutch";
  static constexpr Shown shown[] = {{".force", Read::normal_force, &Along::force},
                                    {".velocity", Read::gap_rate, &Along::velocity},
                                    {".mode", Read::contact_mode},
                                    {".impulse", Read::normal_impulse, &Along::impulse}};

  std::string name;
  Combination on;

  static constexpr auto fields() {
    return std::tuple{field("name", &ClutchElement::name), field("on", &ClutchElement::on)};
  }
};

// Input or reference of a controller: a signal, or a combination of states, outputs of the plant and outputs of other
// controllers.
struct Source {
  Signal signal; // no pieces: none
  Combination names;

  bool empty() const { return signal.pieces.empty() && names.empty(); }
  static constexpr auto fields() {
    return std::tuple{field("signal", &Source::signal), field("names", &Source::names)};
  }
};

struct ControllerElement {
  static constexpr const char* kind = "controller";
  std::string name;
  Controller control;
  List<Source> references, measurements;
  List<Combination> to; // target of each output: coordinates or inputs; empty: none

  static constexpr auto fields() {
    using E = ControllerElement;
    return std::tuple{field("name", &E::name), field("control", &E::control),
                      field("references", &E::references), field("measurements", &E::measurements),
                      field("to", &E::to)};
  }
};

// A friction model whose force is added to the driving force to cancel the friction there. Feedforward: the law at the
// velocity of the reference. Observer (Canudas de Wit et al. 1995, section V): the law's bristle follows the measured
// velocity, z' = v - sigma_0 |v| / g(v) z - gain (x - x_d).
struct CompensatorElement {
  static constexpr const char* kind = "compensator";
  static constexpr Shown shown[] = {{".output", Read::force, &Along::force},
                                    {".velocity", Read::velocity, &Along::velocity},
                                    {".load", Read::load, &Along::force}};

  std::string name;
  Law law;
  Signal normal_load = constant_signal(1.0);
  bool observer = false;
  double gain = 0.0;             // of the observer, 1/s
  Source reference, measurement; // positions; an observer without gain needs no reference
  Combination to;

  static constexpr auto fields() {
    using E = CompensatorElement;
    return std::tuple{field("name", &E::name),
                      field("law", &E::law),
                      field("normal_load", &E::normal_load, quantity::force, Range::non_negative),
                      field("observer", &E::observer),
                      field("gain", &E::gain, quantity::rate, Range::non_negative),
                      field("reference", &E::reference),
                      field("measurement", &E::measurement),
                      field("to", &E::to)};
  }
};

using AnyPlant = std::variant<Plant, MatrixPlant>;
template <> struct Kind<AnyPlant> {
  static constexpr const char* list[] = {"mechanical", "matrices"};
};

using Element = std::variant<AppliedForce, FrictionElement, ContactElement, ControllerElement,
                             CompensatorElement, SpringElement, ConstraintElement, ClutchElement,
                             DetentElement, RelayElement, QuantiserElement>;
namespace detail {
template <class T> struct OfElements;
template <class... E> struct OfElements<std::variant<E...>> {
  static constexpr const char* list[] = {E::kind...};
  using Lists = std::tuple<List<const E*>...>;
};
} // namespace detail
template <> struct Kind<Element> : detail::OfElements<Element> {};
using ElementLists = detail::OfElements<Element>::Lists; // of each kind

class Machine {
public:
  explicit Machine(AnyPlant plant);

  // Adds an element after the checks that concern it alone.
  void add(Element element);

  AnyPlant plant;
  List<Element> elements; // in the order of adding
  Combination scales;     // sizes of states given by the user, by name; "time": of time

  const Plant* mechanical() const { return std::get_if<Plant>(&plant); }
  const MatrixPlant* matrices() const { return std::get_if<MatrixPlant>(&plant); }
  bool has(const std::string& name) const { return names.contains(name); }
  // Checks all elements again after numbers have been changed.
  void check_again() const;

  // All elements of one kind, in the order of adding.
  template <class T> void list(List<const T*>& out) const {
    for (const Element& e : elements)
      if (const T* found = std::get_if<T>(&e)) out.push_back(found);
  }
  template <class T> List<const T*> all() const {
    List<const T*> out;
    list(out);
    return out;
  }

  bool operator==(const Machine& o) const;

private:
  std::set<std::string> names; // of coordinates, states and elements: one name space
};

// Checks of the plant alone, or of one element alone.
void check(const AnyPlant& plant);
void check(const AnyPlant& plant, const Element& element);

bool holds(const List<std::string>& names, const std::string& name);

} // namespace stickslip
