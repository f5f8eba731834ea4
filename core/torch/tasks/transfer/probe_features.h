// The features of a probe: the embedding of a text, or [|a - b|, a * b] of two texts a and b
// (core/torch/tasks/transfer/README.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/eval/text_encoder.h"

namespace contrastive::eval {

// Lists that the caller owns, which must outlive the call. `second` is empty for single texts.
struct TextColumns {
  const std::vector<std::string>* first;
  const std::vector<std::string>* second;
};

// Not copyable: rows point into values.
struct ProbeFeatures {
  ProbeFeatures() = default;
  ProbeFeatures(ProbeFeatures&&) = default;
  ProbeFeatures& operator=(ProbeFeatures&&) = default;

  int64_t width = 0;
  std::vector<float> values;
  std::vector<std::vector<const float*>> rows;  // [parts][examples] of `width` floats
};

// Computes the features of each part's examples. Each distinct text of all parts is encoded once.
// Either all parts have pairs or all have single texts.
ProbeFeatures embed_parts(const std::vector<TextColumns>& parts, const TextEncoder& encoder);

}  // namespace contrastive::eval
