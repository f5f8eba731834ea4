// T5's encoder: a learned bias for each distance instead of positions, RMS norms before the blocks,
// no biases, unscaled attention.
#include "core/io/families/family.h"

#include "core/base/error.h"

namespace contrastive::io {
namespace {

// transformers derives is_gated_act and dense_act_fn from feed_forward_proj ("gated-gelu"). It also
// writes both keys, and they have precedence.
void describe_feed_forward(ConfigKeys& keys, encoder::Architecture& a) {
  const JsonObject& json = keys.json();
  const std::string name = json.string("feed_forward_proj", "relu"), kGated = "gated-";
  const bool gated = name.rfind(kGated, 0) == 0;
  const std::string activation = name == "gated-gelu" ? "gelu_new"
                                 : gated              ? name.substr(kGated.size())
                                                      : name;
  a.gated = json.boolean("is_gated_act", gated);
  a.hidden_act = activation_named(json.has("dense_act_fn") ? "dense_act_fn" : "feed_forward_proj",
                                  json.string("dense_act_fn", activation), json.source());
}

void describe_t5(ConfigKeys& keys, encoder::Architecture& a) {
  keys.only("is_causal", false);
  keys.size({"vocab_size"}, a.vocab_size, kMaxRows, 32128);
  keys.size({"hidden_size", "d_model"}, a.hidden_size, kMaxWidth, 512);
  keys.size({"head_dim", "d_kv"}, a.head_width, 1 << 12, 64);
  keys.size({"d_ff"}, a.intermediate_size, kMaxWidth, 2048);
  keys.size({"num_hidden_layers", "num_layers"}, a.num_hidden_layers, kMaxLayers, 6);
  keys.size({"num_attention_heads", "num_heads"}, a.num_attention_heads, 1 << 12, 8);
  keys.size({"relative_attention_num_buckets"}, a.relative_buckets, 1 << 16, 32);
  keys.size({"relative_attention_max_distance"}, a.relative_distance, kMaxText, 128);
  keys.real({"layer_norm_epsilon"}, a.layer_norm_eps, 0.0, 1.0, 1e-6);
  keys.real({"dropout_rate"}, a.hidden_dropout_prob, 0.0, 1.0, 0.1);
  keys.integer({"pad_token_id"}, a.pad_token_id, 0, a.vocab_size - 1, 0);
  if (keys.reads()) {
    describe_feed_forward(keys, a);
    a.longest_text =
        4096;  // positions do not limit it, but the memory of its bias [heads, tokens, tokens] does
    check(a.relative_buckets >= 4 && a.relative_distance > a.relative_buckets / 4, Status::kFormat,
          keys.json().source(), ": ", a.relative_buckets,
          " relative_attention_num_buckets for distances up to ", a.relative_distance,
          " cannot be");
  }
  a.trains_padding = true;
  a.attention_probs_dropout_prob = a.hidden_dropout_prob;
  a.max_position_embeddings = 0;
  a.type_vocab_size = 0;
  a.relative_bias = encoder::RelativeBias::kBuckets;
  a.attention_scale = 1;
  a.attention_bias = a.attention_output_bias = a.intermediate_bias = a.output_bias = false;
  a.embedding_norm = false;
  a.norm = encoder::NormKind::kRms;
  a.norm_place = encoder::NormPlace::kBefore;
  a.final_norm = true;
  a.pooler = false;
  a.drop_intermediate = encoder::DropRate::kHidden;
  a.drop_last = true;
}

std::vector<ModuleName> t5_modules(const encoder::Architecture& a) {
  std::vector<ModuleName> all = {
      {"shared", {"embeddings.word_embeddings"}},
      {"encoder.embed_tokens", {"embeddings.word_embeddings"}},
      {"encoder.block.0.layer.0.SelfAttention.relative_attention_bias",
       {"encoder.relative_attention_bias"}},
      {"encoder.block.#.layer.0.layer_norm", {"encoder.layer.#.attention.LayerNorm"}},
      {"encoder.block.#.layer.0.SelfAttention.q", {"encoder.layer.#.attention.self.query"}},
      {"encoder.block.#.layer.0.SelfAttention.k", {"encoder.layer.#.attention.self.key"}},
      {"encoder.block.#.layer.0.SelfAttention.v", {"encoder.layer.#.attention.self.value"}},
      {"encoder.block.#.layer.0.SelfAttention.o", {"encoder.layer.#.attention.output.dense"}},
      {"encoder.block.#.layer.1.layer_norm", {"encoder.layer.#.intermediate.LayerNorm"}},
      {"encoder.block.#.layer.1.DenseReluDense.wo", {"encoder.layer.#.output.dense"}},
      {"encoder.final_layer_norm", {"encoder.LayerNorm"}}};
  if (a.gated)
    all.push_back(
        {"encoder.block.#.layer.1.DenseReluDense.wi_0", {"encoder.layer.#.intermediate.gate"}});
  all.push_back({a.gated ? "encoder.block.#.layer.1.DenseReluDense.wi_1"
                         : "encoder.block.#.layer.1.DenseReluDense.wi",
                 {"encoder.layer.#.intermediate.dense"}});
  return all;
}

}  // namespace

Family t5_family() {
  Family family{"t5",           "T5's encoder", {{"t5", "T5"}},
                "EncoderModel", nullptr,        "",
                describe_t5,    t5_modules,     {}};
  family.sentencepiece = "T5Tokenizer";
  return family;
}

}  // namespace contrastive::io
