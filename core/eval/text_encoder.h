// The interface of a model for evaluations: texts in, vectors out. It is implemented by a
// SentenceEncoder (evaluate.h), by a trainer's unsaved weights, and by a table in a test.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace contrastive::eval {

struct TextEncoder {
  int64_t dimension = 0;
  std::function<void(const std::vector<std::string_view>& texts, float* embeddings)>
      encode;  // [texts, dimension]
};

// Numbers texts so that each distinct one is encoded once. Views point into the caller's strings,
// which must outlive this.
class DistinctTexts {
 public:
  int64_t add(std::string_view text) {
    const auto [it, fresh] = ids_.emplace(text, static_cast<int64_t>(texts_.size()));
    if (fresh) texts_.push_back(text);
    return it->second;
  }
  int64_t size() const { return static_cast<int64_t>(texts_.size()); }
  // [size(), dimension], row i is the text with number i.
  std::vector<float> encode(const TextEncoder& encoder) const {
    std::vector<float> embeddings(texts_.size() * static_cast<size_t>(encoder.dimension));
    if (!texts_.empty()) encoder.encode(texts_, embeddings.data());
    return embeddings;
  }

 private:
  std::unordered_map<std::string_view, int64_t> ids_;
  std::vector<std::string_view> texts_;
};

}  // namespace contrastive::eval
