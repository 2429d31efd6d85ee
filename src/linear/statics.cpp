#include "linear/statics.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "dynamics/friction_force.hpp"
#include "sensitivity/replica.hpp"

#include <memory>
#include <variant>

namespace stickslip {

namespace {

// Bristles that hold at rest up to the break-away level whatever their deflection.
bool holds_by_bristles(const Friction& p) {
  return p.law.terms.size() == 1 && (std::holds_alternative<LuGre>(p.law.terms.front()) ||
                                     std::holds_alternative<Dahl>(p.law.terms.front()));
}

class StaticBalance {
public:
  StaticBalance(const std::shared_ptr<Compiled>& of, const State& at)
      : machine(of), turned(of->system.smooth ? std::make_unique<Tangent>(of->system) : nullptr),
        sys(turned ? turned->system : of->system), state(at), x(at.x), s(sys.ns()) {
    for (Index i = 0; i < sys.n_coordinates; ++i) x(sys.n_coordinates + i) = 0.0;
    if (turned) turned->move_to(at.t, x.data(), at.modes.sides);
    signal_values(sys, at.t, s.data());
    if (turned) turned->write(s.data());
  }

  Statics run() {
    for (Index j = 0; j < sys.contacts.size(); ++j)
      if (state.modes.contact[j] == Mode::closed && !sys.contacts[j].yields()) out.closed.push_back(j);
    for (Index i = 0; i < sys.friction.size(); ++i)
      if (is_holding(i)) out.holding.push_back(i);
    columns = sys.nx + out.holding.size() + out.closed.size() + 1;
    rates();
    for (Index k = 0; k < out.holding.size(); ++k) limits(k);
    for (const Index j : out.closed) require(of_normal(j));
    gaps();
    ends();
    for (const Constraint& c : sys.constraints.all) {
      if (c.value < 0) continue;
      Vector row = Vector::Zero(columns);
      row.head(sys.n_coordinates) = c.row;
      row(columns - 1) = -s(c.value);
      equal.push_back(row);
    }
    out.equalities = stacked_rows(equal);
    out.inequalities = stacked_rows(at_least);
    return std::move(out);
  }

private:
  const std::shared_ptr<Compiled>& machine;
  std::unique_ptr<Tangent> turned; // of a machine that is not linear, at this state
  const System& sys;
  State state;
  Vector x, s;
  Statics out;
  Index columns = 0;
  List<Vector> equal, at_least;

  Matrix stacked_rows(const List<Vector>& rows) const {
    Matrix all(rows.size(), columns);
    for (Index k = 0; k < rows.size(); ++k) all.row(k) = rows[k].transpose();
    return all;
  }

  void require(const Vector& row) { at_least.push_back(row); }

  bool is_holding(Index i) const {
    const Friction& p = sys.friction[i];
    const FrictionMode& mode = state.modes.friction[i];
    if (p.has_seat()) return mode.sticks();
    if (mode.open() || mode.free || relative_velocity(p, x.data(), s.data()) != 0.0) return false;
    if (p.traits.sticks || holds_by_bristles(p)) return true;
    if (p.traits.states > 0)
      reject("machine", "has no set of equilibria that is known exactly: '" + p.name +
                            "' has internal states that follow its motion");
    return false;
  }

  Vector of_normal(Index contact) const {
    Vector row = Vector::Zero(columns);
    for (Index k = 0; k < out.closed.size(); ++k)
      if (out.closed[k] == contact) row(sys.nx + out.holding.size() + k) = 1.0;
    return row;
  }

  // x' = f(x) with the holding forces left out, and these.
  void rates() {
    Modes modes = state.modes;
    for (const Index i : out.holding) modes.friction[i].enter(Mode::open);
    for (Index i = 0; i < sys.friction.size(); ++i) {
      const double v = relative_velocity(sys.friction[i], x.data(), s.data());
      if (v != 0.0 && !modes.friction[i].open() && !sys.friction[i].has_seat())
        modes.friction[i].enter(v > 0.0 ? Mode::slip_forward : Mode::slip_backward);
    }
    out.rates = Matrix::Zero(sys.nx, columns);
    for (Index k = 0; k < out.holding.size(); ++k)
      out.rates.col(sys.nx + k) = sys.friction[out.holding[k]].effect;
    for (Index k = 0; k < out.closed.size(); ++k) {
      const Contact& c = sys.contacts[out.closed[k]];
      auto column = out.rates.col(sys.nx + out.holding.size() + k);
      column = c.effect;
      for (Index i = 0; i < sys.friction.size(); ++i)
        if (sys.friction[i].contact == out.closed[k] && modes.friction[i].slips())
          column += sliding_force(i, modes) * sys.friction[i].effect;
      modes.contact[out.closed[k]] = Mode::open;
      for (Index i = 0; i < sys.friction.size(); ++i)
        if (sys.friction[i].contact == out.closed[k]) modes.friction[i].enter(Mode::open);
    }
    Replica replica(machine, {});
    Vector rate, force;
    Matrix slopes;
    replica.move(modes, state.t, state.t, x.data(), rate, force);
    replica.slopes(modes, state.t, state.t, x.data(), slopes);
    out.rates.leftCols(sys.nx) = slopes;
    out.rates.rightCols(1) = rate - slopes * x;
  }

  // Force per unit of the normal force.
  double sliding_force(Index i, const Modes& modes) const {
    const Friction& p = sys.friction[i];
    Vector unused = Vector::Zero(sys.nx);
    const ElementForce<double> f =
        friction_force(p, modes.friction[i].force_side(), modes.friction[i].branch,
                       relative_velocity(p, x.data(), s.data()), 1.0, x.data(), unused.data());
    return f.dry;
  }

  void limits(Index k) {
    const Index i = out.holding[k];
    const Friction& p = sys.friction[i];
    if (p.has_seat()) equal.push_back(over_states(p.way, 1.0)); // it holds in its seat alone
    Vector load = Vector::Zero(columns);
    if (p.contact >= 0) {
      load = of_normal(p.contact);
    } else {
      load(columns - 1) = s(p.load);
      if (!p.load_parts.empty()) {
        const Form& part = p.load_parts[state.modes.friction[i].load_stretch];
        load.head(sys.nx) += part.x;
        load(columns - 1) += part.s.dot(s);
      }
      if (p.load_contact >= 0) load += p.load_per_force * of_normal(p.load_contact);
    }
    const double N = normal_load(p, state.modes.friction[i].load_stretch, x.data(), s.data());
    const Interval unit =
        p.traits.sticks ? unit_limits(p, N, state.t, x.data()) : Interval{-p.break_away, p.break_away};
    Vector row = unit.hi * load;
    row(sys.nx + k) -= 1.0;
    require(row);
    row = -unit.lo * load;
    row(sys.nx + k) += 1.0;
    require(row);
  }

  Vector over_states(const Form& form, double factor) const {
    Vector row = Vector::Zero(columns);
    row.head(sys.nx) = factor * form.x;
    row(columns - 1) = factor * form.s.dot(s);
    return row;
  }

  void gaps() {
    for (Index j = 0; j < sys.contacts.size(); ++j) {
      const Contact& c = sys.contacts[j];
      if (c.of_velocity) continue;
      if (state.modes.contact[j] == Mode::open)
        require(over_states(c.gap, 1.0));
      else
        (c.yields() ? at_least : equal).push_back(over_states(c.gap, c.yields() ? -1.0 : 1.0));
    }
  }

  // Segments of springs and limits of controllers end where these forms become positive.
  void ends() {
    const LinearPart part = linear_part(sys, state.modes);
    for (const FlankGuard& g : part.flank_guards) require(over_states(g.form, -1.0));
    for (const SaturationGuard& g : part.guards)
      if (g.force.isZero(0.0)) require(over_states(g.form, -1.0));
  }
};

} // namespace

Statics statics(const std::shared_ptr<Compiled>& machine, const State& at) {
  return StaticBalance(machine, at).run();
}

} // namespace stickslip
