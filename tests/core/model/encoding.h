// Models of the fixtures, and what they make of texts.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/sentence_encoder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::model {

inline const std::string kModels = fixtures() + "/models/";

inline LoadOptions with_pooling(const std::string& pooling) {
  LoadOptions options;
  options.pooling = pooling;
  return options;
}

inline std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

inline std::vector<float> encode(const SentenceEncoder& encoder,
                                 const std::vector<std::string>& texts,
                                 const EncodeOptions& options = {}) {
  std::vector<float> out(texts.size() * static_cast<size_t>(encoder.dimension(options)),
                         std::numeric_limits<float>::quiet_NaN());
  encoder.encode(views(texts), options, out.data());
  return out;
}

}  // namespace contrastive::model
