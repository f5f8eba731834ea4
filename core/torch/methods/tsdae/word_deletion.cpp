#include "core/torch/methods/tsdae/word_deletion.h"

#include "core/text/unicode.h"
#include "core/text/utf8.h"

namespace contrastive::methods {
namespace {

struct Character {
  size_t begin = 0, end = 0;
  uint16_t flags = 0;
};

std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> characters;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const uint16_t flags = text::char_flags(text::decode_utf8(text, at));
    characters.push_back({begin, at, flags});
  }
  return characters;
}

// The words of a stretch without white space.
void split_edges(const std::vector<Character>& characters, size_t begin, size_t end, bool spaced,
                 std::vector<Word>& words) {
  size_t first = begin, last = end;
  while (first < last && (characters[first].flags & text::kPunctuation) != 0) ++first;
  while (last > first && (characters[last - 1].flags & text::kPunctuation) != 0) --last;
  const auto add = [&](size_t from, size_t to) {
    if (from < to)
      words.push_back({characters[from].begin, characters[to - 1].end, spaced && from == begin});
  };
  for (size_t i = begin; i < first; ++i) add(i, i + 1);
  size_t open = first;
  for (size_t i = first; i < last; ++i) {
    if ((characters[i].flags & text::kCjk) == 0) continue;
    add(open, i);
    add(i, i + 1);
    open = i + 1;
  }
  add(open, last);
  for (size_t i = last; i < end; ++i) add(i, i + 1);
}

}  // namespace

std::vector<Word> words_of(std::string_view text) {
  const std::vector<Character> characters = characters_of(text);
  std::vector<Word> words;
  size_t begin = 0;
  for (size_t i = 0; i <= characters.size(); ++i) {
    if (i < characters.size() && (characters[i].flags & text::kSpace) == 0) continue;
    split_edges(characters, begin, i, begin > 0, words);
    begin = i + 1;
  }
  return words;
}

std::string delete_words(std::string_view text, double ratio, Rng& rng) {
  const std::vector<Word> words = words_of(text);
  if (words.empty()) return std::string(text);
  std::vector<size_t> kept;
  for (size_t i = 0; i < words.size(); ++i) {
    if (rng.uniform() >= ratio) kept.push_back(i);
  }
  if (kept.empty()) kept.push_back(static_cast<size_t>(rng.below(words.size())));
  std::string result;
  size_t next = 0;
  for (const size_t i : kept) {
    bool spaced = false;  // white space before a word that is deleted still parts its neighbours
    for (; next <= i; ++next) spaced = spaced || words[next].spaced;
    if (!result.empty() && spaced) result += ' ';
    result += text.substr(words[i].begin, words[i].end - words[i].begin);
  }
  return result;
}

}  // namespace contrastive::methods
