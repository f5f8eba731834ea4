#include "core/encoder/architecture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <type_traits>

#include "core/base/error.h"

namespace contrastive::encoder {
namespace {

// The fields that affect a vector.
auto inference_fields(const Architecture& a) {
  return std::tuple_cat(
      std::tie(a.family, a.vocab_size, a.hidden_size, a.num_hidden_layers, a.num_attention_heads,
               a.intermediate_size, a.pad_token_id, a.hidden_act, a.embedding_size,
               a.embedding_projection, a.embedding_scale, a.embedding_norm, a.type_vocab_size),
      std::tie(a.max_position_embeddings, a.first_position, a.skips_padding, a.longest_text,
               a.rotary_base, a.local_rotary_base, a.rotary_factor, a.rotary_mixed, a.relative_bias,
               a.relative_buckets, a.relative_distance),
      std::tie(a.norm, a.norm_place, a.norm_bias, a.layer_norm_eps, a.first_attention_norm,
               a.final_norm, a.num_key_value_heads, a.head_width, a.attention_scale, a.causal,
               a.attention_bias, a.attention_output_bias, a.query_key_norm, a.window, a.local,
               a.gated, a.intermediate_bias, a.output_bias, a.weight_sets, a.sets_in_group,
               a.pooler));
}

// The fields that only affect training.
auto training_fields(const Architecture& a) {
  return std::tie(a.trains_padding, a.initializer_range, a.hidden_dropout_prob,
                  a.attention_probs_dropout_prob, a.drop_embeddings, a.drop_attention_output,
                  a.drop_intermediate, a.drop_output, a.drop_last, a.mlm_act, a.mlm_dense_bias,
                  a.classifier);
}

void append(std::string& text, const std::string& value) { text += value; }
template <class T>
void append(std::string& text, const std::vector<T>& values) {
  for (const auto value : values) text += cat(static_cast<int64_t>(value), ' ');
}
template <class T>
void append(std::string& text, const T& value) {
  if constexpr (std::is_enum_v<T>) {
    text += cat(static_cast<int64_t>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    char digits[40];
    text.append(digits, static_cast<size_t>(std::snprintf(digits, sizeof(digits), "%a", value)));
  } else {
    text += cat(value);
  }
}

}  // namespace

bool Architecture::operator==(const Architecture& other) const {
  return inference_fields(*this) == inference_fields(other) &&
         training_fields(*this) == training_fields(other);
}

std::string Architecture::inference_text() const {
  std::string text;
  std::apply([&](const auto&... fields) { ((append(text, fields), text += ';'), ...); },
             inference_fields(*this));
  return text;
}

double Architecture::scale_of_attention() const {
  return attention_scale > 0 ? attention_scale
                             : 1 / std::sqrt(static_cast<double>(width_of_head()));
}

int64_t Architecture::weight_set_count() const {
  return weight_sets.empty() ? num_hidden_layers
                             : *std::max_element(weight_sets.begin(), weight_sets.end()) + 1;
}

double Architecture::probability(DropRate rate) const {
  switch (rate) {
    case DropRate::kNone: return 0;
    case DropRate::kHidden: return hidden_dropout_prob;
    case DropRate::kAttention: return attention_probs_dropout_prob;
  }
  fail(Status::kInternal, "an unknown rate of dropout");
}

void check_architecture(const Architecture& a) {
  const auto layers = static_cast<size_t>(std::max<int64_t>(a.num_hidden_layers, 0));
  check(a.num_attention_heads > 0 && a.hidden_size > 0 &&
            (a.head_width > 0 || a.hidden_size % a.num_attention_heads == 0),
        Status::kMismatch, "num_attention_heads ", a.num_attention_heads,
        " does not divide hidden_size ", a.hidden_size);
  check(a.num_attention_heads % a.key_value_heads() == 0, Status::kMismatch, "num_key_value_heads ",
        a.key_value_heads(), " does not divide num_attention_heads ", a.num_attention_heads);
  // A static encoder is a table of vectors, without anything that acts on them.
  const bool bare = !a.embedding_norm && !a.embedding_projection &&
                    a.max_position_embeddings == 0 && a.type_vocab_size == 0 && !a.final_norm &&
                    !a.pooler;
  check(a.num_hidden_layers >= (bare ? 0 : 1), Status::kMismatch, "num_hidden_layers is ",
        a.num_hidden_layers, ": at least 1 is needed");
  check(a.max_position_embeddings > 0 || a.longest_text > 0, Status::kMismatch,
        "the configuration does not say how long a text may be");
  check(a.max_tokens() >= 2, Status::kMismatch, "max_position_embeddings ",
        a.max_position_embeddings, " leaves no room for a text");
  check(a.rotary_base == 0 || a.width_of_head() % 2 == 0, Status::kMismatch,
        "rotary positions turn pairs of numbers, and a head has ", a.width_of_head());
  check(a.embedding_projection || a.table_width() == a.hidden_size, Status::kMismatch,
        "embedding_size ", a.embedding_size, " differs from hidden_size ", a.hidden_size,
        ", and no projection joins them");
  check(a.local.empty() || a.local.size() == layers, Status::kMismatch, "the configuration names ",
        a.local.size(), " kinds of layers for ", a.num_hidden_layers, " layers");
  check(a.weight_sets.empty() || a.weight_sets.size() == layers, Status::kMismatch,
        "the configuration shares the weights of ", a.weight_sets.size(), " layers of ",
        a.num_hidden_layers);
}

}  // namespace contrastive::encoder
