#include "core/torch/run/cut_encoder.h"

#include <algorithm>

namespace contrastive::run {

eval::TextEncoder CutEncoder::at(int64_t dimension) {
  const auto encode = [this, dimension](const std::vector<std::string_view>& texts, float* out) {
    embed_missing(texts);
    for (const std::string_view text : texts)
      out = std::copy_n(vectors_.at(std::string(text)).begin(), dimension, out);
  };
  return {dimension, encode};
}

void CutEncoder::embed_missing(const std::vector<std::string_view>& texts) {
  eval::DistinctTexts missing;
  std::vector<std::string_view> added;
  for (const std::string_view text : texts) {
    if (vectors_.count(std::string(text)) > 0) continue;
    if (missing.add(text) == static_cast<int64_t>(added.size())) added.push_back(text);
  }
  const std::vector<float> rows = missing.encode(whole_);
  const auto width = static_cast<size_t>(whole_.dimension);
  for (size_t i = 0; i < added.size(); ++i) {
    const auto first = rows.begin() + static_cast<int64_t>(i * width);
    vectors_.emplace(std::string(added[i]), std::vector<float>(first, first + whole_.dimension));
  }
}

}  // namespace contrastive::run
