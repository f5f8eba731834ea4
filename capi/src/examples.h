// Makes training examples from rows of texts: a text, its positive, and hard negatives.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/error.h"
#include "core/data/example.h"

namespace contrastive::capi {

constexpr int32_t kMostColumns = 64;

inline void check_columns(int32_t columns) {
  check(columns >= 1 && columns <= kMostColumns, Status::kArgument, "columns is ", columns,
        ": 1 (texts), 2 (pairs) or up to ", kMostColumns, " (pairs and hard negatives) is needed");
}

// `texts`: [columns]. An empty text in a column of negatives is not a negative.
inline data::Example make_example(const std::string_view* texts, int32_t columns, double label) {
  data::Example example;
  example.a = texts[0];
  example.has_b = columns > 1;
  if (example.has_b) example.b = texts[1];
  for (int32_t i = 2; i < columns; ++i) {
    if (!texts[i].empty()) example.negatives.emplace_back(texts[i]);
  }
  example.label = label;
  return example;
}

}  // namespace contrastive::capi
