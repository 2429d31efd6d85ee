// Derivatives along a run.
#include "bind.hpp"
#include "description.hpp"
#include "times.hpp"

#include "run/simulate.hpp"
#include "sensitivity/adjoint.hpp"
#include "sensitivity/restart.hpp"
#include "sensitivity/sensitivity.hpp"

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace stickslip::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

// A run, and its derivatives as `differentiate` makes them. The interpreter is needed only to look for Ctrl-C, and by laws
// that are Python functions.
template <class Start, class Differentiate>
py::tuple run_with(Description& described, const Options& o, Start&& start, Differentiate&& differentiate) {
  const std::function<bool()> stop = [] {
    const py::gil_scoped_acquire hold;
    return PyErr_CheckSignals() != 0;
  };
  const auto compiled = described.compile();
  std::shared_ptr<Trajectory> out;
  decltype(differentiate(out, Passages())) derivatives;
  const auto go = [&] {
    Passages passages;
    out = std::make_shared<Trajectory>(simulate(compiled, start(), o, stop, &passages));
    if (out->status != Status::interrupted) derivatives = differentiate(out, std::move(passages));
  };
  if (compiled->system.needs_interpreter) {
    go();
  } else {
    const py::gil_scoped_release release;
    go();
  }
  if (out->status == Status::interrupted) throw py::error_already_set();
  return py::make_tuple(out, py::cast(std::move(derivatives)));
}

template <class Of>
py::tuple run(Description& described, const State& state, const Vector& initial, const Options& o,
              const std::vector<std::string>& parameters, const std::vector<Profile>& profiles,
              const std::vector<Built>& built) {
  return run_with(
      described, o, [&] { return state; },
      [&](const std::shared_ptr<Trajectory>& out, Passages passages) {
        return std::make_unique<Of>(
            described.machine, out, std::move(passages), initial, o,
            Varied{List<std::string>(parameters), List<Profile>(profiles), List<Built>(built)});
      });
}

Profile profile(const std::string& signal, double size, const std::vector<Signal>& directions,
                const std::vector<std::tuple<std::string, Index, double, double>>& values) {
  Profile out{signal, size, List<Signal>(directions), {}};
  for (const auto& [name, direction, from, until] : values)
    out.values.push_back({name, direction, from, until});
  return out;
}

Built built(const std::string& name, double value, double step,
            const std::vector<std::pair<int, std::shared_ptr<Description>>>& machines) {
  Built out{name, value, step, {}, {}};
  for (const auto& [offset, of] : machines) {
    out.offsets.push_back(offset);
    out.machines.push_back(std::make_shared<const Machine>(of->machine));
  }
  return out;
}

// From other values of a state, by each of them and by parameters of the machine.
py::tuple restart(Description& described, const State& state, const Vector& values, double t,
                  const Options& o, const std::vector<std::string>& parameters) {
  const auto machine = replica_of(described.machine, o);
  if (values.size() != packed(state).size())
    throw py::value_error("values must be those of components(state)");
  State from;
  return run_with(
      described, o,
      [&] {
        from = restarted(*machine, state, values, t);
        return from;
      },
      [&](const std::shared_ptr<Trajectory>& out, Passages passages) {
        passages.all.insert(passages.all.begin(), continuation_at(from));
        Parameters by = components_of(machine->system(), from);
        const auto more = parameters_of(described.machine, machine->system(), o,
                                        Varied{.names = List<std::string>(parameters)});
        for (auto& one : *more) by.push_back(std::move(one));
        return std::make_unique<Sensitivity>(
            machine, out, std::make_shared<const Passages>(std::move(passages)), from.base_x,
            std::make_shared<const Parameters>(std::move(by)), Sensitivity::Reach::all);
      });
}

} // namespace

void bind_sensitivity(py::module_ m) {
  py::class_<Sensitivity>(m, "Sensitivity")
      .def_property_readonly(
          "parameters", [](const Sensitivity& s) -> const std::vector<std::string>& { return s.parameters; })
      .def_readonly("valid_until", &Sensitivity::valid_until)
      .def_readonly("valid_event", &Sensitivity::valid_event)
      .def("moves_instants", &Sensitivity::moves_instants, "parameter"_a)
      .def_readonly("reason", &Sensitivity::reason)
      .def("at_end", &Sensitivity::at_end)
      .def_property_readonly("event_times",
                             [](const Sensitivity& s) -> const Matrix& { return s.events.times; })
      .def(
          "before", [](const Sensitivity& s, Index event) -> Matrix { return s.events.before[event]; },
          "event"_a)
      .def(
          "after", [](const Sensitivity& s, Index event) -> Matrix { return s.events.after[event]; },
          "event"_a)
      .def(
          "states",
          [](Sensitivity& s, const Times& times) { // (states, parameters, times)
            const List<double> at(values(times));
            py::array_t<double> out;
            List<Index> all(s.state_count());
            for (Index i = 0; i < all.size(); ++i) all[i] = i;
            out = py::array_t<double>({all.size(), s.parameters.size(), at.size()});
            auto into = out.mutable_unchecked<3>();
            s.sample(at, all, [&](Index k, const Tangents& S) {
              for (Index j = 0; j < S.cols(); ++j)
                for (Index i = 0; i < S.rows(); ++i) into(i, j, k) = S(i, j);
            });
            return out;
          },
          "times"_a)
      .def(
          "state",
          [](Sensitivity& s, Index row, const Times& times) { // (parameters, times)
            const List<double> at(values(times));
            Matrix out(s.parameters.size(), at.size());
            s.sample(at, {row}, [&](Index k, const Tangents& S) { out.col(k) = S.row(0); });
            return out;
          },
          "row"_a, "times"_a)
      .def(
          "normal_impulses",
          [](const Sensitivity& s, Index contact, const Times& times) { // (parameters, times)
            const List<double> at(values(times));
            Matrix out(s.parameters.size(), at.size());
            for (Index k = 0; k < at.size(); ++k) out.col(k) = s.impulse_at(contact, at[k]);
            return out;
          },
          "contact"_a, "times"_a)
      .def(
          "constraint_impulses",
          [](const Sensitivity& s, Index constraint, const Times& times) { // (parameters, times)
            const List<double> at(values(times));
            Matrix out(s.parameters.size(), at.size());
            for (Index k = 0; k < at.size(); ++k) out.col(k) = s.constraint_impulse_at(constraint, at[k]);
            return out;
          },
          "constraint"_a, "times"_a)
      .def(
          "beside",
          [](Sensitivity& s, Index parameter, const Times& times) {
            Sensitivity::Beside b = s.beside(parameter, List<double>(values(times)));
            return py::make_tuple(static_cast<std::vector<std::shared_ptr<Trajectory>>&>(b.runs), b.weights);
          },
          "parameter"_a, "times"_a,
          "Runs with neighbouring parameter values, and weights: the weighted sum of their samples is the "
          "derivative.");
  py::register_exception<NoTranspose>(m, "NoTranspose");
  py::class_<Adjoint>(m, "Adjoint")
      .def_property_readonly(
          "along", [](Adjoint& a) -> Sensitivity& { return a.along(); },
          py::return_value_policy::reference_internal)
      .def_readonly("shares", &Adjoint::shares)
      .def(
          "gradient",
          [](Adjoint& a, const Times& times, const Matrix& weights, const std::vector<Index>& events,
             const Vector& event_weights) {
            return a.gradient(List<double>(values(times)), weights, List<Index>(events), event_weights);
          },
          "times"_a, "weights"_a, "events"_a, "event_weights"_a);
  py::class_<Profile>(m, "Profile").def(py::init(&profile), "signal"_a, "size"_a, "directions"_a, "values"_a);
  py::class_<Built>(m, "Built").def(py::init(&built), "name"_a, "value"_a, "step"_a, "machines"_a);
  m.def("simulate_adjoint", &run<Adjoint>, "machine"_a, "state"_a, "initial"_a, "options"_a, "parameters"_a,
        "profiles"_a = std::vector<Profile>(), "built"_a = std::vector<Built>());
  m.def("simulate", &run<Sensitivity>, "machine"_a, "state"_a, "initial"_a, "options"_a, "parameters"_a,
        "profiles"_a = std::vector<Profile>(), "built"_a = std::vector<Built>());
  m.def(
      "components",
      [](State state) { // at its time, which may lie behind the start of its step
        state.base_x = state.x;
        return packed(state);
      },
      "state"_a, "All numbers of a state: states, memory of sampled controllers, their pending outputs.");
  m.def(
      "restarted",
      [](Description& described, const State& state, const Vector& values, double t, const Options& o) {
        if (values.size() != packed(state).size())
          throw py::value_error("values must be those of components(state)");
        return restarted(*replica_of(described.machine, o), state, values, t);
      },
      "machine"_a, "state"_a, "values"_a, "t"_a, "options"_a,
      "The state with other numbers, in its modes, at another time.");
  m.def("restart", &restart, "machine"_a, "state"_a, "values"_a, "t"_a, "options"_a, "parameters"_a,
        "Run from other numbers of a state, in its modes, at another time, with the derivatives by these "
        "numbers.");
}

} // namespace stickslip::bindings
