// The shape of a BERT or RoBERTa encoder, as Hugging Face's config.json states it. No torch here: io fills it, nn builds from it.
#pragma once

#include <cstdint>
#include <string>

namespace contrastive::encoder {

enum class Family { kBert, kRoberta };  // they differ in position ids, token types and the names of special tokens
enum class Activation { kGeluErf, kGeluTanh, kRelu, kSilu };

struct EncoderOptions {
  Family family = Family::kBert;
  int64_t vocab_size = 30522;
  int64_t hidden_size = 768;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  int64_t intermediate_size = 3072;
  int64_t max_position_embeddings = 512;  // rows of the table; RoBERTa uses pad_token_id + 1 fewer
  int64_t type_vocab_size = 2;
  int64_t pad_token_id = 0;
  double layer_norm_eps = 1e-12;
  double hidden_dropout_prob = 0.1;
  double attention_probs_dropout_prob = 0.1;
  double initializer_range = 0.02;
  Activation hidden_act = Activation::kGeluErf;

  // Ids a text may have, special tokens included.
  bool is_roberta() const { return family == Family::kRoberta; }
  int64_t max_tokens() const { return max_position_embeddings - first_position(); }
  // Whether a token with pad_token_id inside a text takes no place among the positions.
  bool skips_padding() const { return is_roberta(); }
  // The position id of a text's first token.
  int64_t first_position() const { return is_roberta() ? pad_token_id + 1 : 0; }
};

}  // namespace contrastive::encoder
