#include "model/identity.hpp"

#include "model/machine.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <type_traits>

namespace stickslip {

namespace {

// The hash of Fowler, Noll and Vo in words of 64 bits, each stirred as in SplitMix64 (Steele, Lea and Flood 2014).
class Fingerprint {
public:
  std::uint64_t value() const { return hash; }

  void add(std::uint64_t word) {
    word += 0x9e3779b97f4a7c15U;
    word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
    word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
    hash = (hash ^ word ^ (word >> 31U)) * 0x100000001b3U;
    hash ^= hash >> 32U;
  }
  void add(double x) { add(std::bit_cast<std::uint64_t>(x + 0.0)); }
  void add(bool x) { add(std::uint64_t{x}); }
  void add(std::int32_t x) { add(static_cast<std::uint64_t>(x)); }
  void add(Index x) { add(static_cast<std::uint64_t>(x)); }
  void add(const std::string& s) {
    add(static_cast<Index>(s.size()));
    for (const char c : s) add(std::uint64_t{static_cast<unsigned char>(c)});
  }
  void add(const Vector& v) {
    add(v.size());
    for (const double x : v) add(x);
  }
  void add(const Matrix& m) {
    add(m.rows()), add(m.cols());
    for (Index j = 0; j < m.cols(); ++j)
      for (Index i = 0; i < m.rows(); ++i) add(m(i, j));
  }
  template <class E>
    requires std::is_enum_v<E>
  void add(E value) {
    add(static_cast<Index>(value));
  }
  void add(const std::optional<double>& x) {
    add(x.has_value());
    if (x) add(*x);
  }
  void add(const Combination& c) { // in any order
    List<Part> parts = c.parts;
    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.name < b.name; });
    add(parts);
  }
  void add(const Signal& s) {
    add(s.pieces.size());
    for (const Piece& p : s.pieces) {
      add(p.start), add(p.anchor);
      for (const double c : p.c) add(c);
      for (const Harmonic& h : p.harmonics) add(h.amplitude), add(h.omega), add(h.phase);
    }
    add(s.input), add(s.input_gain), add(s.input_default);
    if (s.repeats > 0) add(s.repeats), add(s.period);
  }
  void add(const Law& law) { add(law.terms); }
  void add(const Program& p) { add(p.references), add(p.measurements), add(p.outputs), add(p.memory); }
  void add(const std::shared_ptr<const CurveFunction>& f) { add(f != nullptr); }
  template <class T> void add(const List<T>& items) {
    add(static_cast<Index>(items.size()));
    for (const T& item : items) add(item);
  }
  template <class... T> void add(const std::variant<T...>& value) {
    add(static_cast<Index>(value.index()));
    std::visit([this](const auto& x) { add(x); }, value);
  }
  template <class T>
    requires std::is_class_v<T>
  void add(const T& self) {
    if constexpr (Described<T>)
      each_field(self, [this](const auto&, const auto& value) { add(value); });
    else
      T::each(self, [this](const char*, const auto& value) { add(value); });
  }

private:
  std::uint64_t hash = 0xcbf29ce484222325U;
};

} // namespace

Identity identity_of(const Machine& m) {
  Fingerprint all;
  all.add(m.plant), all.add(m.elements), all.add(m.scales);
  Identity out{all.value(), {}};
  const auto name = [&](const std::string& one) { out.text += (out.text.empty() ? "'" : ", '") + one + "'"; };
  for (const std::string& q : m.mechanical() ? m.mechanical()->names : m.matrices()->states) name(q);
  for (const Element& e : m.elements)
    std::visit(
        [&](const auto& x) {
          if constexpr (requires { x.name; }) name(x.name);
        },
        e);
  char digits[20];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(out.fingerprint));
  out.text = "the machine of " + out.text + " (" + digits + ")";
  return out;
}

} // namespace stickslip
