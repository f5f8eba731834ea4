// Stages of a normalizer, and what they make of a text with and without alignment.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/text/normalizer_chain.h"
#include "core/text/replacement.h"

namespace contrastive::text {

using Stages = NormalizerChain::Stages;

template <class Stage, class... Arguments>
std::shared_ptr<const NormalizerStage> stage(Arguments... arguments) {
  return std::make_shared<Stage>(arguments...);
}

inline std::shared_ptr<const NormalizerStage> replace(const char* from, const char* to) {
  return stage<Replacement>(literal_pattern(from), std::string(to));
}

inline NormalizedText chain_of_stages(const Stages& stages, std::string_view text,
                                      int64_t shift = 0) {
  NormalizedText out;
  NormalizerChain(stages).normalize(text, shift, true, out);
  NormalizedText unaligned;
  NormalizerChain(stages).normalize(text, shift, false, unaligned);
  EXPECT_EQ(out.bytes, unaligned.bytes);
  EXPECT_EQ(out.begins.size(), out.bytes.size());
  out.storage = std::string(out.bytes);
  return out;
}

}  // namespace contrastive::text
