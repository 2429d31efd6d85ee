// Answers that are certain for the problem as it stands: every double is a rational number. Double precision decides
// where a bound of its rounding lets it, exact arithmetic elsewhere. For the public interface: matrices that the
// engine has computed are known to rounding only (lemke.hpp, enumerate.hpp).
#pragma once

#include "contact/enumerate.hpp"
#include "contact/exact_dictionary.hpp"
#include "contact/lemke.hpp"

namespace stickslip::lcp {

constexpr Index largest_certified_path = 20; // order up to which a path of Lemke is followed exactly

// Relative error of each z that double precision may leave; beyond, z comes from exact arithmetic. In paths above
// `largest_certified_path` only the sign is certain.
constexpr double certified_accuracy = 1e-9;

// `check` ends the computation by an exception; of many problems one after the other it is the same one.
//
// Answers `solved` and `ray` are proven, `doubtful` ones are not; the latter only above `largest_certified_path`.
LemkeResult lemke_certified(const Problem& p, LemkeWorkspace& ws, const LemkeOptions& options,
                            InterruptCheck& check);

// Every solution, unless the search ended (`doubtful` > 0) after so many bases and refuted branches.
Enumeration solve_all_certified(const Problem& p, EnumerationWorkspace& ws, Index max_bases,
                                InterruptCheck& check);

} // namespace stickslip::lcp
