// Byte-level BPE (GPT-2, RoBERTa): the bytes of a piece of text are merged pair by pair, the pair learnt first before all others. The split of
// text into pieces is pre_tokenizer.h's.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/token_sequence.h"
#include "core/text/vocabulary.h"

namespace contrastive::text {

struct ByteBpeOptions {
  std::string unknown_token;  // for bytes that the vocabulary lacks; "" drops them
  bool fuse_unknown = false;  // neighbouring unknown bytes are one unknown token
  int64_t first_line = 0;     // of the merges in their file, for messages; 0: they stand in no lines
};

// GPT-2's printable stand-in for each byte, in UTF-8: "Ġ" for the space.
const std::array<std::string, 256>& byte_characters();

class ByteBpe {
 public:
  using Merges = std::vector<std::pair<std::string, std::string>>;  // in the order they were learnt

  // kFormat, naming `source` and the number of the merge, for a pair whose tokens or whose result the vocabulary lacks.
  ByteBpe(const Vocabulary& vocabulary, const Merges& merges, const ByteBpeOptions& options, const std::string& source);
  ~ByteBpe();

  // One token of a piece: its id and how many of the piece's bytes it covers.
  struct Part {
    int32_t id;
    uint32_t length;
  };

  // The tokens of `piece`. In O(n log n) for n bytes. `buffer` is used for pieces that are not remembered: the result may point into it.
  struct Parts {
    const Part* data;
    size_t size;
  };
  Parts merge(std::string_view piece, std::vector<Part>& buffer) const;
  // The same without remembering.
  void compute(std::string_view piece, std::vector<Part>& out) const;
  // True where the vocabulary lacks a byte and has no unknown token: such bytes are no part of any token.
  bool drops_bytes() const;

 private:
  struct Rule {
    uint64_t pair = kNoPair;
    uint32_t rank = 0;
    int32_t id = -1;
  };
  static constexpr uint64_t kNoPair = ~uint64_t{0};
  struct Symbol;
  struct Candidate;
  struct Remembered;
  using Slot = std::atomic<const Remembered*>;

  const Rule* find(int32_t left, int32_t right) const;
  void insert(const Rule& rule);
  void split_bytes(std::string_view piece, std::vector<Symbol>& symbols) const;
  void merge_symbols(std::vector<Symbol>& symbols, std::vector<Candidate>& queue) const;

  ByteBpeOptions options_;
  int32_t unknown_ = -1;
  std::array<int32_t, 256> byte_ids_{};  // -1 where the vocabulary lacks the byte
  std::vector<Rule> rules_;              // open addressing by pair
  size_t rule_mask_ = 0;
  // Pieces met before. A slot is filled once and never changed, so that threads share the table without a lock and its size is bounded; words of a
  // language come in the order of their frequency, which is why the first ones are the ones to keep.
  std::unique_ptr<Slot[]> remembered_;
};

}  // namespace contrastive::text
