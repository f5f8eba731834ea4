// The architecture of an encoder, as data. A family (core/io/families) reads it from config.json.
// Three implementations compute it: inference on the CPU (inference.h), LibTorch's operations
// (core/torch/nn/layer.h), and the CPU's training kernels (core/torch/nn/cpu). None of them knows a
// family.
//
// It contains only settings, no weights, under Hugging Face's names if they exist. The defaults are
// those of BERT-base.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cpu/activation.h"

namespace contrastive::encoder {

using cpu::Activation;
using cpu::kernels_activate;

// kLayer: (x - mean) / deviation * weight + bias
// kRms: x / root mean square * weight
// kRmsPlusOne: x / root mean square * (1 + weight)
enum class NormKind { kLayer, kRms, kRmsPlusOne };

// The position of a layer's norms:
// kAfter: N(x + block(x))
// kBefore: x + block(N(x))
// kAround: x + N'(block(N(x)))
enum class NormPlace { kAfter, kBefore, kAround };

// What is added to the attention logits for the distance r = key's position - query's position:
// kNone: nothing
// kBuckets: a learned number for each head and bucket of distances; all layers share one table
// kAlibi: -slope of the head * |r|
enum class RelativeBias { kNone, kBuckets, kAlibi };

// Which dropout rate applies at a place in the network.
enum class DropRate { kNone, kHidden, kAttention };

// The head that Hugging Face puts on the first token for classification:
// kPooler: dense, tanh (together the pooler), dropout, linear
// kDense: dropout, dense, tanh, dropout, linear
enum class ClassifierForm { kPooler, kDense };

struct Architecture {
  std::string family = "bert";  // as listed in core/io/families. It determines the names in the
                                // config and of the tensors, and nothing that is computed

  int64_t vocab_size = 30522;
  int64_t hidden_size = 768;
  int64_t num_hidden_layers = 12;  // 0: static embeddings (static_encoder.h)
  int64_t num_attention_heads = 12;
  int64_t intermediate_size = 3072;
  int64_t pad_token_id = 0;
  Activation hidden_act = Activation::kGeluErf;
  double initializer_range = 0.02;

  // Embeddings: norm(words * embedding_scale + types + positions), then a projection to
  // hidden_size.
  int64_t embedding_size = 0;  // width of the tables; 0 means hidden_size
  bool embedding_projection = false;
  double embedding_scale = 1;
  bool embedding_norm = true;
  int64_t type_vocab_size = 2;  // 0 means no token types

  // Positions. A text's tokens are at positions 0, 1, 2, ...
  int64_t max_position_embeddings = 512;  // rows of learned positions; 0 means no table
  int64_t first_position = 0;             // the row of position 0
  bool skips_padding =
      false;  // a token pad_token_id inside a text has no position, and uses the row pad_token_id
  bool trains_padding = false;   // false: such a token gives the rows pad_token_id no gradient,
                                 // like transformers' padding_idx
  int64_t longest_text = 0;      // in tokens, if nothing else limits it; 0 means the table's rows
  double rotary_base = 0;        // 0 means no rotary positions
  double local_rotary_base = 0;  // of local layers; 0 means rotary_base
  double rotary_factor = 1;      // "ntk" scaling, see rotary.h; 1 means none
  double rotary_mixed = 0;       // the exponent of "ntk" scaling; 0 means none
  RelativeBias relative_bias = RelativeBias::kNone;
  int64_t relative_buckets = 32, relative_distance = 128;

  // Norms.
  NormKind norm = NormKind::kLayer;
  NormPlace norm_place = NormPlace::kAfter;
  bool norm_bias = true;  // for kLayer; the other kinds have no bias
  double layer_norm_eps = 1e-12;
  bool first_attention_norm = true;  // false: layer 0 has no norm before its attention
  bool final_norm = false;           // on the last layer's states

  // Attention.
  int64_t num_key_value_heads = 0;  // 0 means num_attention_heads; query head i uses key and value
                                    // head i / (heads / key_value_heads)
  int64_t head_width = 0;           // 0 means hidden_size / num_attention_heads
  double attention_scale = 0;       // of q k^T; 0 means head_width^-1/2
  bool causal = false;              // a token attends only to itself and to earlier tokens
  bool attention_bias = true;       // of queries, keys and values
  bool attention_output_bias = true;
  bool query_key_norm = false;  // normalise each head's queries and keys, before their rotation;
                                // same kind as above
  int64_t window = 0;           // local layers attend to |distance| <= window
  std::vector<bool> local;      // [layers]; empty means that none is local

  // Feed-forward: output(act(intermediate x)), or output(act(gate x) * intermediate x).
  bool gated = false;
  bool intermediate_bias = true;
  bool output_bias = true;

  std::vector<int64_t> weight_sets;  // [layers] the number of the weight set that each layer uses:
                                     // 0, 1, ...; empty means one each
  int64_t sets_in_group = 1;         // the number of these sets in each group of a checkpoint

  bool pooler = true;  // whether the family has a dense layer with tanh on the first token; a
                       // checkpoint may lack it

  // Training.
  double hidden_dropout_prob = 0.1;
  double attention_probs_dropout_prob = 0.1;     // of the attention probabilities
  DropRate drop_embeddings = DropRate::kHidden;  // after the norm, before the projection
  DropRate drop_attention_output = DropRate::kHidden;
  DropRate drop_intermediate = DropRate::kNone;
  DropRate drop_output = DropRate::kHidden;
  bool drop_last = false;  // after the final norm, at the hidden rate

  // The head for masked language modelling: norm(act(dense x)) words^T + bias, with the width of
  // the tables.
  Activation mlm_act = Activation::kGeluErf;
  bool mlm_dense_bias = true;
  ClassifierForm classifier = ClassifierForm::kPooler;

  bool operator==(const Architecture& other) const;
  bool operator!=(const Architecture& other) const { return !(*this == other); }

  // Every field that affects a vector, as text, for fingerprints.
  std::string inference_text() const;

  int64_t table_width() const { return embedding_size > 0 ? embedding_size : hidden_size; }
  int64_t width_of_head() const {
    return head_width > 0 ? head_width : hidden_size / num_attention_heads;
  }
  int64_t query_width() const { return num_attention_heads * width_of_head(); }
  int64_t key_value_heads() const {
    return num_key_value_heads > 0 ? num_key_value_heads : num_attention_heads;
  }
  int64_t key_width() const { return key_value_heads() * width_of_head(); }
  double scale_of_attention() const;
  // The number of ids that a text may have, special tokens included.
  int64_t max_tokens() const {
    return max_position_embeddings > 0 ? max_position_embeddings - first_position : longest_text;
  }
  bool is_local(int64_t layer) const { return !local.empty() && local[static_cast<size_t>(layer)]; }
  double rotary_base_of(int64_t layer) const {
    return is_local(layer) && local_rotary_base > 0 ? local_rotary_base : rotary_base;
  }
  // A layer attends to |distance| <= this; 0 means everything.
  int64_t window_of(int64_t layer) const { return is_local(layer) ? window : 0; }
  bool has_norm_before_attention(int64_t layer) const {
    return norm_place != NormPlace::kAfter && (layer > 0 || first_attention_norm);
  }
  int64_t weight_set(int64_t layer) const {
    return weight_sets.empty() ? layer : weight_sets[static_cast<size_t>(layer)];
  }
  int64_t weight_set_count() const;
  double probability(DropRate rate) const;
};

// Throws kMismatch for a description that fits no encoder.
void check_architecture(const Architecture& architecture);

}  // namespace contrastive::encoder
