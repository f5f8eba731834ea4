#include "core/text/vocabulary_learner.h"

#include <algorithm>
#include <functional>

#include "core/base/error.h"
#include "core/text/byte_bpe.h"
#include "core/text/composition.h"
#include "core/text/pair_merger.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/unicode.h"
#include "core/text/utf8.h"
#include "core/text/unigram_learner.h"

namespace contrastive::text {
namespace {

constexpr const char* kContinuation = "##";
const std::string kWordStart = "\u2581";  // begins every word in Unigram
constexpr size_t kMaxWordBytes = 4096;    // longer ones would take quadratic time

NormalizerChain::Stages stages_of(const VocabularyLearnerOptions& options) {
  if (options.kind == VocabularyKind::kByteBpe) return {};
  if (options.kind == VocabularyKind::kWordPiece) {
    return {std::make_shared<CharacterStage>(
        bert_steps(true, true, options.strip_accents, options.lowercase))};
  }
  std::vector<NormalizerStep> steps = {NormalizerStep::kNmt, NormalizerStep::kDecomposeCompatibly};
  if (options.strip_accents) steps.push_back(NormalizerStep::kDropMarks);
  if (options.lowercase) steps.push_back(NormalizerStep::kLowerCase);
  return {std::make_shared<CharacterStage>(std::move(steps)), std::make_shared<Composition>(false)};
}

// Tokens and their ids during learning.
class TokenTable {
 public:
  int32_t add(const std::string& token) {
    const auto [place, is_new] = ids_.emplace(token, static_cast<int32_t>(tokens_.size()));
    if (is_new) tokens_.push_back(token);
    return place->second;
  }
  bool has(const std::string& token) const { return ids_.count(token) != 0; }
  const std::string& operator[](int32_t id) const { return tokens_[static_cast<size_t>(id)]; }
  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }
  std::vector<std::string> take() { return std::move(tokens_); }

 private:
  std::vector<std::string> tokens_;
  std::unordered_map<std::string, int32_t> ids_;
};

using SortedWords = std::vector<std::pair<std::string, int64_t>>;

// The most frequent characters, in the order of their code points. Among equally frequent ones,
// those with the smaller code points.
std::vector<char32_t> alphabet_of(const SortedWords& words, int64_t limit, const Cancel* cancel) {
  std::unordered_map<char32_t, int64_t> counts;
  for (const auto& [word, count] : words) {
    throw_if_cancelled(cancel);
    for (size_t at = 0; at < word.size();) counts[decode_valid(word, at)] += count;
  }
  std::vector<std::pair<int64_t, char32_t>> order;
  for (const auto& [character, count] : counts) order.emplace_back(-count, character);
  std::sort(order.begin(), order.end());
  if (static_cast<int64_t>(order.size()) > limit) order.resize(static_cast<size_t>(limit));
  std::vector<char32_t> alphabet;
  for (const auto& item : order) alphabet.push_back(item.second);
  std::sort(alphabet.begin(), alphabet.end());
  return alphabet;
}

std::string utf8(char32_t character) {
  std::string text;
  append_utf8(character, text);
  return text;
}

// Each byte is a symbol, written as its printable character.
std::vector<CountedWord> byte_symbols(const SortedWords& words, TokenTable& table,
                                      const Cancel* cancel) {
  // The printable characters in the order of their code points, which is not the order of the
  // bytes.
  std::vector<std::string> characters(byte_characters().begin(), byte_characters().end());
  std::sort(characters.begin(), characters.end());  // UTF-8 sorts like code points
  for (const std::string& character : characters) table.add(character);
  std::vector<CountedWord> counted;
  for (const auto& [word, count] : words) {
    throw_if_cancelled(cancel);
    CountedWord next{{}, count};
    for (const char byte : word)
      next.symbols.push_back(table.add(byte_characters()[static_cast<unsigned char>(byte)]));
    counted.push_back(std::move(next));
  }
  return counted;
}

// Each character of the alphabet is a symbol, and a different one if it continues a word.
// Characters outside the alphabet are omitted.
std::vector<CountedWord> character_symbols(const SortedWords& words, int64_t limit,
                                           TokenTable& table, const Cancel* cancel) {
  for (const char32_t character : alphabet_of(words, limit, cancel)) table.add(utf8(character));
  std::vector<CountedWord> counted;
  for (const auto& [word, count] : words) {
    throw_if_cancelled(cancel);
    CountedWord next{{}, count};
    for (size_t at = 0; at < word.size();) {
      const bool first = at == 0;
      const std::string character = utf8(decode_valid(word, at));
      if (table.has(character))
        next.symbols.push_back(table.add(first ? character : kContinuation + character));
    }
    counted.push_back(std::move(next));
  }
  return counted;
}

}  // namespace

const std::vector<std::string>& VocabularyLearner::special_tokens(VocabularyKind kind) {
  static const std::vector<std::string> kBert = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  static const std::vector<std::string> kRoberta = {"<s>", "<pad>", "</s>", "<unk>", "<mask>"};
  return kind == VocabularyKind::kWordPiece ? kBert : kRoberta;
}

VocabularyLearner::VocabularyLearner(const VocabularyLearnerOptions& options)
    : options_(options), normalizer_(stages_of(options)) {}

void VocabularyLearner::count(std::string_view word) {
  if (word.size() > kMaxWordBytes) return;
  ++counts_[std::string(word)];
  ++words_;
}

void VocabularyLearner::add(std::string_view text) {
  if (valid_utf8_prefix(text) != text.size()) {
    repaired_.clear();
    for (size_t at = 0; at < text.size();) append_utf8(decode_utf8(text, at), repaired_);
    text = repaired_;
  }
  if (options_.kind == VocabularyKind::kByteBpe) {
    split_gpt2(text, [&](size_t begin, size_t end) { count(text.substr(begin, end - begin)); });
    return;
  }
  normalizer_.normalize(text, 0, false, normalized_);
  if (options_.kind == VocabularyKind::kUnigram) {
    const std::string_view bytes = normalized_.bytes;
    size_t begin = 0;
    for (size_t at = 0; at <= bytes.size();) {
      const size_t from = at;
      const bool ended = at == bytes.size();
      if (!ended && (char_flags(decode_valid(bytes, at)) & kSpace) == 0) continue;
      if (from > begin) count(kWordStart + std::string(bytes.substr(begin, from - begin)));
      begin = at;
      if (ended) break;
    }
    return;
  }
  split_bert(normalized_.bytes, [&](size_t begin, size_t end) {
    count(normalized_.bytes.substr(begin, end - begin));
  });
}

LearntVocabulary VocabularyLearner::learn_unigram(SortedWords words, const Cancel* cancel) const {
  const std::vector<char32_t> alphabet =
      alphabet_of(words, options_.alphabet_limit, cancel);  // in ascending order
  for (auto& word : words) {
    throw_if_cancelled(cancel);
    std::string kept;
    for (size_t at = 0; at < word.first.size();) {
      const char32_t c = decode_valid(word.first, at);
      if (std::binary_search(alphabet.begin(), alphabet.end(), c)) append_utf8(c, kept);
    }
    word.first = std::move(kept);
  }
  const std::vector<std::string>& specials = special_tokens(options_.kind);
  const auto around = static_cast<int64_t>(specials.size());
  check(around + static_cast<int64_t>(alphabet.size()) <= options_.size, Status::kArgument,
        "a vocabulary of ", options_.size,
        " tokens has no room for the special tokens and the alphabet, ",
        around + static_cast<int64_t>(alphabet.size()), " in all");
  LearntVocabulary learnt;
  learnt.tokens = specials;
  for (const auto& [piece, score] :
       UnigramLearner(words, options_.min_frequency, cancel).learn(options_.size - around)) {
    throw_if_cancelled(cancel);
    if (std::find(specials.begin(), specials.end(), piece) != specials.end())
      continue;  // a text that contains a special token literally
    learnt.scores.resize(learnt.tokens.size());
    learnt.tokens.push_back(piece);
    learnt.scores.push_back(score);
  }
  return learnt;
}

LearntVocabulary VocabularyLearner::learn(const Cancel* cancel) const {
  check(words_ > 0, Status::kArgument, "there is no word to learn a vocabulary from");
  SortedWords words;
  for (const auto& [word, count] : counts_) {
    throw_if_cancelled(cancel);
    words.emplace_back(word, count);
  }
  std::sort(words.begin(), words.end(), cancellable(cancel, std::less<>()));
  if (options_.kind == VocabularyKind::kUnigram) return learn_unigram(std::move(words), cancel);
  TokenTable table;
  for (const std::string& token : special_tokens(options_.kind)) table.add(token);
  const bool bytes = options_.kind == VocabularyKind::kByteBpe;
  std::vector<CountedWord> counted =
      bytes ? byte_symbols(words, table, cancel)
            : character_symbols(words, options_.alphabet_limit, table, cancel);
  check(table.size() <= options_.size, Status::kArgument, "a vocabulary of ", options_.size,
        " tokens has no room for the special tokens and the alphabet, ", table.size(), " in all");
  LearntVocabulary learnt;
  PairMerger merger(std::move(counted), cancel);
  const size_t prefix = bytes ? 0 : std::char_traits<char>::length(kContinuation);
  while (table.size() < options_.size) {
    throw_if_cancelled(cancel);
    const PairMerger::Pair pair = merger.next();
    if (pair.count < std::max<int64_t>(options_.min_frequency, 1)) break;
    // Copy the strings, because the table grows.
    const std::string left = table[pair.left], right = table[pair.right];
    merger.merge(pair, table.add(left + right.substr(prefix)));
    learnt.merges.emplace_back(left, right);
  }
  learnt.tokens = table.take();
  return learnt;
}

}  // namespace contrastive::text
