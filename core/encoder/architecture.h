// What an encoder is made of, as data: one description, which a family (core/io/families) reads
// from config.json and three walkers follow: inference on the CPU (inference.h), LibTorch's
// operations (core/torch/nn/layer.h), and the CPU's training kernels (core/torch/nn/cpu). None of
// them knows a family.
//
// Numbers only, and the same words as Hugging Face's where there are such. The defaults are
// BERT-base's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cpu/activation.h"

namespace contrastive::encoder {

using cpu::Activation;
using cpu::kernels_activate;

// (x - mean) / deviation * weight + bias; x / root mean square * weight; the same * (1 + weight).
enum class NormKind { kLayer, kRms, kRmsPlusOne };

// Where a layer's norms stand: N(x + block(x)); x + block(N(x)); x + N'(block(N(x))).
enum class NormPlace { kAfter, kBefore, kAround };

// What is added to the logits of attention for the distance r = key's place - query's: nothing; a
// learned number for each head and bucket of distances, one table for all layers; -slope of the
// head * |r|.
enum class RelativeBias { kNone, kBuckets, kAlibi };

// Which probability drops elements at a place of the network.
enum class DropRate { kNone, kHidden, kAttention };

// The form of the head that Hugging Face puts on the first token to classify: dense, tanh (the
// pooler), dropout, linear; dropout, dense, tanh, dropout, linear.
enum class ClassifierForm { kPooler, kDense };

struct Architecture {
  std::string family = "bert";  // as core/io/families lists it: which names its config and tensors
                                // have, and nothing that is computed

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
  int64_t embedding_size = 0;  // width of the tables; 0 = hidden_size
  bool embedding_projection = false;
  double embedding_scale = 1;
  bool embedding_norm = true;
  int64_t type_vocab_size = 2;  // 0 = no token types

  // Places. A text's tokens stand at 0, 1, 2, ...
  int64_t max_position_embeddings = 512;  // rows of the table of learned positions; 0 = none
  int64_t first_position = 0;             // the row of place 0
  bool skips_padding =
      false;  // a token pad_token_id inside a text takes no place, and the row pad_token_id
  bool trains_padding = false;   // false: such a token gives the rows pad_token_id no gradient, as
                                 // transformers' padding_idx
  int64_t longest_text = 0;      // tokens, where nothing but this limits it; 0 = the table's rows
  double rotary_base = 0;        // 0 = no rotary positions
  double local_rotary_base = 0;  // of local layers; 0 = rotary_base
  double rotary_factor = 1;      // "ntk" scaling, see rotary.h; 1 = none
  double rotary_mixed = 0;       // its exponent; 0 = none
  RelativeBias relative_bias = RelativeBias::kNone;
  int64_t relative_buckets = 32, relative_distance = 128;

  // Norms.
  NormKind norm = NormKind::kLayer;
  NormPlace norm_place = NormPlace::kAfter;
  bool norm_bias = true;  // of kLayer; the others have none
  double layer_norm_eps = 1e-12;
  bool first_attention_norm = true;  // false: layer 0 has no norm before its attention
  bool final_norm = false;           // of the last layer's states

  // Attention.
  int64_t num_key_value_heads = 0;  // 0 = num_attention_heads; query head i reads key and value
                                    // head i / (heads / key_value_heads)
  int64_t head_width = 0;           // 0 = hidden_size / num_attention_heads
  double attention_scale = 0;       // of q k^T; 0 = head_width^-1/2
  bool causal = false;              // a token sees those before it and itself
  bool attention_bias = true;       // of queries, keys and values
  bool attention_output_bias = true;
  bool query_key_norm =
      false;                // each head's queries and keys, before their rotation; kind as above
  int64_t window = 0;       // local layers see |distance| <= window
  std::vector<bool> local;  // [layers]; empty = none is

  // Feed-forward: output(act(intermediate x)), or output(act(gate x) * intermediate x).
  bool gated = false;
  bool intermediate_bias = true;
  bool output_bias = true;

  std::vector<int64_t>
      weight_sets;  // [layers] whose weights each has: 0, 1, ...; empty = each has its own
  int64_t sets_in_group = 1;  // checkpoints number these sets in groups of so many

  bool pooler = true;  // whether the family knows a dense layer with tanh on the first token; a
                       // checkpoint may lack it

  // Training.
  double hidden_dropout_prob = 0.1;
  double attention_probs_dropout_prob = 0.1;     // of attention's probabilities
  DropRate drop_embeddings = DropRate::kHidden;  // behind their norm, before their projection
  DropRate drop_attention_output = DropRate::kHidden;
  DropRate drop_intermediate = DropRate::kNone;
  DropRate drop_output = DropRate::kHidden;
  bool drop_last = false;  // behind the final norm, at the hidden rate

  // The head of masked language modelling: norm(act(dense x)) words^T + bias, as wide as the
  // tables.
  Activation mlm_act = Activation::kGeluErf;
  bool mlm_dense_bias = true;
  ClassifierForm classifier = ClassifierForm::kPooler;

  bool operator==(const Architecture& other) const;
  bool operator!=(const Architecture& other) const { return !(*this == other); }

  // Every field that decides a vector, as text: for fingerprints.
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
  // Ids a text may have, special tokens included.
  int64_t max_tokens() const {
    return max_position_embeddings > 0 ? max_position_embeddings - first_position : longest_text;
  }
  bool is_local(int64_t layer) const { return !local.empty() && local[static_cast<size_t>(layer)]; }
  double rotary_base_of(int64_t layer) const {
    return is_local(layer) && local_rotary_base > 0 ? local_rotary_base : rotary_base;
  }
  // Of what a layer's attention sees: |distance| <= this, or 0 for everything.
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

// kMismatch for a description that no encoder has.
void check_architecture(const Architecture& architecture);

}  // namespace contrastive::encoder
