// Arithmetic on sizes that come from files or callers. Every such product, sum and narrowing goes
// through here: an overflow is an Error that names the quantity, never a short buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/base/error.h"

namespace contrastive {

// A count or a number of bytes: from 0 to 2^63-1. Every operation is checked for overflow.
class Size {
 public:
  Size() = default;
  Size(int64_t value, const char* what) : value_(value), what_(what) {
    check(value >= 0, Status::kLimit, what, " is negative: ", value);
  }

  Size operator*(int64_t factor) const {
    int64_t product = 0;
    check(factor >= 0 && !__builtin_mul_overflow(value_, factor, &product), Status::kLimit, what_,
          " overflows: ", value_, " x ", factor);
    return Size(product, what_);
  }
  Size operator+(int64_t term) const {
    int64_t sum = 0;
    check(term >= 0 && !__builtin_add_overflow(value_, term, &sum), Status::kLimit, what_,
          " overflows: ", value_, " + ", term);
    return Size(sum, what_);
  }
  // Throws kLimit above `limit`.
  Size at_most(int64_t limit) const {
    check(value_ <= limit, Status::kLimit, what_, " is ", value_, ", above the limit of ", limit);
    return *this;
  }

  int64_t value() const { return value_; }
  size_t bytes() const { return static_cast<size_t>(value_); }

 private:
  int64_t value_ = 0;
  const char* what_ = "size";
};

// Converts an integer to a smaller type: `narrow<int32_t>(count, "token count")`. Throws kLimit if
// the value does not fit.
template <class To, class From>
To narrow(From value, const char* what) {
  const To result = static_cast<To>(value);
  check(static_cast<From>(result) == value && (result < To{}) == (value < From{}), Status::kLimit,
        what, " does not fit: ", value);
  return result;
}

}  // namespace contrastive
