// Qwen3: a causal decoder whose embedding is its last token: RMS norms before the blocks, grouped
// queries, rotary positions, gated feed-forward blocks.
#include "core/io/families/causal.h"

namespace contrastive::io {
namespace {

void describe_qwen3(ConfigKeys& keys, encoder::Architecture& a) {
  keys.only("use_sliding_window", false);
  describe_decoder(keys, a, {151936, 4096, 22016, 32, 32, 32, 128, 32768});
  keys.activation({"hidden_act"}, a.hidden_act, "silu");
  if (keys.reads()) {
    a.rotary_base = keys.rotary_base("rope_theta", nullptr, 10000);
    a.trains_padding =
        !keys.json().has("pad_token_id");  // without a padding token, token 0 is an ordinary token
    a.causal = keys.json().boolean("is_causal", true);
  }
  a.norm_place = encoder::NormPlace::kBefore;
  a.norm = encoder::NormKind::kRms;
}

}  // namespace

Family qwen3_family() {
  return {"qwen3",  "Qwen3",        {{"qwen3", "Qwen3"}}, "Model", nullptr,
          "model.", describe_qwen3, decoder_modules,      {}};
}

}  // namespace contrastive::io
