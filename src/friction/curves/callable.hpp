// A user's own curve F(v) per unit load as a function that the engine calls: the slow road, and serial if it
// needs an interpreter. At rest anything between its limits at v = 0- and v = 0+, or in [-static, static] if
// that is given.
#pragma once

#include "core/list.hpp"
#include "friction/common.hpp"

#include <exception>
#include <memory>
#include <string>

namespace stickslip {

// Error inside the user's function: the engine catches it, adds the time and throws it again.
struct CurveError : InvalidArgument {
  CurveError(const std::string& what, double at_velocity, std::exception_ptr from = nullptr);
  CurveError with_time(double t) const;

  std::string detail;
  double velocity;
  std::exception_ptr cause; // the function's own exception, if it raised one
};

struct CurveFunction {
  virtual ~CurveFunction() = default;
  virtual double operator()(double v) const = 0;
  virtual bool same(const CurveFunction& other) const { return this == &other; }
};

struct Callable {
  std::shared_ptr<const CurveFunction> function;
  double static_level = std::numeric_limits<double>::infinity(); // infinite: the limits of the function
  double velocity_scale = 1e-3; // differences for the slope are taken over 1e-6 of max(|v|, this)

  bool operator==(const Callable& b) const;

  static constexpr auto fields() {
    return std::tuple{field("function", &Callable::function), field("static", &Callable::static_level),
                      field("velocity_scale", &Callable::velocity_scale, quantity::velocity)};
  }
};

double call(const Callable&, double v, int direction);
double call_slope(const Callable&, double v, int direction);

inline ForceOf<double> curve(const Callable& c, double v, int direction) {
  return {call(c, v, direction), 0.0};
}
template <int K> ForceOf<Dual<K>> curve(const Callable& c, const Dual<K>& v, int direction) {
  return {chain(v, call(c, v.x, direction), call_slope(c, v.x, direction)), Dual<K>(0.0)};
}

inline void marks(const Callable& c, List<double>& out) {
  for (double u : {10.0, 1.0, 0.1}) out.push_back(u * c.velocity_scale);
}

void validate(const Callable&);
LawTraits about(const Callable&);

} // namespace stickslip
