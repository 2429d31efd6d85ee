#include "sensitivity/sampled_tangent.hpp"

#include "transition/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace stickslip {

namespace {

constexpr double at_limit = 1e-11; // share of the size of an output: it is at its limit

} // namespace

SampledTangent::SampledTangent(Replica& base, const Parameters& parameters)
    : machine(base), by(parameters), changes(base, parameters), scratch(base.system()),
      sampler(base.system(), none, scratch) {
  Index most = 1, room = 1;
  for (const Loop& l : base.system().loops) {
    most = std::max(most, l.inputs.size());
    room = std::max(room, work_size(l.block));
  }
  sampled.samples = sampled.inputs = Vector::Zero(most);
  sampled.work = Vector::Zero(room);
}

std::string SampledTangent::pass(const Regime& regime, double frame, double t, const Vector& states,
                                 const SamplingState& before, TangentsRef S) {
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
    put_out(l, sampling.output.data() + first, x.data());
    for (Index j = 0; j < l.block.outputs(); ++j)
      S.row(l.held + j) = S.row(sys.nx + sampling.memory.size() + first + j);
  };
  sampler.for_each_due(sampling, t, put, [&](Index b) { sample(regime, b, t, S); });
  if (moved) {
    machine.move(regime.modes, t, t, x.data(), fp, force);
    S.topRows(x.size()) -= fp * moves.transpose();
  } else {
    fm.setZero(x.size()), fp.setZero(x.size());
  }
  return why;
}

// Known before anything of it is done.
bool SampledTangent::due(const SamplingState& before, double t) {
  constexpr double alike = 1e-9;
  sampling = before;
  bool together = true, first = true;
  const auto move = [&](Index b, std::int64_t k, double waits) {
    const auto own = static_cast<double>(k) * changes.periods.col(b) + waits * changes.delays.col(b);
    if (first) moves = own, moved = !moves.isZero(0.0);
    first = false;
    together = together && (moves - own).isZero(alike * moves.cwiseAbs().maxCoeff());
  };
  moves.setZero(by.size());
  moved = false;
  sampler.for_each_due(
      sampling, t, [&](Index b) { move(b, sampling.pending[b], 1.0); },
      [&](Index b) { move(b, sampling.next[b], 0.0); });
  sampling = before;
  return together;
}

std::optional<SamplingState> SampledTangent::at_any_time(const SamplingState& before, double t) const {
  constexpr std::int64_t long_ago = std::int64_t{-1} << 50, never = std::int64_t{1} << 50;
  SamplingState seen = before, out = before;
  bool called = false;
  std::fill(out.next.begin(), out.next.end(), never);
  std::fill(out.pending.begin(), out.pending.end(), SamplingState::none);
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

void SampledTangent::sample(const Regime& regime, Index loop, double t, TangentsRef S) {
  const System& sys = machine.system();
  const Loop& l = sys.loops[loop];
  const Block& b = l.block;
  const SampledChanges::Changes& changed = changes.of(regime, loop);
  read(*regime.linear, loop, changed, t, S);
  const Index n = b.states(), p = b.outputs(), np = S.cols(), own = sys.nx + l.memory;
  const Index first = sys.nx + sampling.memory.size() + sampler.first_output(loop);
  const auto old = S.middleRows(own, n);
  sampled.z = sampling.memory.segment(l.memory, n);
  const auto w = sampled.inputs.head(b.inputs.size());
  sampled.R.setZero(p, np), sampled.Z.setZero(n, np);
  sampled.R.noalias() += b.C.lazyProduct(old), sampled.R.noalias() += b.D.lazyProduct(sampled.W);
  sampled.Z.noalias() += b.A.lazyProduct(old), sampled.Z.noalias() += b.B.lazyProduct(sampled.W);
  for (const SampledChanges::Change& c : changed) {
    sampled.R.col(c.parameter) += c.C * sampled.z + c.D * w;
    sampled.Z.col(c.parameter) += c.A * sampled.z + c.B * w;
  }
  sampled.raw = b.C * sampled.z + b.D * w;
  if (b.integrator >= 0) {
    const double step =
        b.A.row(b.integrator).dot(sampled.z) + b.B.row(b.integrator).dot(w) - sampled.z(b.integrator);
    sampled.row = sampled.Z.row(b.integrator) - old.row(b.integrator);
    clamp(b, changed, step, sampled.row);
    limit(b, changed);
  } else {
    Tangents before = sampled.R;
    limit(b, changed);
    sampled.Z.noalias() += b.L.lazyProduct(sampled.R - before);
    const Vector off = sampled.raw.cwiseMax(b.lo).cwiseMin(b.hi) - sampled.raw;
    for (const SampledChanges::Change& c : changed) sampled.Z.col(c.parameter) += c.L * off;
  }
  S.middleRows(own, n) = sampled.Z;
  S.middleRows(first, p) = sampled.R;
  S.row(own + memory_size(b) - 1).setZero(); // from now on the controller has sampled
  update_sampled(b, t, sampled.samples.data(), sampling.memory.data() + l.memory, sampled.work.data(),
                 sampling.output.data() + sampler.first_output(loop));
}

// Inputs and their tangents, with the difference quotients that the block makes itself.
void SampledTangent::read(const LinearPart& part, Index loop, const SampledChanges::Changes& changed,
                          double t, TangentsRef S) {
  const Loop& l = machine.system().loops[loop];
  const Block& b = l.block;
  const List<Form>& forms = part.inputs[loop];
  sampled.W.resize(forms.size(), S.cols());
  Index previous = l.memory + b.states();
  const bool started = sampling.memory(l.memory + memory_size(b) - 1) != 0.0;
  for (Index k = 0; k < forms.size(); ++k) {
    sampled.samples(k) = sampled.inputs(k) = value(forms[k], x.data(), s.data());
    sampled.row.setZero(1, S.cols());
    for (Index i = 0; i < x.size(); ++i)
      if (forms[k].x(i) != 0.0) sampled.row += forms[k].x(i) * S.row(i);
    for (Index j = 0; j < by.size(); ++j)
      for (const auto& [i, change] : by[j]->signals)
        if (forms[k].s(i) != 0.0) sampled.row(0, j) += forms[k].s(i) * value(change, t);
    for (const SampledChanges::Change& c : changed)
      sampled.row(0, c.parameter) += c.by_state.row(k).dot(x) + c.by_signal.row(k).dot(s);
    if (moved) sampled.row += forms[k].s.dot(sdot) * moves.transpose();
    if (b.inputs[k].difference) {
      const Index at = machine.system().nx + previous;
      sampled.W.row(k).setZero();
      sampled.inputs(k) = started ? (sampled.samples(k) - sampling.memory(previous)) / b.period : 0.0;
      if (started) {
        sampled.W.row(k) = (sampled.row - S.row(at)) / b.period;
        for (const SampledChanges::Change& c : changed)
          sampled.W(k, c.parameter) -= sampled.inputs(k) / b.period * c.period;
      }
      S.row(at) = sampled.row;
      ++previous;
    } else {
      sampled.W.row(k) = sampled.row;
    }
  }
}

// If the excess is zero and a parameter moves it, the derivatives end.
void SampledTangent::look_at_corner(double excess, double size, const Eigen::Ref<const Tangents>& slope) {
  if (std::abs(excess) <= at_limit * size && !slope.isZero(0.0))
    why = "an output of a controller exactly at its limit";
}

// Raw outputs become limited ones.
void SampledTangent::limit(const Block& b, const SampledChanges::Changes& changed) {
  for (Index j = 0; j < b.outputs(); ++j) {
    const double size = std::abs(sampled.raw(j));
    for (const double bound : {b.lo(j), b.hi(j)})
      if (std::isfinite(bound))
        look_at_corner(sampled.raw(j) - bound, size + std::abs(bound), sampled.R.row(j));
    if (sampled.raw(j) >= b.lo(j) && sampled.raw(j) <= b.hi(j)) continue;
    sampled.R.row(j).setZero();
    for (const SampledChanges::Change& c : changed)
      sampled.R(j, c.parameter) = sampled.raw(j) > b.hi(j) ? c.hi(j) : c.lo(j);
  }
}

// The integral is reduced by the excess of the raw output over its limit, at most by its own step.
void SampledTangent::clamp(const Block& b, const SampledChanges::Changes& changed, double step,
                           const Tangents& by_step) {
  const Index k = b.further_limit();
  for (const int side : {+1, -1}) {
    const double bound = side > 0 ? b.hi(0) : b.lo(0),
                 further = k >= 0 ? -side * sampled.inputs(k) : -INFINITY;
    const double here = side * (sampled.raw(0) - bound), excess = std::max(here, further), own = side * step;
    if (!(excess > 0.0) || !(own > 0.0)) continue;
    look_at_corner(excess - own, std::abs(sampled.raw(0)) + (excess == here ? std::abs(bound) : excess),
                   by_step);
    if (!(excess < own)) {
      sampled.Z.row(b.integrator) -= by_step.row(0);
      continue;
    }
    if (excess != here) {
      sampled.Z.row(b.integrator) += sampled.W.row(k);
      continue;
    }
    sampled.Z.row(b.integrator) -= sampled.R.row(0);
    for (const SampledChanges::Change& c : changed)
      sampled.Z(b.integrator, c.parameter) += side > 0 ? c.hi(0) : c.lo(0);
  }
}

} // namespace stickslip
