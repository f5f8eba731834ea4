// Byte-pair encoding (BPE; Sennrich et al. 2016): the symbols of a piece of text are merged pair by
// pair, in the order in which the pairs were learnt. The first symbols are bytes in byte_bpe.h and
// characters in character_bpe.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/piece_cache.h"
#include "core/text/token_part.h"
#include "core/text/vocabulary.h"

namespace contrastive::text {

class Bpe {
 public:
  using Merges = std::vector<std::pair<std::string, std::string>>;  // in the order they were learnt
  using Part = TokenPart;
  using Parts = TokenParts;

  virtual ~Bpe() = default;

  // The tokens of `piece`, in O(n log n) for n bytes. The result may point into `buffer`, which is
  // used if the piece is not in the cache.
  Parts merge(std::string_view piece, std::vector<Part>& buffer) const {
    return remembered_.find(piece, buffer, [this](std::string_view of, std::vector<Part>& out) {
      compute(of, out);
    });
  }
  // The same without the cache.
  void compute(std::string_view piece, std::vector<Part>& out) const;

 protected:
  // A link in the chain of a piece's remaining symbols.
  struct Symbol {
    int32_t id;
    uint32_t length;  // in bytes; 0: merged into the previous symbol
    uint32_t previous, next;
  };
  using Symbols = std::vector<Symbol>;

  // Throws kFormat, which names `source` and the number of the merge, if the vocabulary lacks a
  // token of a pair or the result. `first_line`: the line of the first merge in its file, for error
  // messages; 0 if they are not in lines.
  Bpe(const Vocabulary& vocabulary, const Merges& merges, int64_t first_line,
      const std::string& source);
  // Appends the symbols of `piece` to `symbols`.
  virtual void split(std::string_view piece, Symbols& symbols) const = 0;
  static void add(int32_t id, uint32_t length, Symbols& symbols);

 private:
  struct Rule {
    uint64_t pair = kNoPair;
    uint32_t rank = 0;
    int32_t id = -1;
  };
  static constexpr uint64_t kNoPair = ~uint64_t{0};
  struct Candidate;

  const Rule* find(int32_t left, int32_t right) const;
  void insert(const Rule& rule);
  void merge_symbols(Symbols& symbols, std::vector<Candidate>& queue) const;

  std::vector<Rule> rules_;  // open addressing by pair
  size_t rule_mask_ = 0;
  PieceCache remembered_;
};

}  // namespace contrastive::text
