// ModernBERT: norms before the blocks, rotary positions, gated feed-forward blocks, and local
// attention in two of three layers.
#include "core/base/error.h"
#include "core/io/families/bert.h"
#include "core/io/families/local_layers.h"

namespace contrastive::io {
namespace {

void describe_modernbert_positions(ConfigKeys& keys, encoder::Architecture& a) {
  const JsonObject& json = keys.json();
  a.rotary_base = keys.rotary_base("global_rope_theta", "full_attention", 160000);
  check(json.has("rope_parameters") || !json.is_null("local_rope_theta"), Status::kUnsupported,
        json.source(), ": local_rope_theta is null, and what it stands for is not settled");
  a.local_rotary_base = keys.rotary_base("local_rope_theta", "sliding_attention", 10000);
  const int64_t every = json.integer("global_attn_every_n_layers", 1, kMaxLayers, 3);
  a.local =
      local_layers(json, a.num_hidden_layers, [&](int64_t layer) { return layer % every != 0; });
  // sliding_window is transformers' other name for half of local_attention.
  a.window = json.integer("sliding_window", 1, kMaxText,
                          json.integer("local_attention", 2, kMaxText, 128) / 2);
}

void describe_modernbert(ConfigKeys& keys, encoder::Architecture& a) {
  keys.only("is_causal", false);
  keys.size({"vocab_size"}, a.vocab_size, kMaxRows, 50368);
  keys.size({"hidden_size"}, a.hidden_size, kMaxWidth, 768);
  keys.size({"num_hidden_layers"}, a.num_hidden_layers, kMaxLayers, 22);
  keys.size({"num_attention_heads"}, a.num_attention_heads, kMaxWidth, 12);
  keys.size({"intermediate_size"}, a.intermediate_size, kMaxWidth, 1152);
  keys.size({"max_position_embeddings"}, a.longest_text, kMaxText, 8192);
  keys.integer({"pad_token_id"}, a.pad_token_id, 0, a.vocab_size - 1,
               a.vocab_size > 50283 ? 50283 : 0);
  keys.real({"norm_eps"}, a.layer_norm_eps, 0.0, 1.0, 1e-5);
  keys.real({"mlp_dropout"}, a.hidden_dropout_prob, 0.0, 1.0, 0.0);
  keys.real({"attention_dropout"}, a.attention_probs_dropout_prob, 0.0, 1.0, 0.0);
  keys.real({"initializer_range"}, a.initializer_range, 0.0, 1e3, 0.02);
  keys.activation({"hidden_activation"}, a.hidden_act, "gelu");
  keys.flag({"norm_bias"}, a.norm_bias, false);
  keys.flag({"attention_bias"}, a.attention_bias, false);
  keys.flag({"mlp_bias"}, a.intermediate_bias, false);
  keys.flag({"classifier_bias"}, a.mlm_dense_bias, false);
  keys.activation({"classifier_activation"}, a.mlm_act, "gelu");
  if (keys.reads()) {
    describe_modernbert_positions(keys, a);
    if (keys.json().real("embedding_dropout", 0.0, 1.0, 0.0) != a.hidden_dropout_prob) {
      keys.note("embedding_dropout differs from mlp_dropout: training uses the second for both");
    }
  }
  a.attention_output_bias = a.attention_bias;
  a.output_bias = a.intermediate_bias;
  a.max_position_embeddings = 0;
  a.type_vocab_size = 0;
  a.norm_place = encoder::NormPlace::kBefore;
  a.first_attention_norm = false;
  a.final_norm = true;
  a.gated = true;
  a.pooler = false;
  a.drop_attention_output = encoder::DropRate::kAttention;
  a.drop_intermediate = encoder::DropRate::kHidden;
  a.drop_output = encoder::DropRate::kNone;
  a.classifier = encoder::ClassifierForm::kDense;
}

std::vector<ModuleName> modernbert_modules(const encoder::Architecture&) {
  return {{"embeddings.tok_embeddings", {"embeddings.word_embeddings"}},
          {"embeddings.norm", {"embeddings.LayerNorm"}},
          {"layers.#.attn_norm", {"encoder.layer.#.attention.LayerNorm"}},
          {"layers.#.attn.Wqkv",
           {"encoder.layer.#.attention.self.query", "encoder.layer.#.attention.self.key",
            "encoder.layer.#.attention.self.value"}},
          {"layers.#.attn.Wo", {"encoder.layer.#.attention.output.dense"}},
          {"layers.#.mlp_norm", {"encoder.layer.#.intermediate.LayerNorm"}},
          {"layers.#.mlp.Wi",
           {"encoder.layer.#.intermediate.gate", "encoder.layer.#.intermediate.dense"}},
          {"layers.#.mlp.Wo", {"encoder.layer.#.output.dense"}},
          {"final_norm", {"encoder.LayerNorm"}}};
}

std::vector<ModuleName> modernbert_mlm_head() {
  return {{"head.dense", {"cls.predictions.transform.dense"}},
          {"head.norm", {"cls.predictions.transform.LayerNorm"}},
          {"decoder", {"cls.predictions"}}};
}

void classify_modernbert(const JsonObject& config, encoder::ClassificationHead& head) {
  head.pooling = config.string("classifier_pooling", "cls");
  check(head.pooling == "cls" || head.pooling == "mean", Status::kUnsupported, config.source(),
        ": classifier_pooling '", head.pooling.substr(0, 60), "' is not known; known: cls, mean");
  head.activation = config.string("classifier_activation", "gelu");
  check(head.activation == "gelu" || head.activation == "relu" || head.activation == "tanh",
        Status::kUnsupported, config.source(), ": classifier_activation '",
        head.activation.substr(0, 60),
        "' is not read of a classification head; known: gelu, relu, tanh");
  head.dense_bias = config.boolean("classifier_bias", false);
  head.dropout = head_dropout(config, "classifier_dropout", 0);
  head.norm = true;
  head.norm_bias = config.boolean("norm_bias", false);
}

}  // namespace

Family modernbert_family() {
  Family family{"modernbert",
                "ModernBERT",
                {{"modernbert", "ModernBert"}},
                "Model",
                "ForMaskedLM",
                "model.",
                describe_modernbert,
                modernbert_modules,
                modernbert_mlm_head()};
  family.classifier = classify_modernbert;
  family.classifier_modules = {{"head.dense", {"classifier.dense"}},
                               {"head.norm", {"classifier.LayerNorm"}},
                               {"classifier", {"classifier.out_proj"}}};
  return family;
}

}  // namespace contrastive::io
