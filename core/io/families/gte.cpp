// GTE ("new"): BERT with rotary positions and gated feed-forward blocks.
#include "core/base/error.h"
#include "core/io/families/bert.h"

namespace contrastive::io {
namespace {

// "ntk" scaling changes the angles of all texts.
void scale_positions(const ConfigKeys& keys, encoder::Architecture& a) {
  const JsonObject& json = keys.json();
  a.rotary_base =
      json.real("rope_theta", 1, 1e12, json.string("model_type", "") == "new" ? 10000 : 160000);
  if (!json.has("rope_scaling")) return;
  const JsonObject scaling(json.at("rope_scaling"), json.source() + ": rope_scaling");
  const std::string type = scaling.string("type");
  check(type == "ntk", Status::kUnsupported, scaling.source(), ": type '", type.substr(0, 60),
        "' is not known; known: ntk");
  a.rotary_factor = scaling.real("factor", 1, 1e6);
  a.rotary_mixed = scaling.real("mixed_b", 0, 1e3, 0);
}

void describe_gte(ConfigKeys& keys, encoder::Architecture& a) {
  keys.only("is_causal", false);
  keys.only("position_embedding_type", std::string("rope"));
  keys.only("layer_norm_type", std::string("layer_norm"));
  keys.only("logn_attention_scale", false);
  const bool published = keys.reads() && keys.json().string("model_type", "") ==
                                             "new";  // with custom code, whose defaults differ from
                                                     // those of transformers
  keys.size({"vocab_size"}, a.vocab_size, kMaxRows, published ? 30528 : 250048);
  keys.size({"hidden_size"}, a.hidden_size, kMaxWidth, 768);
  keys.size({"num_hidden_layers"}, a.num_hidden_layers, kMaxLayers, 12);
  keys.size({"num_attention_heads"}, a.num_attention_heads, kMaxWidth, 12);
  keys.size({"intermediate_size"}, a.intermediate_size, kMaxWidth, 3072);
  keys.size({"max_position_embeddings"}, a.longest_text, kMaxText, 8192);
  keys.integer({"type_vocab_size"}, a.type_vocab_size, 0, 1 << 16, published ? 2 : 1);
  keys.integer({"pad_token_id"}, a.pad_token_id, 0, a.vocab_size - 1, published ? 0 : 1);
  keys.real({"layer_norm_eps"}, a.layer_norm_eps, 0.0, 1.0, 1e-12);
  keys.real({"hidden_dropout_prob"}, a.hidden_dropout_prob, 0.0, 1.0, 0.1);
  keys.real({"attention_probs_dropout_prob"}, a.attention_probs_dropout_prob, 0.0, 1.0,
            published ? 0.1 : 0.0);
  keys.real({"initializer_range"}, a.initializer_range, 0.0, 1e3, 0.02);
  keys.activation({"hidden_act"}, a.hidden_act, "gelu");
  keys.set("pack_qkv", true);
  if (keys.reads()) {
    if (keys.json().has("rope_parameters"))
      a.rotary_base = keys.rotary_base("rope_theta", nullptr, published ? 10000 : 160000);
    else scale_positions(keys, a);
  }
  a.max_position_embeddings = 0;
  a.gated = true;
  a.intermediate_bias = false;
  a.drop_intermediate = encoder::DropRate::kHidden;
}

std::vector<ModuleName> gte_modules(const encoder::Architecture&) {
  return {{"embeddings.word_embeddings", {"embeddings.word_embeddings"}},
          {"embeddings.token_type_embeddings", {"embeddings.token_type_embeddings"}},
          {"embeddings.LayerNorm", {"embeddings.LayerNorm"}},
          {"encoder.layer.#.attention.qkv_proj",
           {"encoder.layer.#.attention.self.query", "encoder.layer.#.attention.self.key",
            "encoder.layer.#.attention.self.value"}},
          {"encoder.layer.#.attention.q_proj", {"encoder.layer.#.attention.self.query"}},
          {"encoder.layer.#.attention.k_proj", {"encoder.layer.#.attention.self.key"}},
          {"encoder.layer.#.attention.v_proj", {"encoder.layer.#.attention.self.value"}},
          {"encoder.layer.#.attention.o_proj", {"encoder.layer.#.attention.output.dense"}},
          {"encoder.layer.#.attn_ln", {"encoder.layer.#.attention.output.LayerNorm"}},
          {"encoder.layer.#.mlp.up_gate_proj",
           {"encoder.layer.#.intermediate.dense", "encoder.layer.#.intermediate.gate"}},
          {"encoder.layer.#.mlp.down_proj", {"encoder.layer.#.output.dense"}},
          {"encoder.layer.#.mlp_ln", {"encoder.layer.#.output.LayerNorm"}},
          {"pooler.dense", {"pooler.dense"}}};
}

std::vector<ModuleName> gte_mlm_head() {
  return {{"lm_head.dense", {"cls.predictions.transform.dense"}},
          {"lm_head.norm", {"cls.predictions.transform.LayerNorm"}},
          {"lm_head.decoder", {"cls.predictions"}}};
}

}  // namespace

Family gte_family() {
  return with_pooler_classifier({"gte",
                                 "GTE",
                                 {{"new", "New"}, {"gte", "Gte", "gte."}},
                                 "Model",
                                 nullptr,
                                 "new.",
                                 describe_gte,
                                 gte_modules,
                                 gte_mlm_head()});
}

}  // namespace contrastive::io
