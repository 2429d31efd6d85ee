// Scalar and matrix aliases shared by every room.
#pragma once

#include <Eigen/Core>

namespace stickslip {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using VectorRef = Eigen::Ref<const Vector>;
using MatrixRef = Eigen::Ref<const Matrix>;

} // namespace stickslip
