#include "sensitivity/restart.hpp"

#include "sensitivity/variation.hpp"

#include <Eigen/QR>

#include <cmath>

namespace stickslip {

namespace {

constexpr double dependent = 1e-9; // of the largest row: residuals that follow from others

void settle(Replica& machine, const Modes& modes, double t, Vector& x) {
  if (machine.projects(modes)) machine.project(modes, t, x);
  machine.hold(machine.regime(modes), t, x);
}

double size_of(const Vector& nominal, Index i) {
  return i < nominal.size() && nominal(i) > 0.0 ? nominal(i) : 1.0;
}

// Residuals of held velocities and closed contacts by the states. Those of a linear machine are linear.
Matrix residual_slopes(Replica& machine, const State& state) {
  const Regime& regime = machine.regime(state.modes);
  const Vector zero = Vector::Zero(state.base_x.size());
  const Vector at_zero = machine.residuals(regime, state.t, zero.data());
  Matrix rows(at_zero.size(), zero.size());
  for (Index i = 0; i < zero.size(); ++i)
    rows.col(i) = machine.residuals(regime, state.t, Vector::Unit(zero.size(), i).eval().data()) - at_zero;
  return rows;
}

// Changes of the states that the modes admit: the orthogonal projection on them, in sizes of the states.
Matrix admitted_changes(Replica& machine, const State& state) {
  const Index nx = state.base_x.size();
  Matrix rows(0, nx);
  if (machine.projects(state.modes)) {
    rows = Matrix::Identity(nx, nx) -
           projection_slopes(machine, state.modes, state.t, state.base_x, state.nominal);
  }
  if (!machine.system().smooth) {
    const Matrix held = residual_slopes(machine, state);
    rows.conservativeResize(rows.rows() + held.rows(), nx);
    rows.bottomRows(held.rows()) = held;
  }
  Matrix admitted = Matrix::Identity(nx, nx);
  if (rows.rows() == 0 || rows.isZero(0.0)) return admitted;
  Vector size(nx);
  for (Index i = 0; i < nx; ++i) size(i) = size_of(state.nominal, i);
  rows = rows * size.asDiagonal();
  for (Index i = 0; i < rows.rows(); ++i)
    if (const double length = rows.row(i).norm(); length > 0.0) rows.row(i) /= length;
  Eigen::ColPivHouseholderQR<Matrix> factors(rows.transpose());
  factors.setThreshold(dependent);
  const Matrix Q = factors.householderQ();
  const auto taken = Q.leftCols(factors.rank());
  admitted -= size.asDiagonal() * (taken * taken.transpose()) * size.cwiseInverse().asDiagonal();
  return admitted;
}

} // namespace

State restarted(Replica& machine, const State& state, const Vector& values, double t) {
  State out = state;
  out.identity = machine.system().identity; // the state may come from the machine with other parameters
  const double later = t - state.t;
  out.base_x = state.x; // that at t, not at the start of the step
  unpack(values, out);
  out.t = out.base_t = t;
  out.base_t_compensation = 0.0;
  out.slips.left.array() += later;
  for (Index k = 0; k < out.sampling.next.size(); ++k) {
    const Block& block = machine.system().loops[k].block;
    if (block.continuous()) continue;
    const auto periods = static_cast<std::int64_t>(std::llround(later / block.period));
    out.sampling.next[k] += periods;
    if (out.sampling.pending[k] != SamplingState::none) out.sampling.pending[k] += periods;
  }
  out.after_transition = false;
  out.zeros.clear();
  settle(machine, out.modes, t, out.base_x);
  out.x = out.base_x;
  return out;
}

Parameters components_of(const System& sys, const State& state) {
  Parameters all;
  const Index count = packed(state).size();
  for (Index i = 0; i < count; ++i)
    all.push_back(std::make_unique<Neighbours>(
        i < sys.nx ? sys.states[i] : "memory[" + std::to_string(i - sys.nx) + "]", i, count));
  return all;
}

Passage continuation_at(const State& state) {
  Passage out;
  out.before = state;
  out.jump.begin(state, Occasion::start, {});
  out.jump.end(state);
  return out;
}

Tangents tangents_at_restart(Replica& machine, const State& state, const Parameters& by) {
  const Index nx = state.base_x.size();
  const Matrix admitted = admitted_changes(machine, state);
  Tangents S = Tangents::Zero(packed(state).size(), by.size());
  for (Index j = 0; j < by.size(); ++j) {
    const Neighbours& of = *by[j];
    if (of.start.size() > 0) {
      S.col(j) = of.start;
      S.col(j).head(nx) = admitted * of.start.head(nx);
    }
    if (of.acts(state.t))
      S.col(j).head(nx) += of.derivative([&](Replica& m) {
        Vector x = state.base_x;
        settle(m, state.modes, state.t, x);
        return x;
      });
  }
  return S;
}

Matrix projection_slopes(Replica& machine, const Modes& modes, double t, const Vector& x,
                         const Vector& nominal) {
  Matrix slopes = Matrix::Identity(x.size(), x.size());
  const Stencil& central = central_stencil();
  for (Index i = 0; i < 2 * machine.system().n_coordinates; ++i) {
    const double step = nominal(i) > 0.0 ? far_beside * nominal(i) : unknown_size;
    for (Index k = 0; k < central.offsets.size(); ++k) {
      Vector there = x;
      there(i) += central.offsets[k] * step;
      const Vector from = there;
      machine.project(modes, t, there);
      slopes.col(i) += central.weights[k] / step * (there - from);
    }
  }
  return slopes;
}

} // namespace stickslip
