// Post-processors (templates): the tokens added around a text or a pair, such as [CLS] A [SEP] B
// [SEP], with the segment of each part.
#pragma once

#include <cstdint>
#include <vector>

namespace contrastive::text {

// One part of a template: a special token, or all tokens of the first (kFirst) or second (kSecond)
// text.
struct TemplatePart {
  enum Kind { kSpecial, kFirst, kSecond } kind = kSpecial;
  int32_t id = -1;  // for kSpecial
  int32_t type_id = 0;
};

struct PostProcessor {
  std::vector<TemplatePart> single{{TemplatePart::kFirst, -1, 0}};  // kFirst exactly once
  std::vector<TemplatePart> pair{{TemplatePart::kFirst, -1, 0},
                                 {TemplatePart::kSecond, -1,
                                  1}};  // kFirst and kSecond exactly once
  // Byte-level tokens include the space before them. Trimming removes it from the offsets. A space
  // that add_prefix_space put before the text is not in the text, and is not trimmed.
  bool trim_offsets = false;
  bool trim_keeps_prefix_space = false;

  int64_t special_count(bool is_pair) const;
  // Removes the white space at both ends of a token from its offsets. `leading` counts characters.
  // `is_first`: this is the first token of its text.
  void trim(int64_t leading, int64_t leading_bytes, int64_t trailing_bytes, bool is_first,
            int64_t& begin, int64_t& end) const;
};

// [cls] A [sep] and [cls] A [sep] B [sep] with segment 1 from B on (BERT), or <s> A </s></s> B </s>
// in segment 0 (RoBERTa).
PostProcessor bert_post_processor(int32_t cls, int32_t sep);
PostProcessor roberta_post_processor(int32_t cls, int32_t sep);
// A </s> and A </s> B </s> in segment 0 (T5).
PostProcessor t5_post_processor(int32_t end);

// Longest-first truncation of a pair to `room` ids in total. Keeps as much as possible of the
// shorter text; if neither fits into half of the room, each gets half. An odd id goes to the longer
// text, or to the second if they are equally long. The lengths are replaced by the lengths to keep.
void truncate_longest_first(int64_t room, int64_t& first, int64_t& second);

}  // namespace contrastive::text
