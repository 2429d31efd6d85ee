// Tables of samples, quantities x times: the samples of one quantity are contiguous.
#pragma once

#include "core/types.hpp"

#include <cstdint>

namespace stickslip {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ModeRows = Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

} // namespace stickslip
