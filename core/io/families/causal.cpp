#include "core/io/families/causal.h"

namespace contrastive::io {

void describe_decoder(ConfigKeys& keys, encoder::Architecture& a, const DecoderSizes& fallback) {
  keys.size({"vocab_size"}, a.vocab_size, kMaxRows, fallback.vocab_size);
  keys.size({"hidden_size"}, a.hidden_size, kMaxWidth, fallback.hidden_size);
  keys.size({"intermediate_size"}, a.intermediate_size, kMaxWidth, fallback.intermediate_size);
  keys.size({"num_hidden_layers"}, a.num_hidden_layers, kMaxLayers, fallback.layers);
  keys.size({"num_attention_heads"}, a.num_attention_heads, 1 << 12, fallback.heads);
  keys.size({"num_key_value_heads"}, a.num_key_value_heads, 1 << 12,
            keys.reads() && keys.json().has("num_attention_heads") ? a.num_attention_heads
                                                                   : fallback.key_value_heads);
  keys.size({"head_dim"}, a.head_width, 1 << 12, fallback.head_width);
  keys.size({"max_position_embeddings"}, a.longest_text, kMaxText, fallback.positions);
  keys.real({"rms_norm_eps"}, a.layer_norm_eps, 0.0, 1.0, 1e-6);
  keys.real({"attention_dropout"}, a.attention_probs_dropout_prob, 0.0, 1.0, 0.0);
  keys.real({"initializer_range"}, a.initializer_range, 0.0, 1e3, 0.02);
  keys.flag({"attention_bias"}, a.attention_bias, false);
  if (keys.reads()) a.pad_token_id = keys.json().integer("pad_token_id", 0, a.vocab_size - 1, 0);
  a.attention_output_bias = a.attention_bias;
  a.intermediate_bias = a.output_bias = false;
  a.embedding_norm = false;
  a.max_position_embeddings = 0;
  a.type_vocab_size = 0;
  a.query_key_norm = true;
  a.final_norm = true;
  a.gated = true;
  a.pooler = false;
  a.hidden_dropout_prob = 0;
  a.drop_embeddings = a.drop_attention_output = a.drop_output = encoder::DropRate::kNone;
}

std::vector<ModuleName> decoder_modules(const encoder::Architecture&) {
  return {{"embed_tokens", {"embeddings.word_embeddings"}},
          {"layers.#.input_layernorm", {"encoder.layer.#.attention.LayerNorm"}},
          {"layers.#.self_attn.q_proj", {"encoder.layer.#.attention.self.query"}},
          {"layers.#.self_attn.k_proj", {"encoder.layer.#.attention.self.key"}},
          {"layers.#.self_attn.v_proj", {"encoder.layer.#.attention.self.value"}},
          {"layers.#.self_attn.q_norm", {"encoder.layer.#.attention.self.query_LayerNorm"}},
          {"layers.#.self_attn.k_norm", {"encoder.layer.#.attention.self.key_LayerNorm"}},
          {"layers.#.self_attn.o_proj", {"encoder.layer.#.attention.output.dense"}},
          {"layers.#.post_attention_layernorm", {"encoder.layer.#.intermediate.LayerNorm"}},
          {"layers.#.mlp.gate_proj", {"encoder.layer.#.intermediate.gate"}},
          {"layers.#.mlp.up_proj", {"encoder.layer.#.intermediate.dense"}},
          {"layers.#.mlp.down_proj", {"encoder.layer.#.output.dense"}},
          {"norm", {"encoder.LayerNorm"}}};
}

}  // namespace contrastive::io
