// A std::vector that counts as Eigen does, in signed numbers, so that numbers of elements, rows and columns are one
// type everywhere and no cast stands between them.
#pragma once

#include "core/types.hpp"

#include <concepts>
#include <utility>
#include <vector>

namespace stickslip {

template <class T> class List : public std::vector<T> {
public:
  using Base = std::vector<T>;
  using Base::Base;

  List() = default;
  List(Base values) : Base(std::move(values)) {}

  typename Base::reference operator[](std::integral auto i) {
    return Base::operator[](static_cast<std::size_t>(i));
  }
  typename Base::const_reference operator[](std::integral auto i) const {
    return Base::operator[](static_cast<std::size_t>(i));
  }
  Index size() const { return static_cast<Index>(Base::size()); }

  auto operator<=>(const List&) const = default;
  bool operator==(const List&) const = default;
};

} // namespace stickslip
