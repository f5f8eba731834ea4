#include "core/data/shared_texts.h"

#include <algorithm>
#include <string_view>

#include "core/data/content_hash.h"

namespace contrastive::data {
namespace {

uint64_t hash_of(std::string_view text) {
  ContentHash hash;
  hash.update(text);
  return hash.value();
}

}  // namespace

SharedTexts::SharedTexts(const Dataset& data) {
  std::vector<std::pair<uint64_t, int64_t>> all;  // (hash, example)
  for (int64_t i = 0; i < data.size(); ++i) {
    const Example example = data.get(i);
    all.emplace_back(hash_of(example.a), i);
    if (example.has_b) all.emplace_back(hash_of(example.b), i);
    for (const std::string& negative : example.negatives) all.emplace_back(hash_of(negative), i);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()),
            all.end());  // a text that occurs twice in one example counts once
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin;
    while (end < all.size() && all[end].first == all[begin].first) ++end;
    if (end - begin > 1) {
      for (size_t i = begin; i < end; ++i) texts_.emplace_back(all[i].second, count_);
      ++count_;
    }
    begin = end;
  }
  std::sort(texts_.begin(), texts_.end());
  texts_.shrink_to_fit();
}

std::vector<int64_t> SharedTexts::of(int64_t example) const {
  std::vector<int64_t> found;
  const auto before = [](const std::pair<int64_t, int64_t>& entry, int64_t number) {
    return entry.first < number;
  };
  for (auto entry = std::lower_bound(texts_.begin(), texts_.end(), example, before);
       entry != texts_.end() && entry->first == example; ++entry) {
    found.push_back(entry->second);
  }
  return found;
}

}  // namespace contrastive::data
