#include "core/torch/tasks/glue/glue_tokens.h"

#include <algorithm>

#include "core/runtime/thread_pool.h"

namespace contrastive::eval {
namespace {

constexpr int64_t kChunk = 64;  // texts that a thread takes at once

void append_range(text::TokenBatch& to, const text::TokenBatch& from, int64_t begin, int64_t end) {
  const int64_t first = from.offsets[static_cast<size_t>(begin)],
                last = from.offsets[static_cast<size_t>(end)];
  const int64_t shift = to.tokens() - first;
  to.ids.insert(to.ids.end(), from.ids.begin() + first, from.ids.begin() + last);
  to.type_ids.insert(to.type_ids.end(), from.type_ids.begin() + first,
                     from.type_ids.begin() + last);
  for (int64_t i = begin; i < end; ++i)
    to.offsets.push_back(shift + from.offsets[static_cast<size_t>(i) + 1]);
  to.full_lengths.insert(to.full_lengths.end(), from.full_lengths.begin() + begin,
                         from.full_lengths.begin() + end);
}

}  // namespace

text::TokenBatch tokenise_glue(const text::Tokenizer& tokenizer, const GlueSet& set,
                               int64_t max_length, const Cancel* cancel) {
  std::vector<text::TokenBatch> chunks(static_cast<size_t>((set.size() + kChunk - 1) / kChunk));
  runtime::parallel_for(static_cast<int64_t>(chunks.size()), [&](int64_t chunk) {
    throw_if_cancelled(cancel);
    text::TokenBatch& batch = chunks[static_cast<size_t>(chunk)];
    for (int64_t i = chunk * kChunk; i < std::min(set.size(), (chunk + 1) * kChunk); ++i) {
      const auto row = static_cast<size_t>(i);
      if (set.second.empty()) {
        tokenizer.append(set.first[row], max_length, batch);
      } else {
        tokenizer.append_pair(set.first[row], set.second[row], max_length, batch);
      }
    }
  });
  text::TokenBatch all;
  for (const text::TokenBatch& batch : chunks) append_range(all, batch, 0, batch.texts());
  return all;
}

text::TokenBatch pick_texts(const text::TokenBatch& batch, const std::vector<int64_t>& rows) {
  text::TokenBatch picked;
  for (const int64_t row : rows) append_range(picked, batch, row, row + 1);
  return picked;
}

}  // namespace contrastive::eval
