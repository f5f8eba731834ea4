// Gemma 3's text model, as in EmbeddingGemma: norms around the blocks, local attention in five of
// six layers, bidirectional attention.
#include <cmath>

#include "core/io/families/causal.h"
#include "core/io/families/local_layers.h"

namespace contrastive::io {
namespace {

void describe_attention(ConfigKeys& keys, encoder::Architecture& a) {
  const JsonObject& json = keys.json();
  keys.absent("attn_logit_softcapping");
  a.attention_scale = 1 / std::sqrt(json.real("query_pre_attn_scalar", 1e-6, 1e6, 256));
  const bool both_ways = json.boolean("use_bidirectional_attention", false);
  // If false, transformers attends in both directions through another mask, whose window is one
  // token wider.
  const bool is_causal = json.boolean("is_causal", true);
  a.causal = !both_ways && is_causal;
  const int64_t pattern = json.integer("sliding_window_pattern", 1, kMaxLayers, 6);
  a.local = local_layers(json, a.num_hidden_layers,
                         [&](int64_t layer) { return (layer + 1) % pattern != 0; });
  const int64_t window = json.integer("sliding_window", 2, kMaxText, 4096);
  a.window = (both_ways ? window / 2 : window - 1) + (is_causal ? 0 : 1);
  a.rotary_base = keys.rotary_base("rope_theta", "full_attention", 1e6);
  a.local_rotary_base = keys.rotary_base("rope_local_base_freq", "sliding_attention", 1e4);
}

void describe_gemma3(ConfigKeys& keys, encoder::Architecture& a) {
  describe_decoder(keys, a, {262208, 2304, 9216, 26, 8, 4, 256, 131072});
  keys.activation({"hidden_activation"}, a.hidden_act, "gelu_pytorch_tanh");
  if (keys.reads()) describe_attention(keys, a);
  a.embedding_scale = std::sqrt(static_cast<double>(a.hidden_size));
  a.norm_place = encoder::NormPlace::kAround;
  a.norm = encoder::NormKind::kRmsPlusOne;
}

std::vector<ModuleName> gemma3_modules(const encoder::Architecture& a) {
  std::vector<ModuleName> all = decoder_modules(a);
  for (ModuleName& module : all) {
    if (std::string(module.file) == "layers.#.post_attention_layernorm")
      module.weights = {"encoder.layer.#.attention.output.LayerNorm"};
  }
  all.push_back({"layers.#.pre_feedforward_layernorm", {"encoder.layer.#.intermediate.LayerNorm"}});
  all.push_back({"layers.#.post_feedforward_layernorm", {"encoder.layer.#.output.LayerNorm"}});
  return all;
}

}  // namespace

Family gemma3_family() {
  Family family{"gemma3_text",   "Gemma 3",      {{"gemma3_text", "Gemma3Text"}},
                "Model",         nullptr,        "model.",
                describe_gemma3, gemma3_modules, {}};
  family.sentencepiece = "GemmaTokenizer";
  return family;
}

}  // namespace contrastive::io
