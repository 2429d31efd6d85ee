#include "transition/source_form.hpp"

#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "transition/candidate.hpp"

#include <cmath>
#include <limits>

namespace stickslip::contact {

void assemble_source_form(const Problem& p, lcp::RowMatrix& A, Vector& b) {
  const Index nn = p.contacts;
  List<Index> sticking;
  Matrix normal = p.G.leftCols(nn); // columns lambda_N with sliding friction as an applied force
  Vector free = p.free;
  for (Index s = 0; s < p.elements.size(); ++s) {
    const Element& element = p.elements[s];
    const Index row = nn + s;
    if (element.state == Mode::stick) {
      sticking.push_back(row);
      continue;
    }
    const Line& line = element.state == Mode::slip_forward ? element.plus : element.minus;
    if (element.contact >= 0) normal.col(element.contact) -= p.G.col(row) * line.b;
    free -= p.G.col(row) * line.a;
  }
  const auto nh = sticking.size();
  A.setZero(nn + 4 * nh, nn + 4 * nh);
  b.setZero(nn + 4 * nh);
  const auto rows = [&](Index to, Index from, double sign) {
    A.row(to).head(nn) = sign * normal.row(from);
    for (Index j = 0; j < nh; ++j) {
      const double g = sign * p.G(from, sticking[j]);
      A(to, nn + j) = g;
      A(to, nn + nh + j) = -g;
    }
    b(to) = sign * free(from);
  };
  for (Index i = 0; i < nn; ++i) rows(i, i, 1.0);
  for (Index i = 0; i < nh; ++i) {
    const Element& element = p.elements[sticking[i] - nn];
    rows(nn + i, sticking[i], 1.0);
    rows(nn + nh + i, sticking[i], -1.0);
    A(nn + i, nn + 2 * nh + i) = 1.0;
    A(nn + nh + i, nn + 3 * nh + i) = 1.0;
    const Index forward = nn + 2 * nh + i, backward = forward + nh; // lambda_T = -F reaches -low and -high
    if (element.contact >= 0)
      A(forward, element.contact) = -element.low.b, A(backward, element.contact) = element.high.b;
    b(forward) = -element.low.a, b(backward) = element.high.a;
    A(forward, nn + i) = -1.0;
    A(backward, nn + nh + i) = -1.0;
  }
}

void label_source_form(const Problem& p, const double* z, const double* w, Candidate& c) {
  const auto nn = p.contacts, m = p.elements.size();
  Index nh = 0;
  for (const Element& s : p.elements) nh += s.state == Mode::stick;
  c.modes.assign(nn + m, Mode::open);
  c.force.assign(z, z + nn);
  c.touching.assign(nn + m, 0);
  c.utilisation = std::numeric_limits<double>::quiet_NaN();
  c.unique = true;
  List<int> way(m, 0); // direction of slip, from exact zeros
  for (Index k = 0, i = nn; k < m; ++k) {
    const Element& s = p.elements[k];
    const double load = s.contact < 0 ? 0.0 : z[s.contact];
    if (s.state != Mode::stick) {
      c.force.push_back((s.state == Mode::slip_forward ? s.plus : s.minus).at(load));
      continue;
    }
    way[k] = (z[i + 3 * nh] > 0.0 && z[i] == 0.0) - (z[i + 2 * nh] > 0.0 && z[i + nh] == 0.0);
    const bool at_level = w != nullptr && way[k] != 0;
    c.force.push_back(at_level ? (way[k] > 0 ? s.high : s.low).at(load) : z[i + nh] - z[i]);
    ++i;
  }
  c.acceleration.resize(nn + m);
  c.constraint = 0.0;
  for (Index k = 0, i = nn; k < nn + m; ++k) {
    const Row row = acceleration_row(p, k, c.force);
    double a = row.sum + p.free(k);
    if (w != nullptr && k < nn)
      a = w[k];
    else if (w != nullptr && p.elements[k - nn].state == Mode::stick)
      a = way[k - nn] == 0 ? 0.0 : w[i] - z[i + 2 * nh], ++i;
    else if (std::abs(a) <= tolerance::rank * row.scale)
      a = 0.0;
    c.acceleration[k] = a;
    c.constraint += 0.5 * (k < nn ? c.force[k] : -c.force[k]) * row.sum;
  }
  for (Index k = 0; k < nn; ++k) c.modes[k] = c.acceleration[k] > 0.0 ? Mode::open : Mode::closed;
  for (Index k = 0; k < m; ++k) {
    const Element& s = p.elements[k];
    const double a = c.acceleration[nn + k];
    if (s.contact >= 0 && s.needs_contact && c.modes[s.contact] == Mode::open) continue;
    c.modes[nn + k] = s.state != Mode::stick ? s.state
                      : a > 0.0              ? Mode::slip_forward
                      : a < 0.0              ? Mode::slip_backward
                                             : Mode::stick;
  }
}

} // namespace stickslip::contact
