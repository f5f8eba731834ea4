// Synonyms as token ids, read from a file in one of two forms:
//   {"word": ["synonym", ...], ...}     one JSON object; lists may be empty
//   12 345, 678, 90 12                  one line for each key: the key, then its candidates,
//                                       separated by ", "; a space between the ids of each
// Words of the first form are tokenised as they occur inside a text and, if that differs, as they
// occur at its beginning.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/text/tokenizer.h"

namespace contrastive::augment {

class SynonymTable {
 public:
  static constexpr int64_t kLongest = 4;  // most ids of a key; longer keys are left out
  using Candidates = std::vector<std::vector<int32_t>>;

  SynonymTable() = default;
  // kNotFound, kIo, kLimit; kFormat with file and line for anything that is in neither form;
  // kMismatch for ids that the tokenizer does not have.
  static SynonymTable read(const std::string& path, const text::Tokenizer& tokenizer);

  // Does nothing if the key is empty or too long, or equals the candidate.
  void add(const std::vector<int32_t>& key, std::vector<int32_t> candidate);
  // The candidates of the longest key, at most `most` ids long, with which `ids` begins; nullptr if
  // no key matches.
  const Candidates* longest(const int32_t* ids, int64_t most, int64_t& length) const;
  int64_t size() const { return static_cast<int64_t>(entries_.size()); }  // number of keys

 private:
  using Key = std::array<int32_t, kLongest>;  // -1 after the last id
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  std::unordered_map<Key, Candidates, KeyHash> entries_;
};

}  // namespace contrastive::augment
