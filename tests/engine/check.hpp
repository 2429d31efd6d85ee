// Checks for tests of the engine. A test is a function that registers itself under the name of its file's
// subject; a check that fails is reported with its place and its values, and the test goes on.
#pragma once

#include <cmath>
#include <cstdint>
#include <source_location>
#include <string>

namespace check {

using Place = std::source_location;

// Registers `body` under "suite.name".
struct Test {
  Test(const char* suite, const char* name, void (*body)());
};

void report(const Place& place, const std::string& what);
std::string text(double value);

inline void that(bool condition, const Place& place = Place::current()) {
  if (!condition) report(place, "does not hold");
}

// |value - expected| <= bound; NaN is never close.
inline void close(double value, double expected, double bound, const Place& place = Place::current()) {
  if (!(std::abs(value - expected) <= bound))
    report(place, text(value) + " is not within " + text(bound) + " of " + text(expected));
}

// The same bits, or both zero.
inline void same(double value, double expected, const Place& place = Place::current()) {
  if (!(value == expected)) report(place, text(value) + " is not " + text(expected));
}

// value < bound.
inline void below(double value, double bound, const Place& place = Place::current()) {
  if (!(value < bound)) report(place, text(value) + " is not below " + text(bound));
}

// Every entry of `value` within `bound` of that of `expected`; of the same size.
template <class A, class B>
void all_close(const A& value, const B& expected, double bound, const Place& place = Place::current()) {
  if (value.rows() != expected.rows() || value.cols() != expected.cols()) {
    report(place, "differs in size");
  } else if (value.size() > 0) {
    const double worst = (value - expected).cwiseAbs().maxCoeff();
    if (!(worst <= bound)) report(place, "differs by " + text(worst) + ", more than " + text(bound));
  }
}

// `body` throws Error, and its message contains `part`.
template <class Error, class Body>
void throws(Body&& body, const std::string& part, const Place& place = Place::current()) {
  try {
    body();
  } catch (const Error& e) {
    if (std::string(e.what()).find(part) == std::string::npos)
      report(place, std::string("the message is: ") + e.what());
    return;
  }
  report(place, "throws nothing");
}

// The same numbers on every machine and with every library (splitmix64, S. Vigna).
class Random {
public:
  explicit Random(std::uint64_t seed) : state(seed) {}
  double uniform(double from = 0.0, double to = 1.0) {
    state += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    return from + (to - from) * static_cast<double>(z >> 11) * 0x1p-53;
  }
  // Every entry uniform in [-1, 1].
  template <class M> M matrix(M shape) {
    for (auto& entry : shape.reshaped()) entry = uniform(-1.0, 1.0);
    return shape;
  }

private:
  std::uint64_t state;
};

} // namespace check

#define TEST(suite, name)                                                                                    \
  static void suite##_##name();                                                                              \
  static const check::Test registered_##suite##_##name(#suite, #name, &suite##_##name);                      \
  static void suite##_##name()
