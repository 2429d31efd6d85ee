#include "stickslip/simulation.hpp"

#include "core/error.hpp"
#include "run/element_name.hpp"
#include "run/energy.hpp"
#include "run/sampled_variable.hpp"
#include "run/simulate.hpp"
#include "stickslip/initial_values.hpp"
#include "timestepping/time_stepping.hpp"

#include <utility>

namespace stickslip {

struct Run::Content {
  std::shared_ptr<const Trajectory> trajectory;
};

struct SampledRun::Content {
  std::shared_ptr<const Trajectory> trajectory;
  Index count;
  Samples samples;

  Content(const std::shared_ptr<const Trajectory>& of, const VectorRef& times)
      : trajectory(of), count(times.size()), samples(of, List<double>(times.begin(), times.end())) {}
};

namespace {

std::shared_ptr<const Trajectory> run(std::shared_ptr<Compiled> compiled, State state,
                                      const Options& options) {
  return std::make_shared<const Trajectory>(
      options.method == Method::time_stepping
          ? time_stepping(std::move(compiled), std::move(state), options, {})
          : simulate(std::move(compiled), std::move(state), options, {}));
}

} // namespace

Vector SampledRun::operator[](const std::string& variable) const {
  const System& sys = content->trajectory->system();
  const Variable& v = find_variable(sys, variable, "");
  Vector out(content->count);
  const auto read = [&](Read from, Index index, Index part, Index column) {
    return sampled_variable(content->samples, sys, from, index, part, column);
  };
  for (Index k = 0; k < out.size(); ++k) {
    out(k) = v.from == Read::sum ? 0.0 : read(v.from, v.index, v.part, k);
    for (const VariableTerm& term : v.terms)
      out(k) += term.factor * read(term.from, term.index, term.part, k);
  }
  return out;
}

Status Run::status() const {
  return content->trajectory->status;
}

std::string Run::message() const {
  return content->trajectory->full_message();
}

double Run::t_start() const {
  return content->trajectory->t_begin;
}

double Run::t_end() const {
  return content->trajectory->t_end;
}

List<std::string> Run::variables() const {
  List<std::string> names;
  for (const Variable& v : content->trajectory->system().variables) names.push_back(v.name);
  return names;
}

List<LoggedEvent> Run::events() const {
  const Trajectory& r = *content->trajectory;
  List<LoggedEvent> out;
  for (const EventRow& row : r.events.rows)
    out.push_back({row.time, element_name(r.system(), row.element), r.events.causes[row.cause], row.before,
                   row.after, row.impact, row.normal_impulse, row.loss});
  return out;
}

SampledRun Run::at(const VectorRef& times) const {
  SampledRun out;
  out.content = std::make_shared<SampledRun::Content>(content->trajectory, times);
  return out;
}

double Run::final(const std::string& variable) const {
  return at(Vector::Constant(1, t_end()))[variable](0);
}

double Run::energy_residual() const {
  return stickslip::energy_residual(*content->trajectory);
}

Run Run::resume(const Options& options) const {
  const Trajectory& r = *content->trajectory;
  return Run(std::make_shared<const Content>(Content{stickslip::run(r.compiled, r.state, options)}));
}

Run simulate(const Machine& machine, const Options& options, const InitialValues& initial, double t_start) {
  auto compiled = std::make_shared<Compiled>();
  compiled->system = compile(machine);
  State state =
      initial_state(compiled->system, finite("t_start", t_start), start_states(compiled->system, initial));
  return Run(std::make_shared<const Run::Content>(
      Run::Content{run(std::move(compiled), std::move(state), options)}));
}

} // namespace stickslip
