// A fake encoder: a table of texts and their vectors.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/data/dataset.h"
#include "core/mining/mining_encoder.h"

namespace contrastive::mining {

using Vectors = std::map<std::string, std::vector<float>>;

// Counts the texts that it embeds; throws kCancelled beyond `stop`.
struct TableEncoder {
  Vectors vectors;
  std::string name = "table";
  int64_t embedded = 0, stop = -1;

  MiningEncoder encoder() {
    const auto encode = [this](const std::vector<std::string_view>& texts, float* into) {
      embedded += static_cast<int64_t>(texts.size());
      if (stop >= 0 && embedded > stop) fail(Status::kCancelled, "cancelled");
      for (const std::string_view text : texts) {
        const std::vector<float>& row = vectors.at(std::string(text));
        double squares = 0;
        for (const float x : row) squares += static_cast<double>(x) * x;
        for (const float x : row) *into++ = static_cast<float>(x / std::sqrt(squares));
      }
    };
    const NamedEncoder named{{static_cast<int64_t>(vectors.begin()->second.size()), encode}, name};
    return {named, named, name};
  }
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

inline std::shared_ptr<data::Dataset> pairs_of(const Pairs& pairs) {
  auto data = data::make_dataset();
  for (const auto& [anchor, positive] : pairs) {
    data::Example example;
    example.a = anchor;
    example.b = positive;
    example.has_b = true;
    data->add(example);
  }
  return data;
}

inline std::shared_ptr<data::Dataset> texts_of(const std::vector<std::string>& texts) {
  auto data = data::make_dataset();
  for (const std::string& text : texts) {
    data::Example example;
    example.a = text;
    data->add(example);
  }
  return data;
}

// `count` texts "d0", "d1", ... on a half circle: neighbours are near, and d0 is nearest to itself,
// then to d1, d2, ...
inline Vectors half_circle(int64_t count) {
  Vectors vectors;
  for (int64_t i = 0; i < count; ++i) {
    const double angle = 3.0 * static_cast<double>(i) / static_cast<double>(count);
    vectors["d" + std::to_string(i)] = {static_cast<float>(std::cos(angle)),
                                        static_cast<float>(std::sin(angle))};
  }
  return vectors;
}

}  // namespace contrastive::mining
