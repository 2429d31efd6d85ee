// The instants of sampled controllers backwards: the transpose of their effect on the tangent.
#include "sensitivity/sampled_tangent.hpp"

#include "transition/outputs.hpp"

#include <cmath>

namespace stickslip {

// Data of a sampling instant that the transpose needs, recorded in the forward pass.
struct SampledTangent::Done {
  Index loop = 0;
  bool put = false; // its outputs are put out; else it sampled.samples
  bool started = false;
  Vector x, w, z, raw;
  double step = 0.0; // of the integral, before it is limited
};

void SampledTangent::retreat(const Regime& regime, double t, const Vector& states,
                             const SamplingState& before, Vector& lambda, Cotangents& into) {
  const System& sys = machine.system();
  x = states, sampling = before;
  s = machine.signals(t, t);
  List<Done> done;
  const auto put = [&](Index b) {
    const Loop& l = sys.loops[b];
    put_out(l, sampling.output.data() + sampler.first_output(b), x.data());
    Done& now = done.emplace_back();
    now.loop = b, now.put = true;
  };
  const auto sample = [&](Index b) {
    const Block& block = sys.loops[b].block;
    Done& now = done.emplace_back();
    now.loop = b, now.x = x;
    look(regime, b, now);
    update_sampled(block, t, sampled.samples.data(), sampling.memory.data() + sys.loops[b].memory,
                   sampled.work.data(), sampling.output.data() + sampler.first_output(b));
  };
  sampler.for_each_due(sampling, t, put, sample);
  for (Index k = done.size(); k-- > 0;) {
    const Done& one = done[k];
    const Loop& l = sys.loops[one.loop];
    if (!one.put) {
      unsample(regime, one, t, lambda, into);
      continue;
    }
    const Index first = sys.nx + sampling.memory.size() + sampler.first_output(one.loop);
    lambda.segment(first, l.block.outputs()) += lambda.segment(l.held, l.block.outputs());
    lambda.segment(l.held, l.block.outputs()).setZero();
  }
}

// Inputs, states and raw outputs of a controller that sampled.samples.
void SampledTangent::look(const Regime& regime, Index loop, Done& out) {
  const Loop& l = machine.system().loops[loop];
  const Block& b = l.block;
  const List<Form>& forms = regime.linear->inputs[loop];
  Index previous = l.memory + b.states();
  out.started = sampling.memory(l.memory + memory_size(b) - 1) != 0.0;
  out.w.resize(forms.size());
  for (Index k = 0; k < forms.size(); ++k) {
    sampled.samples(k) = out.w(k) = value(forms[k], x.data(), s.data());
    if (!b.inputs[k].difference) continue;
    out.w(k) = out.started ? (sampled.samples(k) - sampling.memory(previous)) / b.period : 0.0;
    ++previous;
  }
  out.z = sampling.memory.segment(l.memory, b.states());
  out.raw = b.C * out.z + b.D * out.w;
  if (b.integrator >= 0)
    out.step = b.A.row(b.integrator).dot(out.z) + b.B.row(b.integrator).dot(out.w) - out.z(b.integrator);
}

BlockCotangents& SampledTangent::gathered(const Regime& regime, Index loop, Cotangents& into) const {
  const System& sys = machine.system();
  const Block& b = sys.loops[loop].block;
  const auto [at, fresh] = into.blocks.try_emplace({regime.linear, loop});
  BlockCotangents& of = at->second;
  if (!fresh) return of;
  into.read_in.try_emplace(regime.linear, &regime);
  for (const auto& [mine, like] :
       {std::pair{&of.A, &b.A}, {&of.B, &b.B}, {&of.C, &b.C}, {&of.D, &b.D}, {&of.L, &b.L}})
    *mine = Matrix::Zero(like->rows(), like->cols());
  of.lo = of.hi = Vector::Zero(b.outputs());
  of.by_state = Matrix::Zero(b.inputs.size(), sys.nx);
  of.by_signal = Matrix::Zero(b.inputs.size(), sys.ns());
  return of;
}

// The transposes of `limit`, `clamp` and `sample`, in this order.
void SampledTangent::unsample(const Regime& regime, const Done& at, double t, Vector& lambda,
                              Cotangents& into) {
  const System& sys = machine.system();
  const Loop& l = sys.loops[at.loop];
  const Block& b = l.block;
  BlockCotangents& of = gathered(regime, at.loop, into);
  const Index n = b.states(), p = b.outputs(), own = sys.nx + l.memory;
  const Index first = sys.nx + sampling.memory.size() + sampler.first_output(at.loop);
  lambda(own + memory_size(b) - 1) = 0.0;
  Vector states = lambda.segment(own, n), outputs = lambda.segment(first, p), old = Vector::Zero(n);
  lambda.segment(own, n).setZero(), lambda.segment(first, p).setZero();
  Vector raw_alone = Vector::Zero(p); // derivatives by raw outputs, apart from the limited ones
  if (b.integrator < 0) {
    raw_alone = -b.L.transpose() * states;
    outputs -= raw_alone;
    of.L += states * (at.raw.cwiseMax(b.lo).cwiseMin(b.hi) - at.raw).transpose();
  }
  for (Index j = 0; j < p; ++j) {
    if (at.raw(j) >= b.lo(j) && at.raw(j) <= b.hi(j)) continue;
    (at.raw(j) > b.hi(j) ? of.hi : of.lo)(j) += outputs(j);
    outputs(j) = 0.0;
  }
  outputs += raw_alone;
  if (b.integrator >= 0) unclamp(b, at, states, outputs, old, of);
  of.A += states * at.z.transpose(), of.B += states * at.w.transpose();
  of.C += outputs * at.z.transpose(), of.D += outputs * at.w.transpose();
  old += b.A.transpose() * states + b.C.transpose() * outputs;
  const Vector owed = b.B.transpose() * states + b.D.transpose() * outputs;
  unread(regime, at, t, owed, lambda, of, into);
  lambda.segment(own, n) += old;
}

void SampledTangent::unclamp(const Block& b, const Done& at, Vector& states, Vector& outputs, Vector& old,
                             BlockCotangents& of) const {
  for (const int side : {+1, -1}) {
    const double excess = side * (at.raw(0) - (side > 0 ? b.hi(0) : b.lo(0))), own = side * at.step;
    if (!(excess > 0.0) || !(own > 0.0)) continue;
    if (!(excess < own)) { // it stays as it was
      old(b.integrator) += states(b.integrator);
      states(b.integrator) = 0.0;
      continue;
    }
    outputs(0) -= states(b.integrator);
    (side > 0 ? of.hi : of.lo)(0) += states(b.integrator);
  }
}

// The transpose of `read`.
void SampledTangent::unread(const Regime& regime, const Done& done, double t, const Vector& owed,
                            Vector& lambda, BlockCotangents& of, Cotangents& into) const {
  const System& sys = machine.system();
  const Loop& l = sys.loops[done.loop];
  const Block& b = l.block;
  const List<Form>& forms = regime.linear->inputs[done.loop];
  Index previous = sys.nx + l.memory + b.states();
  for (Index k = 0; k < forms.size(); ++k) {
    double sample = owed(k);
    if (b.inputs[k].difference) {
      const double rate = done.started ? owed(k) / b.period : 0.0;
      sample = rate + lambda(previous);
      lambda(previous) = -rate;
      ++previous;
    }
    if (sample == 0.0) continue;
    lambda.head(sys.nx) += sample * forms[k].x;
    of.by_state.row(k) += sample * done.x;
    of.by_signal.row(k) += sample * s;
    for (Index j = 0; j < by.size(); ++j)
      for (const auto& [i, change] : by[j]->signals)
        if (forms[k].s(i) != 0.0) into.gradient(j) += sample * forms[k].s(i) * value(change, t);
  }
}

} // namespace stickslip
