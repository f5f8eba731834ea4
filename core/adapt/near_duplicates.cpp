#include "core/adapt/near_duplicates.h"

#include <algorithm>
#include <cmath>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/data/content_hash.h"
#include "core/text/unicode.h"
#include "core/text/utf8.h"

namespace contrastive::adapt {
namespace {

uint64_t hash_of(std::string_view a, std::string_view b) {
  data::ContentHash hash;
  hash.update(a);
  hash.update(" ");  // no word has a blank: "a b" is the pair, "a " the word
  hash.update(b);
  return hash.value();
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  size_t begin = 0;
  const auto end_word = [&](size_t end) {
    if (end > begin) words.push_back(text.substr(begin, end - begin));
  };
  for (size_t at = 0; at < text.size();) {
    const size_t first = at;
    const uint16_t flags = text::char_flags(text::decode_utf8(text, at));
    if ((flags & (text::kSpace | text::kPunctuation | text::kCjk)) == 0) continue;
    end_word(first);
    begin = at;
    if ((flags & text::kCjk) != 0) words.push_back(text.substr(first, at - first));
  }
  end_word(text.size());
  return words;
}

}  // namespace

std::vector<uint64_t> word_hashes(const mining::TextNormalizer& normalizer, std::string_view text) {
  const std::string normal = normalizer.normalize(text);
  const std::vector<std::string_view> words = words_of(normal);
  std::vector<uint64_t> hashes;
  for (size_t i = 0; i < words.size(); ++i) {
    hashes.push_back(hash_of(words[i], ""));
    if (i > 0) hashes.push_back(hash_of(words[i - 1], words[i]));
  }
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

NearDuplicates::NearDuplicates(const std::vector<std::string>& texts, double least)
    : least_(least) {
  check(least > 0 && least <= 1, Status::kArgument,
        "texts are near-duplicates from a similarity of ", least,
        ": it must be above 0 and at most 1");
  narrow<int32_t>(static_cast<int64_t>(texts.size()), "texts to compare with");
  std::vector<std::vector<uint64_t>> hashes;
  std::unordered_map<uint64_t, uint32_t> counts;
  for (const std::string& text : texts) {
    for (const uint64_t hash : hashes.emplace_back(word_hashes(normalizer_, text))) ++counts[hash];
  }
  std::vector<std::pair<uint32_t, uint64_t>> order;
  order.reserve(counts.size());
  for (const auto& [hash, count] : counts) order.emplace_back(count, hash);
  std::sort(order.begin(), order.end());
  for (uint32_t rank = 0; rank < order.size(); ++rank) ranks_[order[rank].second] = rank;
  starting_with_.resize(order.size());
  for (uint32_t number = 0; number < hashes.size(); ++number) {
    Ranks ranks;
    for (const uint64_t hash : hashes[number]) ranks.push_back(ranks_[hash]);
    std::sort(ranks.begin(), ranks.end());
    for (size_t i = 0; i < prefix(ranks.size()); ++i) starting_with_[ranks[i]].push_back(number);
    texts_.push_back(std::move(ranks));
  }
}

// Two sets of which at least `least` of the union is shared have an entry in common among so many
// of their rarest: all others are too few to make up for it.
size_t NearDuplicates::prefix(size_t entries) const {
  const auto shared = static_cast<size_t>(std::ceil(least_ * static_cast<double>(entries) - 1e-9));
  return entries == 0 ? 0 : entries - shared + 1;
}

bool NearDuplicates::alike(const Ranks& a, size_t unknown, const Ranks& b) const {
  size_t shared = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) ++shared, ++i, ++j;
    else if (a[i] < b[j]) ++i;
    else ++j;
  }
  const size_t either = a.size() + unknown + b.size() - shared;
  return static_cast<double>(shared) >= least_ * static_cast<double>(either) - 1e-9;
}

std::vector<int64_t> NearDuplicates::like(std::string_view text) const {
  Ranks ranks;
  size_t unknown = 0;  // entries that no text of the list has: the rarest of all
  for (const uint64_t hash : word_hashes(normalizer_, text)) {
    const auto known = ranks_.find(hash);
    known == ranks_.end() ? static_cast<void>(++unknown) : ranks.push_back(known->second);
  }
  std::sort(ranks.begin(), ranks.end());
  const size_t looked_at = prefix(ranks.size() + unknown);
  std::vector<uint32_t> candidates;
  for (size_t i = 0; i < ranks.size() && i + unknown < looked_at; ++i) {
    candidates.insert(candidates.end(), starting_with_[ranks[i]].begin(),
                      starting_with_[ranks[i]].end());
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::vector<int64_t> found;
  for (const uint32_t number : candidates) {
    if (alike(ranks, unknown, texts_[number])) found.push_back(number);
  }
  return found;
}

}  // namespace contrastive::adapt
