#include "core/text/unigram_learner.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "core/text/utf8.h"

namespace contrastive::text {
namespace {

constexpr size_t kLongestPiece = 16;              // characters
constexpr size_t kLargestSeed = size_t{1} << 20;  // pieces at the beginning
constexpr size_t kMostCounted = size_t{1} << 23;  // substrings counted at a time
constexpr double kShrinking = 0.75;               // the share of pieces that each round keeps
constexpr int kRoundsOfExpectation = 2;
constexpr double kLeastExpected = 0.5;  // for a piece to be kept
constexpr double kImpossible = -std::numeric_limits<double>::infinity();

double digamma(double x) {
  double result = 0;
  for (; x < 7; ++x) result -= 1 / x;
  x -= 0.5;
  const double square = 1 / (x * x);
  return result + std::log(x) +
         square *
             (1.0 / 24 - square * (7.0 / 960 - square * (31.0 / 8064 - square * 127.0 / 30720)));
}

double log_sum(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kImpossible ? a : a + std::log1p(std::exp(b - a));
}

std::vector<size_t> starts_of(std::string_view word) {
  std::vector<size_t> starts;
  for (size_t at = 0; at < word.size(); decode_valid(word, at)) starts.push_back(at);
  starts.push_back(word.size());
  return starts;
}

// The count of each substring. A flat table, because destroying a map of millions of nodes takes
// seconds.
class SubstringCounts {
 public:
  struct Item {
    std::string_view text;  // points into the caller's text
    int64_t count = 0;      // 0: an empty slot
  };

  explicit SubstringCounts(const Cancel* cancel) : cancel_(cancel), items_(1 << 10) {}

  void add(std::string_view text, int64_t count) {
    if (4 * (size_ + 1) > 3 * items_.size()) rebuild(2 * items_.size(), 0);
    Item& item = place_of(text);
    if (item.count == 0) ++size_;
    item = {text, item.count + count};
  }
  void drop(int64_t rare) { rebuild(items_.size(), rare); }
  size_t size() const { return size_; }
  const std::vector<Item>& items() const { return items_; }  // includes empty slots

 private:
  Item& place_of(std::string_view text) {
    size_t at = std::hash<std::string_view>()(text) & (items_.size() - 1);
    while (items_[at].count != 0 && items_[at].text != text) at = (at + 1) & (items_.size() - 1);
    return items_[at];
  }
  void rebuild(size_t places, int64_t rare) {
    const std::vector<Item> before = std::exchange(items_, std::vector<Item>(places));
    size_ = 0;
    for (const Item& item : before) {
      throw_if_cancelled(cancel_);
      if (item.count <= rare) continue;
      place_of(item.text) = item;
      ++size_;
    }
  }

  const Cancel* cancel_;
  std::vector<Item> items_;  // their number is a power of 2
  size_t size_ = 0;
};

}  // namespace

UnigramLearner::UnigramLearner(const Words& words, int64_t min_frequency, const Cancel* cancel)
    : words_(words), cancel_(cancel) {
  make_seed(min_frequency);
}

void UnigramLearner::make_seed(int64_t min_frequency) {
  std::map<std::string, int64_t> characters;
  SubstringCounts longer(cancel_);
  for (const auto& [word, count] : words_) {
    throw_if_cancelled(cancel_);
    const std::vector<size_t> starts = starts_of(word);
    for (size_t from = 0; from + 1 < starts.size(); ++from) {
      characters[word.substr(starts[from], starts[from + 1] - starts[from])] += count;
      for (size_t to = from + 2; to < starts.size() && to - from <= kLongestPiece; ++to) {
        longer.add(std::string_view(word).substr(starts[from], starts[to] - starts[from]), count);
      }
    }
    // Drop rare substrings to make room. Frequent ones will occur again.
    for (int64_t rare = 1; longer.size() > kMostCounted; rare *= 2) longer.drop(rare);
  }
  std::vector<std::pair<double, std::string_view>>
      order;  // how much of the text a piece covers, negated
  for (const auto& [piece, count] : longer.items()) {
    throw_if_cancelled(cancel_);
    if (count >= std::max<int64_t>(min_frequency, 2))
      order.emplace_back(-static_cast<double>(count) *
                             static_cast<double>(starts_of(piece).size() - 1),
                         piece);
  }
  std::sort(order.begin(), order.end(), cancellable(cancel_, std::less<>()));
  if (order.size() > kLargestSeed) order.resize(kLargestSeed);
  double total = 0;
  for (const auto& [piece, count] : characters)
    pieces_.emplace_back(piece, static_cast<double>(count));
  single_.assign(pieces_.size(), true);
  for (const auto& [covered, piece] : order) pieces_.emplace_back(piece, -covered);
  single_.resize(pieces_.size(), false);
  for (const auto& piece : pieces_) total += piece.second;
  for (auto& piece : pieces_) piece.second = std::log(piece.second / total);
  index();
}

void UnigramLearner::index() {
  TokenTrie::Keys keys;
  for (const auto& piece : pieces_)
    keys.emplace_back(piece.first, static_cast<int32_t>(keys.size()));
  trie_ = TokenTrie(std::move(keys), cancel_);
}

template <class Way>
void UnigramLearner::ways(const std::string& word, const Way& way) const {
  for (size_t at = 0; at < word.size(); decode_valid(word, at)) {
    trie_.prefixes(word, at, [&](size_t length, int32_t piece) { way(at, at + length, piece); });
  }
}

std::vector<double> UnigramLearner::expect() const {
  std::vector<double> expected(pieces_.size()), forward, backward;
  struct Step {
    size_t begin, end;
    int32_t piece;
  };
  std::vector<Step> steps;
  for (const auto& [word, count] : words_) {
    throw_if_cancelled(cancel_);
    forward.assign(word.size() + 1, kImpossible);
    backward = forward;
    forward[0] = backward[word.size()] = 0;
    steps.clear();
    ways(word, [&](size_t begin, size_t end, int32_t piece) {
      steps.push_back({begin, end, piece});
      forward[end] =
          log_sum(forward[end], forward[begin] + pieces_[static_cast<size_t>(piece)].second);
    });
    for (size_t i = steps.size(); i-- > 0;) {
      const auto& [begin, end, piece] = steps[i];
      const double score = pieces_[static_cast<size_t>(piece)].second;
      expected[static_cast<size_t>(piece)] +=
          static_cast<double>(count) *
          std::exp(forward[begin] + score + backward[end] - forward[word.size()]);
      backward[begin] = log_sum(backward[begin], score + backward[end]);
    }
  }
  return expected;
}

// Computes scores from expected counts, with the prior that makes rare pieces rarer. Removes pieces
// that are hardly expected.
void UnigramLearner::maximise(const std::vector<double>& expected) {
  size_t kept = 0;
  double sum = 0;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    if (!single_[i] && expected[i] < kLeastExpected) continue;
    const double count = std::max(expected[i], kLeastExpected);
    if (kept != i) pieces_[kept] = std::move(pieces_[i]);
    pieces_[kept].second = count;
    single_[kept] = single_[i];
    sum += count;
    ++kept;
  }
  pieces_.resize(kept);
  single_.resize(kept);
  const double log_of_sum = digamma(sum);
  for (auto& piece : pieces_) piece.second = digamma(piece.second) - log_of_sum;
  index();
}

std::vector<int32_t> UnigramLearner::best(const std::string& word, int32_t left_out) const {
  struct Node {
    double score = kImpossible;
    size_t begin = 0;
    int32_t piece = -1;
  };
  std::vector<Node> nodes(word.size() + 1);
  nodes[0].score = 0;
  ways(word, [&](size_t begin, size_t end, int32_t piece) {
    const double score = nodes[begin].score + pieces_[static_cast<size_t>(piece)].second;
    if (piece != left_out && score > nodes[end].score) nodes[end] = {score, begin, piece};
  });
  std::vector<int32_t> way;
  for (size_t end = word.size(); end > 0 && nodes[end].piece >= 0; end = nodes[end].begin)
    way.push_back(nodes[end].piece);
  std::reverse(way.begin(), way.end());
  return way;
}

// The text of a removed piece is written with the best other pieces. Its removal costs the number
// of its uses times the difference of the two scores.
void UnigramLearner::prune(size_t wanted) {
  std::vector<double> used(pieces_.size());
  double sum = 0;
  for (const auto& [word, count] : words_) {
    throw_if_cancelled(cancel_);
    for (const int32_t piece : best(word, -1)) {
      used[static_cast<size_t>(piece)] += static_cast<double>(count);
      sum += static_cast<double>(count);
    }
  }
  std::vector<std::pair<double, size_t>> losses;  // negated, of the pieces that may be removed
  std::vector<size_t> kept;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    throw_if_cancelled(cancel_);
    if (single_[i]) {
      kept.push_back(i);
      continue;
    }
    if (used[i] == 0) continue;
    const std::vector<int32_t> others = best(pieces_[i].first, static_cast<int32_t>(i));
    const double more = std::log(sum + used[i] * (static_cast<double>(others.size()) - 1));
    double way = 0;
    for (const int32_t other : others)
      way += std::log(used[static_cast<size_t>(other)] + used[i]) - more;
    losses.emplace_back(-used[i] * (std::log(used[i] / sum) - way), i);
  }
  std::sort(losses.begin(), losses.end(), cancellable(cancel_, std::less<>()));
  for (const auto& loss : losses) {
    if (kept.size() >= wanted) break;
    kept.push_back(loss.second);
  }
  std::sort(kept.begin(), kept.end());
  Pieces pieces;
  std::vector<bool> single;
  for (const size_t i : kept) {
    pieces.push_back(std::move(pieces_[i]));
    single.push_back(single_[i]);
  }
  pieces_.swap(pieces);
  single_.swap(single);
  index();
}

UnigramLearner::Pieces UnigramLearner::learn(int64_t size) {
  const auto wanted = static_cast<size_t>(
      std::max<int64_t>(size, std::count(single_.begin(), single_.end(), true)));
  const size_t nearly = wanted + wanted / 10;  // the last ones are removed by their scores
  while (true) {
    for (int round = 0; round < kRoundsOfExpectation; ++round) maximise(expect());
    if (pieces_.size() <= nearly) break;
    const size_t before = pieces_.size();
    prune(std::max(nearly, static_cast<size_t>(kShrinking * static_cast<double>(before))));
    if (pieces_.size() == before) break;
  }
  std::vector<size_t> order(pieces_.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  // Characters first, so that none is cut off; then all others by their scores.
  const auto goes_first = [this](size_t a, size_t b) {
    if (single_[a] != single_[b]) return static_cast<bool>(single_[a]);
    return pieces_[a].second != pieces_[b].second ? pieces_[a].second > pieces_[b].second
                                                  : pieces_[a].first < pieces_[b].first;
  };
  std::sort(order.begin(), order.end(), cancellable(cancel_, goes_first));
  if (order.size() > wanted) order.resize(wanted);
  Pieces learnt;
  for (const size_t i : order) learnt.push_back(pieces_[i]);
  std::stable_sort(learnt.begin(), learnt.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return learnt;
}

}  // namespace contrastive::text
