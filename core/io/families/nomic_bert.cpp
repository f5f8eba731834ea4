// NomicBERT: BERT with rotary positions, gated feed-forward blocks and no biases. Its published
// files have GPT-2's keys, newer ones BERT's.
#include "core/base/error.h"
#include "core/io/families/bert.h"

namespace contrastive::io {
namespace {

// The activation of the gate is given by swiglu, geglu, ... in older files, and by silu or gelu in
// newer ones.
void describe_gate(ConfigKeys& keys, encoder::Architecture& a) {
  if (!keys.reads()) return;
  const bool older = keys.json().has("activation_function");
  const std::string name = keys.json().string(older ? "activation_function" : "hidden_act", "silu");
  if (name == "swiglu" || name == "silu") {
    a.hidden_act = encoder::Activation::kSilu;
  } else if (name == "geglu" || (name == "gelu" && !older)) {
    a.hidden_act = encoder::Activation::kGeluErf;
  } else {
    fail(Status::kUnsupported, keys.json().source(), ": ",
         older ? "activation_function" : "hidden_act", " '", name.substr(0, 60),
         "' is not known; known: swiglu, geglu, silu");
  }
  a.mlm_act = a.hidden_act;
  a.gated = true;
}

void describe_nomic_bert(ConfigKeys& keys, encoder::Architecture& a) {
  for (const char* key : {"prenorm", "parallel_block", "use_rms_norm", "causal", "is_causal",
                          "rotary_emb_interleaved"})
    keys.only(key, false);
  keys.only("num_experts", int64_t{0});
  keys.absent("rotary_emb_scale_base");
  keys.size({"vocab_size"}, a.vocab_size, kMaxRows, 30528);
  keys.size({"hidden_size", "n_embd"}, a.hidden_size, kMaxWidth, 768);
  keys.size({"num_hidden_layers", "n_layer"}, a.num_hidden_layers, kMaxLayers, 12);
  keys.size({"num_attention_heads", "n_head"}, a.num_attention_heads, kMaxWidth, 12);
  keys.size({"intermediate_size", "n_inner"}, a.intermediate_size, kMaxWidth, 4 * a.hidden_size);
  // Some files have both keys; the second is then the length of the texts in training. The value
  // may be reduced below.
  if (keys.reads())
    keys.size({"n_positions", "max_position_embeddings"}, a.longest_text, kMaxText, 2048);
  keys.integer({"type_vocab_size"}, a.type_vocab_size, 0, 1 << 16, 2);
  keys.integer({"pad_token_id"}, a.pad_token_id, 0, a.vocab_size - 1, 0);
  const bool older = keys.reads() && keys.json().has("n_embd");
  keys.real({"layer_norm_eps", "layer_norm_epsilon"}, a.layer_norm_eps, 0.0, 1.0,
            older ? 1e-5 : 1e-12);
  keys.real({"hidden_dropout_prob", "resid_pdrop"}, a.hidden_dropout_prob, 0.0, 1.0, 0.0);
  keys.real({"attention_probs_dropout_prob", "attn_pdrop"}, a.attention_probs_dropout_prob, 0.0,
            1.0, 0.0);
  keys.real({"initializer_range"}, a.initializer_range, 0.0, 1e3, 0.02);
  keys.flag({"qkv_proj_bias"}, a.attention_bias, false);
  keys.flag({"mlp_fc1_bias"}, a.intermediate_bias, false);
  keys.flag({"mlp_fc2_bias"}, a.output_bias, false);
  describe_gate(keys, a);
  if (!keys.reads()) return;
  a.attention_output_bias = a.attention_bias;
  a.max_position_embeddings = 0;
  a.pooler = false;
  const JsonObject& json = keys.json();
  check(json.real("rotary_emb_fraction", 0, 1, older ? 0 : 1) == 1, Status::kUnsupported,
        json.source(), ": rotary_emb_fraction is not 1: only heads that are turned whole are read");
  a.rotary_base = older ? json.real("rotary_emb_base", 1, 1e12, 10000)
                        : keys.rotary_base("rope_theta", nullptr, 1000);
  if (json.has("rotary_scaling_factor")) {
    a.longest_text =
        std::min(a.longest_text, json.integer("max_trained_positions", 2, kMaxText, 2048));
    keys.note(cat("texts are cut at ", a.longest_text,
                  " tokens, behind which rotary_scaling_factor would change the positions"));
  }
}

std::vector<ModuleName> nomic_bert_modules(const encoder::Architecture&) {
  return {{"embeddings.word_embeddings", {"embeddings.word_embeddings"}},
          {"embeddings.token_type_embeddings", {"embeddings.token_type_embeddings"}},
          {"emb_ln", {"embeddings.LayerNorm"}},
          {"encoder.layers.#.attn.Wqkv",
           {"encoder.layer.#.attention.self.query", "encoder.layer.#.attention.self.key",
            "encoder.layer.#.attention.self.value"}},
          {"encoder.layers.#.attn.out_proj", {"encoder.layer.#.attention.output.dense"}},
          {"encoder.layers.#.norm1", {"encoder.layer.#.attention.output.LayerNorm"}},
          {"encoder.layers.#.mlp.fc11", {"encoder.layer.#.intermediate.dense"}},
          {"encoder.layers.#.mlp.fc12", {"encoder.layer.#.intermediate.gate"}},
          {"encoder.layers.#.mlp.fc2", {"encoder.layer.#.output.dense"}},
          {"encoder.layers.#.norm2", {"encoder.layer.#.output.LayerNorm"}}};
}

std::vector<ModuleName> nomic_bert_mlm_head() {
  return {{"cls.predictions.transform.dense", {"cls.predictions.transform.dense"}},
          {"cls.predictions.transform.layer_norm", {"cls.predictions.transform.LayerNorm"}},
          {"cls.predictions.decoder", {"cls.predictions"}}};
}

}  // namespace

Family nomic_bert_family() {
  return {"nomic_bert",
          "NomicBERT",
          {{"nomic_bert", "NomicBert", "nomic_bert."}},
          "Model",
          nullptr,
          "bert.",
          describe_nomic_bert,
          nomic_bert_modules,
          nomic_bert_mlm_head()};
}

}  // namespace contrastive::io
