#include "core/dyadic.hpp"

#include "core/double_double.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace stickslip {

namespace {

using Limb = std::uint32_t;
using Wide = std::uint64_t;
using Limbs = List<Limb>;

// Compares two magnitudes with the same first exponent and no leading zeros: -1, 0 or 1.
int compare(const Limbs& a, const Limbs& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (Index k = a.size(); k-- > 0;)
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  return 0;
}

// a -= b 2^(32 shift) for a not less than that.
void subtract(Limbs& a, const Limbs& b, Index shift) {
  Wide borrow = 0;
  for (Index k = shift; k < a.size() && (k - shift < b.size() || borrow != 0); ++k) {
    const Wide take = (k - shift < b.size() ? b[k - shift] : 0U) + borrow;
    borrow = a[k] < take ? 1 : 0;
    a[k] = static_cast<Limb>(a[k] - take);
  }
}

// a += b 2^(32 shift); a is long enough for the sum.
void accumulate(Limbs& a, const Limbs& b, Index shift) {
  Wide carry = 0;
  for (Index k = shift; k < a.size() && (k - shift < b.size() || carry != 0); ++k) {
    carry += Wide{a[k]} + (k - shift < b.size() ? b[k - shift] : 0U);
    a[k] = static_cast<Limb>(carry);
    carry >>= 32;
  }
}

// Leading limbs as a number of 106 bits; `exponent` is the one of its last limb.
DoubleDouble leading(const Limbs& limbs, std::int64_t& exponent) {
  DoubleDouble sum;
  const Index taken = std::min<Index>(limbs.size(), 5);
  for (Index k = limbs.size(); k-- > limbs.size() - taken;)
    sum = sum * 0x1p32 + static_cast<double>(limbs[k]);
  exponent += limbs.size() - taken;
  return sum;
}

} // namespace

Dyadic::Dyadic(double x) {
  if (x == 0.0) return;
  sign_ = x < 0.0 ? -1 : 1;
  int e = 0;
  const auto m = static_cast<Wide>(std::ldexp(std::frexp(std::abs(x), &e), 53));
  e -= 53;
  low_ = e >= 0 ? e / 32 : -((31 - e) / 32);
  const int shift = static_cast<int>(e - 32 * low_);
  const Wide first = (m & 0xffffffffU) << shift, second = ((m >> 32) << shift) + (first >> 32);
  limbs_ = Limbs(3);
  limbs_[0] = static_cast<Limb>(first);
  limbs_[1] = static_cast<Limb>(second);
  limbs_[2] = static_cast<Limb>(second >> 32);
  normalise();
}

void Dyadic::normalise() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
  const auto first = std::find_if(limbs_.begin(), limbs_.end(), [](Limb l) { return l != 0; });
  low_ += first - limbs_.begin();
  limbs_.erase(limbs_.begin(), first);
  if (limbs_.empty()) sign_ = 0, low_ = 0;
}

void Dyadic::shift_left(int bits) {
  Wide carry = 0;
  for (Limb& l : limbs_) {
    carry |= Wide{l} << bits;
    l = static_cast<Limb>(carry);
    carry >>= 32;
  }
  if (carry != 0) limbs_.push_back(static_cast<Limb>(carry));
}

void Dyadic::shift_right(int bits) {
  Wide above = 0;
  for (Index k = limbs_.size(); k-- > 0;) {
    const Wide both = above << 32 | limbs_[k];
    above = limbs_[k];
    limbs_[k] = static_cast<Limb>(both >> bits);
  }
}

Dyadic Dyadic::operator-() const {
  Dyadic r = *this;
  r.sign_ = -r.sign_;
  return r;
}

Dyadic operator+(const Dyadic& a, const Dyadic& b) {
  if (a.sign_ == 0) return b;
  if (b.sign_ == 0) return a;
  Dyadic r;
  r.low_ = std::min(a.low_, b.low_);
  const Index at_a = a.low_ - r.low_, at_b = b.low_ - r.low_;
  const Index length = std::max(at_a + a.limbs_.size(), at_b + b.limbs_.size());
  r.limbs_.assign(length + 1, 0);
  if (a.sign_ == b.sign_) {
    r.sign_ = a.sign_;
    std::copy(a.limbs_.begin(), a.limbs_.end(), r.limbs_.begin() + at_a);
    accumulate(r.limbs_, b.limbs_, at_b);
    r.normalise();
    return r;
  }
  // The larger magnitude has the higher first limb, or wins limb by limb from the top.
  const auto limb = [](const Dyadic& x, Index at, Index k) {
    return k >= at && k - at < x.limbs_.size() ? x.limbs_[k - at] : Limb{0};
  };
  Index k = length;
  while (k > 0 && limb(a, at_a, k - 1) == limb(b, at_b, k - 1)) --k;
  if (k == 0) return {};
  const bool first = limb(a, at_a, k - 1) > limb(b, at_b, k - 1);
  const Dyadic &large = first ? a : b, &small = first ? b : a;
  r.sign_ = large.sign_;
  std::copy(large.limbs_.begin(), large.limbs_.end(), r.limbs_.begin() + (first ? at_a : at_b));
  subtract(r.limbs_, small.limbs_, first ? at_b : at_a);
  r.normalise();
  return r;
}

Dyadic operator*(const Dyadic& a, const Dyadic& b) {
  Dyadic r;
  if (a.sign_ == 0 || b.sign_ == 0) return r;
  r.sign_ = a.sign_ * b.sign_;
  r.low_ = a.low_ + b.low_;
  const Index na = a.limbs_.size(), nb = b.limbs_.size();
  r.limbs_.assign(na + nb, 0);
  const Limb *x = a.limbs_.data(), *y = b.limbs_.data();
  Limb* z = r.limbs_.data();
  for (Index i = 0; i < na; ++i) {
    Wide carry = 0;
    for (Index j = 0; j < nb; ++j) {
      carry += Wide{x[i]} * y[j] + z[i + j];
      z[i + j] = static_cast<Limb>(carry);
      carry >>= 32;
    }
    z[i + nb] = static_cast<Limb>(carry);
  }
  r.normalise();
  return r;
}

Dyadic exact_quotient(const Dyadic& a, const Dyadic& b) {
  Dyadic r;
  if (a.sign_ == 0) return r;
  // Powers of two apart, the divisor is an odd integer that divides another integer.
  const int twos = std::countr_zero(b.limbs_[0]);
  Dyadic odd = b;
  odd.shift_right(twos);
  odd.normalise();
  const Limb d = odd.limbs_[0];
  Limb inverse = d; // modulo 2^3, doubled by each step of Newton
  for (int step = 0; step < 4; ++step) inverse *= 2U - d * inverse;
  r.sign_ = a.sign_ * b.sign_;
  r.low_ = a.low_ - b.low_;
  Limbs rest = a.limbs_;
  const Index length = rest.size() - odd.limbs_.size() + 1, n = odd.limbs_.size();
  r.limbs_.assign(std::max<Index>(length, 0), 0);
  for (Index k = 0; k < length; ++k) {
    const Limb q = r.limbs_[k] = rest[k] * inverse;
    if (q == 0) continue;
    Wide carry = 0, borrow = 0;
    // Limbs from `length` on do not change the quotient.
    for (Index j = 0; k + j < length && (j < n || carry + borrow != 0); ++j) {
      carry += j < n ? Wide{q} * odd.limbs_[j] : 0U;
      const Wide take = (carry & 0xffffffffU) + borrow;
      borrow = rest[k + j] < take ? 1 : 0;
      rest[k + j] = static_cast<Limb>(rest[k + j] - take);
      carry >>= 32;
    }
  }
  if (twos > 0) {
    r.shift_left(32 - twos);
    --r.low_;
  }
  r.normalise();
  return r;
}

Dyadic odd_divisor(const Dyadic& a, const Dyadic& b) {
  const auto odd = [](const Dyadic& x) {
    Dyadic r = x;
    r.sign_ = x.sign_ != 0 ? 1 : 0, r.low_ = 0;
    if (r.sign_ != 0) r.shift_right(std::countr_zero(r.limbs_[0]));
    r.normalise();
    return r;
  };
  Dyadic x = odd(a), y = odd(b);
  if (x.sign_ == 0 && y.sign_ == 0) return 1.0;
  if (x.sign_ == 0 || y.sign_ == 0) return x.sign_ == 0 ? y : x;
  for (;;) { // the difference of two odd numbers is even
    const int order = compare(x.limbs_, y.limbs_);
    if (order == 0) return x;
    Dyadic& large = order > 0 ? x : y;
    subtract(large.limbs_, (order > 0 ? y : x).limbs_, 0);
    large.normalise();
    large.shift_right(std::countr_zero(large.limbs_[0]));
    large.normalise();
    large.low_ = 0;
  }
}

double ratio(const Dyadic& a, const Dyadic& b) {
  if (a.sign_ == 0) return 0.0;
  std::int64_t above = a.low_, below = b.low_;
  const DoubleDouble quotient = leading(a.limbs_, above) / leading(b.limbs_, below);
  const auto exponent = std::clamp<std::int64_t>(32 * (above - below), -100000, 100000);
  return a.sign_ * b.sign_ * std::ldexp(static_cast<double>(quotient), static_cast<int>(exponent));
}

} // namespace stickslip
