#include "transition/stage.hpp"

#include "core/list.hpp"
#include "core/switches.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::contact {

namespace {

bool may(Allowed a, Mode m) {
  return (a & bit(m)) != 0;
}

// Visits every mode set, in `ws.modes`: closed before open, sticking before slipping.
template <class Visit> struct Walk {
  const Problem& p;
  const List<Allowed>& allowed;
  const List<Slip>& slip;
  const List<Mode>& direction;
  StageWorkspace& ws;
  Visit visit;

  void component(Index i) {
    if (i == p.size()) return visit();
    if (i < p.contacts) {
      for (const Mode m : {Mode::closed, Mode::open}) {
        if (!may(allowed[i], m)) continue;
        ws.modes[i] = m;
        component(i + 1);
      }
      return;
    }
    const Index s = i - p.contacts;
    const Index c = p.elements[s].contact;
    if (c >= 0 && p.elements[s].needs_contact && ws.modes[c] == Mode::open) {
      ws.modes[i] = Mode::open;
      component(i + 1);
      return;
    }
    if (slip[s] == Slip::sliding) {
      ws.modes[i] = direction[s];
      component(i + 1);
      return;
    }
    for (const Mode m : {Mode::stick, Mode::slip_forward, Mode::slip_backward}) {
      if (!may(allowed[i], m)) continue;
      ws.modes[i] = m;
      component(i + 1);
    }
  }
};

// Statically indeterminate solutions appear once: the shared answer represents all mode sets with the same motion.
void drop_parts_of_shared(const Problem& p, StageWorkspace& ws, Pool& out, Index first) {
  if (ws.keep_parts) return;
  for (Index a = first; a < out.size(); ++a) {
    if (out[a].unique) continue;
    for (Index b = out.size(); b-- > first;)
      if (a != b && same_motion(p, out[a], out[b])) {
        out.order_as_found(b);
        ws.has_dropped = STICKSLIP_RULE("keep_parts");
        if (b < a) --a;
      }
  }
}

} // namespace

Index count_modes(const Problem& p, const List<Allowed>& allowed, const List<Slip>& slip) {
  Index total = 1;
  const auto options = [&](Index s) {
    if (slip[s] == Slip::sliding) return Index{1};
    Index n = 0;
    for (const Mode m : {Mode::stick, Mode::slip_forward, Mode::slip_backward})
      n += may(allowed[p.contacts + s], m);
    return n;
  };
  for (Index c = 0; c < p.contacts && total <= largest_on_failure; ++c) {
    Index closed = may(allowed[c], Mode::closed);
    for (Index s = 0; s < p.elements.size() && closed <= largest_on_failure; ++s)
      if (p.elements[s].contact == c && p.elements[s].needs_contact) closed *= options(s);
    total *= closed + may(allowed[c], Mode::open);
  }
  for (Index s = 0; s < p.elements.size() && total <= largest_on_failure; ++s)
    if (p.elements[s].contact < 0 || !p.elements[s].needs_contact) total *= options(s);
  return total;
}

void assemble_stage(const Problem& p, const List<Slip>& slip, const List<Mode>& direction, lcp::RowMatrix& M,
                    Vector& q) {
  const Index nc = p.contacts, n = p.size();
  List<Index> rest;
  for (Index s = 0; s < p.elements.size(); ++s)
    if (slip[s] == Slip::impending) rest.push_back(s);
  const auto nr = rest.size();
  M.setZero(nc + 2 * nr, nc + 2 * nr);
  q.setZero(nc + 2 * nr);
  // Row r of the accelerations: constant, then coefficients of lambda_N and of F - low.
  const auto row = [&](Index r, auto&& constant, auto&& lambda, auto&& excess) {
    double sum = p.free(r);
    for (Index j = 0; j < nc; ++j) lambda(j, p.G(r, j));
    for (Index s = 0; s < p.elements.size(); ++s) {
      const Element& element = p.elements[s];
      const double g = p.G(r, nc + s);
      const Line line = slip[s] == Slip::impending
                            ? element.low
                            : (direction[s] == Mode::slip_forward ? element.plus : element.minus);
      sum -= g * line.a;
      if (element.contact >= 0) lambda(element.contact, -g * line.b);
    }
    for (Index i = 0; i < nr; ++i) excess(i, -p.G(r, nc + rest[i]));
    constant(sum);
  };
  for (Index r = 0; r < n; ++r) {
    if (r < nc) {
      row(
          r, [&](double v) { q(r) = v; }, [&](Index j, double v) { M(r, j) += v; },
          [&](Index i, double v) { M(r, nc + i) += v; });
      continue;
    }
    const auto found = std::find(rest.begin(), rest.end(), r - nc);
    if (found == rest.end()) continue;
    const Index i = found - rest.begin(), below = nc + i, above = nc + nr + i;
    row(
        r, [&](double v) { q(below) = -v; }, [&](Index j, double v) { M(below, j) -= v; },
        [&](Index k, double v) { M(below, nc + k) -= v; });
    M(below, above) = 1.0;
    const Element& element = p.elements[*found];
    q(above) = element.high.a - element.low.a;
    if (element.contact >= 0) M(above, element.contact) = element.high.b - element.low.b;
    M(above, below) = -1.0;
  }
}

namespace {

// Labels a solution of Lemke's method, in degenerate cases as closed or sticking.
bool label(const Problem& p, const List<Allowed>& allowed, const List<Slip>& slip,
           const List<Mode>& direction, bool generous, StageWorkspace& ws, Pool& out) {
  const Index nc = p.contacts;
  Index nr = 0;
  for (const Slip s : slip) nr += s == Slip::impending;
  const auto& l = ws.lemke;
  double top = 0.0;
  for (const double w : l.w) top = std::max(top, std::abs(w));
  for (Index c = 0; c < nc; ++c) {
    const bool closed = l.basis[c] != 0 || (generous && l.w[c] <= tolerance::matrix_zero * top);
    ws.modes[c] = closed ? Mode::closed : Mode::open;
  }
  Index i = 0;
  for (Index s = 0; s < p.elements.size(); ++s) {
    const Index k = nc + s;
    const Index c = p.elements[s].contact;
    Mode m = direction[s];
    if (slip[s] == Slip::impending) {
      const Index below = nc + i, above = nc + nr + i;
      ++i;
      if (l.basis[above] != 0 && (!generous || l.z[above] > tolerance::matrix_zero * top))
        m = Mode::slip_forward;
      else if (l.basis[below] != 0 || (generous && l.w[below] <= tolerance::matrix_zero * top))
        m = Mode::stick;
      else
        m = Mode::slip_backward;
    }
    const bool idle = c >= 0 && p.elements[s].needs_contact && ws.modes[c] == Mode::open;
    ws.modes[k] = idle ? Mode::open : m;
  }
  for (Index k = 0; k < ws.modes.size(); ++k)
    if (ws.modes[k] != Mode::open || k < nc) {
      const bool fixed = k >= nc && slip[k - nc] == Slip::sliding;
      if (!fixed && !may(allowed[k], ws.modes[k])) return false;
    }
  if (!solve_modes(p, ws.modes, slip, allowed, ws.solve, out.next())) return false;
  for (Index k = 0; k < out.size(); ++k)
    if (out[k].modes == ws.modes) return true;
  out.keep();
  return true;
}

} // namespace

bool solve_stage(const Problem& p, const List<Allowed>& allowed, const List<Slip>& slip,
                 const List<Mode>& direction, StageWorkspace& ws, Pool& out) {
  ws.modes.resize(p.size());
  const Index first = out.size();
  if (count_modes(p, allowed, slip) <= ws.most_modes) {
    Walk{p,
         allowed,
         slip,
         direction,
         ws,
         [&] {
           if (solve_modes(p, ws.modes, slip, allowed, ws.solve, out.next())) out.keep();
         }}
        .component(0);
    drop_parts_of_shared(p, ws, out, first);
    return true;
  }
  assemble_stage(p, slip, direction, ws.M, ws.q);
  const lcp::Problem problem = lcp::view(ws.M, ws.q);
  const Index n = problem.n;
  ws.cover.resize(n);
  for (int attempt = 0; attempt < 4; ++attempt) {
    lcp::LemkeOptions o;
    if (attempt > 0) {
      for (Index i = 0; i < n; ++i)
        ws.cover[i] = 0.05 + std::fmod(0.6180339887498949 * static_cast<double>((i + 1) * attempt), 1.0);
      o.covering = ws.cover.data();
    }
    if (!lcp::lemke(problem, ws.lemke, o).solved()) continue;
    if (!label(p, allowed, slip, direction, true, ws, out))
      label(p, allowed, slip, direction, false, ws, out);
  }
  drop_parts_of_shared(p, ws, out, first);
  return false;
}

void drop_repeated(const Problem& p, Pool& pool) {
  for (Index a = 0; a < pool.size(); ++a)
    for (Index b = pool.size(); b-- > a + 1;)
      if (same_solution(p, pool[a], pool[b])) pool.order_as_found(b);
}

List<double> stage_margins(const Problem& p, const List<Slip>& slip, const List<Mode>& direction,
                           StageWorkspace& ws) {
  List<double> out;
  Candidate room;
  const List<Allowed> allowed(p.size(), anything);
  ws.modes.resize(allowed.size());
  Walk{p, allowed, slip, direction, ws, [&] {
         append_margins(p, ws.modes, slip, ws.solve, room, out); }}.component(0);
  return out;
}

} // namespace stickslip::contact
