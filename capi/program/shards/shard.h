// Names a shard of a corpus: shard `index` of `count` has the rows whose number modulo `count` is
// `index`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace contrastive::cli {

struct Shard {
  int64_t index = 0, count = 1;

  // "3/16": kExitUsage for anything but two whole numbers with 0 <= i < n, n at most a million.
  static Shard parse(const std::string& text);

  std::string text() const;  // "3/16"
  std::string stem() const;  // "part-00003-of-00016", the stem of its file names
  int64_t rows_of(int64_t total) const {
    return total > index ? (total - index - 1) / count + 1 : 0;
  }
  bool operator==(const Shard& other) const { return index == other.index && count == other.count; }
};

// Sets `shard` to the shard whose stem `name` begins with; false if `name` is not a shard's.
bool shard_of_name(std::string_view name, Shard& shard);

// 32 hexadecimal digits: the first half of the text's SHA-256.
std::string text_hash(std::string_view text);

}  // namespace contrastive::cli
