#include "core/mining/text_table.h"

namespace contrastive::mining {

int64_t TextTable::add(std::string_view text, int64_t place) {
  const auto [entry, is_new] = numbers_.try_emplace(text_key("", text), size());
  if (is_new) {
    places_.push_back(place);
    normals_.push_back(normalizer_.hash(text));
  }
  return entry->second;
}

}  // namespace contrastive::mining
