// Runs and their states as tuples of plain values. A regime is saved as the modes from which it is made.
#include "codec.hpp"

#include "run/check.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace stickslip::bindings {

namespace {

constexpr int format = 8, state_format = 11;

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

py::list pack(const List<ForceLimit>& limits) {
  py::list out;
  for (const ForceLimit& one : limits) out.append(py::make_tuple(one.force, static_cast<int>(one.side)));
  return out;
}
List<ForceLimit> unpack_limits(const py::handle& from) {
  List<ForceLimit> out;
  for (const py::handle h : from.cast<py::list>()) {
    const auto one = h.cast<py::tuple>();
    out.push_back({one[0].cast<Index>(), static_cast<std::int8_t>(one[1].cast<int>())});
  }
  return out;
}

// friction: (mode, hold, whether it is free, stretch of its load, switches of the law) of each element
py::tuple pack(const Modes& m) {
  py::list friction;
  for (const FrictionMode& one : m.friction)
    friction.append(py::make_tuple(static_cast<int>(one.mode), static_cast<int>(one.hold), one.free,
                                   static_cast<int>(one.load_stretch), one.branch));
  py::list flanks;
  for (const FlankMode& one : m.flank) flanks.append(py::make_tuple(one.stretch, one.loose));
  return py::make_tuple(friction, numbers(m.contact), numbers(m.saturation), pack(m.at_limit), flanks,
                        numbers(m.sides), m.open.directions, pack(m.open.limits));
}
Modes unpack_modes(const py::tuple& p) {
  Modes m;
  for (const py::handle h : p[0].cast<py::list>()) {
    const auto one = h.cast<py::tuple>();
    m.friction.push_back({static_cast<Mode>(one[0].cast<int>()), static_cast<Hold>(one[1].cast<int>()),
                          one[2].cast<bool>(), one[3].cast<std::int16_t>(), one[4].cast<unsigned>()});
  }
  m.contact = named<Mode>(p[1]);
  m.saturation = named<Saturation>(p[2]);
  m.at_limit = unpack_limits(p[3]);
  for (const py::handle h : p[4].cast<py::list>()) {
    const auto one = h.cast<py::tuple>();
    m.flank.push_back({one[0].cast<Index>(), one[1].cast<bool>()});
  }
  m.sides = named<Sign>(p[5]);
  m.open = {p[6].cast<Index>(), unpack_limits(p[7])};
  return m;
}

// Of each element: starts and lengths, (kind, joint), coefficients of its pieces, one a column.
py::list pack(const List<Past>& past) {
  py::list out;
  for (const Past& one : past) {
    const Index n = one.pieces.size();
    Matrix times(2, n), c(Past::columns, n);
    Eigen::MatrixXi kinds(2, n);
    for (Index k = 0; k < n; ++k) {
      const Past::Piece& p = one.pieces[k];
      times.col(k) << p.start, p.h;
      kinds.col(k) << static_cast<int>(p.kind), p.joint;
      c.col(k) = Eigen::Map<const Vector>(p.c.data(), Past::columns);
    }
    out.append(py::make_tuple(times, kinds, c));
  }
  return out;
}
List<Past> unpack_past(const py::list& list) {
  List<Past> out;
  for (const py::handle h : list) {
    const auto one = h.cast<py::tuple>();
    const auto times = one[0].cast<Matrix>(), c = one[2].cast<Matrix>();
    const auto kinds = one[1].cast<Eigen::MatrixXi>();
    const Index n = times.cols();
    if (times.rows() != 2 || kinds.rows() != 2 || c.rows() != Past::columns || kinds.cols() != n ||
        c.cols() != n)
      throw py::value_error("this state is damaged: its past");
    Past past;
    for (Index k = 0; k < n; ++k) {
      Past::Piece p;
      p.start = times(0, k), p.h = times(1, k);
      p.kind = static_cast<Past::Kind>(kinds(0, k));
      p.joint = static_cast<std::int8_t>(kinds(1, k));
      Eigen::Map<Vector>(p.c.data(), Past::columns) = c.col(k);
      past.pieces.push_back(p);
    }
    out.push_back(std::move(past));
  }
  return out;
}

[[noreturn]] void another_version(const char* what) {
  throw py::value_error("this " + std::string(what) + " was saved by another version of stickslip");
}

std::vector<Segment> segments(const Matrix& times,
                              const Eigen::Matrix<std::int64_t, 3, Eigen::Dynamic>& numbers,
                              const std::vector<const Regime*>& regimes, Index nx, Index coefficients) {
  if (times.rows() != 3 || times.cols() != numbers.cols())
    throw py::value_error("this run is damaged: its segments");
  std::vector<Segment> out;
  Index offset = 0;
  for (Index k = 0; k < times.cols(); ++k) {
    const Index columns = numbers(1, k);
    if (columns < 1 || columns > std::max<Index>(coefficients, 1))
      throw py::value_error("this run is damaged: its coefficients");
    out.push_back({times(0, k), times(1, k), times(2, k), regimes.at(static_cast<std::size_t>(numbers(0, k))),
                   offset, columns, static_cast<FlowKind>(numbers(2, k))});
    offset += columns * nx;
    if (offset > coefficients) throw py::value_error("this run is damaged: its coefficients");
  }
  if (offset != coefficients) throw py::value_error("this run is damaged: its coefficients");
  return out;
}

EventLog unpack_events(const py::tuple& p) {
  EventLog log;
  const auto rows = p[0].cast<py::array_t<EventRow>>();
  log.rows.assign(rows.data(), rows.data() + rows.size());
  for (EventRow& row : log.rows)
    for (bool* flag : {&row.ambiguous, &row.impact}) {
      unsigned char byte = 0;
      std::memcpy(&byte, flag, 1);
      *flag = byte != 0;
    }
  log.causes = p[1].cast<std::vector<std::string>>();
  log.rules = p[2].cast<std::vector<std::string>>();
  return log;
}

State read_state(const py::tuple& p) {
  if (p.empty() || p[0].cast<int>() != state_format || p.size() != 24) another_version("state");
  State s;
  s.t = p[1].cast<double>();
  s.x = p[2].cast<Vector>();
  s.modes = unpack_modes(p[3].cast<py::tuple>());
  s.base_t = p[4].cast<double>();
  s.base_t_compensation = p[5].cast<double>();
  s.base_x = p[6].cast<Vector>();
  s.after_transition = p[7].cast<bool>();
  s.started = p[8].cast<bool>();
  s.step = p[9].cast<double>();
  s.last_error = p[10].cast<double>();
  s.stiff = p[11].cast<int>();
  s.nominal = p[12].cast<Vector>();
  s.instant = p[13].cast<std::int64_t>();
  const auto sampling = p[14].cast<py::tuple>();
  s.sampling = {sampling[0].cast<std::vector<std::int64_t>>(), sampling[1].cast<std::vector<std::int64_t>>(),
                sampling[2].cast<Vector>(), sampling[3].cast<Vector>()};
  s.slips.left = p[15].cast<Vector>();
  s.slips.brief = p[16].cast<std::vector<std::int8_t>>();
  s.time_scale = p[17].cast<double>();
  s.identity = {p[18].cast<std::uint64_t>(), p[19].cast<std::string>()};
  s.past = unpack_past(p[20].cast<py::list>());
  s.joint = static_cast<std::int8_t>(p[21].cast<int>());
  s.zeros = p[22].cast<std::vector<std::int8_t>>();
  s.seen = p[23].cast<Vector>();
  return s;
}

Trajectory read_trajectory(const std::shared_ptr<Compiled>& compiled, const py::tuple& p) {
  if (p.empty() || p[0].cast<int>() != format || p.size() != 16) another_version("run");
  const System& sys = compiled->system;
  Trajectory run;
  run.compiled = compiled;
  run.t_begin = p[1].cast<double>();
  run.t_end = p[2].cast<double>();
  run.state = read_state(p[10].cast<py::tuple>());
  check(sys, run.state);
  std::vector<const Regime*> regimes;
  for (const py::handle m : p[6].cast<py::list>()) {
    const Modes modes = unpack_modes(m.cast<py::tuple>());
    check(sys, modes);
    regimes.push_back(&compiled->regimes.get(sys, modes));
  }
  const auto dense = p[5].cast<Vector>();
  run.coefficients.assign(dense.data(), dense.data() + dense.size());
  run.segments = segments(p[3].cast<Matrix>(), p[4].cast<Eigen::Matrix<std::int64_t, 3, Eigen::Dynamic>>(),
                          regimes, sys.nx, dense.size());
  for (const py::handle u : p[7].cast<py::list>()) {
    const auto pair = u.cast<std::pair<std::size_t, int>>();
    run.used.emplace_back(regimes.at(pair.first), static_cast<FlowKind>(pair.second));
  }
  run.events = unpack_events(p[8].cast<py::tuple>());
  run.kept = static_cast<Keep>(p[9].cast<int>());
  run.status = static_cast<Status>(p[11].cast<int>());
  run.message = p[12].cast<std::string>();
  run.steps = p[13].cast<std::int64_t>();
  run.evaluations = p[14].cast<std::int64_t>();
  run.event_count = p[15].cast<std::int64_t>();
  check(run);
  return run;
}

} // namespace

std::vector<int> friction_modes(const Modes& modes) {
  std::vector<int> out;
  for (const FrictionMode& one : modes.friction) out.push_back(static_cast<int>(one.mode));
  return out;
}

py::tuple pack(const State& s) {
  const SamplingState& k = s.sampling;
  return py::make_tuple(state_format, s.t, s.x, pack(s.modes), s.base_t, s.base_t_compensation, s.base_x,
                        s.after_transition, s.started, s.step, s.last_error, s.stiff, s.nominal, s.instant,
                        py::make_tuple(k.next, k.pending, k.output, k.memory), s.slips.left, s.slips.brief,
                        s.time_scale, s.identity.fingerprint, s.identity.text, pack(s.past),
                        static_cast<int>(s.joint), s.zeros, s.seen);
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
  Vector room;
  for (Index k = 0; k < count; ++k) {
    const Segment& s = run.segments[static_cast<std::size_t>(k)];
    times.col(k) << s.t0, s.t1, s.h;
    numbers.col(k) << number(s.regime), s.columns, static_cast<std::int64_t>(s.kind);
    const double* from = run.polynomials(s, room);
    coefficients.insert(coefficients.end(), from, from + s.columns * nx);
  }
  py::list used, modes;
  for (const auto& [regime, kind] : run.used)
    used.append(py::make_tuple(number(regime), static_cast<int>(kind)));
  for (const Regime* r : regimes) modes.append(pack(r->modes));
  const auto& rows = run.events.rows;
  const auto events =
      py::make_tuple(py::array_t<EventRow>(static_cast<py::ssize_t>(rows.size()), rows.data()),
                     run.events.causes, run.events.rules);
  const Vector dense = Eigen::Map<const Vector>(coefficients.data(), static_cast<Index>(coefficients.size()));
  return py::make_tuple(format, run.t_begin, run.t_end, times, numbers, dense, modes, used, events,
                        static_cast<int>(run.kept), pack(run.state), static_cast<int>(run.status),
                        run.message, run.steps, run.evaluations, run.event_count);
}

State unpack_state(const py::tuple& p) {
  return read_soundly("state", [&] { return read_state(p); });
}

Trajectory unpack_trajectory(const std::shared_ptr<Compiled>& compiled, const py::tuple& p) {
  return read_soundly("run", [&] { return read_trajectory(compiled, p); });
}

} // namespace stickslip::bindings
