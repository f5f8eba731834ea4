// What a probe sees of texts: an embedding, or of two texts a and b [|a - b|, a * b]
// (core/torch/tasks/transfer/README.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/eval/text_encoder.h"

namespace contrastive::eval {

// Lists of a caller, which must outlive the call. `second` is empty where texts stand alone.
struct TextColumns {
  const std::vector<std::string>* first;
  const std::vector<std::string>* second;
};

// Not to be copied: rows point into values.
struct ProbeFeatures {
  ProbeFeatures() = default;
  ProbeFeatures(ProbeFeatures&&) = default;
  ProbeFeatures& operator=(ProbeFeatures&&) = default;

  int64_t width = 0;
  std::vector<float> values;
  std::vector<std::vector<const float*>> rows;  // [parts][examples] of `width` floats
};

// Features of each part's examples; each distinct text of all parts is encoded once. Parts are all
// of pairs or all of single texts.
ProbeFeatures embed_parts(const std::vector<TextColumns>& parts, const TextEncoder& encoder);

}  // namespace contrastive::eval
