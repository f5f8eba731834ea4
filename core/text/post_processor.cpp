#include "core/text/post_processor.h"

#include <algorithm>
#include <utility>

namespace contrastive::text {

int64_t PostProcessor::special_count(bool is_pair) const {
  const auto& parts = is_pair ? pair : single;
  return std::count_if(parts.begin(), parts.end(), [](const TemplatePart& part) {
    return part.kind == TemplatePart::kSpecial;
  });
}

void PostProcessor::trim(int64_t leading, int64_t leading_bytes, int64_t trailing_bytes,
                         bool is_first, int64_t& begin, int64_t& end) const {
  if (!trim_offsets) return;
  const bool is_prefix = leading == 1 && trim_keeps_prefix_space && (is_first || begin == 0);
  if (!is_prefix) begin = std::min(begin + leading_bytes, end);
  end = std::max(end - trailing_bytes, begin);
}

PostProcessor bert_post_processor(int32_t cls, int32_t sep) {
  PostProcessor result;
  result.single = {{TemplatePart::kSpecial, cls, 0},
                   {TemplatePart::kFirst, -1, 0},
                   {TemplatePart::kSpecial, sep, 0}};
  result.pair = result.single;
  result.pair.push_back({TemplatePart::kSecond, -1, 1});
  result.pair.push_back({TemplatePart::kSpecial, sep, 1});
  return result;
}

PostProcessor roberta_post_processor(int32_t cls, int32_t sep) {
  PostProcessor result;
  result.single = {{TemplatePart::kSpecial, cls, 0},
                   {TemplatePart::kFirst, -1, 0},
                   {TemplatePart::kSpecial, sep, 0}};
  result.pair = result.single;
  result.pair.push_back({TemplatePart::kSpecial, sep, 0});
  result.pair.push_back({TemplatePart::kSecond, -1, 0});
  result.pair.push_back({TemplatePart::kSpecial, sep, 0});
  return result;
}

PostProcessor t5_post_processor(int32_t end) {
  const TemplatePart closing{TemplatePart::kSpecial, end, 0};
  PostProcessor result;
  result.single = {{TemplatePart::kFirst, -1, 0}, closing};
  result.pair = {{TemplatePart::kFirst, -1, 0}, closing, {TemplatePart::kSecond, -1, 0}, closing};
  return result;
}

void truncate_longest_first(int64_t room, int64_t& first, int64_t& second) {
  if (first + second <= room) return;
  int64_t shorter = std::min(first, second);
  int64_t longer = std::max(shorter, room - shorter);
  if (shorter + longer > room) {
    shorter = room / 2;
    longer = room - shorter;
  }
  const bool first_is_longer = first > second;
  first = first_is_longer ? longer : shorter;
  second = first_is_longer ? shorter : longer;
}

}  // namespace contrastive::text
