// Every answer to one problem with given levels: enumeration of the mode sets, or Lemke's method if they are too many.
#pragma once

#include "contact/lemke.hpp"
#include "core/list.hpp"
#include "transition/candidate.hpp"

namespace stickslip::contact {

// Largest number of mode sets to enumerate, and the same if no other method has found an answer.
constexpr Index largest_mode_count = 256, largest_on_failure = 65536;

// Candidates are reused between calls, so that a transition allocates nothing once its sizes have been seen.
class Pool {
public:
  Candidate& next() {
    if (used_ == items_.size()) items_.emplace_back();
    return items_[used_];
  }
  void reserve(Index count, Index components) {
    if (items_.size() < count) items_.resize(count);
    for (Candidate& c : items_) c.reserve(components);
  }
  void keep() { ++used_; }
  void clear() { used_ = 0; }
  void drop(Index i) {
    std::swap(items_[i], items_[used_ - 1]);
    --used_;
  }
  void order_as_found(Index i) { // like drop, but keeps the order
    for (Index k = i; k + 1 < used_; ++k) std::swap(items_[k], items_[k + 1]);
    --used_;
  }
  Index size() const { return used_; }
  Candidate& operator[](Index i) { return items_[i]; }
  const Candidate& operator[](Index i) const { return items_[i]; }

private:
  List<Candidate> items_;
  Index used_ = 0;
};

struct StageWorkspace {
  CandidateWorkspace solve;
  lcp::LemkeWorkspace lemke;
  List<Mode> modes;
  lcp::RowMatrix M;
  Vector q;
  List<double> cover;
  Index most_modes = largest_mode_count;
  bool keep_parts = false;  // also mode sets that a shared answer represents
  bool has_dropped = false; // such mode sets were omitted

  void reserve(Index components) {
    modes.reserve(components);
    solve.reserve(components);
  }
};

// Number of mode sets; counting stops above `largest_on_failure`.
Index count_modes(const Problem& p, const List<Allowed>& allowed, const List<Slip>& slip);

// Appends the answers to `out`. slip[i] == sliding: element i slides in the direction of its state. True if the list is
// complete (all mode sets were tried), false if it holds only solutions of Lemke's method.
bool solve_stage(const Problem& p, const List<Allowed>& allowed, const List<Slip>& slip,
                 const List<Mode>& direction, StageWorkspace& ws, Pool& out);

// Drops labels of the same solution, with equal forces and motion.
void drop_repeated(const Problem& p, Pool& pool);

// append_margins() over all mode sets, which must be few.
List<double> stage_margins(const Problem& p, const List<Slip>& slip, const List<Mode>& direction,
                           StageWorkspace& ws);

// The problem as an LCP of order contacts + 2 (elements at rest), z = (lambda_N, F - low, a_T^+), w = (a_N, a_T^-, high
// - F): the formulation of the source without the redundant unknowns, for any mixture of loads. The caller fixes
// contacts that may not close and elements that may not stick.
void assemble_stage(const Problem& p, const List<Slip>& slip, const List<Mode>& direction, lcp::RowMatrix& M,
                    Vector& q);

} // namespace stickslip::contact
