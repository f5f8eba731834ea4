// Checks of array arguments: sizes that do not overflow, pointers that are not NULL, and outputs
// that do not overlap inputs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/checked.h"
#include "core/base/error.h"

namespace contrastive::capi {

// The number of elements, `rows` x `columns`. kArgument if either is negative, kLimit if no array
// of that many numbers can exist.
inline int64_t count_elements(int64_t rows, int64_t columns, const char* what) {
  check(rows >= 0 && columns >= 0, Status::kArgument, what, " is ", rows, " x ", columns,
        ": neither may be negative");
  const Size elements = Size(rows, what) * columns;
  (elements * static_cast<int64_t>(sizeof(double))).at_most(INT64_MAX / 4);
  return elements.value();
}

// Checks an input array: kArgument if it is NULL but has elements.
template <class T>
const T* need_array(const T* array, int64_t elements, const char* parameter) {
  check(array != nullptr || elements == 0, Status::kArgument, parameter, " is NULL, but has ",
        elements, " elements");
  return array;
}

// Checks an output buffer: kArgument if it is NULL, kBuffer if `capacity` is less than `needed`.
template <class T>
T* need_buffer(T* buffer, int64_t capacity, int64_t needed, const char* parameter) {
  check(capacity >= 0, Status::kArgument, "the capacity of ", parameter,
        " is negative: ", capacity);
  check(buffer != nullptr || needed == 0, Status::kArgument, parameter, " is NULL, but ", needed,
        " elements are to be written");
  check(capacity >= needed, Status::kBuffer, parameter, " has room for ", capacity, " elements, ",
        needed, " are needed");
  return buffer;
}

// kArgument if the output overlaps the input in memory.
inline void refuse_overlap(const void* out, int64_t out_bytes, const void* in, int64_t in_bytes,
                           const char* what) {
  const auto a = reinterpret_cast<uintptr_t>(out), b = reinterpret_cast<uintptr_t>(in);
  check(out_bytes == 0 || in_bytes == 0 || a + static_cast<uintptr_t>(out_bytes) <= b ||
            b + static_cast<uintptr_t>(in_bytes) <= a,
        Status::kArgument, what, " overlap: the result needs separate memory");
}

// A view of a text argument: `length` bytes, or up to its NUL if `length` is -1.
std::string_view text_argument(const char* text, int64_t length, const char* parameter);

// Views of `n` texts given as pointers. `lengths` is NULL if the texts are NUL-terminated.
// kArgument with the index of the first NULL item or negative length.
std::vector<std::string_view> text_arguments(const char* const* texts, const int64_t* lengths,
                                             int64_t n, const char* parameter = "texts");

// Views of `n` texts in one buffer: text i is data[offsets[i]] .. data[offsets[i + 1]]. kArgument
// with the index of the first offset that is negative or less than the one before it.
std::vector<std::string_view> packed_arguments(const char* data, const int32_t* offsets, int64_t n);

}  // namespace contrastive::capi
