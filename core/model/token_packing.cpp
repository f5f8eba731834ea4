#include "core/model/token_packing.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/runtime/thread_pool.h"
#include "core/text/utf8.h"

namespace contrastive::model {
namespace {

// The tokenizer would also find the error, but it does not know the index of the text or the length
// of the prompt.
template <class... What>
void refuse_invalid_utf8(std::string_view text, const What&... what) {
  const size_t valid = text::valid_utf8_prefix(text);
  check(valid == text.size(), Status::kFormat, what..., " is not valid UTF-8 at byte ", valid,
        " (invalid_utf8 = replace reads bad bytes as U+FFFD)");
}

}  // namespace

template <class Append>
void TokenisedTexts::tokenise(int64_t count, const Cancel* cancel, const Append& append) {
  chunks_.resize(static_cast<size_t>((count + kChunk - 1) / kChunk));
  runtime::parallel_for(static_cast<int64_t>(chunks_.size()), [&](int64_t i) {
    throw_if_cancelled(cancel);
    std::string prompted;
    for (int64_t text = i * kChunk; text < std::min(count, (i + 1) * kChunk); ++text) {
      append(static_cast<size_t>(text), prompted, chunks_[static_cast<size_t>(i)]);
    }
  });
  for (const text::TokenBatch& batch : chunks_) tokens_ += batch.tokens();
  order_.resize(static_cast<size_t>(count));
  std::iota(order_.begin(), order_.end(), int64_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](int64_t a, int64_t b) { return length(a) > length(b); });
}

TokenisedTexts::TokenisedTexts(const text::Tokenizer& tokenizer,
                               const std::vector<std::string_view>& texts,
                               const std::string& prompt, int64_t max_length,
                               const Cancel* cancel) {
  if (tokenizer.invalid_utf8() == text::InvalidUtf8::kError) {
    for (size_t i = 0; i < texts.size(); ++i) refuse_invalid_utf8(texts[i], "texts[", i, "]");
  }
  tokenise(static_cast<int64_t>(texts.size()), cancel,
           [&](size_t text, std::string& prompted, text::TokenBatch& batch) {
             std::string_view input = texts[text];
             if (!prompt.empty()) input = prompted.assign(prompt).append(input);
             tokenizer.append(input, max_length, batch);
           });
}

TokenisedTexts::TokenisedTexts(const text::Tokenizer& tokenizer, const std::vector<TextPair>& pairs,
                               const std::string& prompt, int64_t max_length,
                               const Cancel* cancel) {
  if (tokenizer.invalid_utf8() == text::InvalidUtf8::kError) {
    for (size_t i = 0; i < pairs.size(); ++i) {
      refuse_invalid_utf8(pairs[i].first, "pairs[", i, "]: its first text");
      refuse_invalid_utf8(pairs[i].second, "pairs[", i, "]: its second text");
    }
  }
  tokenise(static_cast<int64_t>(pairs.size()), cancel,
           [&](size_t pair, std::string& prompted, text::TokenBatch& batch) {
             std::string_view first = pairs[pair].first;
             if (!prompt.empty()) first = prompted.assign(prompt).append(first);
             tokenizer.append_pair(first, pairs[pair].second, max_length, batch);
           });
}

text::TokenBatch TokenisedTexts::pack(int64_t begin, int64_t end) const {
  text::TokenBatch packed;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t text = order_[static_cast<size_t>(i)];
    const text::TokenBatch& batch = chunks_[chunk(text)];
    const int64_t from = batch.offsets[static_cast<size_t>(place(text))],
                  to = batch.offsets[static_cast<size_t>(place(text)) + 1];
    packed.ids.insert(packed.ids.end(), batch.ids.begin() + from, batch.ids.begin() + to);
    packed.type_ids.insert(packed.type_ids.end(), batch.type_ids.begin() + from,
                           batch.type_ids.begin() + to);
    packed.offsets.push_back(packed.tokens());
    packed.full_lengths.push_back(full_length(text));
  }
  return packed;
}

std::vector<int64_t> cut_batches(const TokenisedTexts& texts, int64_t budget) {
  std::vector<int64_t> cuts{0};
  int64_t used = 0;
  for (size_t i = 0; i < texts.order().size(); ++i) {
    const int64_t length = texts.length(texts.order()[i]);
    if (used > 0 && used + length > budget) {
      cuts.push_back(static_cast<int64_t>(i));
      used = 0;
    }
    used += length;
  }
  cuts.push_back(static_cast<int64_t>(texts.order().size()));
  return cuts;
}

}  // namespace contrastive::model
