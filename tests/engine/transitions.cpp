// What comes after an instant: signs of guards against the polynomials themselves, a block on a belt by hand, for the
// fast path and the general decision.
#include "check.hpp"

#include "model/machine.hpp"
#include "model/system.hpp"
#include "signal/shapes.hpp"
#include "transition/event.hpp"
#include "transition/rules.hpp"
#include "transition/sign_after.hpp"
#include "transition/transition.hpp"

#include <algorithm>
#include <array>

using namespace stickslip;

namespace {

constexpr double k = 2.0, high = 1.0, low = 0.8; // spring, static and kinetic force

// A block of 1 kg on a spring and a belt.
Machine block(double belt) {
  Machine m(Plant{Matrix::Ones(1, 1), Matrix::Zero(1, 1), Matrix::Constant(1, 1, k), {"block"}, {}, {}});
  FrictionElement surface;
  surface.name = "belt";
  surface.on = {{{"block", 1.0}}};
  surface.law.terms.push_back(Coulomb{high, low});
  surface.surface_velocity = constant_signal(belt);
  m.add(surface);
  return m;
}

struct Instant {
  System sys;
  RegimeCache cache;
  Transition transition;
  State state;

  Instant(double belt, double q, double v)
      : sys(compile(block(belt))), transition(sys, cache),
        state(initial_state(sys, 0.0, (Vector(2) << q, v).finished())) {
    check::that(transition.start(state, true).decided);
    state.nominal = Vector::Ones(2);
  }

  Mode mode() const { return state.modes.friction[0].mode; }

  // The block has come to (q, v), where the first guard of this kind and direction (0: whatever it has) fires.
  const Jump& fire(GuardKind kind, int direction, double q, double v, bool fast) {
    state.base_x << q, v;
    const Regime& r = cache.get(sys, state.modes);
    const auto it = std::find_if(r.guards.begin(), r.guards.end(), [&](const Guard& g) {
      return g.kind == kind && (direction == 0 || g.direction == direction);
    });
    check::that(it != r.guards.end());
    return fast ? transition.after(r, state, {*it}) : transition.scheduled(state, {*it}, true);
  }
};

} // namespace

TEST(transitions, the_first_coefficient_that_is_not_zero_decides) {
  check::Random random(3);
  for (int trial = 0; trial < 400; ++trial) {
    std::array<double, series_terms> c{};
    const int zeros = trial % series_terms;
    for (int j = zeros; j < series_terms; ++j)
      c[static_cast<std::size_t>(j)] = random.uniform(0.1, 1.0) * (random.uniform() < 0.5 ? -1 : 1);
    int asked = -1;
    const SignAfter after = sign_after(
        [&](int j) {
          asked = std::max(asked, j);
          return c[static_cast<std::size_t>(j)];
        },
        1.0, 1.0, 0.0);
    double p = 0.0; // the polynomial itself, a little later
    for (int j = series_terms; j-- > 0;) p = p * 1e-3 + c[static_cast<std::size_t>(j)];
    check::that(after.sign == (p > 0.0 ? 1 : -1) && after.order == zeros);
    check::that(asked <= std::max(zeros, 1) + 1);
  }
  const SignAfter nothing = sign_after([](int) { return 0.0; }, 1.0, 1.0, 0.0);
  check::that(nothing.sign == 0 && nothing.order > series_terms);
}

TEST(transitions, one_element_leaves_rest_where_its_force_would_pass_a_limit) {
  // a = free - g F with F in [-1.5, 1]: it stays for free / g within, and goes the way that is left.
  const double g = 0.5;
  for (const double held : {-3.0, -1.6, -1.4, 0.0, 0.9, 1.1, 7.0}) {
    const Mode by_hand = held > 1.0 ? Mode::slip_forward : held < -1.5 ? Mode::slip_backward : Mode::stick;
    check::that(contact::impending_motion(-1.5, 1.0, g, g * held, g * std::abs(held)) == by_hand);
    contact::Problem p;
    p.elements = {{-1, Mode::stick, {-1.5, 0.0}, {1.0, 0.0}, {-1.2, 0.0}, {0.8, 0.0}}};
    p.G = Matrix::Constant(1, 1, g);
    p.free = Vector::Constant(1, g * held);
    contact::TransitionWorkspace ws;
    contact::Choice choice;
    contact::choose(p, {Mode::stick}, {}, {}, ws, choice);
    check::that(choice.answer.modes[0] == by_hand && choice.solutions == 1);
    check::that(choice.rule == (by_hand == Mode::stick ? Rule::unique : Rule::static_to_kinetic));
    check::close(choice.answer.force[0], by_hand == Mode::stick ? held : held > 0.0 ? 0.8 : -1.2, 1e-15);
  }
  check::that(
      !contact::impending_motion(-1.5, 1.0, g, g, g)); // on the fence: only what surrounds it can tell
}

TEST(transitions, slip_ends_in_stick_or_in_slip_the_other_way) {
  check::Random random(5);
  int sticks = 0, turns = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const double belt = random.uniform(-0.5, 0.5), q = random.uniform(-1.0, 1.0);
    const int way = trial % 2 == 0 ? 1 : -1;
    if (!(way * -k * q < low)) continue; // it would not have come to a halt
    const Mode by_hand = way * -k * q >= -high ? Mode::stick : slip(-way);
    for (const bool fast : {true, false}) {
      Instant at(belt, q, belt + 0.3 * way);
      check::that(at.mode() == slip(way));
      const double rounding = 1e-17 * way;
      const Jump& jump = at.fire(GuardKind::slip_ends, 0, q, belt + rounding, fast);
      check::that((jump.next != nullptr) == fast);
      check::that(jump.decided && jump.changed && jump.solutions == 1 && !jump.ambiguous && !jump.shared);
      check::that(jump.rule == (by_hand == Mode::stick ? Rule::unique : Rule::static_to_kinetic));
      check::that(jump.before.friction[0].mode == slip(way) && jump.after.friction[0].mode == by_hand);
      check::same(jump.x_before(0), q);
      check::same(jump.x_after(0), q);
      check::same(jump.x_after(1), belt);
      List<Event> events;
      std::int64_t instant = 7;
      append_events(at.sys, jump, instant, events);
      check::that(events.size() == 1 && instant == 8 && events[0].instant == 8);
      check::that(cause_of(at.sys, events[0]) == "belt stops sliding");
      check::that(rule_of(events[0]) == (by_hand == Mode::stick ? "unique" : "static to kinetic"));
    }
    ++(by_hand == Mode::stick ? sticks : turns);
  }
  check::that(sticks > 40 && turns > 20);
}

TEST(transitions, stick_ends_at_its_limit) {
  for (const double belt : {-0.2, 0.2})
    for (const bool fast : {true, false}) {
      const double q = (belt > 0.0 ? high : -high) / k; // the spring pulls back with the static force
      Instant at(belt, 0.0, belt);
      check::that(at.mode() == Mode::stick);
      const int back = belt > 0.0 ? -1 : 1;
      const Jump& jump = at.fire(GuardKind::breaks_away, back, q, belt, fast);
      check::that((jump.next != nullptr) == fast && jump.rule == Rule::static_to_kinetic);
      check::that(jump.after.friction[0].mode == slip(back) && jump.x_after == jump.x_before);
    }
}

TEST(transitions, impulses_of_one_contact_add_up_within_an_impact_and_not_beyond) {
  Jump jump;
  jump.impacts = 1;
  jump.add({.contact = 1, .normal = 2.0, .tangential = 0.5, .loss = 3.0, .wall_work = 0.25});
  jump.add({.contact = 0, .normal = 1.0});
  jump.add({.contact = 1, .normal = 4.0, .tangential = -1.0, .loss = 5.0, .wall_work = 0.5});
  jump.impacts = 2;
  jump.add({.contact = 1, .normal = 7.0, .collision = false});
  check::that(jump.impulses.size() == 3 && jump.impulses[0].impact == 0 && jump.impulses[2].impact == 1);
  check::same(jump.impulses[0].normal, 6.0);
  check::same(jump.impulses[0].tangential, -0.5);
  check::same(jump.impulses[0].loss, 8.0);
  check::same(jump.impulses[0].wall_work, 0.75);
  check::that(jump.impulses[0].collision && jump.impulses[1].normal == 1.0);
  check::that(jump.impulses[2].normal == 7.0 && !jump.impulses[2].collision);
}
