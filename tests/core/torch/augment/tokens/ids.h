// Texts of token ids for the augmentations: 0 begins a text, 2 ends it, and the ids between are all
// different.
#pragma once

#include <algorithm>
#include <vector>

#include "core/torch/augment/tokens/del_token.h"
#include "core/base/json.h"
#include "tests/fixtures_folder.h"

namespace contrastive::augment {

constexpr int32_t kDel = 50264;

inline Ids text_of(int64_t n) {
  Ids ids;
  for (int64_t i = 0; i < n; ++i)
    ids.push_back(i == 0 ? 0 : i == n - 1 ? 2 : static_cast<int32_t>(100 + i));
  return ids;
}

inline Rng rng_for(uint64_t example, Purpose purpose = Purpose::kViewOne) {
  return Rng(7, purpose, 3, example);
}

inline DelToken plain_del(bool collapse = true) {
  DelToken del;
  del.id = kDel;
  del.collapse = collapse;
  return del;
}

inline int64_t count_of(const Ids& ids, int32_t id) {
  return std::count(ids.begin(), ids.end(), id);
}
inline Ids sorted(Ids ids) {
  std::sort(ids.begin(), ids.end());
  return ids;
}

inline Json augment_vectors() {
  return read_json_file(fixtures() + "/clear_vectors.json").at("clear_augment");
}

}  // namespace contrastive::augment
