#include "model/draft.hpp"

#include "core/error.hpp"
#include "core/linalg.hpp"
#include "core/tolerances.hpp"

#include <algorithm>

namespace stickslip {

Draft::Draft(const Machine& m, bool own_entries) : machine(m), own_signals(own_entries) {
  std::apply([&](auto&... of_kind) { (m.list(of_kind), ...); }, elements);
}

Index Draft::add_state(const std::string& name) {
  sys.states.push_back(name);
  return sys.states.size() - 1;
}

Index Draft::add_signal(const Signal& s) {
  for (Index i = 0; i < sys.signals.size() && !own_signals && s.input.empty(); ++i)
    if (sys.signals[i] == s && !own.contains(i)) return i;
  sys.signals.push_back(s);
  sys.rate_of.push_back(-1);
  return sys.signals.size() - 1;
}

Index Draft::add_own_signal(const Signal& signal) {
  sys.signals.push_back(signal);
  own.insert(sys.signals.size() - 1);
  sys.rate_of.push_back(-1);
  return sys.signals.size() - 1;
}

void Draft::add_rates(Index signal, int count) {
  for (int k = 0; k < count; ++k) {
    const auto i = signal;
    if (sys.rate_of[i] < 0) {
      const Index rate = add_signal(differentiate(sys.signals[i]));
      sys.rate_of[i] = rate;
    }
    signal = sys.rate_of[i];
  }
}

Index Draft::width() const {
  return machine.matrices() ? machine.matrices()->A.rows() : sys.n_coordinates;
}

bool Draft::moving_inertia() const {
  const Plant* const plant = machine.mechanical();
  return (plant != nullptr && !plant->mass_expression.outputs.empty()) ||
         std::ranges::any_of(all<ConstraintElement>(),
                             [](const ConstraintElement* e) { return e->curved(); });
}

Vector Draft::direction(const Combination& on) const {
  Vector w = Vector::Zero(width());
  for (const Part& p : on.parts)
    if (const MatrixPlant* m = machine.matrices())
      w += p.factor * m->B.col(find_name(m->inputs, p.name, "input"));
    else
      w(find_name(sys.coordinates, p.name, "coordinate")) += p.factor;
  return w;
}

// A force along prescribed coordinates causes exactly zero acceleration, as one along others that it does not reach.
Vector Draft::acceleration(const Vector& w) const {
  if (free_motions.size() == 0) {
    Vector out = inverse_mass * w;
    linalg::drop_rounding(out, inverse_mass.cwiseAbs() * w.cwiseAbs(), tolerance::rounding);
    return out;
  }
  Vector along = free_motions.transpose() * w;
  linalg::drop_rounding(along, free_motions.cwiseAbs().transpose() * w.cwiseAbs(), tolerance::per_term);
  return free_motions * (free_inverse * along);
}

Vector Draft::prescribed_along(const Vector& w) const {
  if (prescribed.size() == 0) return {};
  const Vector along = unprescribed.transpose() * w,
               terms = unprescribed.cwiseAbs().transpose() * w.cwiseAbs();
  if ((along.array().abs() > tolerance::per_term * terms.array()).any()) return {};
  return prescribed.transpose() * w;
}

Vector Draft::column(const Vector& direction) const {
  Vector out = Vector::Zero(sys.nx);
  if (machine.matrices())
    out.head(width()) = direction;
  else
    out.segment(sys.n_coordinates, sys.n_coordinates) = acceleration(direction);
  return out;
}

Reading Draft::read(const std::string& what, const Source& source) {
  if (source.signal.pieces.empty()) return read(what, source.names);
  Reading out;
  if (!source.names.empty()) out = read(what, source.names); // the signal is added to these
  out.text = what;
  out.signals.emplace_back(add_signal(source.signal), 1.0);
  return out;
}

Reading Draft::read(const std::string& what, const Combination& names) const {
  Reading out;
  out.text = what + " = '";
  for (const Part& p : names.parts) out.text += (&p == names.parts.data() ? "" : " + ") + p.name;
  out.text += "'";
  for (const Part& p : names.parts) {
    const auto dot = p.name.rfind('.');
    const std::string kind = dot == std::string::npos ? "" : p.name.substr(dot + 1);
    const bool number = kind.starts_with("output") && kind.size() < 9 &&
                        kind.find_first_not_of("0123456789", 6) == std::string::npos;
    const MatrixPlant* m = machine.matrices();
    if (m != nullptr && (holds(m->outputs, p.name) || holds(m->states, p.name) || !number))
      read_matrices(out, *m, p.name, p.factor);
    else if (number)
      out.outputs.push_back(
          {p.name.substr(0, dot), kind.size() > 6 ? std::stol(kind.substr(6)) : 0, p.factor});
    else
      read_coordinate(out, p.name, p.factor);
  }
  return out;
}

void Draft::read_coordinate(Reading& out, const std::string& name, double factor) const {
  const auto dot = name.rfind('.');
  const std::string kind = dot == std::string::npos ? "" : name.substr(dot + 1);
  const auto& known = sys.coordinates;
  const auto at = std::find(known.begin(), known.end(), name.substr(0, dot));
  if (at == known.end() || (kind != "position" && kind != "velocity" && kind != "applied_force"))
    throw UnknownName(
        out.text +
        " is unknown: it must be '<coordinate>.position', '.velocity' or '.applied_force' with a "
        "coordinate among " +
        quoted(known));
  const Index i = at - known.begin();
  if (kind == "applied_force") { // sum of all external forces on the coordinate
    for (const System::Drive& d : sys.drives)
      if (d.direction(i) != 0.0) out.signals.emplace_back(d.signal, factor * d.direction(i));
    return;
  }
  if (out.state.size() == 0) out.state = Vector::Zero(sys.plant_states);
  out.state(i + (kind == "velocity" ? sys.n_coordinates : 0)) += factor;
}

void Draft::read_matrices(Reading& out, const MatrixPlant& m, const std::string& name, double factor) const {
  if (out.state.size() == 0) out.state = Vector::Zero(sys.plant_states);
  const auto output = std::find(m.outputs.begin(), m.outputs.end(), name);
  if (output == m.outputs.end()) {
    out.state(find_name(m.states, name, "state or output")) += factor;
    return;
  }
  for (const FrictionElement* f : all<FrictionElement>())
    for (const Part& p : f->feedthrough.parts)
      if (p.name == name)
        reject(out.text, "is not allowed: it must be an output that friction does not reach directly (D_NL): "
                         "it jumps with '" +
                             f->name + "'");
  const Index i = output - m.outputs.begin();
  out.state += factor * m.C.row(i).transpose();
  const auto through = [&](const Combination& on) {
    double sum = 0.0;
    for (const Part& p : on.parts) sum += m.D(i, find_name(m.inputs, p.name, "input")) * p.factor;
    return factor * sum;
  };
  for (Index k = 0; k < all<AppliedForce>().size(); ++k)
    if (const double gain = through(all<AppliedForce>()[k]->on); gain != 0.0)
      out.signals.emplace_back(sys.drives[k].signal, gain);
  for (const ControllerElement* c : all<ControllerElement>())
    for (Index j = 0; j < c->to.size(); ++j)
      if (const double gain = through(c->to[j]); gain != 0.0) out.outputs.push_back({c->name, j, gain});
  const auto switches = [&](const auto& relay) {
    if (through(relay->to) != 0.0)
      reject(out.text,
             "is not allowed: it must be an output that no relay reaches directly (D): it jumps with '" +
                 relay->name + "'");
  };
  for (const RelayElement* r : all<RelayElement>()) switches(r);
  for (const QuantiserElement* q : all<QuantiserElement>()) switches(q);
  for (const CompensatorElement* c : all<CompensatorElement>())
    if (through(c->to) != 0.0)
      reject(out.text,
             "is not allowed: it must be an output that no compensator reaches directly (D), but '" +
                 c->name + "' does");
}

Form form_of(const System& sys, const Reading& r) {
  Form f{Vector::Zero(sys.nx), Vector::Zero(sys.ns())};
  if (r.state.size() > 0) f.x.head(r.state.size()) = r.state;
  for (const auto& [signal, factor] : r.signals) f.s(signal) += factor;
  return f;
}

} // namespace stickslip
