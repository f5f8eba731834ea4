// The distinct texts of a file, numbered in the order of first occurrence. The texts themselves
// stay in the file: each takes some 150 bytes of memory, however long it is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/mining/text_identity.h"

namespace contrastive::mining {

class TextTable {
 public:
  using Read = std::function<std::string(int64_t place)>;
  explicit TextTable(Read read) : read_(std::move(read)) {}

  // Returns the number of `text`, which read() later reads again from `place`.
  int64_t add(std::string_view text, int64_t place);
  int64_t size() const { return static_cast<int64_t>(places_.size()); }
  std::string text(int64_t number) const { return read_(places_[static_cast<size_t>(number)]); }
  // Equal for texts that are equal after normalisation.
  uint64_t normal(int64_t number) const { return normals_[static_cast<size_t>(number)]; }

 private:
  struct KeyHash {
    size_t operator()(const data::RowKey& key) const { return static_cast<size_t>(key[0]); }
  };

  Read read_;
  TextNormalizer normalizer_;
  std::unordered_map<data::RowKey, int64_t, KeyHash> numbers_;
  std::vector<int64_t> places_;
  std::vector<uint64_t> normals_;
};

}  // namespace contrastive::mining
