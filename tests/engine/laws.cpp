// Friction laws: steady curves, slopes against differences, sums, what a law says about itself.
#include "check.hpp"

#include "core/error.hpp"
#include "friction/law.hpp"

using namespace stickslip;

namespace {

const Levels levels{1.5, 1.0, 1e-3, 2.0, StribeckForm::exponential};

Law only(Term term) {
  return {{std::move(term)}};
}

LuGre lugre() {
  LuGre c;
  c.stiffness = 1e5, c.damping = std::sqrt(1e5), c.levels = levels;
  return c;
}

} // namespace

TEST(laws, steady_curves) {
  const Law stribeck = only(Stribeck{levels, {}}), coulomb = only(Coulomb{1.0, 0.8});
  for (const double v : {1e-5, 1e-3, 0.02, 3.0}) {
    const double s = v / 1e-3;
    check::close(steady(stribeck, v, nullptr, 1.0).dry, 1.0 + 0.5 * std::exp(-s * s), 1e-15);
    check::close(steady(stribeck, -v, nullptr, 1.0).dry, -1.0 - 0.5 * std::exp(-s * s), 1e-15);
    check::same(steady(coulomb, v, nullptr, 1.0).dry, 0.8);
    // LuGre settles on the same curve (Canudas de Wit et al. 1995, eq. 8).
    double z = 0.0;
    check::close(steady(only(lugre()), v, &z, 1.0).dry, 1.0 + 0.5 * std::exp(-s * s), 1e-15);
    check::close(z * 1e5, 1.0 + 0.5 * std::exp(-s * s), 1e-14);
  }
  const Interval rest = rest_interval(stribeck, nullptr, 1.0);
  check::that(rest.lo == -1.5 && rest.hi == 1.5);
}

TEST(laws, bristle_equations_of_lugre) {
  // dz/dt = v - s0 |v| z / g(v), F = s0 z + s1 dz/dt.
  check::Random random(1);
  for (int k = 0; k < 100; ++k) {
    const double v = random.uniform(-5e-3, 5e-3), z = random.uniform(-1e-5, 1e-5), s = v / 1e-3;
    const double rate = v - 1e5 * std::abs(v) * z / (1.0 + 0.5 * std::exp(-s * s));
    double got = 0.0;
    const Force f = evaluate(only(lugre()), v, v < 0.0 ? -1 : 1, 0, &z, &got, 1.0);
    check::close(got, rate, 1e-15 * std::abs(v) + 1e-17);
    check::close(f.dry, 1e5 * z + std::sqrt(1e5) * rate, 1e-14);
  }
}

TEST(laws, slopes_are_those_of_the_values) {
  check::Random random(2);
  const Law law = only(lugre());
  for (int k = 0; k < 50; ++k) {
    const double v = random.uniform(1e-4, 5e-3), z = random.uniform(-1e-5, 1e-5), dv = 1e-9, dz = 1e-12;
    double dry_z = 0.0, zdot_v = 0.0, zdot_z = 0.0, up = 0.0, down = 0.0;
    const Slopes slopes = linearise(law, v, 1, 0, &z, 1.0, &dry_z, &zdot_v, &zdot_z);
    double force =
        evaluate(law, v + dv, 1, 0, &z, &up, 1.0).dry - evaluate(law, v - dv, 1, 0, &z, &down, 1.0).dry;
    check::close(force / (2 * dv), slopes.dry_v, 1e-5 * (1.0 + std::abs(slopes.dry_v)));
    check::close((up - down) / (2 * dv), zdot_v, 1e-5 * (1.0 + std::abs(zdot_v)));
    const double more = z + dz, less = z - dz;
    force = evaluate(law, v, 1, 0, &more, &up, 1.0).dry - evaluate(law, v, 1, 0, &less, &down, 1.0).dry;
    check::close(force / (2 * dz), dry_z, 1e-6 * std::abs(dry_z));
    check::close((up - down) / (2 * dz), zdot_z, 1e-6 * (1.0 + std::abs(zdot_z)));
  }
}

TEST(laws, forces_of_a_sum_add) {
  const Law a = only(Stribeck{levels, {}}), b = only(lugre()), sum = a + b;
  const double z = 3e-6;
  double rate = 0.0, alone = 0.0;
  const Force both = evaluate(sum, 2e-3, 1, 0, &z, &rate, 1.0),
              second = evaluate(b, 2e-3, 1, 0, &z, &alone, 1.0);
  check::close(both.dry, evaluate(a, 2e-3, 1, 0, nullptr, nullptr, 1.0).dry + second.dry, 1e-15);
  check::same(rate, alone);
  check::that(traits(sum).states == 1 && traits(sum).sticks && !traits(b).sticks && traits(a).states == 0);
}

TEST(laws, what_is_not_allowed_is_named) {
  check::throws<InvalidArgument>([] { validate(only(Coulomb{0.5, 0.8})); }, "kinetic");
  check::throws<InvalidArgument>([] { validate(only(Coulomb{NAN, 0.8})); }, "static");
}
