#include "sensitivity/sampled_changes.hpp"

#include <cmath>

namespace stickslip {

namespace {

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

SampledChanges::SampledChanges(Replica& base, const Parameters& parameters) : machine(base), by(parameters) {
  periods = delays = Matrix::Zero(by.size(), base.system().loops.size());
  for (Index b = 0; b < periods.cols(); ++b)
    for (Index j = 0; j < by.size(); ++j) {
      if (!by[j]->changes_machine() || by[j]->signals_alone) continue;
      periods(j, b) = by[j]->derivative([&](Replica& m) { return m.system().loops[b].block.period; });
      delays(j, b) = by[j]->derivative([&](Replica& m) { return m.system().loops[b].block.delay; });
    }
}

const SampledChanges::Changes& SampledChanges::of(const Regime& regime, Index loop) {
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

void SampledChanges::contract(Cotangents& all) {
  const auto product = [](const auto& a, const auto& b) { return a.cwiseProduct(b).sum(); };
  for (const auto& [where, block] : all.blocks)
    for (const Change& c : of(*all.read_in.at(where.first), where.second))
      all.gradient(c.parameter) += product(block.A, c.A) + product(block.B, c.B) + product(block.C, c.C) +
                                   product(block.D, c.D) + product(block.L, c.L) + product(block.lo, c.lo) +
                                   product(block.hi, c.hi) + product(block.by_state, c.by_state) +
                                   product(block.by_signal, c.by_signal);
}

std::string moved_instants(const System& base, const Neighbours& p) {
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

} // namespace stickslip
