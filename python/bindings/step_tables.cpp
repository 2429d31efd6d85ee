#include "step_tables.hpp"

#include "core/error.hpp"
#include "dynamics/free.hpp"
#include "ensemble/with_numbers.hpp"
#include "model/machine.hpp"
#include "realtime/real_time.hpp"
#include "run/reading.hpp"
#include "transition/event.hpp"
#include "transition/mode_changes.hpp"
#include "transition/saturations.hpp"
#include "transition/springs.hpp"

#include <algorithm>
#include <cmath>

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

namespace stickslip::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

template <class... F> struct Overloaded : F... {
  using F::operator()...;
};

void refuse(const std::string& what) {
  reject("machine", "has " + what);
}

// Machines whose fixed-step form is not a table of maps.
void refuse_without_tables(const System& sys) {
  if (sys.smooth)
    refuse("functions of its motion, and C code needs constant matrices: linearise them, or export an FMU");
  for (const Friction& p : sys.friction)
    if (p.states >= 0 || p.injected >= 0)
      refuse("a law with internal states at '" + p.name +
             "', which C code does not support: use its steady curve, such as Stribeck, or export an FMU");
  for (const Friction& p : sys.friction)
    for (const Term& term : p.law.terms)
      if (std::holds_alternative<Formula>(term) || std::holds_alternative<Callable>(term))
        refuse("a law written in Python at '" + p.name +
               "', which C code does not support: use a law of stickslip, such as a Table of its values");
  for (const Loop& l : sys.loops)
    if (l.block.program)
      refuse("the controller '" + l.name +
             "', which is a friction curve or a program: give its output as an Input");
  if (sys.constraints.any())
    refuse("constraints, which C code does not support: eliminate the coordinates, or export an FMU");
  for (const Friction& p : sys.friction)
    if (!sys.contacts.empty() && (p.lagged >= 0 || p.delayed >= 0 || p.surface_travel >= 0 || p.aged >= 0))
      refuse("contacts beside the options of StickSlip at '" + p.name +
             "', which C code does not support together: leave one of them out, or export an FMU");
  for (const Contact& c : sys.contacts) {
    if (!c.restitution_by_speed.code.empty())
      refuse("a restitution by speed at '" + c.name + "': give a number");
    if (c.tangential_restitution)
      refuse("a tangential_restitution at '" + c.name + "', which C code does not support: leave it out");
  }
}

class Tables {
public:
  Tables(const System& system, const RealTime& built) : sys(system), engine(built), scratch(system) {}

  py::dict all(const std::vector<std::string>& outputs) {
    for (const std::string& name : outputs) add_output(name);
    py::dict out;
    out["x"] = Vector(engine.state());
    out["s"] = Vector(Eigen::Map<const Vector>(engine.tables().point.s, moving().size()));
    out["inputs"] = std::vector<std::string>(engine.inputs().begin(), engine.inputs().end());
    out["input_values"] = engine.input_values();
    out["signals"] = signals();
    out["friction"] = friction();
    out["contacts"] = contacts();
    out["flanks"] = flanks();
    out["loops"] = loops();
    out["order"] = std::vector<Index>(sys.loop_order.begin(), sys.loop_order.end());
    out["sampled"] = sampled();
    out["memory"] = engine.tables().sampled.memory_length();
    out["nominal"] = sys.nominal.cwiseMax(engine.state().cwiseAbs());
    out["coordinates"] = sys.n_coordinates;
    out["modes"] = modes(engine.modes());
    py::list plans;
    for (const auto& [of, plan] : engine.tables().plans.all()) plans.append(describe(of, *plan));
    out["plans"] = plans;
    out["reads"] = read_kinds();
    out["outputs"] = sums;
    return out;
  }

private:
  const System& sys;
  const RealTime& engine;
  Scratch scratch;
  List<RealTimeOutput> reads;
  py::list sums; // of each output: (read, factor)

  const Moving& moving() const { return engine.tables().signals.moving(); }

  Vector dense(const SparseRow& row) const { // (constant, x, moving signals)
    Vector out = Vector::Zero(1 + sys.nx + moving().size());
    out(0) = row.constant;
    for (const SparseRow::Entry& e : row.entries) out(1 + e.at) = e.weight;
    return out;
  }
  Vector dense(const Form& f) const { return dense(sparse(f, moving())); }

  // An affine function of (x, s), from its values.
  template <class F> Vector probe(F&& value) const {
    Vector x = Vector::Zero(sys.nx), s = moving().still;
    Vector out(1 + sys.nx + moving().size());
    out(0) = value(x.data(), s.data());
    const auto slope = [&](double& at) {
      at = 1.0;
      const double above = value(x.data(), s.data());
      at = -1.0;
      const double below = value(x.data(), s.data());
      at = 0.0;
      return 0.5 * (above - below);
    };
    for (Index i = 0; i < sys.nx; ++i) out(1 + i) = slope(x(i));
    for (Index j = 0; j < moving().size(); ++j) out(1 + sys.nx + j) = slope(s(moving().signals[j]));
    return out;
  }

  // --- the machine -----------------------------------------------------------------------------------------

  py::list signals() const {
    py::list out;
    for (const DrivenSignals::Drive& d : engine.tables().signals.list()) {
      const Signal& s = sys.signals[d.signal];
      py::list pieces;
      for (const Piece& p : s.pieces) {
        py::list harmonics;
        for (const Harmonic& h : p.harmonics) harmonics.append(py::make_tuple(h.amplitude, h.omega, h.phase));
        pieces.append(py::dict("start"_a = p.start, "anchor"_a = p.anchor,
                               "c"_a = std::vector<double>(p.c.begin(), p.c.end()),
                               "harmonics"_a = harmonics));
      }
      out.append(py::dict("input"_a = d.input, "jumps"_a = d.jumps, "whole"_a = d.whole,
                          "degree"_a = d.degree, "load"_a = d.load, "gain"_a = s.input_gain,
                          "default"_a = s.input_default, "period"_a = s.period, "repeats"_a = s.repeats,
                          "pieces"_a = pieces));
    }
    return out;
  }

  Index place_of(Index signal) const { // among the moving signals; -1: constant
    const auto& all = moving().signals;
    const auto at = std::find(all.begin(), all.end(), signal);
    return at == all.end() ? -1 : at - all.begin();
  }

  Form load_form(const Friction& p, int stretch) const {
    Form f{Vector::Zero(sys.nx), Vector::Zero(sys.ns())};
    if (p.contact < 0) f.s(p.load) = 1.0;
    if (p.contact < 0 && !p.load_parts.empty())
      f.x += p.load_parts[stretch].x, f.s += p.load_parts[stretch].s;
    return f;
  }

  static py::list law(const Law& of) {
    py::list out;
    const auto levels = [](const Levels& l) {
      return std::vector<double>{l.static_level, l.kinetic, l.stribeck_velocity, l.shape,
                                 l.form == StribeckForm::lorentzian ? 1.0 : 0.0};
    };
    for (const Term& term : of.terms)
      std::visit(Overloaded{[&](const Coulomb& c) {
                              out.append(py::make_tuple("coulomb", std::vector<double>{c.kinetic}));
                            },
                            [&](const Viscous& c) {
                              out.append(
                                  py::make_tuple("viscous", std::vector<double>{c.coefficient, c.exponent}));
                            },
                            [&](const Stribeck& c) {
                              std::vector<double> all = levels(c.levels);
                              all.insert(all.end(), {c.viscous.coefficient, c.viscous.exponent});
                              out.append(py::make_tuple("stribeck", all));
                            },
                            [&](const Tanh& c) {
                              std::vector<double> all = levels(c.levels);
                              all.insert(all.end(), {c.viscous.coefficient, c.viscous.exponent, c.width});
                              out.append(py::make_tuple("tanh", all));
                            },
                            [&](const Table& c) {
                              std::vector<double> all(c.velocity.begin(), c.velocity.end());
                              all.insert(all.end(), c.force.begin(), c.force.end());
                              out.append(py::make_tuple(c.odd ? "odd_table" : "table", all));
                            },
                            [&](const auto&) { out.append(py::make_tuple("other", std::vector<double>())); }},
                 term);
    return out;
  }

  py::list friction() const {
    py::list out;
    for (Index i = 0; i < sys.friction.size(); ++i) {
      const Friction& p = sys.friction[i];
      const Interval unit = rest_interval(p.law, nullptr, 1.0);
      py::dict d("name"_a = p.name, "law"_a = law(p.law), "sticks"_a = p.traits.sticks,
                 "contact"_a = p.contact, "load_contact"_a = p.load_contact, "velocity"_a = dense(p.velocity),
                 "acceleration"_a = dense({p.velocity.x * 0.0, p.acceleration_s}), "effect"_a = p.effect,
                 "velocity_x"_a = p.velocity.x, "dead_centre"_a = p.velocity.x.dot(p.effect) == 0.0,
                 "can_be_free"_a = can_be_free(sys, p), "load_0"_a = dense(load_form(p, 0)),
                 "load_1"_a = dense(load_form(p, p.load_parts.empty() ? 0 : 1)),
                 "break_away"_a = p.break_away, "kinetic"_a = p.kinetic, "lag"_a = p.automaton.lag,
                 "dwell"_a = p.automaton.dwell, "travel"_a = p.automaton.travel,
                 "surface_damping"_a = p.automaton.surface_damping, "dead_time"_a = p.automaton.dead_time);
      d["states"] = std::vector<Index>{p.lagged, p.delayed, p.surface_travel, p.aged, p.peak, p.entered};
      d["zero"] = engine.tables().plans.zeros.velocity(i);
      d["impulsive"] = std::abs(kinetic_level(p.law, 1));
      d["unit"] = py::make_tuple(unit.lo, unit.hi);
      d["speed_size"] = Vector(p.velocity.x.cwiseAbs());
      out.append(d);
    }
    return out;
  }

  py::list contacts() const {
    py::list out;
    for (const Contact& c : sys.contacts)
      out.append(py::dict("name"_a = c.name, "of_velocity"_a = c.of_velocity, "gap"_a = dense(c.gap),
                          "rate"_a = dense(c.rate), "effect"_a = c.effect, "restitution"_a = c.restitution,
                          "newton"_a = c.impact == ImpactRule::newton, "friction"_a = c.friction,
                          "impulsive"_a = c.impulsive_friction));
    return out;
  }

  py::list flanks() const {
    py::list out;
    for (const Flank& f : sys.flanks) {
      const Spring& p = sys.springs[f.spring];
      py::list stretches;
      for (Index k = 0; k < f.line.stretches.size(); ++k)
        stretches.append(
            py::make_tuple(f.line.stretches[k].slope, f.line.stretches[k].offset, f.side[k], f.lets_go(k)));
      out.append(py::dict("elongation"_a = dense(p.elongation), "rate"_a = dense(p.rate),
                          "damping"_a = p.damping, "stretches"_a = stretches));
    }
    return out;
  }

  py::list loops() const {
    py::list out;
    for (const Loop& l : sys.loops) {
      const Block& b = l.block;
      py::list inputs;
      for (const Channel& c : b.inputs)
        inputs.append(py::make_tuple(c.difference, c.of == Channel::Of::measurement && c.order == 0));
      py::dict d("name"_a = l.name, "A"_a = b.A, "B"_a = b.B, "C"_a = b.C, "D"_a = b.D, "L"_a = b.L,
                 "lo"_a = b.lo, "hi"_a = b.hi, "integrator"_a = b.integrator, "further"_a = b.further_limit(),
                 "period"_a = b.period, "delay"_a = b.delay, "quantum"_a = b.quantum, "initial"_a = b.initial,
                 "channels"_a = inputs);
      d["places"] = std::vector<Index>{l.states, l.held, l.saturation, l.memory};
      d["needs_rates"] = l.saturation >= 0 && b.needs_input_rates();
      out.append(d);
    }
    return out;
  }

  py::list sampled() const {
    py::list out;
    for (const SampledLoops::Sampled& c : engine.tables().sampled.list())
      out.append(py::dict("loop"_a = c.loop, "every"_a = c.every, "first"_a = c.first,
                          "delay_steps"_a = c.delay_steps, "delay_rest"_a = c.delay_rest));
    return out;
  }

  // --- modes and their plans -------------------------------------------------------------------------------

  py::dict modes(const Modes& of) const {
    py::list elements, flank;
    for (const FrictionMode& m : of.friction)
      elements.append(py::make_tuple(static_cast<int>(m.mode), side_above(m.hold), m.load_stretch));
    for (const FlankMode& m : of.flank) flank.append(py::make_tuple(m.stretch, m.loose));
    std::vector<int> closed, saturation;
    for (const Mode m : of.contact) closed.push_back(m == Mode::closed);
    for (const Saturation m : of.saturation) saturation.push_back(static_cast<int>(m));
    return py::dict("friction"_a = elements, "contact"_a = closed, "flank"_a = flank,
                    "saturation"_a = saturation);
  }

  py::list guards(const Regime& r) const {
    py::list out;
    for (const Guard& g : r.guards) {
      py::dict d("kind"_a = static_cast<int>(g.kind), "direction"_a = static_cast<int>(g.direction),
                 "friction"_a = g.friction, "contact"_a = g.contact, "flank"_a = g.flank);
      if (g.saturation >= 0) {
        const SaturationGuard& of = r.linear->guards[g.saturation];
        d["limit"] = py::make_tuple(of.loop, of.output, static_cast<int>(of.limit.trigger));
      }
      if (g.flank_guard >= 0) {
        const FlankMode& next = r.linear->flank_guards[g.flank_guard].next;
        d["next"] = py::make_tuple(next.stretch, next.loose);
      }
      py::list leaving;
      if (g.facet >= 0)
        for_each_leaving(r, g, [&](Index i, int side) { leaving.append(py::make_tuple(i, side)); });
      d["leaving"] = leaving;
      out.append(d);
    }
    return out;
  }

  py::dict projection(const Projection& p) const {
    py::list rows;
    for (const SparseRow& row : p.rows) rows.append(dense(row));
    return py::dict("rows"_a = rows, "change"_a = p.change);
  }

  py::dict describe(const Modes& of, const RealTimePlan& plan) {
    const Regime& r = *plan.regime;
    if (!plan.quick) refuse("a law or a coupling of contacts without constant matrices: export an FMU");
    py::list curved, ageing, halves, inputs;
    for (const CurvedForce& c : plan.curved)
      curved.append(py::dict("kind"_a = static_cast<int>(c.kind), "element"_a = c.element - &sys.friction[0],
                             "mode"_a = c.mode, "u"_a = dense(c.u), "load"_a = dense(c.load)));
    for (const RealTimePlan::Ageing& a : plan.ageing)
      ageing.append(py::make_tuple(a.guard, a.element, a.level, dense(a.load)));
    for (const SmallMap& map : plan.halves) halves.append(map.matrix());
    for (const auto& of_loop : plan.inputs) {
      py::list rows;
      for (const SparseRow& row : of_loop) rows.append(dense(row));
      inputs.append(rows);
    }
    py::dict d("modes"_a = modes(of), "step"_a = plan.step.matrix(), "rate"_a = plan.rate.matrix(),
               "values"_a = plan.guards.matrix(), "guards"_a = guards(r), "curved"_a = curved,
               "ageing"_a = ageing, "halves"_a = halves, "inputs"_a = inputs, "end"_a = plan.end,
               "through"_a = plan.through, "u_end"_a = plan.u_end, "u_through"_a = plan.u_through,
               "load_end"_a = plan.load_end, "load_through"_a = plan.load_through,
               "gaps"_a = projection(plan.gaps), "held"_a = projection(plan.held), "follows"_a = plan.follows,
               "shared"_a = r.shared, "short_guards"_a = !plan.short_guards.empty());
    d["tolerance"] = std::vector<double>(plan.tolerance.begin(), plan.tolerance.end());
    d["sticking"] = std::vector<Index>(r.sticking.begin(), r.sticking.end());
    d["reads"] = read(of, r);
    return d;
  }

  // --- outputs ---------------------------------------------------------------------------------------------

  void add_output(const std::string& name) {
    std::vector<std::string> known;
    for (const Variable& v : sys.variables) known.push_back(v.name);
    const auto at = std::find(known.begin(), known.end(), name);
    if (at == known.end())
      throw UnknownName("unknown signal '" + name + "' in outputs; known are: " + quoted(known));
    const Variable& v = sys.variables[at - known.begin()];
    py::list terms;
    const auto add = [&](Read from, Index index, Index part, double factor) {
      switch (from) {
      case Read::limit:
      case Read::normal_impulse:
      case Read::constraint_force:
      case Read::constraint_impulse:
        reject("outputs", "holds '" + name + "', which C code does not keep: read it from simulate");
      default:
        break;
      }
      terms.append(py::make_tuple(reads.size(), factor));
      reads.push_back({from, index, part});
    };
    if (v.from != Read::sum) add(v.from, v.index, v.part, 1.0);
    for (const VariableTerm& t : v.terms) add(t.from, t.index, t.part, t.factor);
    sums.append(terms);
  }

  // Of each output: its kind, with the numbers that it needs.
  py::list read_kinds() const {
    py::list out;
    for (const RealTimeOutput& o : reads) {
      const bool of_friction = o.kind == Read::mode;
      const Loop* loop = o.kind == Read::saturation ? &sys.loops[o.index] : nullptr;
      const char* kind = o.kind == Read::rate                            ? "rate"
                         : o.kind == Read::force && sys.contacts.empty() ? "force"
                         : of_friction                                   ? "mode"
                         : loop != nullptr && loop->saturation < 0       ? "held"
                                                                         : "row";
      py::dict d("kind"_a = kind, "index"_a = o.index, "part"_a = o.part);
      if (of_friction) d["can_be_free"] = can_be_free(sys, sys.friction[o.index]);
      out.append(d);
    }
    return out;
  }

  // In these modes: rows over (1, x, s), or a constant as such a row.
  py::list read(const Modes& of, const Regime& r) {
    py::list out;
    for (const RealTimeOutput& o : reads) out.append(row_of(of, r, o));
    return out;
  }

  Vector constant(double value) const {
    Vector row = Vector::Zero(1 + sys.nx + moving().size());
    row(0) = value;
    return row;
  }

  Vector row_of(const Modes& of, const Regime& r, const RealTimeOutput& o) {
    const LinearPart& linear = *r.linear;
    const auto force_on = [&](const double* x, const double* s) {
      Vector xdot = Vector::Zero(sys.nx);
      evaluate(sys, r, 0.0, x, s, xdot.data(), scratch.force.data(), scratch);
      return scratch.force.data();
    };
    switch (o.kind) {
    case Read::state: {
      Vector row = constant(0.0);
      row(1 + o.index) = 1.0;
      return row;
    }
    case Read::signal: {
      const Index j = place_of(o.index);
      Vector row = constant(j < 0 ? moving().still(o.index) : 0.0);
      if (j >= 0) row(1 + sys.nx + j) = 1.0;
      return row;
    }
    case Read::output:
      return dense(linear.outputs[o.index][o.part]);
    case Read::reference:
      return dense(linear.references[o.index]);
    case Read::error: {
      const Form &a = linear.references[o.index], &b = linear.measured[o.index];
      return dense(Form{a.x - b.x, a.s - b.s});
    }
    case Read::saturation: {
      const Loop& l = sys.loops[o.index];
      if (l.saturation < 0) return dense(linear.outputs[o.index][o.part]);
      return constant(static_cast<double>(mode_of(of.saturation[l.saturation + o.part])));
    }
    case Read::spring_mode:
      return constant(static_cast<double>(mode_of(sys, sys.springs[o.index], of)));
    case Read::contact_mode:
      return constant(static_cast<double>(contact_mode(sys, of, o.index)));
    case Read::mode:
      return constant(static_cast<double>(of.friction[o.index].mode));
    case Read::normal_force:
      return probe(
          [&](const double* x, const double* s) { return force_on(x, s)[sys.friction.size() + o.index]; });
    case Read::force: // with contacts; without, sliding forces are evaluated, and others follow from these
      if (!sys.contacts.empty())
        return probe([&](const double* x, const double* s) { return force_on(x, s)[o.index]; });
      return held_force(r, o.index);
    case Read::load:
      return probe([&](const double* x, const double* s) {
        return reading(sys, of, o.kind, o.index, x, s, sys.contacts.empty() ? nullptr : force_on(x, s));
      });
    case Read::rate:
      return constant(0.0);
    default:
      return probe(
          [&](const double* x, const double* s) { return reading(sys, of, o.kind, o.index, x, s, nullptr); });
    }
  }

  // (constant, x, s, forces of all elements that slide) of a sticking element.
  Vector held_force(const Regime& r, Index element) const {
    const Index np = sys.friction.size(), n = 1 + sys.nx + moving().size();
    Vector row = Vector::Zero(n + np);
    const auto at = std::find(r.sticking.begin(), r.sticking.end(), element);
    if (at == r.sticking.end()) {
      row(n + element) = 1.0;
      return row;
    }
    const Index k = at - r.sticking.begin();
    row.head(n) = dense(Form{r.Lx.row(k).transpose(), r.Ls.row(k).transpose()});
    for (Index j = 0; j < r.sliding.size(); ++j) row(n + r.sliding[j]) = r.LF(k, j);
    return row;
  }
};

} // namespace

py::dict step_tables(const Machine& machine, const Vector& initial,
                     const std::vector<std::string>& parameters, const Vector& values, double step, double t0,
                     int max_transitions, const std::vector<std::string>& outputs) {
  Vector x0 = initial;
  const List<std::string> names(parameters.begin(), parameters.end());
  const System sys = compile(names.empty() ? machine : with_numbers(machine, names, values, x0));
  refuse_without_tables(sys);
  const RealTime engine(sys, step, x0, t0, max_transitions);
  if (!engine.prebuilt())
    refuse("more combinations of modes than C code holds: simplify it, or export an FMU");
  return Tables(engine.system(), engine).all(outputs);
}

} // namespace stickslip::bindings
