#include "sensitivity/tick_tangent.hpp"

#include "transition/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace stickslip {

namespace {

constexpr double at_limit = 1e-11; // share of the size of an output: it is at its limit

Matrix by_state(const List<Form>& forms, Index nx) {
  Matrix out(forms.size(), nx);
  for (Index k = 0; k < forms.size(); ++k) out.row(k) = forms[k].x.transpose();
  return out;
}

Matrix by_signal(const List<Form>& forms, Index ns) {
  Matrix out(forms.size(), ns);
  for (Index k = 0; k < forms.size(); ++k) out.row(k) = forms[k].s.transpose();
  return out;
}

Vector finite_part(const Vector& limits) {
  return limits.unaryExpr([](double limit) { return std::isfinite(limit) ? limit : 0.0; });
}

} // namespace

TickTangent::TickTangent(Replica& base, const Parameters& parameters)
    : machine(base), by(parameters), scratch(base.system()), sampler(base.system(), none, scratch) {
  Index most = 1, room = 1;
  for (const Loop& l : base.system().loops) {
    most = std::max(most, l.inputs.size());
    room = std::max(room, work_size(l.block));
  }
  samples = inputs = Vector::Zero(most);
  work = Vector::Zero(room);
  periods = delays = Matrix::Zero(by.size(), base.system().loops.size());
  for (Index b = 0; b < periods.cols(); ++b)
    for (Index j = 0; j < by.size(); ++j) {
      if (!by[j]->changes_machine() || by[j]->signals_alone) continue;
      periods(j, b) = by[j]->derivative([&](Replica& m) { return m.system().loops[b].block.period; });
      delays(j, b) = by[j]->derivative([&](Replica& m) { return m.system().loops[b].block.delay; });
    }
}

const TickTangent::Changes& TickTangent::changes(const Regime& regime, Index loop) {
  const auto [found, fresh] = known.try_emplace({regime.linear, loop});
  Changes& out = found->second;
  if (!fresh) return out;
  const System& sys = machine.system();
  for (Index j = 0; j < by.size(); ++j) {
    const Neighbours& p = *by[j];
    if (!p.changes_machine() || p.signals_alone) continue;
    const auto block = [&](Replica& m) -> const Block& { return m.system().loops[loop].block; };
    const auto forms = [&](Replica& m) -> const List<Form>& {
      return m.regime(regime.modes).linear->inputs[loop];
    };
    Change c;
    c.parameter = j;
    c.period = periods(j, loop);
    c.A = p.derivative([&](Replica& m) { return Matrix(block(m).A); });
    c.B = p.derivative([&](Replica& m) { return Matrix(block(m).B); });
    c.C = p.derivative([&](Replica& m) { return Matrix(block(m).C); });
    c.D = p.derivative([&](Replica& m) { return Matrix(block(m).D); });
    c.L = p.derivative([&](Replica& m) { return Matrix(block(m).L); });
    c.lo = p.derivative([&](Replica& m) { return finite_part(block(m).lo); });
    c.hi = p.derivative([&](Replica& m) { return finite_part(block(m).hi); });
    c.by_state = p.derivative([&](Replica& m) { return by_state(forms(m), sys.nx); });
    c.by_signal = p.derivative([&](Replica& m) { return by_signal(forms(m), sys.ns()); });
    const auto any = [](const auto&... of) { return (... || !of.isZero(0.0)); };
    if (c.period != 0.0 || any(c.A, c.B, c.C, c.D, c.L, c.lo, c.hi, c.by_state, c.by_signal))
      out.push_back(std::move(c));
  }
  return out;
}

std::string TickTangent::pass(const Regime& regime, double frame, double t, const Vector& states,
                              const Ticks& before, TangentsRef S) {
  const System& sys = machine.system();
  why.clear();
  x = states;
  if (!due(before, t)) return "coinciding sampling instants that a parameter separates";
  if (moved) {
    machine.move(regime.modes, frame, t, x.data(), fm, force);
    sdot = machine.signal_rates(frame, t);
    S.topRows(x.size()) += fm * moves.transpose();
  }
  s = machine.signals(t, t);
  const auto put = [&](Index b) {
    const Loop& l = sys.loops[b];
    const Index first = sampler.first_output(b);
    put_out(l, ticks.output.data() + first, x.data());
    for (Index j = 0; j < l.block.outputs(); ++j)
      S.row(l.held + j) = S.row(sys.nx + ticks.memory.size() + first + j);
  };
  sampler.for_each_due(ticks, t, put, [&](Index b) { sample(regime, b, t, S); });
  if (moved) {
    machine.move(regime.modes, t, t, x.data(), fp, force);
    S.topRows(x.size()) -= fp * moves.transpose();
  } else {
    fm.setZero(x.size()), fp.setZero(x.size());
  }
  return why;
}

// Known before anything of it is done.
bool TickTangent::due(const Ticks& before, double t) {
  constexpr double alike = 1e-9;
  ticks = before;
  bool together = true, first = true;
  const auto move = [&](Index b, std::int64_t k, double waits) {
    const auto own = static_cast<double>(k) * periods.col(b) + waits * delays.col(b);
    if (first) moves = own, moved = !moves.isZero(0.0);
    first = false;
    together = together && (moves - own).isZero(alike * moves.cwiseAbs().maxCoeff());
  };
  moves.setZero(by.size());
  moved = false;
  sampler.for_each_due(
      ticks, t, [&](Index b) { move(b, ticks.pending[b], 1.0); },
      [&](Index b) { move(b, ticks.next[b], 0.0); });
  ticks = before;
  return together;
}

std::optional<Ticks> TickTangent::at_any_time(const Ticks& before, double t) const {
  constexpr std::int64_t long_ago = std::int64_t{-1} << 50, never = std::int64_t{1} << 50;
  Ticks seen = before, out = before;
  bool called = false;
  std::fill(out.next.begin(), out.next.end(), never);
  std::fill(out.pending.begin(), out.pending.end(), Ticks::none);
  const List<Loop>& loops = machine.system().loops;
  sampler.for_each_due(
      seen, t,
      [&](Index b) {
        if (seen.pending[b] == before.pending[b]) out.pending[b] = long_ago; // not the present sample
      },
      [&](Index b) {
        out.next[b] = long_ago;
        called = called || loops[b].block.program;
      });
  if (called) return std::nullopt;
  return out;
}

std::string moved_ticks(const System& base, const Neighbours& p) {
  for (Index b = 0; b < base.loops.size(); ++b) {
    const Block& own = base.loops[b].block;
    for (const auto& one : p.beside) {
      const Block& other = one->system().loops[b].block;
      if (!own.continuous() && (other.period != own.period || other.delay != own.delay))
        return base.loops[b].name;
    }
  }
  return {};
}

void TickTangent::sample(const Regime& regime, Index loop, double t, TangentsRef S) {
  const System& sys = machine.system();
  const Loop& l = sys.loops[loop];
  const Block& b = l.block;
  const Changes& changed = changes(regime, loop);
  read(*regime.linear, loop, changed, t, S);
  const Index n = b.states(), p = b.outputs(), np = S.cols(), own = sys.nx + l.memory;
  const Index first = sys.nx + ticks.memory.size() + sampler.first_output(loop);
  const auto old = S.middleRows(own, n);
  z = ticks.memory.segment(l.memory, n);
  const auto w = inputs.head(b.inputs.size());
  R.setZero(p, np), Z.setZero(n, np);
  R.noalias() += b.C.lazyProduct(old), R.noalias() += b.D.lazyProduct(W);
  Z.noalias() += b.A.lazyProduct(old), Z.noalias() += b.B.lazyProduct(W);
  for (const Change& c : changed) {
    R.col(c.parameter) += c.C * z + c.D * w;
    Z.col(c.parameter) += c.A * z + c.B * w;
  }
  raw = b.C * z + b.D * w;
  if (b.integrator >= 0) {
    const double step = b.A.row(b.integrator).dot(z) + b.B.row(b.integrator).dot(w) - z(b.integrator);
    row = Z.row(b.integrator) - old.row(b.integrator);
    clamp(b, changed, step, row);
    limit(b, changed);
  } else {
    Tangents before = R;
    limit(b, changed);
    Z.noalias() += b.L.lazyProduct(R - before);
    const Vector off = raw.cwiseMax(b.lo).cwiseMin(b.hi) - raw;
    for (const Change& c : changed) Z.col(c.parameter) += c.L * off;
  }
  S.middleRows(own, n) = Z;
  S.middleRows(first, p) = R;
  S.row(own + memory_size(b) - 1).setZero(); // from now on the controller has sampled
  tick(b, t, samples.data(), ticks.memory.data() + l.memory, work.data(),
       ticks.output.data() + sampler.first_output(loop));
}

// Inputs and their tangents, with the difference quotients that the block makes itself.
void TickTangent::read(const LinearPart& part, Index loop, const Changes& changed, double t, TangentsRef S) {
  const Loop& l = machine.system().loops[loop];
  const Block& b = l.block;
  const List<Form>& forms = part.inputs[loop];
  W.resize(forms.size(), S.cols());
  Index previous = l.memory + b.states();
  const bool started = ticks.memory(l.memory + memory_size(b) - 1) != 0.0;
  for (Index k = 0; k < forms.size(); ++k) {
    samples(k) = inputs(k) = value(forms[k], x.data(), s.data());
    row.setZero(1, S.cols());
    for (Index i = 0; i < x.size(); ++i)
      if (forms[k].x(i) != 0.0) row += forms[k].x(i) * S.row(i);
    for (Index j = 0; j < by.size(); ++j)
      for (const auto& [i, change] : by[j]->signals)
        if (forms[k].s(i) != 0.0) row(0, j) += forms[k].s(i) * value(change, t);
    for (const Change& c : changed)
      row(0, c.parameter) += c.by_state.row(k).dot(x) + c.by_signal.row(k).dot(s);
    if (moved) row += forms[k].s.dot(sdot) * moves.transpose();
    if (b.inputs[k].difference) {
      const Index at = machine.system().nx + previous;
      W.row(k).setZero();
      inputs(k) = started ? (samples(k) - ticks.memory(previous)) / b.period : 0.0;
      if (started) {
        W.row(k) = (row - S.row(at)) / b.period;
        for (const Change& c : changed) W(k, c.parameter) -= inputs(k) / b.period * c.period;
      }
      S.row(at) = row;
      ++previous;
    } else {
      W.row(k) = row;
    }
  }
}

// If the excess is zero and a parameter moves it, the derivatives end.
void TickTangent::look_at_corner(double excess, double size, const Eigen::Ref<const Tangents>& slope) {
  if (std::abs(excess) <= at_limit * size && !slope.isZero(0.0))
    why = "an output of a controller exactly at its limit";
}

// Raw outputs become limited ones.
void TickTangent::limit(const Block& b, const Changes& changed) {
  for (Index j = 0; j < b.outputs(); ++j) {
    const double size = std::abs(raw(j));
    for (const double bound : {b.lo(j), b.hi(j)})
      if (std::isfinite(bound)) look_at_corner(raw(j) - bound, size + std::abs(bound), R.row(j));
    if (raw(j) >= b.lo(j) && raw(j) <= b.hi(j)) continue;
    R.row(j).setZero();
    for (const Change& c : changed) R(j, c.parameter) = raw(j) > b.hi(j) ? c.hi(j) : c.lo(j);
  }
}

// The integral is reduced by the excess of the raw output over its limit, at most by its own step.
void TickTangent::clamp(const Block& b, const Changes& changed, double step, const Tangents& by_step) {
  const Index k = b.further_limit();
  for (const int side : {+1, -1}) {
    const double bound = side > 0 ? b.hi(0) : b.lo(0), further = k >= 0 ? -side * inputs(k) : -INFINITY;
    const double here = side * (raw(0) - bound), excess = std::max(here, further), own = side * step;
    if (!(excess > 0.0) || !(own > 0.0)) continue;
    look_at_corner(excess - own, std::abs(raw(0)) + (excess == here ? std::abs(bound) : excess), by_step);
    if (!(excess < own)) {
      Z.row(b.integrator) -= by_step.row(0);
      continue;
    }
    if (excess != here) {
      Z.row(b.integrator) += W.row(k);
      continue;
    }
    Z.row(b.integrator) -= R.row(0);
    for (const Change& c : changed) Z(b.integrator, c.parameter) += side > 0 ? c.hi(0) : c.lo(0);
  }
}

} // namespace stickslip
