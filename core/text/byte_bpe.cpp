#include "core/text/byte_bpe.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/base/per_thread.h"
#include "core/text/token_map.h"
#include "core/text/unicode.h"

namespace contrastive::text {
namespace {

constexpr size_t kSlots = size_t{1} << 16;
constexpr size_t kLongestRemembered = 48;  // bytes of a piece
constexpr size_t kKeptSymbols = 4096;      // room that a thread keeps from piece to piece
constexpr uint32_t kNone = ~uint32_t{0};

uint64_t pair_key(int32_t left, int32_t right) { return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right); }

size_t pair_slot(uint64_t pair) {
  pair *= 0x9E3779B97F4A7C15ULL;
  return static_cast<size_t>(pair ^ pair >> 32);
}

}  // namespace

// A link in the chain of what remains of a piece.
struct ByteBpe::Symbol {
  int32_t id;
  uint32_t length;  // bytes; 0: merged into the one before
  uint32_t previous, next;
};

// A merge that was possible when it was put into the queue.
struct ByteBpe::Candidate {
  uint32_t rank, position;
  int32_t id;
  // std::push_heap keeps the largest in front: the lowest rank, then the leftmost, must be the largest.
  bool operator<(const Candidate& other) const { return rank != other.rank ? rank > other.rank : position > other.position; }
};

struct ByteBpe::Remembered {
  std::string piece;
  std::vector<Part> parts;
};

const std::array<std::string, 256>& byte_characters() {
  static const std::array<std::string, 256> table = [] {
    std::array<std::string, 256> made;
    char32_t stand_in = 256;
    for (char32_t byte = 0; byte < 256; ++byte) {
      const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      append_utf8(printable ? byte : stand_in++, made[byte]);
    }
    return made;
  }();
  return table;
}

ByteBpe::ByteBpe(const Vocabulary& vocabulary, const Merges& merges, const ByteBpeOptions& options, const std::string& source)
    : options_(options), remembered_(new Slot[kSlots]()) {
  if (!options_.unknown_token.empty()) unknown_ = vocabulary.id(options_.unknown_token);
  for (size_t byte = 0; byte < 256; ++byte) {
    byte_ids_[byte] = vocabulary.id(byte_characters()[byte]);
    check(byte_ids_[byte] >= 0 || options_.unknown_token.empty() || unknown_ >= 0, Status::kFormat, source, ": the vocabulary has neither '",
          byte_characters()[byte], "' for the byte ", byte, " nor the unknown token ", options_.unknown_token);
  }
  size_t size = 16;
  while (size < merges.size() * 2) size *= 2;
  rules_.resize(size);
  rule_mask_ = size - 1;
  for (size_t i = 0; i < merges.size(); ++i) {
    const auto& [left, right] = merges[i];
    const int32_t left_id = vocabulary.id(left), right_id = vocabulary.id(right), id = vocabulary.id(left + right);
    check(left_id >= 0 && right_id >= 0 && id >= 0, Status::kFormat, source, options_.first_line > 0 ? ": line " : ": merge ",
          static_cast<int64_t>(i) + std::max<int64_t>(options_.first_line, 1), ": '", left, "' and '", right,
          "' cannot be merged: the vocabulary lacks '", left_id < 0 ? left : right_id < 0 ? right : left + right, "'");
    insert({pair_key(left_id, right_id), narrow<uint32_t>(i, "number of merges"), id});
  }
}

ByteBpe::~ByteBpe() {
  for (size_t i = 0; i < kSlots; ++i) delete remembered_[i].load(std::memory_order_relaxed);
}

const ByteBpe::Rule* ByteBpe::find(int32_t left, int32_t right) const {
  const uint64_t pair = pair_key(left, right);
  for (size_t at = pair_slot(pair) & rule_mask_;; at = (at + 1) & rule_mask_) {
    if (rules_[at].pair == pair) return &rules_[at];
    if (rules_[at].pair == kNoPair) return nullptr;
  }
}

// A pair that stands twice has the rank of its last line, as in Hugging Face's map.
void ByteBpe::insert(const Rule& rule) {
  size_t at = pair_slot(rule.pair) & rule_mask_;
  while (rules_[at].pair != kNoPair && rules_[at].pair != rule.pair) at = (at + 1) & rule_mask_;
  rules_[at] = rule;
}

ByteBpe::Parts ByteBpe::merge(std::string_view piece, std::vector<Part>& buffer) const {
  if (piece.size() > kLongestRemembered) {
    compute(piece, buffer);
    return {buffer.data(), buffer.size()};
  }
  const uint32_t hash = TokenMap::hash(piece);
  const size_t home = (hash ^ hash >> 15) & (kSlots - 1);
  Slot* free_slot = nullptr;
  for (const size_t at : {home, home ^ 1}) {  // two places for each piece, in one cache line
    const Remembered* known = remembered_[at].load(std::memory_order_acquire);
    if (known == nullptr) {
      free_slot = &remembered_[at];
      break;
    }
    if (known->piece == piece) return {known->parts.data(), known->parts.size()};
  }
  compute(piece, buffer);
  if (free_slot != nullptr) {
    auto made = std::make_unique<const Remembered>(Remembered{std::string(piece), buffer});
    const Remembered* none = nullptr;
    if (free_slot->compare_exchange_strong(none, made.get(), std::memory_order_acq_rel)) made.release();
  }
  return {buffer.data(), buffer.size()};
}

bool ByteBpe::drops_bytes() const { return unknown_ < 0 && *std::min_element(byte_ids_.begin(), byte_ids_.end()) < 0; }

void ByteBpe::compute(std::string_view piece, std::vector<Part>& out) const {
  struct Buffers {
    std::vector<Symbol> symbols;
    std::vector<Candidate> queue;
  };
  static const PerThread<Buffers> buffers;
  auto& [symbols, queue] = buffers.here();
  symbols.clear();
  queue.clear();
  split_bytes(piece, symbols);
  merge_symbols(symbols, queue);
  out.clear();
  for (const Symbol& symbol : symbols) {
    if (symbol.length != 0) out.push_back({symbol.id, symbol.length});
  }
  if (symbols.capacity() > kKeptSymbols) symbols = {};
  if (queue.capacity() > kKeptSymbols) queue = {};
}

void ByteBpe::split_bytes(std::string_view piece, std::vector<Symbol>& symbols) const {
  narrow<uint32_t>(piece.size(), "bytes of a piece of text without a break");
  symbols.reserve(piece.size());
  bool after_unknown = false;
  for (const char byte : piece) {
    const int32_t id = byte_ids_[static_cast<unsigned char>(byte)];
    if (id < 0 && unknown_ < 0) continue;
    if (id < 0 && after_unknown && options_.fuse_unknown) {
      ++symbols.back().length;
      continue;
    }
    after_unknown = id < 0;
    const auto at = static_cast<uint32_t>(symbols.size());
    if (at > 0) symbols.back().next = at;
    symbols.push_back({id < 0 ? unknown_ : id, 1, at == 0 ? kNone : at - 1, kNone});
  }
}

void ByteBpe::merge_symbols(std::vector<Symbol>& symbols, std::vector<Candidate>& queue) const {
  const auto offer = [&](uint32_t left, uint32_t right) {
    const Rule* rule = find(symbols[left].id, symbols[right].id);
    if (rule == nullptr) return;
    queue.push_back({rule->rank, left, rule->id});
    std::push_heap(queue.begin(), queue.end());
  };
  for (uint32_t i = 0; i + 1 < symbols.size(); ++i) offer(i, i + 1);
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end());
    const Candidate best = queue.back();
    queue.pop_back();
    Symbol& left = symbols[best.position];
    if (left.length == 0 || left.next == kNone) continue;
    // Out of date unless the two symbols that now stand here make the same token. (Not: are the same pair. Hugging Face asks for no more, and for
    // pairs with one result the order of merges depends on it.)
    const Rule* rule = find(left.id, symbols[left.next].id);
    if (rule == nullptr || rule->id != best.id) continue;
    Symbol& right = symbols[left.next];
    left.id = best.id;
    left.length += right.length;
    left.next = right.next;
    right.length = 0;
    if (left.next != kNone) symbols[left.next].previous = best.position;
    if (left.previous != kNone) offer(left.previous, best.position);
    if (left.next != kNone) offer(best.position, left.next);
  }
}

}  // namespace contrastive::text
