// Time scale and sizes of states from controllers: for tolerances only; sizes grow with the motion.
#include "core/digits.hpp"
#include "core/linalg.hpp"
#include "core/list.hpp"
#include "model/compile_control.hpp"
#include "model/linear_part.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

// Approximate maximum of a signal near t = 0 and at its breakpoints.
double size_of(const Signal& s, double time_scale) {
  double size = 0.0;
  for (const Piece& p : s.pieces) {
    double power = 1.0, piece = 0.0;
    for (double c : p.c) {
      piece = std::max(piece, std::abs(c) * power);
      power *= time_scale;
    }
    for (const Harmonic& h : p.harmonics) piece += std::abs(h.amplitude);
    size = std::max(size, piece);
  }
  return size;
}

} // namespace

void size_controllers(System& sys, bool time_is_given) {
  if (sys.loops.empty()) return;
  const LinearPart free = linear_part(sys, modes_at_zero(sys));
  const double rate = linalg::spectral_radius(free.A);
  if (rate > 0.0 && !time_is_given) sys.time_scale = few_digits(1.0 / rate), sys.paced = sys.rated = true;
  for (const Loop& l : sys.loops) {
    if (l.block.continuous() || time_is_given) continue;
    const double longest = 10.0 * l.block.period;
    sys.time_scale = sys.time_scale > 0.0 ? std::min(sys.time_scale, longest) : longest;
    sys.paced = sys.rated = true;
  }
  const double ts = sys.time_scale;
  List<Vector> output(sys.loops.size());
  for (Index b : sys.loop_order) {
    const Loop& l = sys.loops[b];
    const Index m = l.inputs.size();
    Vector w = Vector::Zero(m);
    double target = 0.0, target_rate = 0.0;
    for (Index i = 0; i < m; ++i) {
      const Input& in = l.inputs[i];
      double slope = 0.0;
      for (Index k = 0; k < sys.ns(); ++k) {
        if (in.fixed.s(k) == 0.0) continue;
        const Signal& s = sys.signals[k];
        w(i) += std::abs(in.fixed.s(k)) * size_of(s, ts);
        slope += std::abs(in.fixed.s(k)) * size_of(differentiate(s), ts);
      }
      for (const OutputTerm& t : in.outputs) {
        const Vector& u = output[t.loop];
        if (u.size() > 0 && t.order == 0) w(i) += std::abs(t.factor) * u(t.output);
      }
      if (l.block.inputs[i].of == Channel::Of::reference && l.block.inputs[i].order == 0)
        target = std::max(target, w(i)), target_rate = std::max(target_rate, slope);
    }
    Vector u = l.block.D.cwiseAbs() * w;
    for (Index j = 0; j < u.size(); ++j)
      u(j) = std::min(u(j), std::max(std::abs(l.block.lo(j)), std::abs(l.block.hi(j))));
    output[b] = u;
    for (Index j = 0; j < u.size(); ++j) {
      if (l.held >= 0) sys.nominal(l.held + j) = u(j);
      if (l.states >= 0)
        for (Index i = 0; i < l.block.states(); ++i)
          if (l.block.C(j, i) != 0.0)
            sys.nominal(l.states + i) = std::max(sys.nominal(l.states + i), u(j) / std::abs(l.block.C(j, i)));
      Vector grown = ts * u(j) * l.effect[j].cwiseAbs();
      if (target_rate > 0.0) grown = grown.cwiseMin(target_rate);
      sys.nominal = sys.nominal.cwiseMax(grown);
    }
    if (l.has_measured)
      for (Index i = 0; i < sys.nx; ++i)
        if (l.measured.fixed.x(i) != 0.0)
          sys.nominal(i) = std::max(sys.nominal(i), target / std::abs(l.measured.fixed.x(i)));
  }
  // States without a size take that of the states that drive them.
  for (Index round = 0; round < sys.nx; ++round) {
    const Vector driven = ts * (free.A.cwiseAbs() * sys.nominal);
    bool changed = false;
    for (Index i = 0; i < sys.nx; ++i)
      if (sys.nominal(i) == 0.0 && driven(i) > 0.0) sys.nominal(i) = driven(i), changed = true;
    if (!changed) break;
  }
}

} // namespace stickslip
