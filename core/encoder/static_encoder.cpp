#include "core/encoder/static_encoder.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/encoder/weights.h"

namespace contrastive::encoder {
namespace {

constexpr const char* kTable = "embeddings.word_embeddings.weight";
constexpr int64_t kLongestText = 1000000;  // model2vec's seq_length

void mean_of_rows(const float* table, int64_t width, const int32_t* ids, const uint8_t* keep,
                  int64_t count, float* out) {
  std::fill_n(out, width, 0.0f);
  int64_t kept = 0;
  for (int64_t t = 0; t < count; ++t) {
    if (keep != nullptr && keep[t] == 0) continue;
    const float* const row = table + ids[t] * width;
    for (int64_t i = 0; i < width; ++i) out[i] += row[i];
    ++kept;
  }
  const float share = kept > 0 ? 1.0f / static_cast<float>(kept) : 0.0f;
  for (int64_t i = 0; i < width; ++i) out[i] *= share;
}

}  // namespace

Architecture static_architecture(int64_t rows, int64_t width) {
  Architecture a;
  a.family = "static";
  a.vocab_size = rows;
  a.hidden_size = width;
  a.num_hidden_layers = 0;
  a.num_attention_heads = 1;
  a.intermediate_size = 1;
  a.embedding_norm = false;
  a.type_vocab_size = 0;
  a.max_position_embeddings = 0;
  a.longest_text = kLongestText;
  a.pooler = false;
  a.hidden_dropout_prob = a.attention_probs_dropout_prob = 0;
  return a;
}

StaticEncoder::StaticEncoder(const Architecture& architecture, const TensorMap& weights)
    : Encoder(architecture), table_(take_floats(architecture, weights).embeddings.words) {}

std::vector<std::pair<std::string, Tensor>> StaticEncoder::named_parameters() const {
  return {{kTable, table_}};
}

std::shared_ptr<Encoder> StaticEncoder::clone() const {
  return std::make_shared<StaticEncoder>(architecture(), TensorMap{{kTable, table_.clone()}});
}

void StaticEncoder::infer(
    const PackedTokens& tokens, const std::vector<Pooling>& poolings,
    const std::vector<const uint8_t*>& keeps, float* out,
    int /* most_threads: memory is what it waits for, and callers share the texts */) const {
  check(keeps.size() == poolings.size(), Status::kInternal,
        "one list of kept tokens is needed for each pooling");
  check_tokens(architecture(), tokens);
  const int64_t width = architecture().hidden_size;
  for (int64_t text = 0; text < tokens.texts; ++text) {
    for (size_t i = 0; i < poolings.size(); ++i) {
      check(poolings[i].reduce == Reduce::kMean, Status::kInternal,
            "static embeddings have one pooling");
      const int64_t first = tokens.offsets[text];
      mean_of_rows(table_.floats(), width, tokens.ids + first,
                   keeps[i] == nullptr ? nullptr : keeps[i] + first, tokens.length(text), out);
      out += width;
    }
  }
}

}  // namespace contrastive::encoder
