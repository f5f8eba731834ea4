// Byte-pair encoding (Sennrich et al. 2016): the symbols of a piece of text are merged pair by
// pair, the pair learnt first before all others. What the symbols are before the first merge is for
// byte_bpe.h (bytes) and character_bpe.h (characters) to say.
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

  // The tokens of `piece`. In O(n log n) for n bytes. `buffer` is used for pieces that are not
  // remembered: the result may point into it.
  Parts merge(std::string_view piece, std::vector<Part>& buffer) const {
    return remembered_.find(piece, buffer, [this](std::string_view of, std::vector<Part>& out) {
      compute(of, out);
    });
  }
  // The same without remembering.
  void compute(std::string_view piece, std::vector<Part>& out) const;

 protected:
  // A link in the chain of what remains of a piece.
  struct Symbol {
    int32_t id;
    uint32_t length;  // bytes; 0: merged into the one before
    uint32_t previous, next;
  };
  using Symbols = std::vector<Symbol>;

  // kFormat, naming `source` and the number of the merge, for a pair whose tokens or whose result
  // the vocabulary lacks. `first_line`: of the merges in their file, for messages; 0: they stand in
  // no lines.
  Bpe(const Vocabulary& vocabulary, const Merges& merges, int64_t first_line,
      const std::string& source);
  // Puts the symbols of `piece` behind those in `symbols`.
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
