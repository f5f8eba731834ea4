#include "capi/src/arrays.h"

#include <cstring>

namespace contrastive::capi {
namespace {

constexpr int64_t kMaxTextBytes = INT32_MAX;
// More texts do not fit in memory. Checked before a vector of that length is allocated.
constexpr int64_t kMaxTexts = int64_t{1} << 40;

void check_count(int64_t n) {
  check(n >= 0, Status::kArgument, "the number of texts is negative: ", n);
  check(n <= kMaxTexts, Status::kLimit, "the number of texts is ", n, ", above the limit of ",
        kMaxTexts);
}

}  // namespace

std::string_view text_argument(const char* text, int64_t length, const char* parameter) {
  check(text != nullptr, Status::kArgument, parameter, " is NULL");
  check(length >= -1, Status::kArgument, "the length of ", parameter, " is ", length,
        ": a number of bytes, or -1 for a NUL-terminated text");
  const size_t bytes = length == -1 ? std::strlen(text) : static_cast<size_t>(length);
  check(bytes <= static_cast<size_t>(kMaxTextBytes), Status::kLimit, parameter, " has ", bytes,
        " bytes, above the limit of ", kMaxTextBytes);
  return {text, bytes};
}

std::vector<std::string_view> text_arguments(const char* const* texts, const int64_t* lengths,
                                             int64_t n, const char* parameter) {
  check_count(n);
  check(n == 0 || texts != nullptr, Status::kArgument, parameter, " is NULL, but there are ", n,
        " of them");
  std::vector<std::string_view> views;
  views.reserve(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    check(texts[i] != nullptr, Status::kArgument, parameter, "[", i, "] is NULL");
    check(lengths == nullptr || lengths[i] >= 0, Status::kArgument, "lengths[", i, "] is negative");
    const size_t bytes =
        lengths == nullptr ? std::strlen(texts[i]) : static_cast<size_t>(lengths[i]);
    check(bytes <= static_cast<size_t>(kMaxTextBytes), Status::kLimit, parameter, "[", i, "] has ",
          bytes, " bytes, above the limit of ", kMaxTextBytes);
    views.emplace_back(texts[i], bytes);
  }
  return views;
}

std::vector<std::string_view> packed_arguments(const char* data, const int32_t* offsets,
                                               int64_t n) {
  check_count(n);
  check(n == 0 || offsets != nullptr, Status::kArgument, "offsets is NULL, but there are ", n,
        " texts");
  std::vector<std::string_view> views;
  views.reserve(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    const int32_t begin = offsets[i], end = offsets[i + 1];
    check(begin >= 0 && end >= begin, Status::kArgument, "offsets[", i + 1, "] is ", end, " after ",
          begin, ": offsets must not fall or be negative");
    check(data != nullptr || end == begin, Status::kArgument, "data is NULL, but text ", i, " has ",
          end - begin, " bytes");
    views.emplace_back(data == nullptr ? "" : data + begin, static_cast<size_t>(end - begin));
  }
  return views;
}

}  // namespace contrastive::capi
