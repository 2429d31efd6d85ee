// Problem of an impact with the velocities of a machine: rows of the normals, then of the tangents.
#pragma once

#include "core/list.hpp"
#include "transition/impact.hpp"

namespace stickslip {

struct PosedImpact {
  contact::Impact problem;
  List<Index> contacts, elements; // contacts with an impact; friction elements of the tangents
  List<const Vector*> rows;       // of velocities
  List<const Vector*> effects;    // changes of x per unit of force: of normal forces, then of friction
  List<double> friction;          // of each tangent
  struct Rider {                  // friction along a prescribed motion: no unknown
    Index contact, element;
    double friction;
  };
  List<Rider> riders;

  // Changes of x per unit of signed impulse: friction opposes the motion.
  double sign(Index k) const { return k < contacts.size() ? 1.0 : -1.0; }

  void reserve(Index of_contacts, Index tangents) {
    const Index m = of_contacts + tangents;
    contacts.reserve(of_contacts), elements.reserve(tangents), rows.reserve(m), effects.reserve(m);
    friction.reserve(tangents), velocity.reserve(m), wall.reserve(m);
    problem.contact_of.reserve(tangents), problem.tangential_restitution.reserve(tangents);
  }
  void clear() {
    contacts.clear(), elements.clear(), rows.clear(), effects.clear();
    friction.clear(), riders.clear(), velocity.clear(), wall.clear();
    problem.contact_of.clear(), problem.tangential_restitution.clear();
  }
  // Adds a row, with the velocity before and its part due to a moving wall.
  void add(const Vector& row, const Vector& effect, double v, double of_wall) {
    rows.push_back(&row);
    effects.push_back(&effect);
    velocity.push_back(v);
    wall.push_back(of_wall);
  }
  // Fills the problem's matrix and vectors from the rows.
  void finish() {
    const Index m = rows.size();
    problem.G.resize(m, m);
    for (Index k = 0; k < m; ++k)
      for (Index l = 0; l < m; ++l) problem.G(k, l) = sign(l) * rows[k]->dot(*effects[l]);
    problem.friction = Eigen::Map<const Vector>(friction.data(), friction.size());
    problem.velocity = Eigen::Map<const Vector>(velocity.data(), m);
    problem.wall = Eigen::Map<const Vector>(wall.data(), m);
  }

  // Velocities and energies of signed impulses that act on these velocities.
  contact::ImpactSolution outcome(const Vector& before, const Vector& signed_impulse) const {
    contact::ImpactSolution out;
    out.impulse = signed_impulse;
    out.impulse.tail(signed_impulse.size() - problem.contacts) *= -1.0;
    out.velocity = before + problem.G * signed_impulse;
    out.wall_work = 0.0 - signed_impulse.dot(problem.wall);
    out.energy_change = signed_impulse.dot(0.5 * (before + out.velocity) - problem.wall);
    return out;
  }
  // Size of the terms in the energy of an impact.
  double energy_scale(const contact::ImpactSolution& s) const {
    return s.impulse.cwiseAbs().dot(problem.velocity.cwiseAbs() + s.velocity.cwiseAbs());
  }

private:
  List<double> velocity, wall;
};

// Energy lost in an impact, beside the work of moving walls.
inline double loss_of(const contact::ImpactSolution& s) {
  return s.wall_work - s.energy_change;
}

} // namespace stickslip
