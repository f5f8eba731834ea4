// What the families that are based on decoders share: Qwen3 and Gemma.
#pragma once

#include "core/io/families/family.h"

namespace contrastive::io {

struct DecoderSizes {
  int64_t vocab_size, hidden_size, intermediate_size, layers, heads, key_value_heads, head_width,
      positions;
};
// Lists their sizes, each with its fallback, the keys of attention and training, and the settings
// that all of them share.
void describe_decoder(ConfigKeys& keys, encoder::Architecture& a, const DecoderSizes& fallback);

std::vector<ModuleName> decoder_modules(const encoder::Architecture& a);

}  // namespace contrastive::io
