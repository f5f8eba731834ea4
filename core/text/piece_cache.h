// A cache of pieces of text and their tokens. A slot is filled once and never changes, so threads
// share the table without a lock, and its size is bounded. Frequent words usually come first, so
// the first pieces are the ones to keep.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/token_map.h"
#include "core/text/token_part.h"

namespace contrastive::text {

class PieceCache {
 public:
  PieceCache() : slots_(new Slot[kSlots]()) {}
  PieceCache(const PieceCache&) = delete;
  PieceCache& operator=(const PieceCache&) = delete;
  ~PieceCache() {
    for (size_t i = 0; i < kSlots; ++i) delete slots_[i].load(std::memory_order_relaxed);
  }

  // The tokens of `piece`, from the cache or from `compute(piece, buffer)`. The result may point
  // into `buffer`.
  template <class Compute>
  TokenParts find(std::string_view piece, std::vector<TokenPart>& buffer,
                  const Compute& compute) const {
    if (piece.size() > kLongest) {
      compute(piece, buffer);
      return {buffer.data(), buffer.size()};
    }
    const uint32_t hash = TokenMap::hash(piece);
    const size_t home = (hash ^ hash >> 15) & (kSlots - 1);
    Slot* free_slot = nullptr;
    for (const size_t at : {home, home ^ 1}) {  // two slots for each piece, in one cache line
      const Remembered* known = slots_[at].load(std::memory_order_acquire);
      if (known == nullptr) {
        free_slot = &slots_[at];
        break;
      }
      if (known->piece == piece) return {known->parts.data(), known->parts.size()};
    }
    compute(piece, buffer);
    if (free_slot != nullptr) {
      auto made = std::make_unique<const Remembered>(Remembered{std::string(piece), buffer});
      const Remembered* none = nullptr;
      if (free_slot->compare_exchange_strong(none, made.get(), std::memory_order_acq_rel))
        made.release();
    }
    return {buffer.data(), buffer.size()};
  }

 private:
  static constexpr size_t kSlots = size_t{1} << 16;
  static constexpr size_t kLongest = 48;  // of a piece, in bytes
  struct Remembered {
    std::string piece;
    std::vector<TokenPart> parts;
  };
  using Slot = std::atomic<const Remembered*>;

  std::unique_ptr<Slot[]> slots_;
};

}  // namespace contrastive::text
