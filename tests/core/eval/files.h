// A fake encoder, and the golden values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/eval/text_encoder.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::eval {

// An encoder whose dimensions are the counts of letters, so equal texts have equal vectors. Counts
// its input texts.
struct LetterEncoder {
  int64_t encoded = 0;
  TextEncoder encoder() {
    return {26, [this](const std::vector<std::string_view>& texts, float* embeddings) {
              encoded += static_cast<int64_t>(texts.size());
              for (size_t i = 0; i < texts.size(); ++i) {
                float* row = embeddings + i * 26;
                std::fill_n(row, 26, 0.0f);
                for (char c : texts[i]) {
                  if (c >= 'a' && c <= 'z') row[c - 'a'] += 1;
                }
              }
            }};
  }
};

inline const Json& fixture(const std::string& name) {
  static std::vector<std::pair<std::string, Json>> read;
  for (const auto& [known, json] : read) {
    if (known == name) return json;
  }
  read.reserve(8);  // references stay valid
  read.emplace_back(name, read_json_file(fixtures() + "/" + name));
  return read.back().second;
}

inline std::vector<double> numbers(const Json& list) { return list.get<std::vector<double>>(); }

}  // namespace contrastive::eval
