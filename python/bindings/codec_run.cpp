// Runs and their states as tuples of plain values. A regime is saved as the modes from which it is made.
#include "codec.hpp"

#include <algorithm>
#include <string>

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace stickslip::bindings {

namespace {

constexpr int format = 2, state_format = 3;

template <class E> std::vector<int> numbers(const List<E>& list) {
  std::vector<int> out;
  for (const E one : list) out.push_back(static_cast<int>(one));
  return out;
}
template <class E> List<E> named(const py::handle& numbers) {
  List<E> out;
  for (const int one : numbers.cast<std::vector<int>>()) out.push_back(static_cast<E>(one));
  return out;
}

// friction: (mode, hold, sign of the load force, switches of the law) of each element
py::tuple pack(const Modes& m) {
  py::list friction;
  for (const FrictionMode& one : m.friction)
    friction.append(py::make_tuple(static_cast<int>(one.mode), static_cast<int>(one.hold),
                                   static_cast<int>(one.load_sign), one.branch));
  return py::make_tuple(friction, numbers(m.contact), numbers(m.limit));
}
Modes unpack_modes(const py::tuple& p) {
  Modes m;
  for (const py::handle h : p[0].cast<py::list>()) {
    const auto one = h.cast<py::tuple>();
    m.friction.push_back({static_cast<Mode>(one[0].cast<int>()), static_cast<Hold>(one[1].cast<int>()),
                          static_cast<std::int8_t>(one[2].cast<int>()), one[3].cast<unsigned>()});
  }
  m.contact = named<Mode>(p[1]);
  m.limit = named<Saturation>(p[2]);
  return m;
}

py::tuple pack(const Guard& g) {
  return py::make_tuple(static_cast<int>(g.kind), static_cast<int>(g.direction), g.friction, g.bit, g.contact,
                        g.facet, g.limit);
}
Guard unpack_guard(const py::tuple& p) {
  return {static_cast<GuardKind>(p[0].cast<int>()),
          static_cast<std::int8_t>(p[1].cast<int>()),
          p[2].cast<int>(),
          p[3].cast<int>(),
          p[4].cast<int>(),
          p[5].cast<int>(),
          p[6].cast<int>()};
}

py::tuple pack(const Event& e) {
  py::list also;
  for (const Guard& g : e.also) also.append(pack(g));
  return py::make_tuple(e.time, e.instant, e.element, static_cast<int>(e.before), static_cast<int>(e.after),
                        static_cast<int>(e.occasion), pack(e.fired), also, static_cast<int>(e.rule),
                        e.solutions, e.ambiguous, e.force_shared, e.energy_gained, e.mixed_laws, e.strikes,
                        e.impact, e.collision, e.normal_impulse, e.tangential_impulse, e.loss, e.wall_work);
}
Event unpack_event(const py::tuple& p) {
  Event e;
  e.time = p[0].cast<double>();
  e.instant = p[1].cast<std::int64_t>();
  e.element = p[2].cast<Index>();
  e.before = static_cast<Mode>(p[3].cast<int>());
  e.after = static_cast<Mode>(p[4].cast<int>());
  e.occasion = static_cast<Occasion>(p[5].cast<int>());
  e.fired = unpack_guard(p[6].cast<py::tuple>());
  for (const py::handle g : p[7].cast<py::list>()) e.also.push_back(unpack_guard(g.cast<py::tuple>()));
  e.rule = static_cast<Rule>(p[8].cast<int>());
  e.solutions = p[9].cast<Index>();
  e.ambiguous = p[10].cast<bool>();
  e.force_shared = p[11].cast<bool>();
  e.energy_gained = p[12].cast<bool>();
  e.mixed_laws = p[13].cast<bool>();
  e.strikes = p[14].cast<bool>();
  e.impact = p[15].cast<bool>();
  e.collision = p[16].cast<bool>();
  e.normal_impulse = p[17].cast<double>();
  e.tangential_impulse = p[18].cast<double>();
  e.loss = p[19].cast<double>();
  e.wall_work = p[20].cast<double>();
  return e;
}

[[noreturn]] void another_version(const char* what) {
  throw py::value_error("this " + std::string(what) + " was saved by another version of stickslip");
}

} // namespace

std::vector<int> friction_modes(const Modes& modes) {
  std::vector<int> out;
  for (const FrictionMode& one : modes.friction) out.push_back(static_cast<int>(one.mode));
  return out;
}

py::tuple pack(const State& s) {
  const Ticks& k = s.ticks;
  return py::make_tuple(state_format, s.t, s.x, pack(s.modes), s.base_t, s.base_rest, s.base_x,
                        s.after_transition, s.started, s.step, s.last_error, s.stiff, s.nominal, s.instant,
                        py::make_tuple(k.next, k.pending, k.output, k.memory), s.left, s.brief);
}

State unpack_state(const py::tuple& p) {
  if (p.size() != 17 || p[0].cast<int>() != state_format) another_version("state");
  State s;
  s.t = p[1].cast<double>();
  s.x = p[2].cast<Vector>();
  s.modes = unpack_modes(p[3].cast<py::tuple>());
  s.base_t = p[4].cast<double>();
  s.base_rest = p[5].cast<double>();
  s.base_x = p[6].cast<Vector>();
  s.after_transition = p[7].cast<bool>();
  s.started = p[8].cast<bool>();
  s.step = p[9].cast<double>();
  s.last_error = p[10].cast<double>();
  s.stiff = p[11].cast<int>();
  s.nominal = p[12].cast<Vector>();
  s.instant = p[13].cast<std::int64_t>();
  const auto ticks = p[14].cast<py::tuple>();
  s.ticks = {ticks[0].cast<std::vector<std::int64_t>>(), ticks[1].cast<std::vector<std::int64_t>>(),
             ticks[2].cast<Vector>(), ticks[3].cast<Vector>()};
  s.left = p[15].cast<Vector>();
  s.brief = p[16].cast<std::vector<std::int8_t>>();
  return s;
}

py::tuple pack(const Trajectory& run) {
  std::vector<const Regime*> regimes;
  const auto number = [&](const Regime* r) {
    const auto at = std::find(regimes.begin(), regimes.end(), r) - regimes.begin();
    if (at == std::ssize(regimes)) regimes.push_back(r);
    return static_cast<std::int64_t>(at);
  };
  // of each segment: t0, t1, h and regime, columns, kind
  const auto count = static_cast<Index>(run.segments.size());
  Matrix times(3, count);
  Eigen::Matrix<std::int64_t, 3, Eigen::Dynamic> numbers(3, count);
  // Segments that no longer count may leave gaps among the coefficients.
  std::vector<double> coefficients;
  coefficients.reserve(run.coefficients.size());
  const Index nx = run.system().nx;
  for (Index k = 0; k < count; ++k) {
    const Segment& s = run.segments[static_cast<std::size_t>(k)];
    times.col(k) << s.t0, s.t1, s.h;
    numbers.col(k) << number(s.regime), s.columns, static_cast<std::int64_t>(s.kind);
    const double* from = run.coefficients.data() + s.offset;
    coefficients.insert(coefficients.end(), from, from + s.columns * nx);
  }
  py::list used, modes, events;
  for (const auto& [regime, kind] : run.used)
    used.append(py::make_tuple(number(regime), static_cast<int>(kind)));
  for (const Regime* r : regimes) modes.append(pack(r->modes));
  for (const Event& e : run.events) events.append(pack(e));
  const Vector dense = Eigen::Map<const Vector>(coefficients.data(), static_cast<Index>(coefficients.size()));
  return py::make_tuple(format, run.t_begin, run.t_end, times, numbers, dense, modes, used, events,
                        static_cast<int>(run.kept), pack(run.state), static_cast<int>(run.status),
                        run.message, run.steps, run.evaluations, run.event_count);
}

Trajectory unpack_trajectory(const std::shared_ptr<Compiled>& compiled, const py::tuple& p) {
  if (p.size() != 16 || p[0].cast<int>() != format) another_version("run");
  const System& sys = compiled->system;
  Trajectory run;
  run.compiled = compiled;
  run.t_begin = p[1].cast<double>();
  run.t_end = p[2].cast<double>();
  run.state = unpack_state(p[10].cast<py::tuple>());
  if (run.state.x.size() != sys.nx || run.state.modes.friction.size() != sys.places.size() ||
      run.state.modes.contact.size() != sys.contacts.size())
    throw py::value_error("this run belongs to another machine: it has been changed since");
  std::vector<const Regime*> regimes;
  for (const py::handle m : p[6].cast<py::list>())
    regimes.push_back(&compiled->regimes.get(sys, unpack_modes(m.cast<py::tuple>())));
  const auto times = p[3].cast<Matrix>();
  const auto numbers = p[4].cast<Eigen::Matrix<std::int64_t, 3, Eigen::Dynamic>>();
  const auto dense = p[5].cast<Vector>();
  run.coefficients.assign(dense.data(), dense.data() + dense.size());
  std::size_t offset = 0;
  for (Index k = 0; k < times.cols(); ++k) {
    const auto regime = static_cast<std::size_t>(numbers(0, k));
    const Index columns = numbers(1, k);
    run.segments.push_back({times(0, k), times(1, k), times(2, k), regimes.at(regime), offset, columns,
                            static_cast<FlowKind>(numbers(2, k))});
    offset += static_cast<std::size_t>(columns * sys.nx);
  }
  if (offset != run.coefficients.size()) another_version("run");
  for (const py::handle u : p[7].cast<py::list>()) {
    const auto pair = u.cast<std::pair<std::size_t, int>>();
    run.used.emplace_back(regimes.at(pair.first), static_cast<FlowKind>(pair.second));
  }
  for (const py::handle e : p[8].cast<py::list>()) run.events.push_back(unpack_event(e.cast<py::tuple>()));
  run.kept = static_cast<Keep>(p[9].cast<int>());
  run.status = static_cast<Status>(p[11].cast<int>());
  run.message = p[12].cast<std::string>();
  run.steps = p[13].cast<std::int64_t>();
  run.evaluations = p[14].cast<std::int64_t>();
  run.event_count = p[15].cast<std::int64_t>();
  return run;
}

} // namespace stickslip::bindings
