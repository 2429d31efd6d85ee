#include "transition/source_form.hpp"

#include "core/error.hpp"

namespace stickslip::contact {

void assemble_source_form(const Problem& p, lcp::RowMatrix& A, Vector& b) {
  const Index nn = p.contacts;
  std::vector<Index> stuck;
  Matrix normal = p.G.leftCols(nn); // columns lambda_N with sliding friction as an applied force
  Vector free = p.free;
  for (std::size_t s = 0; s < p.places.size(); ++s) {
    const Place& place = p.places[s];
    const Index row = nn + static_cast<Index>(s);
    if (place.state == Mode::stick) {
      if (place.low.a != -place.high.a || place.low.b != -place.high.b)
        reject("friction", "must be the same in both directions in this form");
      stuck.push_back(row);
      continue;
    }
    const Line& line = place.state == Mode::slip_forward ? place.plus : place.minus;
    if (place.contact >= 0) normal.col(place.contact) -= p.G.col(row) * line.b;
    free -= p.G.col(row) * line.a;
  }
  const auto nh = static_cast<Index>(stuck.size());
  A.setZero(nn + 4 * nh, nn + 4 * nh);
  b.setZero(nn + 4 * nh);
  const auto rows = [&](Index to, Index from, double sign) {
    A.row(to).head(nn) = sign * normal.row(from);
    for (Index j = 0; j < nh; ++j) {
      const double g = sign * p.G(from, stuck[static_cast<std::size_t>(j)]);
      A(to, nn + j) = g;
      A(to, nn + nh + j) = -g;
    }
    b(to) = sign * free(from);
  };
  for (Index i = 0; i < nn; ++i) rows(i, i, 1.0);
  for (Index i = 0; i < nh; ++i) {
    const Place& place = p.places[static_cast<std::size_t>(stuck[static_cast<std::size_t>(i)] - nn)];
    rows(nn + i, stuck[static_cast<std::size_t>(i)], 1.0);
    rows(nn + nh + i, stuck[static_cast<std::size_t>(i)], -1.0);
    A(nn + i, nn + 2 * nh + i) = 1.0;
    A(nn + nh + i, nn + 3 * nh + i) = 1.0;
    for (const Index k : {nn + 2 * nh + i, nn + 3 * nh + i}) {
      if (place.contact >= 0) A(k, place.contact) = place.high.b;
      b(k) = place.high.a;
    }
    A(nn + 2 * nh + i, nn + i) = -1.0;
    A(nn + 3 * nh + i, nn + nh + i) = -1.0;
  }
}

} // namespace stickslip::contact
