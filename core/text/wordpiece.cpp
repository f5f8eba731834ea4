#include "core/text/wordpiece.h"

#include <algorithm>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/text/unicode.h"

namespace contrastive::text {
namespace {

void emit(int32_t id, const NormalizedText& text, size_t begin, size_t end, TokenSequence& out) {
  if (out.aligned) {
    out.add(id, text.begins[begin], text.ends[end - 1]);
  } else {
    out.ids.push_back(id);
  }
}

}  // namespace

WordPiece::WordPiece(const Vocabulary& vocabulary, const WordPieceOptions& options,
                     const std::string& source)
    : options_(options), unknown_(vocabulary.id(options.unknown_token)),
      first_(vocabulary.tokens().size()), continuing_(vocabulary.tokens().size()) {
  check(unknown_ >= 0, Status::kFormat, source, ": the vocabulary has no ", options.unknown_token);
  const std::string_view prefix = options_.continuing_prefix;
  for (size_t i = 0; i < vocabulary.tokens().size(); ++i) {
    const std::string_view token = vocabulary.tokens()[i];
    if (token.empty()) continue;
    first_.insert(token, static_cast<int32_t>(i));
    const bool continues = token.size() > prefix.size() && token.substr(0, prefix.size()) == prefix;
    if (continues) continuing_.insert(token.substr(prefix.size()), static_cast<int32_t>(i));
  }
}

template <class Emit>
bool WordPiece::cut(std::string_view word, const Emit& emit) const {
  // Tokens consist of whole characters, so a match can only end at the end of a character: bytes
  // need no decoding here.
  for (size_t start = 0; start < word.size();) {
    const TokenMap& map = start == 0 ? first_ : continuing_;
    const std::string_view rest = word.substr(start, map.longest());
    uint32_t hashes[256];
    const size_t hashed = std::min<size_t>(rest.size(), 256);
    uint32_t hash = TokenMap::kSeed;
    for (size_t i = 0; i < hashed; ++i) hashes[i] = hash = TokenMap::step(hash, rest[i]);
    int32_t id = -1;
    size_t length = rest.size();
    for (; length > 0; --length) {
      const std::string_view piece = rest.substr(0, length);
      id = map.find(piece, length <= hashed ? hashes[length - 1] : TokenMap::hash(piece));
      if (id >= 0) break;
    }
    if (id < 0) return false;
    emit(id, start, start + length);
    start += length;
  }
  return true;
}

void WordPiece::tokenize(const NormalizedText& text, size_t begin, size_t end,
                         TokenSequence& out) const {
  const std::string_view word = text.bytes.substr(begin, end - begin);
  const auto before = static_cast<int64_t>(out.ids.size());
  const auto add = [&](int32_t id, size_t from, size_t to) {
    emit(id, text, begin + from, begin + to, out);
  };
  if (!too_long(word) && cut(word, add)) return;
  out.cut(before);
  emit(unknown_, text, begin, end, out);
}

TokenParts WordPiece::tokens(std::string_view word, std::vector<TokenPart>& buffer) const {
  buffer.clear();
  const auto add = [&](int32_t id, size_t from, size_t to) {
    buffer.push_back({id, static_cast<uint32_t>(to - from)});
  };
  if (too_long(word) || !cut(word, add))
    buffer.assign(1, {unknown_, narrow<uint32_t>(word.size(), "bytes of a word")});
  return {buffer.data(), buffer.size()};
}

bool WordPiece::too_long(std::string_view word) const {
  const auto limit = static_cast<size_t>(options_.max_input_chars_per_word);
  if (word.size() <= limit) return false;
  const auto is_lead = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; };
  return static_cast<size_t>(std::count_if(word.begin(), word.end(), is_lead)) > limit;
}

}  // namespace contrastive::text
