// Machines and controllers as tuples of plain values.
#include "codec.hpp"
#include "held_function.hpp"

#include <string>

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace stickslip::bindings {

namespace {

constexpr int format = 1;

void same_format(const py::tuple& saved, std::size_t size, const char* what) {
  const int given = saved.empty() || !py::isinstance<py::int_>(saved[0]) ? -1 : saved[0].cast<int>();
  if (given == format && saved.size() == size) return;
  throw py::value_error("this " + std::string(what) +
                        " was saved by another version of stickslip: its format is " +
                        (given < 0 ? "unknown" : std::to_string(given)) + ", this version reads format " +
                        std::to_string(format));
}

// Laws and signals have codecs of their own.
py::object pack(const Law& law) {
  return py::cast(law).attr("terms");
}
Law unpack_law(const py::handle& saved) {
  return py::type::of<Law>()(saved).cast<Law>();
}

py::object pack(const Signal& signal) {
  return py::cast(signal).attr("__getstate__")();
}
Signal unpack_signal(const py::handle& saved) {
  const py::object type = py::type::of<Signal>(), empty = type.attr("__new__")(type);
  empty.attr("__setstate__")(saved);
  return empty.cast<Signal>();
}

py::tuple pack(const Automaton& a) {
  return py::make_tuple(a.lag, a.dwell, a.travel, a.surface_damping, a.load_factor);
}
Automaton unpack_automaton(const py::tuple& p) {
  return {p[0].cast<double>(), p[1].cast<double>(), p[2].cast<double>(), p[3].cast<double>(),
          p[4].cast<double>()};
}

py::tuple pack(const Source& s) {
  py::list outputs;
  for (const OutputOf& o : s.outputs) outputs.append(py::make_tuple(o.controller, o.output, o.factor));
  return py::make_tuple(s.text, s.state, pack(s.signal), outputs);
}
Source unpack_source(const py::tuple& p) {
  Source s{p[0].cast<std::string>(), p[1].cast<Vector>(), unpack_signal(p[2]), {}};
  for (const py::handle item : p[3].cast<py::list>()) {
    const auto o = item.cast<py::tuple>();
    s.outputs.push_back({o[0].cast<std::string>(), o[1].cast<Index>(), o[2].cast<double>()});
  }
  return s;
}

template <class List, class F> py::list pack_all(const List& items, F&& one) {
  py::list out;
  for (const auto& item : items) out.append(one(item));
  return out;
}
template <class F> auto unpack_all(const py::handle& items, F&& one) {
  std::vector<decltype(one(py::tuple()))> out;
  for (const py::handle item : py::reinterpret_borrow<py::list>(items))
    out.push_back(one(item.cast<py::tuple>()));
  return out;
}

py::tuple pack(const Plant& p) {
  return py::make_tuple(p.mass, p.damping, p.stiffness, p.names);
}

py::tuple pack(const AppliedForce& f) {
  return py::make_tuple(f.direction, pack(f.signal));
}
AppliedForce unpack_force(const py::tuple& p) {
  return {p[0].cast<Vector>(), unpack_signal(p[1])};
}

py::tuple pack(const FrictionPlace& f) {
  return py::make_tuple(f.name, f.direction, pack(f.law), pack(f.automaton), pack(f.normal_load),
                        pack(f.surface_velocity), f.load_position, f.load_velocity, pack(f.load_signal),
                        f.column, f.load_contact);
}
FrictionPlace unpack_friction(const py::tuple& p) {
  return {p[0].cast<std::string>(), p[1].cast<Vector>(), unpack_law(p[2]),         unpack_automaton(p[3]),
          unpack_signal(p[4]),      unpack_signal(p[5]), p[6].cast<Vector>(),      p[7].cast<Vector>(),
          unpack_signal(p[8]),      p[9].cast<Vector>(), p[10].cast<std::string>()};
}

py::tuple pack(const ContactPlace& c) {
  return py::make_tuple(c.name, c.normal, c.tangent, pack(c.friction), pack(c.automaton), pack(c.gap),
                        pack(c.surface_velocity), c.restitution, static_cast<int>(c.impact));
}
ContactPlace unpack_contact(const py::tuple& p) {
  return {p[0].cast<std::string>(), p[1].cast<Vector>(),    p[2].cast<Vector>(),
          unpack_law(p[3]),         unpack_automaton(p[4]), unpack_signal(p[5]),
          unpack_signal(p[6]),      p[7].cast<double>(),    static_cast<ImpactRule>(p[8].cast<int>())};
}

py::tuple pack(const ControllerPlace& c) {
  const auto one = [](const Source& s) { return pack(s); };
  return py::make_tuple(c.name, bindings::pack(c.control), pack_all(c.references, one),
                        pack_all(c.measurements, one), c.directions);
}
ControllerPlace unpack_place(const py::tuple& p) {
  return {p[0].cast<std::string>(), unpack_controller(p[1].cast<py::tuple>()),
          unpack_all(p[2], unpack_source), unpack_all(p[3], unpack_source), p[4].cast<std::vector<Vector>>()};
}

py::tuple pack(const CompensatorPlace& c) {
  return py::make_tuple(c.name, pack(c.law), pack(c.normal_load), c.observer, c.gain, pack(c.reference),
                        pack(c.measurement), c.direction);
}
CompensatorPlace unpack_compensator(const py::tuple& p) {
  return {p[0].cast<std::string>(),
          unpack_law(p[1]),
          unpack_signal(p[2]),
          p[3].cast<bool>(),
          p[4].cast<double>(),
          unpack_source(p[5].cast<py::tuple>()),
          unpack_source(p[6].cast<py::tuple>()),
          p[7].cast<Vector>()};
}

// The fields of each kind of controller, behind its number in the variant.
struct PackControl {
  py::tuple operator()(const P& c) const {
    return py::make_tuple(c.kp, c.feedforward, static_cast<int>(c.controls));
  }
  py::tuple operator()(const PI& c) const {
    return py::make_tuple(c.kp, c.tn, c.feedforward, static_cast<int>(c.controls));
  }
  py::tuple operator()(const PID& c) const {
    return py::make_tuple(c.kp, c.ki, c.kd, c.tf, static_cast<int>(c.derivative_of));
  }
  py::tuple operator()(const Cascade& c) const {
    return py::make_tuple(c.kv, c.kp, c.tn, static_cast<int>(c.position), c.velocity_feedforward,
                          c.force_feedforward);
  }
  py::tuple operator()(const Linear& c) const {
    return py::make_tuple(c.A, c.B, c.C, c.D, c.error, c.references, c.gain, c.discrete);
  }
  py::tuple operator()(const Program& c) const {
    const auto* held = dynamic_cast<const HeldFunction*>(c.identity.get());
    if (held == nullptr) throw py::value_error("a controller of another language cannot be saved");
    return py::make_tuple(held->get(), c.references, c.measurements, c.outputs, c.memory);
  }
};

ControlLaw unpack_control(const std::string& kind, const py::tuple& p) {
  const auto number = [&](std::size_t i) { return p[i].cast<double>(); };
  const auto choice = [&](std::size_t i) { return p[i].cast<int>(); };
  const auto matrix = [&](std::size_t i) { return p[i].cast<Matrix>(); };
  if (kind == "P") return P{number(0), number(1), static_cast<Quantity>(choice(2))};
  if (kind == "PI") return PI{number(0), number(1), number(2), static_cast<Quantity>(choice(3))};
  if (kind == "PID")
    return PID{number(0), number(1), number(2), number(3), static_cast<DerivativeOf>(choice(4))};
  if (kind == "Cascade")
    return Cascade{number(0), number(1), number(2), static_cast<Side>(choice(3)), number(4), number(5)};
  if (kind == "Linear")
    return Linear{matrix(0),         matrix(1),          matrix(2), matrix(3),
                  p[4].cast<bool>(), p[5].cast<Index>(), matrix(6), p[7].cast<bool>()};
  if (kind == "Program")
    return program(p[0], p[1].cast<Index>(), p[2].cast<Index>(), p[3].cast<Index>(), p[4].cast<Vector>());
  throw py::value_error("unknown kind of controller '" + kind + "'");
}

constexpr const char* kinds[] = {"P", "PI", "PID", "Cascade", "Linear", "Program"};
static_assert(std::size(kinds) == std::variant_size_v<ControlLaw>);

} // namespace

py::tuple pack(const Controller& c) {
  const ControlOptions& o = c.options;
  return py::make_tuple(format, kinds[c.law.index()], std::visit(PackControl{}, c.law), o.limits.min,
                        o.limits.max, static_cast<int>(o.anti_windup), o.tracking_time, o.period, o.delay,
                        o.quantum, static_cast<int>(o.rate));
}

Controller unpack_controller(const py::tuple& p) {
  same_format(p, 11, "controller");
  ControlOptions o;
  o.limits = {p[3].cast<double>(), p[4].cast<double>()};
  o.anti_windup = static_cast<AntiWindup>(p[5].cast<int>());
  o.tracking_time = p[6].cast<std::optional<double>>();
  o.period = p[7].cast<double>();
  o.delay = p[8].cast<double>();
  o.quantum = p[9].cast<double>();
  o.rate = static_cast<RateSource>(p[10].cast<int>());
  return {unpack_control(p[1].cast<std::string>(), p[2].cast<py::tuple>()), o};
}

py::tuple pack(const Machine& m) {
  const auto one = [](const auto& item) { return pack(item); };
  py::object matrices = py::none();
  if (m.matrices) matrices = py::make_tuple(m.matrices->A, m.matrices->states);
  return py::make_tuple(format, pack(m.plant), matrices, pack_all(m.forces, one), pack_all(m.friction, one),
                        pack_all(m.contacts, one), pack_all(m.controllers, one),
                        pack_all(m.compensators, one));
}

Machine unpack_machine(const py::tuple& p) {
  same_format(p, 8, "machine");
  Machine m;
  const auto plant = p[1].cast<py::tuple>();
  m.plant = {plant[0].cast<Matrix>(), plant[1].cast<Matrix>(), plant[2].cast<Matrix>(),
             plant[3].cast<std::vector<std::string>>()};
  if (!p[2].is_none()) {
    const auto matrices = p[2].cast<py::tuple>();
    m.matrices = MatrixPlant{matrices[0].cast<Matrix>(), matrices[1].cast<std::vector<std::string>>()};
  }
  m.forces = unpack_all(p[3], unpack_force);
  m.friction = unpack_all(p[4], unpack_friction);
  m.contacts = unpack_all(p[5], unpack_contact);
  m.controllers = unpack_all(p[6], unpack_place);
  m.compensators = unpack_all(p[7], unpack_compensator);
  return m;
}

} // namespace stickslip::bindings
