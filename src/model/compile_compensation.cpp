#include "model/compile_compensation.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "model/compile_control.hpp"
#include "model/compile_friction.hpp"
#include "signal/repeat.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

bool is_zero(const Piece& p) {
  return p.harmonics.empty() && std::all_of(p.c.begin(), p.c.end(), [](double c) { return c == 0.0; });
}

// The load while the reference moves, zero while it rests: a law with a jump has no definite force at v = 0 for the
// feedforward.
Signal where_it_moves(const Signal& load, const Signal& velocity) {
  if (load.repeats > 0 || velocity.repeats > 0) return repeated(load, velocity, where_it_moves);
  List<double> starts;
  for (const Signal* s : {&load, &velocity})
    for (const Piece& p : s->pieces) starts.push_back(p.start);
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  Signal out;
  for (double t : starts) {
    Piece p = *piece_at(load, t).piece;
    if (is_zero(*piece_at(velocity, t).piece)) p.c.fill(0.0), p.harmonics.clear();
    p.start = t;
    out.pieces.push_back(p);
  }
  normalise(out);
  return out;
}

// Greatest value at the ends of the pieces, with all amplitudes.
double greatest(const Signal& s) {
  double size = 0.0;
  for (Index k = 0; k < s.pieces.size(); ++k) {
    double waves = 0.0;
    for (const Harmonic& h : s.pieces[k].harmonics) waves += std::abs(h.amplitude);
    size = std::max({size, waves, std::abs(s.pieces[k].c[0])});
    if (k > 0)
      size = std::max(
          {size, std::abs(value(s, s.pieces[k].start)), std::abs(value_before(s, s.pieces[k].start))});
  }
  return size;
}

// State of the bristle per unit of deflection: for some laws the state is the force.
double unit_of_bristle(const Law& law) {
  for (const Term& term : law.terms) {
    if (const auto* lugre = std::get_if<LuGre>(&term); lugre && lugre->normalised) return lugre->stiffness;
    if (const auto* slip = std::get_if<MaxwellSlip>(&term)) return slip->stiffness.front();
  }
  return 1.0;
}

using Readings = Draft::Compensation;

// Checks that need the whole machine: a name may be that of a controller's output.
void check(const CompensatorElement& c, const Readings& read) {
  for (const Reading* r : {&read.reference, &read.measurement})
    if (!r->outputs.empty())
      reject(
          r->text,
          "is the output of a controller: friction is compensated at a signal or at a position of the plant");
  if (c.observer && read.measurement.state.size() == 0)
    reject("measure of '" + c.name + "'", "must be a position of the plant");
}

Friction declare(Draft& d, const CompensatorElement& c, Readings& read) {
  Friction p;
  p.name = c.name;
  p.law = c.law;
  p.traits = traits(c.law);
  p.compensator = true;
  p.fine = fine_structure(c.law, p.traits);
  p.corners = velocity_breakpoints(c.law);
  p.drives = d.direction(c.to);
  const std::string of = " of '" + c.name + "'";
  read = {d.read("reference" + of, c.reference), d.read("measure" + of, c.measurement)};
  check(c, read);
  // On each side of v = 0 the force is smooth, and it changes sides with the velocity; at v = 0 it keeps the previous
  // side.
  const bool jumps = p.traits.sticks;
  p.traits.reversal_switches = p.traits.reversal_switches || jumps;
  p.traits.sticks = false;
  Signal load = c.normal_load;
  if (!c.observer) {
    d.add_rates(read.reference.signals.front().first, 2);
    if (jumps) load = where_it_moves(load, differentiate(c.reference.signal));
  }
  p.load = d.add_signal(load);
  p.surface = d.add_signal(constant_signal(0.0));
  declare_bristles(d, p);
  if (c.gain != 0.0) p.injected = d.add_state(c.name + ".injected");
  return p;
}

// The observer's correction: z = own + injected with the deflection's injected' = -gain e; the law sees z, and
// its force gets sigma_1 injected' as well.
void inject(System& sys, const CompensatorElement& c, const Readings& read, Friction& p) {
  const Form x = form_of(sys, read.measurement), target = form_of(sys, read.reference);
  const double unit = unit_of_bristle(c.law);
  sys.A.row(p.injected) = -c.gain * unit * (x.x - target.x).transpose();
  sys.S.row(p.injected) = -c.gain * unit * (x.s - target.s).transpose();
  p.rate_damping = p.traits.damping / unit;
}

// Its velocity is the rate of the position that it follows.
void follow(System& sys, const CompensatorElement& c, const Reading& followed, Friction& p) {
  std::string why;
  const auto v = rate_of(sys, form_of(sys, followed), why);
  if (!v) reject(followed.text, "is not allowed: '" + c.name + "' needs its velocity, but " + why);
  p.velocity = *v;
  p.acceleration_s = Vector::Zero(sys.ns());
  for (Index i = 0; i < sys.ns(); ++i) {
    const Index rate = sys.rate_of[i];
    p.speed += std::abs(v->s(i)) * greatest(sys.signals[i]);
    if (v->s(i) != 0.0 && rate >= 0) p.acceleration_s(rate) += v->s(i);
  }
}

} // namespace

void declare_compensators(Draft& d) {
  for (const CompensatorElement* c : d.all<CompensatorElement>()) {
    d.compensation.emplace_back();
    d.sys.friction.push_back(declare(d, *c, d.compensation.back()));
  }
}

void wire_compensators(Draft& d) {
  const Index first = d.sys.friction.size() - d.all<CompensatorElement>().size();
  for (Index k = 0; k < d.all<CompensatorElement>().size(); ++k) {
    const CompensatorElement& c = *d.all<CompensatorElement>()[k];
    Friction& p = d.sys.friction[first + k];
    p.effect = d.column(p.drives); // along the force, where friction acts against it
    const Readings& read = d.compensation[k];
    follow(d.sys, c, c.observer ? read.measurement : read.reference, p);
    if (p.injected >= 0) inject(d.sys, c, read, p);
  }
}

} // namespace stickslip
