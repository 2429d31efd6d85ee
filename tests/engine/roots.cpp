// First crossing of a polynomial guard: the truth is the roots that a polynomial was built from.
#include "check.hpp"

#include "core/error.hpp"
#include "core/roots.hpp"

#include <algorithm>
#include <vector>

using namespace stickslip;

namespace {

using Coefficients = std::vector<double>;
constexpr double eps = std::numeric_limits<double>::epsilon();

// lead * prod (theta - r), multiplied out in extended precision and rounded once.
Coefficients from_roots(const std::vector<double>& roots, double lead = 1.0) {
  std::vector<long double> c{lead};
  for (const double r : roots) {
    c.insert(c.begin(), 0.0L);
    for (std::size_t k = 0; k + 1 < c.size(); ++k) c[k] -= r * c[k + 1];
  }
  return {c.begin(), c.end()};
}

Coefficients negative(Coefficients c) {
  for (double& x : c) x = -x;
  return c;
}

long double value(const Coefficients& c, double theta) {
  long double p = 0.0L;
  for (std::size_t k = c.size(); k-- > 0;) p = p * theta + c[k];
  return p;
}

double slope(const Coefficients& c, double theta) {
  long double p = 0.0L;
  for (std::size_t k = c.size(); k-- > 1;) p = p * theta + static_cast<long double>(k) * c[k];
  return static_cast<double>(std::abs(p));
}

double magnitude(const Coefficients& c) {
  double sum = 0.0;
  for (const double x : c) sum += std::abs(x);
  return sum;
}

Crossing first(const Coefficients& c, GuardStart start = GuardStart::as_is, double noise = 0.0) {
  return first_crossing(c.data(), static_cast<int>(c.size()) - 1, start, noise);
}

void crosses_at(const Crossing& r, double theta, double bound = 0.0,
                const check::Place& place = check::Place::current()) {
  check::that(r.found && !r.at_once, place);
  check::close(r.theta, theta, bound, place);
}

void at_once(const Crossing& r, const check::Place& place = check::Place::current()) {
  check::that(r.found && r.at_once && r.theta == 0.0, place);
}

void never(const Crossing& r, const check::Place& place = check::Place::current()) {
  check::that(!r.found, place);
}

const std::vector<std::vector<double>> farther = {{}, {2.0}, {-0.5, 3.0}, {1.5, -2.0, 2.0, -1.0}};

} // namespace

TEST(roots, simple_ones) {
  crosses_at(first(from_roots({0.3}, 2.0)), 0.3);
  never(first({-1.0, 0.5}));
  never(first({1.0, -2.0}));
  never(first({-1.0, 1.2, -0.3})); // the maximum 0.2 lies at theta = 2
}

TEST(roots, a_positive_start_fires_only_after_coming_down) {
  const Coefficients c = from_roots({0.2, 0.6});
  check::that(c[0] > 0.0);
  crosses_at(first(c), 0.6, 4 * eps);
}

TEST(roots, the_end_of_a_step_belongs_to_it_and_its_start_does_not_come_twice) {
  crosses_at(first({-1.0, 1.0}), 1.0);
  never(first({-1.0, 2.0, -1.0})); // touches zero at the end
  at_once(first({0.0, 1.0}, GuardStart::zero));
  never(first({0.0, -1.0}, GuardStart::zero));
}

TEST(roots, zero_at_start_is_decided_by_the_first_derivative_that_is_not_zero) {
  for (std::size_t order = 1; order < 5; ++order) {
    Coefficients c(order + 2, 0.0);
    c[0] = 1e-9; // to be ignored
    c[order] = -1.0, c[order + 1] = 4.0;
    crosses_at(first(c, GuardStart::zero), 0.25, eps);
    at_once(first(negative(c), GuardStart::zero));
  }
}

TEST(roots, zero_at_start_then_a_root_right_after) {
  const double b = 1e-10; // theta (-b + theta + 0.3 theta^2)
  const double root = 2.0 * b / (1.0 + std::sqrt(1.0 + 1.2 * b));
  crosses_at(first({0.0, -b, 1.0, 0.3}, GuardStart::zero), root, 1e-9 * b);
}

TEST(roots, rounding_at_the_start_is_zero) {
  never(first({0.0, 1e-17, -1.0}, GuardStart::zero));
  at_once(first({0.0, -1e-17, 1.0}, GuardStart::zero));
  never(first({0.0, 1e-9, -1.0}, GuardStart::zero, 1e-8));
  at_once(first({0.0, 1e-9, -1.0}, GuardStart::zero));
}

TEST(roots, a_touch_is_no_crossing) {
  for (const double place : {0.1, 1.0 / 3.0, 0.5, 0.77, 1.0})
    for (std::vector<double> others : farther) {
      others.insert(others.end(), {place, place});
      const Coefficients c = from_roots(others);
      never(first(value(c, place / 2) > 0.0L ? negative(c) : c));
    }
}

TEST(roots, two_close_to_each_other_are_found) {
  for (const double width : {1e-2, 1e-4, 1e-6})
    for (const double place : {0.1, 1.0 / 3.0, 0.5, 0.77})
      for (std::vector<double> others : farther) {
        others.insert(others.end(), {place, place + width});
        const Coefficients c = from_roots(others);
        crosses_at(first(value(c, place / 2) > 0.0L ? negative(c) : c), place,
                   4 * eps * (1.0 + magnitude(c) / slope(c, place)));
      }
}

TEST(roots, any_mixture_of_real_roots_and_complex_pairs) {
  check::Random random(3);
  int checked = 0, found = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::vector<double> real;
    for (int k = static_cast<int>(random.uniform(1.0, 9.0)); k > 0; --k) {
      const double r = random.uniform(-0.5, 1.8);
      bool apart = std::abs(r) > 1e-3 && std::abs(r - 1.0) > 1e-3;
      for (const double other : real) apart = apart && std::abs(r - other) > 1e-3;
      if (apart) real.push_back(r);
    }
    Coefficients c = from_roots(real, random.uniform() < 0.5 ? -1.0 : 1.0);
    for (int k = static_cast<int>(random.uniform(0.0, 4.0)); k > 0; --k) {
      const double a = random.uniform(-1.0, 2.0), b = random.uniform(0.05, 1.0);
      Coefficients longer(c.size() + 2, 0.0);
      for (std::size_t i = 0; i < c.size(); ++i)
        longer[i] += (a * a + b * b) * c[i], longer[i + 1] -= 2.0 * a * c[i], longer[i + 2] += c[i];
      c = longer;
    }
    // Where rounding of the coefficients swamps the polynomial itself there is nothing to find.
    std::vector<double> inside;
    std::copy_if(real.begin(), real.end(), std::back_inserter(inside),
                 [](double r) { return r > 0.0 && r < 1.0; });
    std::sort(inside.begin(), inside.end());
    bool clear = true;
    for (const double r : inside)
      for (const double t : {r - 5e-4, r + 5e-4})
        clear = clear && std::abs(value(c, t)) > 100.0L * eps * magnitude(c);
    for (const double t : {5e-4, 1.0 - 5e-4})
      clear = clear && std::abs(value(c, t)) > 100.0L * eps * magnitude(c);
    if (!clear) continue;
    ++checked;
    const auto up =
        std::find_if(inside.begin(), inside.end(), [&](double r) { return value(c, r + 5e-4) > 0.0L; });
    if (up == inside.end()) {
      never(first(c));
    } else {
      ++found;
      crosses_at(first(c), *up, 60 * eps * magnitude(c) / slope(c, *up) + 2 * eps);
    }
  }
  check::that(checked > 1000 && found > 500);
}

TEST(roots, taylor_polynomial_of_an_oscillation) {
  // sin(w theta + phase) + offset, cut off at rounding level.
  constexpr double pi = 3.14159265358979323846;
  const auto turn = [](double x) { return x - 2.0 * pi * std::floor(x / (2.0 * pi)); };
  const std::vector<std::pair<int, double>> kinds = {{20, 1.5}, {30, 4.0}, {40, 7.0}};
  for (const auto& [degree, w] : kinds)
    for (double phase = -3.1; phase < 3.1; phase += 0.1265)
      for (const double offset : {-0.9, 0.0, 0.7}) {
        Coefficients c;
        double factor = 1.0;
        for (int k = 0; k <= degree; ++k) {
          c.push_back(std::sin(phase + k * pi / 2.0) * factor);
          factor *= w / (k + 1);
        }
        c[0] += offset;
        const double up = turn(-std::asin(offset) - phase) / w;
        const double down = turn(pi + std::asin(offset) - phase) / w;
        if (std::min({std::abs(up - 1.0), up, std::abs(down - 1.0), 2.0 * pi / w - up}) < 1e-6) continue;
        if (up < 1.0)
          crosses_at(first(c), up, 2e-15 * std::exp(w));
        else
          never(first(c));
      }
}

TEST(roots, extremes_against_a_fine_grid) {
  check::Random random(4);
  for (std::size_t degree = 1; degree < 16; ++degree) {
    Coefficients c;
    double bend = 0.0;
    for (std::size_t k = 0; k <= degree; ++k) {
      c.push_back(random.uniform(-3.0, 3.0));
      bend += static_cast<double>(k * k) * std::abs(c.back()) / 8.0 / 4000.0 / 4000.0;
    }
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i <= 4000; ++i) {
      const double p = static_cast<double>(value(c, i / 4000.0));
      low = std::min(low, p), high = std::max(high, p);
    }
    const Extremes e = extremes(c.data(), static_cast<int>(degree));
    const double slack = 1e-13 * magnitude(c);
    check::that(low - bend - slack <= e.minimum && e.minimum <= low + slack);
    check::that(high + bend + slack >= e.maximum && e.maximum >= high - slack);
    check::close(static_cast<double>(value(c, e.at_minimum)), e.minimum, slack);
    check::close(static_cast<double>(value(c, e.at_maximum)), e.maximum, slack);
  }
}

TEST(roots, of_any_function) {
  int calls = 0;
  const auto counted = [&](auto f) { return [&calls, f](double x) { return ++calls, f(x); }; };
  check::close(refine_root(counted([](double x) { return std::cos(x) - x; }), 0.0, 1.0), 0.73908513321516064,
               8 * eps);
  check::close(refine_root(counted([](double x) { return x * x * x - 2.0 * x - 5.0; }), 2.0, 3.0),
               2.0945514815423265, 16 * eps);
  check::close(refine_root(counted([](double x) { return std::exp(-1.0 / (x * x)) - 1e-3; }), 0.1, 4.0),
               1.0 / std::sqrt(std::log(1000.0)), 8 * eps);
  check::close(refine_root(counted([](double x) { return x > 0.2345 ? 1.0 : -1.0; }), 0.0, 1.0), 0.2345,
               2 * eps);
  const double flat = refine_root(counted([](double x) { return std::pow(x - 1.0 / 3.0, 9.0); }), 0.0, 1.0);
  check::close(flat, 1.0 / 3.0, 2 * eps);
  check::that(calls <= 5 * 75);
  check::that(std::isnan(refine_root([](double) { return 1.0; }, 0.0, 1.0)));
}

TEST(roots, the_degree_is_checked) {
  Coefficients c(42, 1.0);
  c[0] = -1.0;
  check::throws<InvalidArgument>([&] { first(c); }, "degree = 41 is not allowed: it must be from 0 to 40");
}
