// A linear form over the state and the signals.
#pragma once

#include "core/list.hpp"

namespace stickslip {

// x_part . x + s_part . s
struct Form {
  Vector x, s;
};

inline double value(const Form& f, const double* x, const double* s) {
  using Values = Eigen::Map<const Vector>;
  return f.x.dot(Values(x, f.x.size())) + f.s.dot(Values(s, f.s.size()));
}

// Size of its terms, for states of these sizes.
inline double size_of(const Form& f, const Vector& sizes, const double* s) {
  return f.x.cwiseAbs().dot(sizes) + f.s.cwiseAbs().dot(Eigen::Map<const Vector>(s, f.s.size()).cwiseAbs());
}

// The same with few nonzero terms, for forms that are evaluated often.
struct FewTerms {
  struct Term {
    Index at;
    double weight;
  };
  List<Term> of_state, of_signals;

  FewTerms() = default;
  explicit FewTerms(const Form& f) {
    for (Index i = 0; i < f.x.size(); ++i)
      if (f.x(i) != 0.0) of_state.push_back({i, f.x(i)});
    for (Index i = 0; i < f.s.size(); ++i)
      if (f.s(i) != 0.0) of_signals.push_back({i, f.s(i)});
  }
};

inline double value(const FewTerms& f, const double* x, const double* s) {
  double by_state = 0.0, by_signals = 0.0;
  for (const FewTerms::Term& term : f.of_state) by_state += term.weight * x[term.at];
  for (const FewTerms::Term& term : f.of_signals) by_signals += term.weight * s[term.at];
  return by_state + by_signals;
}

} // namespace stickslip
