// engine_tests [suite ...]: runs these suites, or all of them; prints every test and every check that failed.
// The exit code is 1 if one failed, 2 if a suite is unknown.
#include "check.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

namespace check {

namespace {

struct Entry {
  std::string suite, name;
  void (*body)();
};

std::vector<Entry>& entries() {
  static std::vector<Entry> all;
  return all;
}

int failures = 0;

} // namespace

Test::Test(const char* suite, const char* name, void (*body)()) {
  entries().push_back({suite, name, body});
}

void report(const Place& place, const std::string& what) {
  ++failures;
  if (failures <= 100) std::printf("  %s:%u: %s\n", place.file_name(), place.line(), what.c_str());
}

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}

} // namespace check

int main(int count, char** arguments) {
  using namespace check;
  const std::vector<std::string> wanted(arguments + 1, arguments + count);
  for (const std::string& suite : wanted)
    if (std::none_of(entries().begin(), entries().end(), [&](const Entry& e) { return e.suite == suite; })) {
      std::printf("no suite is called '%s'\n", suite.c_str());
      return 2;
    }
  int ran = 0;
  for (const Entry& e : entries()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), e.suite) == wanted.end()) continue;
    const int before = failures;
    ++ran;
    std::printf("%s.%s\n", e.suite.c_str(), e.name.c_str());
    try {
      e.body();
    } catch (const std::exception& error) {
      ++failures;
      std::printf("  threw: %s\n", error.what());
    }
    if (failures > before) std::printf("  FAILED\n");
  }
  std::printf("%d tests, %d checks failed\n", ran, failures);
  return failures > 0 ? 1 : 0;
}
