#include "flow/delays.hpp"

#include "core/polynomial.hpp"
#include "dynamics/regime.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

constexpr double one_return = 2e-15; // difference between sums of a few dead times in different order

double back(const Past::Piece& piece, double tau) {
  return piece.start + tau;
}
// The time t is at least one dead time after the start of this piece.
bool is_back(const Past::Piece& piece, double tau, double t) {
  return back(piece, tau) <= t + one_return * std::abs(t);
}

// The derivative of a polynomial in theta by t.
double polynomial_in_time(const Past::Piece& p, double t, int order) {
  const double theta = (t - p.start) / p.h;
  std::array<double, Past::columns> c = p.c;
  Index degree = Past::columns - 1;
  for (int k = 0; k < order; ++k, --degree)
    for (Index j = 0; j < degree; ++j) c[j] = c[j + 1] * static_cast<double>(j + 1) / p.h;
  return polynomial::value(c.data(), degree, theta);
}

} // namespace

Delays::Delays(const System& system) : sys(system) {
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const Friction& p = sys.friction[i];
    if (p.delayed < 0) continue;
    Line line{i, p.delayed, p.automaton.dead_time, {}, 0, 0, {}};
    for (Index j = 0; j < sys.ns(); ++j)
      if (p.velocity.s(j) != 0.0) line.signals.push_back(j);
    line.then.assign(line.signals.size(), Held{});
    lines.push_back(std::move(line));
  }
}

bool Delays::rest(const State& state) const {
  return std::all_of(state.past.begin(), state.past.end(), [](const Past& p) { return p.rests(); });
}

// Between two instants at which something comes back the pieces are one smooth function, to the errors of the steps.
void Delays::look_up(Line& line, const Past& past, double t) const {
  const List<Past::Piece>& pieces = past.pieces;
  line.first = 0;
  line.last = pieces.size();
  for (Index k = 1; k < pieces.size(); ++k) {
    if (pieces[k].joint >= Past::smooth) continue;
    if (is_back(pieces[k], line.tau, t)) {
      line.first = k;
    } else {
      line.last = k;
      break;
    }
  }
  for (Index j = 0; j < line.signals.size() && !pieces.empty(); ++j) {
    const Signal& s = sys.signals[line.signals[j]];
    line.then[j] = piece_at(s, pieces[line.first].start);
  }
}

void Delays::frame(const State& state) {
  for (Index k = 0; k < lines.size(); ++k) look_up(lines[k], state.past[k], state.base_t);
}

// The velocity of a sliding element is nonzero, however small; zero marks stick.
double Delays::value(const Line& line, const Past& past, double t, int order) const {
  constexpr double least = std::numeric_limits<double>::min();
  if (past.pieces.empty()) return 0.0;
  const double then = t - line.tau;
  Index k = line.first;
  while (k + 1 < line.last && past.pieces[k + 1].start <= then) ++k;
  const Past::Piece& p = past.pieces[k];
  if (p.kind == Past::Kind::rests) return 0.0;
  double v =
      p.kind == Past::Kind::constant ? (order == 0 ? p.c[0] : 0.0) : polynomial_in_time(p, then, order);
  if (p.kind == Past::Kind::moves)
    for (Index j = 0; j < line.signals.size(); ++j)
      v += sys.friction[line.element].velocity.s(line.signals[j]) *
           (order == 0 ? stickslip::value(line.then[j], then) : derivative(line.then[j], then, order));
  return order == 0 && std::abs(v) < least ? std::copysign(least, v) : v;
}

void Delays::set(const State& state, double t, double* x) const {
  for (Index k = 0; k < lines.size(); ++k) x[lines[k].state] = value(lines[k], state.past[k], t, 0);
}

void Delays::set_rates(const State& state, double t, double* xdot) const {
  for (Index k = 0; k < lines.size(); ++k) xdot[lines[k].state] = value(lines[k], state.past[k], t, 1);
}

void Delays::in_time(const State& state, double t, Matrix& J, Vector& dfdt) const {
  for (Index k = 0; k < lines.size(); ++k) {
    const Index d = lines[k].state;
    dfdt += J.col(d) * value(lines[k], state.past[k], t, 1);
    J.col(d).setZero();
    dfdt(d) = value(lines[k], state.past[k], t, 2);
  }
}

double Delays::longest_step(const Modes& modes) const {
  double longest = std::numeric_limits<double>::infinity();
  for (const Line& line : lines)
    if (modes.friction[line.element].direction() != 0) longest = std::min(longest, line.tau);
  return longest;
}

double Delays::velocity_size(Index line, const Vector& nominal) const {
  return stickslip::velocity_size(element(line), nominal);
}

double Delays::next(const State& state) const {
  double t = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < lines.size(); ++k) {
    const List<Past::Piece>& pieces = state.past[k].pieces;
    for (Index j = 1; j < pieces.size(); ++j) {
      if (pieces[j].joint >= Past::smooth || is_back(pieces[j], lines[k].tau, state.base_t)) continue;
      t = std::min(t, back(pieces[j], lines[k].tau));
      break;
    }
  }
  return t;
}

double Delays::velocity(const Line& line, const State& state) const {
  const Friction& p = sys.friction[line.element];
  double v = p.velocity.x.dot(state.base_x);
  for (const Index j : line.signals) v += p.velocity.s(j) * stickslip::value(sys.signals[j], state.base_t);
  return v;
}

// As if it had always moved with the velocity that it starts with.
void Delays::begin(const Line& line, State& state, Past& past) const {
  const FrictionMode& mode = state.modes.friction[line.element];
  double& v = state.base_x(line.state);
  past.pieces.clear();
  v = mode.open() || mode.sticks() ? 0.0 : velocity(line, state);
  if (mode.open()) return;
  Past::Piece before;
  before.start = state.base_t - line.tau;
  before.kind = v == 0.0 ? Past::Kind::rests : Past::Kind::constant;
  before.c[0] = v;
  past.pieces.push_back(before);
}

void Delays::start(State& state) const {
  state.past.assign(lines.size(), {});
  state.joint = 0;
  for (Index k = 0; k < lines.size(); ++k) begin(lines[k], state, state.past[k]);
}

void Delays::record(State& state, double h, const Matrix& C) const {
  for (Index k = 0; k < lines.size(); ++k) {
    const FrictionMode& mode = state.modes.friction[lines[k].element];
    List<Past::Piece>& pieces = state.past[k].pieces;
    if (mode.open()) continue;
    Past::Piece now;
    now.start = state.base_t;
    now.joint = state.joint;
    if (!mode.sticks()) {
      now.kind = Past::Kind::moves;
      now.h = h;
      const Vector& row = element(k).velocity.x;
      for (Index j = 0; j < Past::columns; ++j) now.c[j] = row.dot(C.col(j));
    } else if (!pieces.empty() && pieces.back().kind == Past::Kind::rests) {
      continue;
    }
    pieces.push_back(now);
  }
}

int Delays::arrive(State& state, double before) {
  int lowest = Past::smooth;
  for (Index k = 0; k < lines.size(); ++k) {
    Line& line = lines[k];
    List<Past::Piece>& pieces = state.past[k].pieces;
    for (Index j = 1; j < pieces.size(); ++j)
      if (!is_back(pieces[j], line.tau, before) && is_back(pieces[j], line.tau, state.base_t))
        lowest = std::min<int>(lowest, pieces[j].joint);
    Index gone = 0;
    while (gone + 1 < pieces.size() && is_back(pieces[gone + 1], line.tau, state.base_t)) ++gone;
    pieces.erase(pieces.begin(), pieces.begin() + gone);
    look_up(line, state.past[k], state.base_t);
    if (pieces.empty()) // an open contact: the velocity if it closed now
      state.base_x(line.state) = velocity(line, state);
    else
      state.base_x(line.state) = value(line, state.past[k], state.base_t, 0);
  }
  state.joint = static_cast<std::int8_t>(std::min<int>(lowest + 1, Past::smooth));
  return lowest;
}

void Delays::change(State& state, const Modes& before, int lowest) const {
  state.joint = std::min(state.joint, static_cast<std::int8_t>(state.modes == before ? lowest : 0));
  for (Index k = 0; k < lines.size(); ++k) {
    const Index i = lines[k].element;
    if (before.friction[i].open() != state.modes.friction[i].open()) begin(lines[k], state, state.past[k]);
  }
}

} // namespace stickslip
