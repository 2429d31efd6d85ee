// Search over the complementary bases of w = M z + q, in the arithmetic of its table.
//
// An index is either out (z_i = 0) or in (w_i = 0). The search decides one index at a time and eliminates it at once,
// so that the signs of a row in the remaining variables can refute a whole branch or settle an index without branching:
// far fewer than 2^n leaves.
#pragma once

#include "core/budget.hpp"
#include "core/list.hpp"
#include "core/types.hpp"

#include <cstdint>

namespace stickslip::lcp {

using Basis = std::uint32_t; // bit i set: z_i basic

enum class Row : std::uint8_t {
  open,    // undecided
  settled, // its basic variable must be >= 0
  pending, // its basic variable must be 0
};

// A node: the dictionary of the basis so far. Rows are labelled i for w_i and n + i for z_i, columns by i for z_i.
template <class Table> struct SearchLevel {
  Table table;
  List<Index> column, label;
  List<Row> state;
  List<std::uint8_t> pending_column;
  Index columns = 0, pending = 0, undecided = 0;
};

// `Table` has: sign(i) of the constant of row i, 0 where it is zero or not known; turns(i, s, columns), true if some
// variable can bring row i of sign s to zero; less(i, k), an order of constants by which branches are chosen;
// find_pivot(level, row, column) among pending rows and columns, false if all are zero; pivot(row, column, columns);
// move_column(from, to); copy(table, columns). `Visitor` has leaf(level) and refuted(), which return false to end the
// search.
template <class Table, class Visitor> class BasisSearch {
public:
  using Level = SearchLevel<Table>;

  // levels[0].table holds the problem.
  BasisSearch(Index n, List<SearchLevel<Table>>& levels, List<std::uint8_t>& in_basis, Visitor& visitor)
      : n_(n), levels_(levels), in_basis_(in_basis), visitor_(visitor) {}

  void start() {
    if (levels_.size() < n_ + 1) levels_.resize(n_ + 1);
    in_basis_.assign(n_, 0);
    Level& l = levels_[0];
    l.column.resize(n_), l.label.resize(n_);
    for (Index i = 0; i < n_; ++i) l.column[i] = l.label[i] = i;
    l.state.assign(n_, Row::open), l.pending_column.assign(n_, 0);
    l.columns = n_, l.pending = 0, l.undecided = n_;
    visit(0);
  }

private:
  // Refutes the node, settles forced indices, returns the index to branch on (-1 at a leaf, -2 if refuted).
  Index judge(Level& l) {
    for (bool again = true; again;) {
      again = false;
      for (Index i = 0; i < n_; ++i) {
        const int sign = l.table.sign(i);
        if (sign == 0 || (sign > 0 && l.state[i] == Row::settled)) continue;
        // A row that could still be turned round by a variable of the right sign refutes nothing.
        if (l.table.turns(i, sign, l.columns)) continue;
        if (sign < 0 || l.state[i] == Row::pending) return -2;
        settle_out(l, i); // w_i > 0 for any values of the rest: z_i = 0
        again = true;
      }
    }
    if (l.undecided == 0) return -1;
    Index best = -1;
    for (Index i = 0; i < n_; ++i)
      if (l.state[i] == Row::open && (best < 0 || l.table.less(i, best))) best = i;
    return best;
  }

  static void remove_column(Level& l, Index c) {
    const Index last = --l.columns;
    if (c == last) return;
    l.table.move_column(last, c);
    l.column[c] = l.column[last];
    l.pending_column[c] = l.pending_column[last];
  }

  static Index find_column(const Level& l, Index variable) {
    Index c = 0;
    while (l.column[c] != variable) ++c;
    return c;
  }

  static void settle_out(Level& l, Index i) {
    l.state[i] = Row::settled;
    --l.undecided;
    remove_column(l, find_column(l, i));
  }

  // Index i joins the basis; pivots among the rows that must vanish and their columns as far as they are
  // regular.
  void settle_in(Level& l, Index i) {
    l.state[i] = Row::pending;
    --l.undecided;
    l.pending_column[find_column(l, i)] = 1;
    ++l.pending;
    Index row = -1, col = -1;
    while (l.pending > 0 && l.table.find_pivot(l, row, col)) {
      l.table.pivot(row, col, l.columns);
      l.state[row] = Row::settled;
      l.label[row] = n_ + l.column[col];
      remove_column(l, col); // the variable that left the basis is a w, which is zero from here on
      --l.pending;
    }
  }

  static void copy_level(const Level& from, Level& to) {
    to.table.copy(from.table, from.columns);
    to.column = from.column, to.label = from.label, to.state = from.state,
    to.pending_column = from.pending_column;
    to.columns = from.columns, to.pending = from.pending, to.undecided = from.undecided;
  }

  bool visit(Index depth) {
    Budget::spend(n_ * (n_ + 1));
    Level& l = levels_[depth];
    for (;;) {
      const Index i = judge(l);
      if (i == -2) return visitor_.refuted();
      if (i == -1) return visitor_.leaf(l);
      Level& next = levels_[depth + 1];
      copy_level(l, next);
      in_basis_[i] = 1;
      settle_in(next, i);
      if (!visit(depth + 1)) return false;
      in_basis_[i] = 0;
      settle_out(l, i); // and the other branch on the spot
    }
  }

  Index n_;
  List<Level>& levels_;
  List<std::uint8_t>& in_basis_;
  Visitor& visitor_;
};

inline Basis to_bits(const List<std::uint8_t>& in_basis) {
  Basis b = 0;
  for (Index i = 0; i < in_basis.size(); ++i)
    if (in_basis[i] != 0) b |= Basis{1} << i;
  return b;
}

} // namespace stickslip::lcp
