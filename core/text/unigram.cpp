#include "core/text/unigram.h"

#include <algorithm>
#include <cmath>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/system/per_thread.h"

namespace contrastive::text {
namespace {

constexpr double kUnknownPenalty = 10.0;
constexpr size_t kBlock = size_t{1} << 14;  // bytes between two checks for a settled prefix
constexpr size_t kKept = 4 * kBlock;        // nodes that a thread keeps from piece to piece

size_t character_size(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

}  // namespace

// The best way to a position in the piece.
struct Unigram::Node {
  double score = 0;
  size_t start = kUnset;  // the start of its last token
  int32_t id = -1;
  static constexpr size_t kUnset = ~size_t{0};
};

struct Unigram::Buffers {
  std::vector<Node> nodes;
  std::vector<size_t> ends;
};

// Emits the tokens of a way. Consecutive unknown characters become one token.
class Unigram::Emitter {
 public:
  Emitter(const Unigram& model, std::string_view piece, std::vector<TokenPart>& out)
      : model_(model), piece_(piece), out_(out) {}

  void add(size_t begin, size_t end, int32_t id) {
    if (id == model_.options_.unknown) return;  // from the end of the last known token
    finish(begin);
    emit(id, end - begin);
    done_ = end;
  }
  void finish(size_t end) {
    if (end == done_) return;
    const std::string_view unknown = piece_.substr(done_, end - done_);
    const int32_t id = model_.vocabulary_.id(unknown);
    if (id < 0 && model_.options_.byte_fallback && model_.bytes_.cover(unknown)) {
      for (size_t i = 0; i < unknown.size(); ++i)
        emit(model_.bytes_.id(unknown[i]), i == 0 ? unknown.size() : 0);
    } else {
      emit(id >= 0 ? id : model_.options_.unknown, unknown.size());
    }
    done_ = end;
  }

 private:
  void emit(int32_t id, size_t length) { out_.push_back({id, static_cast<uint32_t>(length)}); }

  const Unigram& model_;
  std::string_view piece_;
  std::vector<TokenPart>& out_;
  size_t done_ = 0;
};

Unigram::Unigram(const Vocabulary& vocabulary, std::vector<double> scores,
                 const UnigramOptions& options, const std::string& source)
    : vocabulary_(vocabulary), scores_(std::move(scores)), options_(options), bytes_(vocabulary) {
  const auto size = static_cast<size_t>(vocabulary.size());
  check(scores_.size() == size, Status::kFormat, source, ": ", scores_.size(), " scores for ", size,
        " tokens");
  check(options_.unknown >= 0 && options_.unknown < vocabulary.size(), Status::kFormat, source,
        ": a Unigram vocabulary needs a token for unknown characters; unk_id names none of its ",
        size, " tokens");
  for (size_t i = 0; i < size; ++i) {
    check(std::isfinite(scores_[i]), Status::kFormat, source, ": the score of the token '",
          vocabulary.tokens()[i], "' is not a finite number");
  }
  unknown_score_ = *std::min_element(scores_.begin(), scores_.end()) - kUnknownPenalty;
  TokenTrie::Keys keys;
  for (const std::string& token : vocabulary.tokens()) {
    longest_ = std::max(longest_, token.size());
    keys.emplace_back(token, static_cast<int32_t>(keys.size()));
  }
  trie_ = TokenTrie(std::move(keys));
}

TokenParts Unigram::tokens(std::string_view piece, std::vector<TokenPart>& buffer) const {
  return remembered_.find(piece, buffer, [this](std::string_view of, std::vector<TokenPart>& out) {
    compute(of, out);
  });
}

// Offers every token that begins at `at` to the position where it ends. Among equal offers the
// first one wins.
void Unigram::offer_all(std::string_view piece, size_t at, size_t base,
                        std::vector<Node>& nodes) const {
  const double before = nodes[at - base].score;
  const size_t single = character_size(piece[at]);
  bool has_single = false;
  const auto offer = [&](size_t length, int32_t id, double score) {
    Node& node = nodes[at + length - base];
    if (node.start != Node::kUnset && score <= node.score) return;
    node = {score, at, id};
  };
  trie_.prefixes(piece, at, [&](size_t length, int32_t id) {
    offer(length, id, scores_[static_cast<size_t>(id)] + before);
    has_single = has_single || length == single;
  });
  if (!has_single) offer(single, options_.unknown, unknown_score_ + before);
}

void Unigram::compute(std::string_view piece, std::vector<TokenPart>& out) const {
  static const system::PerThread<Buffers> buffers;
  Buffers& own = buffers.here();
  auto& nodes = own.nodes;  // a lambda takes no structured binding in C++17
  auto& ends = own.ends;
  narrow<uint32_t>(piece.size(), "bytes of a piece of text without a break");
  out.clear();
  Emitter emitter(*this, piece, out);
  size_t base = 0, at = 0, stop = std::min(piece.size(), kBlock);
  // No token extends beyond the piece.
  const auto room = [&] { return std::min(stop + longest_ + 4, piece.size() + 1) - base; };
  nodes.assign(room(), {});
  const auto emit = [&](size_t end) {
    ends.clear();
    for (; end > base; end = nodes[end - base].start) ends.push_back(end);
    for (size_t i = ends.size(); i-- > 0;)
      emitter.add(nodes[ends[i] - base].start, ends[i], nodes[ends[i] - base].id);
  };
  while (true) {
    for (; at < stop; at += character_size(piece[at])) offer_all(piece, at, base, nodes);
    if (at >= piece.size()) break;
    // All ways that may still win pass through one of the positions from here on. If they all come
    // from one position, everything before it is settled.
    ends.clear();
    for (size_t end = at; end < std::min(piece.size() + 1, base + nodes.size()); ++end) {
      if (nodes[end - base].start != Node::kUnset) ends.push_back(end);
    }
    std::make_heap(ends.begin(), ends.end());
    while (ends.size() > 1 || ends.front() > at) {
      std::pop_heap(ends.begin(), ends.end());
      const size_t start = nodes[ends.back() - base].start;
      ends.pop_back();
      if (std::find(ends.begin(), ends.end(), start) != ends.end()) continue;
      ends.push_back(start);
      std::push_heap(ends.begin(), ends.end());
    }
    const size_t settled = ends.front();
    emit(settled);
    nodes.erase(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(settled - base));
    base = settled;
    stop = std::min(piece.size(), at + std::max(kBlock, at - base));
    nodes.resize(room());
  }
  emit(piece.size());
  emitter.finish(piece.size());
  if (nodes.capacity() > kKept) nodes = {};
}

}  // namespace contrastive::text
