#include "model/linear_part.hpp"

#include "core/list.hpp"

namespace stickslip {

namespace {

Form zero(const System& sys) {
  return {Vector::Zero(sys.nx), Vector::Zero(sys.ns())};
}

void add(Form& to, double factor, const Form& f) {
  to.x += factor * f.x;
  to.s += factor * f.s;
}

class Folding {
public:
  Folding(const System& s, const SwitchModes& m, LinearPart& p)
      : sys(s), limits(m.saturation), flanks(m.flank), part(p) {}

  void run() {
    part.A = sys.A;
    part.S = sys.S;
    for (Index k = 0; k < flanks.size(); ++k) flank(k);
    const Index n = sys.loops.size();
    part.inputs.resize(n);
    part.outputs.resize(n);
    blocks.resize(n);
    for (Index b = 0; b < n; ++b) {
      const Loop& l = sys.loops[b];
      part.outputs[b].assign(l.block.outputs(), zero(sys));
      if (l.block.continuous()) {
        blocks[b] = affine(l.block, modes(l));
        continue;
      }
      for (Index j = 0; j < l.block.outputs(); ++j) part.outputs[b][j].x(l.held + j) = 1.0;
    }
    for (Index b : sys.loop_order) outputs(b);
    for (Index b = 0; b < n; ++b) {
      part.references.push_back(sys.loops[b].has_reference ? read(sys.loops[b].reference) : zero(sys));
      part.measured.push_back(sys.loops[b].has_measured ? read(sys.loops[b].measured) : zero(sys));
      states(b);
    }
    for (Index b = 0; b < n; ++b) effects(b);
    for (Index b = 0; b < n; ++b)
      if (sys.loops[b].saturation >= 0) guards(b);
  }

  Form read(const Input& in) const {
    Form f = in.fixed;
    for (const OutputTerm& t : in.outputs) {
      const auto a = t.loop;
      add(f, t.factor, t.order == 0 ? part.outputs[a][t.output] : rate(a, t.output));
    }
    return f;
  }

private:
  const System& sys;
  const List<Saturation>& limits;
  const List<FlankMode>& flanks;
  LinearPart& part;
  List<AffineBlock> blocks;

  void flank(Index k) {
    const Spring& p = sys.springs[sys.flanks[k].spring];
    const FlankForce f = force_of(sys, k, flanks[k]);
    Form force = zero(sys);
    add(force, f.slope, p.elongation);
    add(force, f.damping, p.rate);
    force.s(sys.one) += f.offset;
    part.A += p.effect * force.x.transpose();
    part.S += p.effect * force.s.transpose();
    flank_guards(k);
  }

  void flank_guards(Index k) {
    const Flank& flank = sys.flanks[k];
    const Spring& p = sys.springs[flank.spring];
    const FlankMode now = flanks[k];
    const auto beyond = [&](Index corner, double sign) {
      FlankGuard g{k, {sign > 0.0 ? corner + 1 : corner, false}, zero(sys)};
      add(g.form, sign, p.elongation);
      g.form.s(sys.one) -= sign * flank.line.corners[corner];
      part.flank_guards.push_back(std::move(g));
    };
    if (now.stretch < flank.line.corners.size()) beyond(now.stretch, 1.0);
    if (now.stretch > 0) beyond(now.stretch - 1, -1.0);
    if (p.damping == 0.0 || !flank.lets_go(now.stretch)) return;
    const Stretch& s = flank.line.stretches[now.stretch];
    const double sign = flank.side[now.stretch] * (now.loose ? 1.0 : -1.0);
    FlankGuard g{k, {now.stretch, !now.loose}, zero(sys)};
    add(g.form, sign * s.slope, p.elongation);
    add(g.form, sign * p.damping, p.rate);
    g.form.s(sys.one) += sign * s.offset;
    part.flank_guards.push_back(std::move(g));
  }

  List<Saturation> modes(const Loop& l) const {
    List<Saturation> m(l.block.outputs(), Saturation::free);
    if (l.saturation >= 0)
      for (Index j = 0; j < m.size(); ++j) m[j] = limits[l.saturation + j];
    return m;
  }

  // Row of the block's states, plus a constant.
  Form own(const Loop& l, const Matrix& m, Index row, double constant) const {
    Form f = zero(sys);
    if (l.states >= 0) f.x.segment(l.states, m.cols()) = m.row(row).transpose();
    f.s(sys.one) += constant;
    return f;
  }

  // Derivative of state i of a continuous block.
  Form state_rate(Index b, Index i) const {
    const Loop& l = sys.loops[b];
    const AffineBlock& a = blocks[b];
    Form f = own(l, a.A, i, a.b(i));
    for (Index k = 0; k < l.inputs.size(); ++k) {
      const double gain = a.B(i, k);
      if (gain != 0.0) add(f, gain, read(l.inputs[k]));
    }
    return f;
  }

  // Derivative of an output; compile() has checked that it exists.
  Form rate(Index b, Index output) const {
    const Loop& l = sys.loops[b];
    const AffineBlock& a = blocks[b];
    Form f = zero(sys);
    for (Index i = 0; i < l.block.states(); ++i)
      if (a.C(output, i) != 0.0) add(f, a.C(output, i), state_rate(b, i));
    for (Index k = 0; k < l.inputs.size(); ++k) {
      const double gain = a.D(output, k);
      if (gain == 0.0) continue;
      add(f, gain, l.inputs[k].rate);
      for (const OutputTerm& t : l.inputs[k].outputs) add(f, gain * t.factor, rate(t.loop, t.output));
    }
    return f;
  }

  void outputs(Index b) {
    const Loop& l = sys.loops[b];
    if (!l.block.continuous()) return;
    const AffineBlock& a = blocks[b];
    for (Index j = 0; j < l.block.outputs(); ++j) {
      Form f = own(l, a.C, j, a.d(j));
      for (Index k = 0; k < l.inputs.size(); ++k) {
        const double gain = a.D(j, k);
        if (gain != 0.0) add(f, gain, read(l.inputs[k]));
      }
      part.outputs[b][j] = f;
    }
  }

  void states(Index b) {
    const Loop& l = sys.loops[b];
    for (const Input& in : l.inputs) part.inputs[b].push_back(read(in));
    if (l.states < 0) return;
    for (Index i = 0; i < l.block.states(); ++i) {
      const Form f = state_rate(b, i);
      part.A.row(l.states + i) = f.x.transpose();
      part.S.row(l.states + i) = f.s.transpose();
    }
  }

  void effects(Index b) {
    const Loop& l = sys.loops[b];
    for (Index j = 0; j < l.effect.size(); ++j) {
      if (l.effect[j].isZero(0.0)) continue;
      part.A += l.effect[j] * part.outputs[b][j].x.transpose();
      part.S += l.effect[j] * part.outputs[b][j].s.transpose();
    }
  }

  void guards(Index b) {
    const Loop& l = sys.loops[b];
    const auto m = modes(l);
    for (Index j = 0; j < l.block.outputs(); ++j)
      for (const BlockGuard& g : stickslip::guards(l.block, j, m[j])) {
        SaturationGuard out{b, j, g, zero(sys), Vector::Zero(sys.friction.size() + sys.contacts.size())};
        if (l.states >= 0) out.form.x.segment(l.states, g.z.size()) += g.z;
        out.form.s(sys.one) += g.offset;
        for (Index k = 0; k < l.inputs.size(); ++k) {
          const Form& w = part.inputs[b][k];
          if (g.w(k) != 0.0) add(out.form, g.w(k), w);
          if (g.wdot(k) == 0.0) continue;
          add(out.form, g.wdot(k), {part.A.transpose() * w.x, part.S.transpose() * w.x});
          for (Index s = 0; s < sys.ns(); ++s)
            if (w.s(s) != 0.0 && sys.rate_of[s] >= 0) out.form.s(sys.rate_of[s]) += g.wdot(k) * w.s(s);
          for (Index p = 0; p < sys.friction.size(); ++p)
            out.force(p) += g.wdot(k) * w.x.dot(sys.friction[p].effect);
          for (Index c = 0; c < sys.contacts.size(); ++c)
            out.force(sys.friction.size() + c) += g.wdot(k) * w.x.dot(sys.contacts[c].effect);
        }
        part.guards.push_back(std::move(out));
      }
  }
};

} // namespace

LinearPart linear_part(const System& sys, const SwitchModes& modes) {
  LinearPart part;
  Folding(sys, modes, part).run();
  part.sampled.resize(sys.loops.size());
  for (Index b = 0; b < sys.loops.size(); ++b)
    if (!sys.loops[b].block.continuous())
      for (const Form& input : part.inputs[b]) part.sampled[b].emplace_back(input);
  return part;
}

SwitchModes modes_at_zero(const System& sys) {
  SwitchModes modes;
  modes.saturation.assign(sys.saturations, Saturation::free);
  for (const Flank& f : sys.flanks) modes.flank.push_back({f.line.stretch_at(0.0), false});
  return modes;
}

FlankForce force_of(const System& sys, Index flank, const FlankMode& mode) {
  const Flank& f = sys.flanks[flank];
  if (mode.loose || !f.pushes(mode.stretch)) return {};
  const Stretch& s = f.line.stretches[mode.stretch];
  return {s.slope, s.offset, sys.springs[f.spring].damping};
}

} // namespace stickslip
