// A std::vector with indices as Eigen counts them, signed, so that numbers of elements, rows and columns are one
// type everywhere and no cast stands between them.
#pragma once

#include "core/types.hpp"

#include <concepts>
#include <vector>

namespace stickslip {

template <class T> class List : public std::vector<T> {
public:
  using std::vector<T>::vector;
  using Base = std::vector<T>;

  typename Base::reference operator[](std::integral auto i) {
    return Base::operator[](static_cast<std::size_t>(i));
  }
  typename Base::const_reference operator[](std::integral auto i) const {
    return Base::operator[](static_cast<std::size_t>(i));
  }
  Index count() const { return static_cast<Index>(Base::size()); }

  auto operator<=>(const List&) const = default;
  bool operator==(const List&) const = default;
};

} // namespace stickslip
