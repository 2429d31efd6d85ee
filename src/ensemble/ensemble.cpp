#include "ensemble/ensemble.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "ensemble/measure.hpp"
#include "ensemble/parameter.hpp"
#include "ensemble/with_numbers.hpp"
#include "run/run.hpp"
#include "run/simulate.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace stickslip {

namespace {

constexpr Index chunk = 16; // runs that a thread takes at a time

struct Plan {
  const Ensemble& ensemble;
  List<Parameter> parameters;
  List<Measure> measures;
  Index states = 0;
};

// The compiled machine of one thread, with the parameters of its present run.
class Worker {
public:
  explicit Worker(const Plan& p)
      : plan(p), machine(with_own_numbers(p.ensemble.machine, p.ensemble.parameters)),
        set(p.parameters.size()) {
    set.setConstant(std::numeric_limits<double>::quiet_NaN());
    for (const Parameter& one : plan.parameters) handles.emplace_back(one, machine);
  }

  // Returns the message about a run that does not reach its end.
  std::string run(Index k, EnsembleResult& out, const std::function<bool()>& stop) {
    prepare(k);
    const Ensemble& e = plan.ensemble;
    Vector x0 = e.initial;
    for (Index j = 0; j < plan.parameters.size(); ++j)
      if (const Parameter& p = plan.parameters[j]; p.state >= 0)
        x0(p.state) = finite("parameters['" + p.name + "']", e.values(j, k));
    State state = initial_state(*sys, e.t_start, x0);
    validate(*sys, state, e.options);
    gauges->begin(e.t_start, e.options.t_end);
    const Outcome outcome = runner->run(state, *gauges, stop);
    for (Index m = 0; m < plan.measures.size(); ++m) out.values(k, m) = gauges->result(m, state, outcome);
    out.status[k] = static_cast<std::int8_t>(outcome.status);
    return outcome.status == Status::finished ? std::string() : outcome.message;
  }

private:
  const Plan& plan;
  Machine machine;
  List<Handle> handles; // into `machine`
  Vector set;           // values of the parameters now
  std::unique_ptr<System> sys;
  std::unique_ptr<RegimeCache> cache;
  std::unique_ptr<Gauges> gauges;
  std::unique_ptr<Runner> runner;

  void prepare(Index k) {
    const Matrix& values = plan.ensemble.values;
    bool anew = !sys, signals = false;
    for (Index j = 0; j < plan.parameters.size(); ++j) {
      const Parameter& p = plan.parameters[j];
      const double v = values(j, k);
      if (p.state >= 0 || v == set(j)) continue;
      set(j) = v;
      handles[j].set(v);
      anew = anew || p.signal < 0 || (sys && sys->smooth);
      if (p.signal < 0 || !sys) continue;
      if (p.non_negative) non_negative("parameters['" + p.name + "']", v);
      sys->signals[p.signal].pieces.front().c[0] = v;
      signals = true;
    }
    if (anew) {
      machine.check_again();
      runner.reset();
      gauges.reset();
      sys = std::make_unique<System>(compile(machine, true));
      if (sys->nx != plan.states) reject_states();
      cache = std::make_unique<RegimeCache>();
      gauges = std::make_unique<Gauges>(*sys, plan.measures);
      runner = std::make_unique<Runner>(*sys, *cache, plan.ensemble.options);
    } else if (signals) {
      size_states(*sys);
      runner->signals_changed();
    }
  }
};

} // namespace

EnsembleResult run_ensemble(const Ensemble& e, unsigned workers, const std::function<bool()>& stop) {
  const System sys = compile(e.machine, true);
  if (sys.needs_interpreter && workers != 1)
    reject("machine", "holds a Python function, which threads cannot share: sample it with "
                      "stickslip.Table.sample, or give a function that builds the machine");
  if (e.options.method == Method::time_stepping) reject("method", "'time_stepping' is for simulate() alone");
  Plan plan{e, {}, {}, sys.nx};
  for (const std::string& name : e.parameters)
    plan.parameters.push_back(find_parameter(e.machine, sys, name));
  for (const std::string& name : e.measures) plan.measures.push_back(find_measure(sys, name));
  validate(sys, initial_state(sys, e.t_start, e.initial), e.options);
  const Index runs = e.values.cols();
  EnsembleResult out;
  out.values = Matrix::Constant(runs, e.measures.size(), std::numeric_limits<double>::quiet_NaN());
  out.status.assign(runs, static_cast<std::int8_t>(Status::interrupted));

  if (workers == 0) workers = std::max(1U, std::thread::hardware_concurrency());
  workers = static_cast<unsigned>(std::min<Index>(workers, (runs + chunk - 1) / chunk));
  std::atomic<Index> next{0};
  std::atomic<bool> given_up{false};
  std::mutex access;
  std::condition_variable changed;
  unsigned busy = workers;
  const std::function<bool()> ask = [&] { return given_up.load(std::memory_order_relaxed); };

  auto work = [&] {
    std::unique_ptr<Worker> worker;
    for (Index first = next.fetch_add(chunk); first < runs && !ask(); first = next.fetch_add(chunk))
      for (Index k = first; k < std::min(first + chunk, runs) && !ask(); ++k) {
        std::string message;
        try {
          if (!worker) worker = std::make_unique<Worker>(plan);
          message = worker->run(k, out, ask);
        } catch (const std::exception& refused) {
          out.status[k] = static_cast<std::int8_t>(Status::failed);
          message = refused.what();
          worker.reset(); // which may be half way between two machines
        }
        if (message.empty()) continue;
        const std::lock_guard<std::mutex> lock(access);
        out.messages[k] = std::move(message);
      }
    const std::lock_guard<std::mutex> lock(access);
    --busy;
    changed.notify_one();
  };
  List<std::thread> threads;
  for (unsigned i = 0; i < workers; ++i) threads.emplace_back(work);
  {
    std::unique_lock<std::mutex> lock(access);
    while (!changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return busy == 0; })) {
      lock.unlock();
      if (stop && stop()) given_up = true;
      lock.lock();
    }
  }
  for (std::thread& t : threads) t.join();
  return out;
}

} // namespace stickslip
