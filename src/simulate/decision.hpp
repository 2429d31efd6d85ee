// The working of transition(): shared by the files that make up one decision, of no use elsewhere.
#pragma once

#include "simulate/transition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace stickslip {

inline constexpr int series_terms = 6;

// Signs of guards just after an instant, from the first coefficients of their Taylor series.
// +1 becomes positive, -1 negative, 0 stays zero as far as can be told. t: the instant, whose last digits are
// not known.
inline int sign_after(const double* c, double size, double time_scale, double t) {
  const double tiny = 1e-11 * size;
  double power = 1.0;
  std::array<double, series_terms> scaled{};
  for (int k = 0; k < series_terms; ++k, power *= time_scale)
    scaled[static_cast<std::size_t>(k)] = c[k] * power;
  const double unresolved = 4.0 * std::numeric_limits<double>::epsilon() * std::abs(t) / time_scale;
  if (std::abs(scaled[0]) > std::max(tiny, unresolved * std::abs(scaled[1]))) return scaled[0] > 0.0 ? 1 : -1;
  for (std::size_t k = 1; k < scaled.size(); ++k) {
    if (std::abs(scaled[k]) <= tiny) continue;
    if (k == 1 && std::abs(scaled[1]) <= 2.0 * unresolved * std::abs(scaled[2])) continue;
    // A first derivative left over by rounding at the top of a touch must not count: it lifts the guard by
    // c1^2/4c2.
    if (k == 1 && scaled[1] > 0.0 && scaled[2] < 0.0 &&
        scaled[1] * scaled[1] < -4.0 * scaled[2] * 1e-13 * size)
      continue;
    return scaled[k] > 0.0 ? 1 : -1;
  }
  return 0;
}

// What an impact did at one contact.
struct Impulse {
  Index contact = 0;
  double normal = 0.0, tangential = 0.0, loss = 0.0;
  double wall_work = 0.0; // of this contact's own moving wall and surface
  bool collision = true;
};

// One instant: what is open, what rests, what it does next.
class Decision {
public:
  Decision(const System& s, RegimeCache& c, State& st, TransitionLog& l)
      : sys(s), cache(c), state(st), log(l), w(s), n(s.places.size()), rests(n, false), dir(n, 0),
        blocked(n, {false, false}), force(w.force), sig(Vector::Zero(s.ns())),
        candidate(s.contacts.size(), false) {}

  void run(const std::vector<Guard>& fired, bool start);

private:
  const System& sys;
  RegimeCache& cache;
  State& state;
  TransitionLog& log;
  Scratch w;
  std::size_t n;
  std::vector<bool> rests; // velocity is zero and the mode open
  std::vector<int> dir;    // resting places that leave: their direction
  std::vector<std::array<bool, 2>>
      blocked; // leaving in that direction was tried and accelerates the wrong way
  Vector force, sig;
  Vector terms; // what x' is the sum of
  double t = 0.0;
  Modes before;
  std::string_view rule;
  bool shared = false;
  bool ambiguous = false;
  Index solutions = 1;         // -1: not counted
  std::vector<bool> candidate; // contacts whose gap and its rate are zero: closed or about to open
  std::vector<Impulse> impulses;
  bool starting = false;
  bool unsolved = false;   // an impact had no answer
  bool mixed_laws = false; // contacts struck together have different laws of impact
  bool gains = false;      // the impact left more energy than there was

  bool set_valued(std::size_t i) const { return sys.places[i].traits.sticks; }
  bool presliding(std::size_t i) const { return sys.places[i].surface_travel >= 0; }
  double load(std::size_t i) const {
    return normal_load(sys.places[i], state.modes.load_sign[i], state.base_x.data(), sig.data());
  }
  double v(std::size_t i) const { return relative_velocity(sys.places[i], state.base_x.data(), sig.data()); }
  std::vector<std::size_t> resting() const {
    std::vector<std::size_t> r;
    for (std::size_t i = 0; i < n; ++i)
      if (rests[i]) r.push_back(i);
    return r;
  }

  void switches(const std::vector<Guard>& fired, bool start);
  void sides_of_kinks(bool start);
  void find_resting(const std::vector<Guard>& fired, bool start);
  bool moves_towards(std::size_t i, int side);
  void project();
  void decide();
  bool balance();
  bool surfaces_part(const Regime& r);
  bool look_ahead();
  void free_acceleration(Vector& xdot);
  double sliding_force(std::size_t i, int d);
  void apply_modes();
  void enter_modes(bool start);
  void record(const std::vector<Guard>& fired, bool start);
  // Values and derivatives of the guards just after t in these modes, one row each.
  void guard_series(const Regime& r, Matrix& c);
  int sign_of(const Regime& r, std::size_t guard, const Matrix& c);

  // contacts: contact_transition.cpp
  double gap_at(std::size_t j) const;
  // Velocity that rounding can have given to what a constraint held at zero until now: constraints are solved
  // to about a hundred times the last digit where they are badly conditioned.
  double drift(const Vector& row) const {
    return 1024.0 * std::numeric_limits<double>::epsilon() * std::max(sys.time_scale, std::abs(t)) *
           row.cwiseAbs().dot(terms);
  }
  double rate_at(std::size_t j) const;
  double gap_size(std::size_t j) const;
  double rate_size(std::size_t j) const;
  bool contact_friction(std::size_t i) const { return sys.places[i].contact >= 0; }
  bool touches(std::size_t i) const { // a place without a contact always does
    return !contact_friction(i) || candidate[static_cast<std::size_t>(sys.places[i].contact)];
  }
  void find_candidates(const std::vector<Guard>& fired, bool start);
  void strike(const std::vector<Index>& contacts, bool collision);
  bool decide_contacts(const std::vector<Guard>& fired);
  bool try_contacts(const std::vector<Guard>& fired, bool narrowed);
};

} // namespace stickslip
