// Tables of samples, things x times: what is sampled of one thing lies side by side.
#pragma once

#include "core/types.hpp"

#include <cstdint>

namespace stickslip {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ModeRows = Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

} // namespace stickslip
