// A fake encoder: text "t7" has the vector of row 7 of the table in eval_retrieval.json
// (tests/golden/eval/retrieval.py).
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/core/eval/files.h"

namespace contrastive::eval {

inline std::string row_text(int64_t row) { return "t" + std::to_string(row); }

inline TextEncoder table_encoder() {
  static const auto table = fixture("eval_retrieval.json")["table"].get<std::vector<float>>();
  static const auto d = fixture("eval_retrieval.json")["dimension"].get<int64_t>();
  return {d, [](const std::vector<std::string_view>& texts, float* embeddings) {
            for (size_t i = 0; i < texts.size(); ++i) {
              std::copy_n(&table[std::atoll(std::string(texts[i].substr(1)).c_str()) * d], d,
                          embeddings + static_cast<int64_t>(i) * d);
            }
          }};
}

}  // namespace contrastive::eval
