#include "model/compile_compensation.hpp"

#include "core/error.hpp"
#include "model/compile_control.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

bool is_zero(const Piece& p) {
  return p.harmonics.empty() && std::all_of(p.c.begin(), p.c.end(), [](double c) { return c == 0.0; });
}

// The load where the reference moves, zero where it rests: a law with a jump has no force at v = 0 that could
// be fed forward.
Signal where_it_moves(const Signal& load, const Signal& velocity) {
  std::vector<double> starts;
  for (const Signal* s : {&load, &velocity})
    for (const Piece& p : s->pieces) starts.push_back(p.start);
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  Signal out;
  for (double t : starts) {
    Piece p = load.pieces[piece_at(load, t)];
    if (is_zero(velocity.pieces[piece_at(velocity, t)])) p.c.fill(0.0), p.harmonics.clear();
    p.start = t;
    out.pieces.push_back(p);
  }
  normalise(out);
  return out;
}

// Greatest value at the ends of the pieces, with all amplitudes.
double greatest(const Signal& s) {
  double size = 0.0;
  for (std::size_t k = 0; k < s.pieces.size(); ++k) {
    double waves = 0.0;
    for (const Harmonic& h : s.pieces[k].harmonics) waves += std::abs(h.amplitude);
    size = std::max({size, waves, std::abs(s.pieces[k].c[0])});
    if (k > 0)
      size = std::max(
          {size, std::abs(value(s, s.pieces[k].start)), std::abs(value_before(s, s.pieces[k].start))});
  }
  return size;
}

// Whether the bristle's damping, the force per unit of its rate, depends on the velocity.
bool damping_falls(const Law& law) {
  return std::any_of(law.terms.begin(), law.terms.end(), [](const Term& term) {
    const auto* lugre = std::get_if<LuGre>(&term);
    return lugre && std::isfinite(lugre->damping_velocity);
  });
}

// Of the bristle's state per unit of deflection: some have the force for their state.
double unit_of_bristle(const Law& law) {
  for (const Term& term : law.terms) {
    if (const auto* lugre = std::get_if<LuGre>(&term); lugre && lugre->normalised) return lugre->stiffness;
    if (const auto* slip = std::get_if<MaxwellSlip>(&term)) return slip->stiffness.front();
  }
  return 1.0;
}

void check(const CompensatorPlace& c, const LawTraits& t) {
  const std::string of = " of '" + c.name + "'";
  if (c.law.terms.empty()) reject("law" + of, "has no terms");
  for (const Source* s : {&c.reference, &c.measurement})
    if (!s->outputs.empty())
      reject(
          s->text,
          "is the output of a controller: friction is compensated at a signal or at a position of the plant");
  if (!c.observer) {
    if (c.reference.state.size() > 0)
      reject(c.reference.text, "must be a signal: feedforward knows its velocity beforehand");
    if (c.reference.signal.pieces.empty())
      reject("reference" + of, "is missing: feedforward follows its velocity");
    return;
  }
  if (t.sticks && t.states == 0)
    reject("law" + of,
           "jumps at v = 0: an observer needs a law with bristles, such as LuGre, or without a jump");
  if (c.measurement.state.size() == 0) reject("measure" + of, "must be a position of the plant");
  if (c.gain == 0.0) return;
  non_negative("gain" + of, c.gain);
  if (t.states != 1) reject("gain" + of, c.gain, "0 unless the law has just one internal state");
  if (damping_falls(c.law)) reject("gain" + of, c.gain, "0 unless the law's damping is constant");
  if (!is_constant(c.normal_load)) reject("normal_load" + of, "varies: with a gain it must be constant");
}

} // namespace

void declare_compensators(const Machine& machine, System& sys, std::set<std::string>& names) {
  for (const CompensatorPlace& c : machine.compensators) {
    if (c.name.empty()) reject("name", "is an empty string");
    if (c.name.find('.') != std::string::npos)
      reject("name", "= '" + c.name + "' holds a dot, which separates an element from its signal");
    if (!names.insert(c.name).second)
      reject("name", "= '" + c.name + "' is taken: all names of a machine share one name space");
    Place p;
    p.name = c.name;
    p.law = c.law;
    p.traits = traits(c.law);
    check(c, p.traits);
    p.compensator = true;
    p.fine = fine_structure(c.law, p.traits);
    p.drives = c.direction;
    Signal load = c.normal_load;
    // On each side of v = 0 the force is smooth, and it changes sides with the velocity; at v = 0 it keeps
    // the side from which it came.
    const bool jumps = p.traits.sticks;
    p.traits.kinked = p.traits.kinked || jumps;
    p.traits.sticks = false;
    if (!c.observer) {
      add_read_signal(sys, c.reference.signal, 2);
      if (jumps) load = where_it_moves(load, differentiate(c.reference.signal));
    } else if (!c.reference.signal.pieces.empty()) {
      add_read_signal(sys, c.reference.signal, 0);
    }
    p.load = add_read_signal(sys, load, 0);
    p.surface = add_read_signal(sys, constant_signal(0.0), 0);
    if (p.traits.states > 0) {
      p.states = static_cast<Index>(sys.states.size());
      for (Index i = 0; i < p.traits.states; ++i)
        sys.states.push_back(c.name + ".z" + (p.traits.states > 1 ? std::to_string(i) : ""));
    }
    if (c.gain != 0.0) {
      p.injected = static_cast<Index>(sys.states.size());
      sys.states.push_back(c.name + ".injected");
    }
    sys.needs_interpreter = sys.needs_interpreter || p.traits.needs_interpreter;
    sys.places.push_back(std::move(p));
  }
}

void wire_compensators(const Machine& machine, System& sys,
                       const std::function<Vector(const Vector&)>& column) {
  sys.rate_of.resize(sys.signals.size(), -1);
  const std::size_t first = sys.places.size() - machine.compensators.size();
  for (std::size_t k = 0; k < machine.compensators.size(); ++k) {
    const CompensatorPlace& c = machine.compensators[k];
    Place& p = sys.places[first + k];
    p.effect = column(c.direction); // along the force, where friction acts against it
    p.velocity.x = Vector::Zero(sys.nx);
    p.velocity.s = p.acceleration_s = Vector::Zero(sys.ns());
    const Source& followed = c.observer ? c.measurement : c.reference;
    std::string why;
    const auto v = rate_of(sys, form_of(sys, followed), why);
    if (!v) reject(followed.text, "is not allowed: '" + c.name + "' needs its velocity, but " + why);
    p.velocity = *v;
    for (Index i = 0; i < sys.ns(); ++i) {
      const Index rate = sys.rate_of[static_cast<std::size_t>(i)];
      p.speed += std::abs(v->s(i)) * greatest(sys.signals[static_cast<std::size_t>(i)]);
      if (v->s(i) != 0.0 && rate >= 0) p.acceleration_s(rate) += v->s(i);
    }
    if (p.injected < 0) continue;
    // z = own + injected with the deflection's injected' = -gain e; the law sees z, and its force gets
    // sigma_1 injected' as well.
    const Form x = form_of(sys, c.measurement), target = form_of(sys, c.reference);
    const Vector ex = x.x - target.x, es = x.s - target.s;
    const double unit = unit_of_bristle(c.law);
    sys.A.row(p.injected) = -c.gain * unit * ex.transpose();
    sys.S.row(p.injected) = -c.gain * unit * es.transpose();
    p.rate_damping = p.traits.damping / unit;
  }
}

} // namespace stickslip
