#include "core/text/bpe.h"

#include <algorithm>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/system/per_thread.h"

namespace contrastive::text {
namespace {

constexpr size_t kKeptSymbols = 4096;  // memory that a thread keeps from piece to piece
constexpr uint32_t kNone = ~uint32_t{0};

uint64_t pair_key(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

size_t pair_slot(uint64_t pair) {
  pair *= 0x9E3779B97F4A7C15ULL;
  return static_cast<size_t>(pair ^ pair >> 32);
}

}  // namespace

// A merge that was possible when it was put into the queue.
struct Bpe::Candidate {
  uint32_t rank, position;
  int32_t id;
  // std::push_heap keeps the largest in front, so the lowest rank, then the leftmost position, must
  // compare as the largest.
  bool operator<(const Candidate& other) const {
    return rank != other.rank ? rank > other.rank : position > other.position;
  }
};

Bpe::Bpe(const Vocabulary& vocabulary, const Merges& merges, int64_t first_line,
         const std::string& source) {
  size_t size = 16;
  while (size < merges.size() * 2) size *= 2;
  rules_.resize(size);
  rule_mask_ = size - 1;
  for (size_t i = 0; i < merges.size(); ++i) {
    const auto& [left, right] = merges[i];
    const int32_t left_id = vocabulary.id(left), right_id = vocabulary.id(right),
                  id = vocabulary.id(left + right);
    check(left_id >= 0 && right_id >= 0 && id >= 0, Status::kFormat, source,
          first_line > 0 ? ": line " : ": merge ",
          static_cast<int64_t>(i) + std::max<int64_t>(first_line, 1), ": '", left, "' and '", right,
          "' cannot be merged: the vocabulary lacks '",
          left_id < 0    ? left
          : right_id < 0 ? right
                         : left + right,
          "'");
    insert({pair_key(left_id, right_id), narrow<uint32_t>(i, "number of merges"), id});
  }
}

const Bpe::Rule* Bpe::find(int32_t left, int32_t right) const {
  const uint64_t pair = pair_key(left, right);
  for (size_t at = pair_slot(pair) & rule_mask_;; at = (at + 1) & rule_mask_) {
    if (rules_[at].pair == pair) return &rules_[at];
    if (rules_[at].pair == kNoPair) return nullptr;
  }
}

// A pair that occurs twice has the rank of its last line, as in Hugging Face's map.
void Bpe::insert(const Rule& rule) {
  size_t at = pair_slot(rule.pair) & rule_mask_;
  while (rules_[at].pair != kNoPair && rules_[at].pair != rule.pair) at = (at + 1) & rule_mask_;
  rules_[at] = rule;
}

void Bpe::compute(std::string_view piece, std::vector<Part>& out) const {
  struct Buffers {
    Symbols symbols;
    std::vector<Candidate> queue;
  };
  static const system::PerThread<Buffers> buffers;
  auto& [symbols, queue] = buffers.here();
  symbols.clear();
  queue.clear();
  narrow<uint32_t>(piece.size(), "bytes of a piece of text without a break");
  split(piece, symbols);
  merge_symbols(symbols, queue);
  out.clear();
  for (const Symbol& symbol : symbols) {
    if (symbol.length != 0) out.push_back({symbol.id, symbol.length});
  }
  if (symbols.capacity() > kKeptSymbols) symbols = {};
  if (queue.capacity() > kKeptSymbols) queue = {};
}

void Bpe::add(int32_t id, uint32_t length, Symbols& symbols) {
  const auto at = static_cast<uint32_t>(symbols.size());
  if (at > 0) symbols.back().next = at;
  symbols.push_back({id, length, at == 0 ? kNone : at - 1, kNone});
}

void Bpe::merge_symbols(Symbols& symbols, std::vector<Candidate>& queue) const {
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
    // The candidate is outdated unless the two symbols now at this position make the same token.
    // (They need not be the same pair: Hugging Face checks only the token, and for pairs with the
    // same result the order of merges depends on it.)
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
