#include "model/dataflow.hpp"

#include "core/error.hpp"
#include "core/list.hpp"

#include <sstream>
#include <utility>

namespace stickslip {

namespace {

// Depth-first search over the outputs, and rates of outputs, that each needs at the same instant.
enum class Mark { fresh, open, done };

class Order {
public:
  explicit Order(const List<Loop>& l) : loops(l), marks(2 * l.size(), Mark::fresh) {}

  List<Index> sort() {
    for (const bool continuous : {true, false})
      for (Index b = 0; b < loops.size(); ++b)
        if (loops[b].block.continuous() == continuous) visit(b, false);
    return std::move(order);
  }

private:
  const List<Loop>& loops;
  List<Index> order;

  List<Mark> marks;
  List<Index> path;

  List<std::pair<std::size_t, bool>> needs(Index b, bool of_rate) const {
    List<std::pair<std::size_t, bool>> out;
    const Loop& l = loops[b];
    for (Index i = 0; i < l.inputs.size(); ++i) {
      const bool feeds = l.block.program || !l.block.D.col(i).isZero(0.0);
      for (const OutputTerm& t : l.inputs[i].outputs) {
        const auto a = t.loop;
        if (!l.block.continuous()) { // runs after the sampled ones it reads at the same instant
          if (!loops[a].block.continuous() && loops[a].block.delay == 0.0) out.push_back({a, false});
          continue;
        }
        if (feeds) out.push_back({a, of_rate || t.order > 0});
        if (of_rate) out.push_back({a, t.order > 0});
      }
    }
    return out;
  }

  void visit(Index b, bool of_rate) {
    // A held output is known in advance.
    Mark& mark = marks[2 * b + (of_rate ? 1 : 0)];
    if (mark == Mark::done) return;
    if (mark == Mark::open) {
      std::ostringstream text;
      text << "form an algebraic loop in which each output needs the next at the same instant:";
      Index first = path.size();
      while (first > 0 && path[first - 1] != b) --first;
      for (Index k = first > 0 ? first - 1 : 0; k < path.size(); ++k)
        text << " '" << loops[path[k]].name << "' <-";
      text << " '" << loops[b].name << "'";
      reject("controllers", text.str());
    }
    mark = Mark::open;
    path.push_back(b);
    for (const auto& [a, rate_too] : needs(b, of_rate)) {
      const bool held = !loops[a].block.continuous();
      if (held && loops[b].block.continuous()) continue;
      visit(a, rate_too);
    }
    path.pop_back();
    mark = Mark::done;
    if (!of_rate) order.push_back(b);
  }
};

} // namespace

List<Index> dataflow_order(const List<Loop>& loops) {
  return Order(loops).sort();
}

} // namespace stickslip
