#include "core/linalg.hpp"
#include "model/compile_compensation.hpp"
#include "model/compile_control.hpp"
#include "model/system.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>

namespace stickslip {

namespace {

std::string shape(const Matrix& m) {
  std::ostringstream text;
  text << "(" << m.rows() << ", " << m.cols() << ")";
  return text.str();
}

void check_matrix(std::string_view name, const Matrix& m, Index n) {
  if (m.rows() != n || m.cols() != n)
    reject(name,
           "has shape " + shape(m) + ", expected (" + std::to_string(n) + ", " + std::to_string(n) + ")");
  if (!m.allFinite()) reject(name, "holds NaN or infinity: every entry must be finite");
}

void check_symmetric(std::string_view name, const Matrix& m) {
  const double size = m.cwiseAbs().maxCoeff();
  if ((m - m.transpose()).cwiseAbs().maxCoeff() > 1e-12 * size) reject(name, "is not symmetric");
}

void check_mass(const Matrix& mass) {
  check_symmetric("mass", mass);
  for (Index i = 0; i < mass.rows(); ++i)
    if (!(mass(i, i) > 0.0)) reject("mass[" + std::to_string(i) + "]", mass(i, i), "> 0");
  // Scaled to a unit diagonal, so that grams beside tonnes pass and only a real indefiniteness fails.
  const Vector d = mass.diagonal().cwiseSqrt().cwiseInverse();
  const Matrix scaled = d.asDiagonal() * mass * d.asDiagonal();
  if (!(linalg::symmetric_eigenvalues(scaled)(0) > 1e-13)) reject("mass", "is not positive definite");
}

void check_signal(const std::string& name, const Signal& s) {
  if (s.pieces.empty()) reject(name, "is an empty signal");
  for (const Piece& p : s.pieces) {
    bool ok = std::isfinite(p.anchor);
    for (double c : p.c) ok = ok && std::isfinite(c);
    for (const Harmonic& h : p.harmonics)
      ok = ok && std::isfinite(h.amplitude) && std::isfinite(h.omega) && std::isfinite(h.phase);
    if (!ok) reject(name, "holds NaN or infinity: every value must be finite");
  }
}

// A wall cannot jump.
void check_continuous(const std::string& name, const Signal& s) {
  double size = 0.0;
  for (const Piece& p : s.pieces) {
    size = std::max(size, std::abs(p.c[0]));
    for (const Harmonic& h : p.harmonics) size = std::max(size, std::abs(h.amplitude));
  }
  for (std::size_t k = 1; k < s.pieces.size(); ++k) {
    const double t = s.pieces[k].start;
    const Signal past{{s.pieces[k - 1]}, {}}, next{{s.pieces[k]}, {}};
    const double a = value(past, t), b = value(next, t);
    if (std::abs(b - a) <= 1e-9 * std::max({size, std::abs(a), std::abs(b)})) continue;
    std::ostringstream text;
    text << "jumps from " << a << " to " << b << " at t = " << t << ": a wall must move without jumps";
    reject(name, text.str());
  }
}

} // namespace

double fine_structure(const Law& law, const LawTraits& traits) {
  if (traits.affine) return 0.0;
  std::vector<double> z(static_cast<std::size_t>(std::max<Index>(traits.states, 1)));
  const double near = steady(law, 1e-150, z.data()).dry;
  double lo = 1e-150, hi = 1e150; // in the logarithm
  const double far = steady(law, hi, z.data()).dry;
  if (!(std::abs(near - far) > 0.0)) return 0.0;
  for (int i = 0; i < 60; ++i) {
    const double v = std::sqrt(lo) * std::sqrt(hi);
    (std::abs(steady(law, v, z.data()).dry - near) < 0.05 * std::abs(near - far) ? lo : hi) = v;
  }
  return lo;
}

namespace {

class Builder {
public:
  Builder(const Machine& m, bool own_signals) : machine(m), own(own_signals) {}

  System build() {
    plant();
    sys.plant_states = static_cast<Index>(sys.states.size());
    for (const AppliedForce& f : machine.forces) force(f);
    for (const FrictionPlace& f : machine.friction) place(f);
    for (const ContactPlace& c : machine.contacts) contact(c);
    declare_compensators(machine, sys, used);
    declare_controllers(machine, sys, used);
    size_up();
    wire_compensators(machine, sys, [this](const Vector& direction) { return column(direction); });
    wire_controllers(machine, sys, [this](const Vector& direction) { return column(direction); });
    const Index states = sys.plant_states;
    const double rate = linalg::spectral_radius(sys.A.topLeftCorner(states, states));
    sys.time_scale = rate > 0.0 ? 1.0 / rate : 1.0;
    size_states(sys);
    size_controllers(sys);
    return std::move(sys);
  }

private:
  const Machine& machine;
  const bool own; // every use of a signal has its own
  System sys;
  Matrix inverse_mass;
  std::set<std::string> used;
  std::vector<Index> gap_signal;

  void claim(const std::string& name, std::string_view what) {
    if (name.empty()) reject(what, "is an empty string");
    if (name.find('.') != std::string::npos)
      reject(what, "= '" + name + "' holds a dot, which separates an element from its signal");
    if (!used.insert(name).second)
      reject(what, "= '" + name + "' is taken: all names of a machine share one name space");
  }

  Index add_state(const std::string& name) {
    sys.states.push_back(name);
    return static_cast<Index>(sys.states.size()) - 1;
  }

  Index add_signal(const Signal& s) {
    for (std::size_t i = 0; i < sys.signals.size() && !own; ++i)
      if (s.input.empty() && sys.signals[i] == s) return static_cast<Index>(i);
    sys.signals.push_back(s);
    return static_cast<Index>(sys.signals.size()) - 1;
  }

  // A plant in matrix notation has no coordinates, only states.
  void matrix_plant(const MatrixPlant& p) {
    const Index n = p.A.rows();
    if (n < 1) reject("A", "is empty: a plant has at least one state");
    check_matrix("A", p.A, n);
    if (static_cast<Index>(p.states.size()) != n)
      reject("states",
             "has " + std::to_string(p.states.size()) + " entries for " + std::to_string(n) + " states");
    for (const std::string& name : p.states) {
      if (name.empty()) reject("states", "holds an empty string");
      if (!used.insert(name).second)
        reject("states", "= '" + name + "' is taken: all names share one name space");
      add_state(name);
    }
    sys.mass = sys.damping = sys.stiffness = inverse_mass = Matrix::Zero(0, 0);
  }

  // Number of entries of a direction.
  Index width() const { return machine.matrices ? machine.matrices->A.rows() : sys.n_coordinates; }

  void plant() {
    if (machine.matrices) return matrix_plant(*machine.matrices);
    const Plant& p = machine.plant;
    const Index n = p.mass.rows();
    if (n < 1) reject("mass", "is empty: a machine has at least one coordinate");
    check_matrix("mass", p.mass, n);
    check_matrix("damping", p.damping, n);
    check_matrix("stiffness", p.stiffness, n);
    check_mass(p.mass);
    if (static_cast<Index>(p.names.size()) != n)
      reject("names",
             "has " + std::to_string(p.names.size()) + " entries for " + std::to_string(n) + " coordinates");
    for (const std::string& name : p.names) claim(name, "names");
    sys.n_coordinates = n;
    sys.coordinates.assign(p.names.begin(), p.names.end());
    for (const std::string& name : p.names) add_state(name + ".position");
    for (const std::string& name : p.names) add_state(name + ".velocity");
    sys.mass = p.mass;
    sys.damping = p.damping;
    sys.stiffness = p.stiffness;
    // A diagonal mass matrix is inverted exactly, entry by entry.
    if (p.mass.isDiagonal(0.0))
      inverse_mass = p.mass.diagonal().cwiseInverse().asDiagonal();
    else
      inverse_mass = linalg::Cholesky(p.mass).solve(Matrix::Identity(n, n));
  }

  // Change of x' per unit of a generalised force.
  Vector column(const Vector& direction) const {
    if (direction.size() != width()) reject("to", "has the wrong length");
    Vector out = Vector::Zero(sys.nx);
    if (machine.matrices)
      out.head(width()) = direction;
    else
      out.segment(sys.n_coordinates, sys.n_coordinates) = inverse_mass * direction;
    return out;
  }

  void force(const AppliedForce& f) {
    check_signal("force", f.signal);
    if (f.direction.size() != width() || !f.direction.allFinite())
      reject("on",
             "of a force must give a finite direction over " + std::to_string(width()) + " coordinates");
    sys.drives.push_back({f.direction, Vector(), add_signal(f.signal)});
  }

  // Friction whose column makes its own velocity grow would act instantly on itself the wrong way (C A_NL >=
  // 0).
  void check_column(const FrictionPlace& f) const {
    const std::string of = "of '" + f.name + "'";
    if (f.column.size() != width() || !f.column.allFinite())
      reject("column",
             of + " must give a finite change for each of the " + std::to_string(width()) + " states");
    const double reaction = f.direction.dot(f.column);
    if (!(reaction < -1e-12 * f.direction.cwiseAbs().dot(f.column.cwiseAbs())))
      reject("column", of + " acts on its own velocity by C A_NL = " + std::to_string(reaction) +
                           ", which must be < 0: friction that opposes a velocity slows it down at once");
  }

  void place(const FrictionPlace& f) {
    claim(f.name, "name");
    const Index n = width();
    if (f.direction.size() != n || !f.direction.allFinite() || f.direction.isZero(0.0))
      reject("on", "of '" + f.name + "' must give a finite, non-zero direction over " + std::to_string(n) +
                       " coordinates");
    if (machine.matrices) check_column(f);
    if (f.law.terms.empty()) reject("law", "of '" + f.name + "' has no terms");
    check_signal("normal_load of '" + f.name + "'", f.normal_load);
    check_signal("surface_velocity of '" + f.name + "'", f.surface_velocity);
    if (is_constant(f.normal_load))
      non_negative("normal_load of '" + f.name + "'", value(f.normal_load, 0.0));
    Place p;
    p.name = f.name;
    p.law = f.law;
    p.traits = traits(f.law);
    p.automaton = f.automaton;
    p.break_away = std::max(std::abs(p.traits.break_away.lo), std::abs(p.traits.break_away.hi));
    p.fine = fine_structure(f.law, p.traits);
    p.load = add_signal(f.normal_load);
    p.surface = add_signal(f.surface_velocity);
    automaton(f, p);
    if (p.traits.states > 0) {
      p.states = static_cast<Index>(sys.states.size());
      for (Index i = 0; i < p.traits.states; ++i)
        add_state(f.name + ".z" + (p.traits.states > 1 ? std::to_string(i) : ""));
    }
    sys.needs_interpreter = sys.needs_interpreter || p.traits.needs_interpreter;
    sys.places.push_back(std::move(p));
  }

  // A contact's friction is a place like any other whose load is the contact's force.
  void contact(const ContactPlace& c) {
    const std::string of = " of '" + c.name + "'";
    const Index n = sys.n_coordinates;
    if (c.normal.size() != n)
      reject("normal" + of,
             "has " + std::to_string(c.normal.size()) + " entries for " + std::to_string(n) + " coordinates");
    if (!c.normal.allFinite() || c.normal.isZero(0.0)) reject("normal" + of, "must be finite and not zero");
    if (!(c.restitution >= 0.0 && c.restitution <= 1.0))
      reject("restitution" + of, c.restitution, "in [0, 1]");
    check_signal("gap" + of, c.gap);
    check_continuous("gap" + of, c.gap);
    Contact out;
    out.name = c.name;
    out.restitution = c.restitution;
    out.impact = c.impact;
    if (c.tangent.size() > 0) {
      if (c.tangent.size() != n)
        reject("tangent" + of, "has " + std::to_string(c.tangent.size()) + " entries for " +
                                   std::to_string(n) + " coordinates");
      FrictionPlace f{
          c.name, c.tangent, c.friction,           c.automaton, constant_signal(0.0), c.surface_velocity,
          {},     {},        constant_signal(0.0), {}};
      place(f);
      Place& p = sys.places.back();
      p.contact = static_cast<Index>(sys.contacts.size());
      out.place = static_cast<Index>(sys.places.size()) - 1;
      std::vector<double> z(static_cast<std::size_t>(std::max<Index>(p.traits.states, 1)));
      out.impulsive_friction = std::abs(steady(c.friction, 1e100, z.data()).dry);
    } else {
      claim(c.name, "name");
    }
    gap_signal.push_back(add_signal(c.gap));
    sys.contacts.push_back(std::move(out));
  }

  Index contact_named(const std::string& name, const std::string& of) const {
    for (std::size_t j = 0; j < machine.contacts.size(); ++j)
      if (machine.contacts[j].name == name) return static_cast<Index>(j);
    reject("load" + of, "names '" + name + "', which is no contact of this machine");
  }

  // Options of the stick/slip automaton: which of its states this place has.
  void automaton(const FrictionPlace& f, Place& p) {
    const Automaton& a = f.automaton;
    const std::string of = " of '" + f.name + "'";
    non_negative("memory" + of, a.lag);
    non_negative("dwell" + of, a.dwell);
    non_negative("presliding travel" + of, a.travel);
    non_negative("presliding damping" + of, a.surface_damping);
    non_negative("load_factor" + of, a.load_factor);
    if (a == Automaton{}) return;
    if (p.traits.states > 0)
      reject("law" + of,
             "has internal states: the options of StickSlip need a curve such as Coulomb or Stribeck");
    if (!p.traits.sticks)
      reject("law" + of, "has no jump at v = 0: the options of StickSlip need one that sticks");
    if (std::abs(p.traits.break_away.lo + p.traits.break_away.hi) > 1e-12 * p.break_away)
      reject("law" + of, "is not odd: the options of StickSlip need one level for both directions");
    p.kinetic = evaluate(f.law, 1e100, 1, 0, nullptr, nullptr).dry;
    if (a.lag > 0.0) p.lagged = add_state(f.name + ".lagged_force");
    if (a.travel > 0.0) p.surface_travel = add_state(f.name + ".presliding");
    if (a.dwell > 0.0) {
      p.aged = add_state(f.name + ".aged");
      p.peak = add_state(f.name + ".peak");
      p.entered = add_state(f.name + ".stuck_since");
    }
    if (a.load_factor > 0.0) {
      if (!(p.kinetic > 0.0)) reject("kinetic level" + of, p.kinetic, "> 0 where the load adds to it");
      if (f.load_position.size() == 0 && f.load_velocity.size() == 0 && f.load_contact.empty())
        reject("load" + of,
               "is missing: load_factor needs the load force, a linear form or a contact's force");
      p.load_per_force = a.load_factor / p.kinetic;
      if (!f.load_contact.empty()) p.load_contact = contact_named(f.load_contact, of);
    }
  }

  // All signals and states are known now: fill the matrices.
  void size_up() {
    const Index n = sys.n_coordinates;
    // Derivatives of surface velocities accelerate the relative motion; they are signals of their own.
    std::vector<Index> surface_rate;
    for (const Place& p : sys.places)
      surface_rate.push_back(add_signal(differentiate(sys.signals[static_cast<std::size_t>(p.surface)])));
    std::vector<Index> gap_rate, gap_acceleration;
    for (Index g : gap_signal) {
      const Signal rate = differentiate(sys.signals[static_cast<std::size_t>(g)]);
      gap_rate.push_back(add_signal(rate));
      gap_acceleration.push_back(add_signal(differentiate(rate)));
    }
    std::vector<Index> load_signal;
    for (const FrictionPlace& f : machine.friction) {
      check_signal("load of '" + f.name + "'", f.load_signal);
      load_signal.push_back(add_signal(f.load_signal));
    }
    sys.nx = static_cast<Index>(sys.states.size());
    const Index ns = sys.ns();
    sys.A = Matrix::Zero(sys.nx, sys.nx);
    sys.S = Matrix::Zero(sys.nx, ns);
    if (machine.matrices) sys.A.topLeftCorner(width(), width()) = machine.matrices->A;
    sys.A.block(0, n, n, n).setIdentity();
    sys.A.block(n, 0, n, n) = -inverse_mass * sys.stiffness;
    sys.A.block(n, n, n, n) = -inverse_mass * sys.damping;
    for (auto& d : sys.drives) {
      d.effect = column(d.direction);
      sys.S.col(d.signal) += d.effect;
    }
    for (std::size_t i = 0; i < sys.places.size(); ++i) {
      Place& p = sys.places[i];
      if (p.compensator) continue;
      const bool given = p.contact < 0;
      const Vector& w = given ? machine.friction[i].direction
                              : machine.contacts[static_cast<std::size_t>(p.contact)].tangent;
      p.velocity.x = Vector::Zero(sys.nx);
      if (machine.matrices) {
        p.effect = column(machine.friction[i].column);
        p.velocity.x.head(width()) = w;
      } else {
        p.effect = -column(w);
        p.velocity.x.segment(n, n) = w;
      }
      p.velocity.s = Vector::Zero(ns);
      p.velocity.s(p.surface) = -1.0;
      p.acceleration_s = Vector::Zero(ns);
      p.acceleration_s(surface_rate[i]) = -1.0;
      if (p.load_per_force != 0.0 && p.load_contact < 0) {
        const FrictionPlace& f = machine.friction[i];
        p.load_force.x = Vector::Zero(sys.nx);
        if (f.load_position.size() == n) p.load_force.x.head(n) = f.load_position;
        if (f.load_velocity.size() == n) p.load_force.x.segment(n, n) = f.load_velocity;
        p.load_force.s = Vector::Zero(ns);
        p.load_force.s(load_signal[i]) = 1.0;
      }
    }
    for (std::size_t j = 0; j < sys.contacts.size(); ++j) {
      Contact& c = sys.contacts[j];
      const Vector& w = machine.contacts[j].normal;
      c.effect = Vector::Zero(sys.nx);
      c.effect.segment(n, n) = inverse_mass * w;
      c.gap.x = c.rate.x = Vector::Zero(sys.nx);
      c.gap.x.head(n) = w;
      c.rate.x.segment(n, n) = w;
      c.gap.s = c.rate.s = c.acceleration_s = Vector::Zero(ns);
      c.gap.s(gap_signal[j]) = 1.0;
      c.rate.s(gap_rate[j]) = 1.0;
      c.acceleration_s(gap_acceleration[j]) = 1.0;
    }
  }
};

// Matrix notation: states that something drives take their size from it, all others from the states that
// drive them.
void size_matrix_states(System& sys, const Vector& rates) {
  sys.nominal = sys.time_scale * rates;
  for (Index round = 0; round < sys.plant_states; ++round) {
    const Vector driven = sys.time_scale * (sys.A.cwiseAbs() * sys.nominal);
    for (Index i = 0; i < sys.plant_states; ++i)
      if (sys.nominal(i) == 0.0) sys.nominal(i) = driven(i);
  }
}

// A bristle's deflection has the size that it settles to. All that happens while it deflects and slips
// happens at about the Stribeck velocity, however fast the machine slides at other times: errors of velocity
// count in this unit.
void size_bristles(System& sys) {
  const Index n = sys.n_coordinates;
  sys.finest = Vector::Constant(sys.nx, std::numeric_limits<double>::infinity());
  for (const Place& p : sys.places) {
    if (p.traits.states == 0) continue;
    std::vector<double> slow(static_cast<std::size_t>(p.traits.states)), fast = slow;
    steady(p.law, 1e-150, slow.data());
    steady(p.law, 1e150, fast.data());
    for (std::size_t i = 0; i < slow.size(); ++i)
      sys.nominal(p.states + static_cast<Index>(i)) = std::max(std::abs(slow[i]), std::abs(fast[i]));
    if (p.fine == 0.0) continue;
    for (Index i = n; i < sys.plant_states; ++i) // a plant in matrix notation has no positions to leave out
      if (p.velocity.x(i) != 0.0)
        sys.finest(i) = std::min(sys.finest(i), 4.0 * p.fine / std::abs(p.velocity.x(i)));
  }
}

} // namespace

// A size for every state from what the description says: times from the plant, accelerations from loads and
// limits, velocities from surfaces. It sets absolute tolerances only, and grows with the motion.
void size_states(System& sys) {
  const Index n = sys.n_coordinates;
  Vector acceleration = Vector::Zero(sys.nx);
  Vector velocity = Vector::Zero(n);
  auto size_of = [&](Index signal) {
    double size = 0.0;
    const Signal& s = sys.signals[static_cast<std::size_t>(signal)];
    for (const Piece& p : s.pieces) {
      double t = sys.time_scale;
      double power = 1.0, piece = 0.0;
      for (double c : p.c) {
        piece = std::max(piece, std::abs(c) * power);
        power *= t;
      }
      for (const Harmonic& h : p.harmonics) piece += std::abs(h.amplitude);
      size = std::max(size, piece);
    }
    return size;
  };
  for (const auto& d : sys.drives) acceleration += d.effect.cwiseAbs() * size_of(d.signal);
  for (const Place& p : sys.places) {
    const double level = p.traits.sticks ? p.break_away : 0.0;
    acceleration += p.effect.cwiseAbs() * (level * size_of(p.load));
    if (n > 0) velocity = velocity.cwiseMax(p.velocity.x.segment(n, n).cwiseAbs() * size_of(p.surface));
  }
  sys.nominal = Vector::Constant(sys.nx, 0.0);
  if (n == 0) size_matrix_states(sys, acceleration);
  for (Index i = 0; i < n; ++i) {
    const double v = std::max(velocity(i), acceleration(n + i) * sys.time_scale);
    sys.nominal(n + i) = v;
    sys.nominal(i) = v * sys.time_scale;
  }
  for (const Place& p : sys.places) {
    if (p.surface_travel >= 0) sys.nominal(p.surface_travel) = p.automaton.travel;
    if (p.lagged >= 0) sys.nominal(p.lagged) = p.break_away * size_of(p.load);
  }
  size_bristles(sys);
}

System compile(const Machine& machine, bool own_signals) {
  return Builder(machine, own_signals).build();
}

Index find_name(const std::vector<std::string>& names, const std::string& name, std::string_view what) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end()) return static_cast<Index>(it - names.begin());
  std::string text = "unknown " + std::string(what) + " '" + name + "'; known are:";
  for (const std::string& n : names) text += " '" + n + "'";
  throw UnknownName(text);
}

} // namespace stickslip
