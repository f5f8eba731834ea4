#include "core/text/character_bpe.h"

#include "core/base/error.h"
#include "core/text/utf8.h"

namespace contrastive::text {
namespace {

constexpr std::string_view kBlank = "\u2581";

// The last character of `text`, which must not be empty.
char32_t last_character(std::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return decode_utf8(text, at);
}

}  // namespace

CharacterBpe::CharacterBpe(const Vocabulary& vocabulary, const Merges& merges,
                           const CharacterBpeOptions& options, const std::string& source)
    : Bpe(vocabulary, merges, 0, source), vocabulary_(vocabulary), options_(options),
      bytes_(vocabulary) {
  if (!options_.unknown_token.empty()) {
    unknown_ = vocabulary.id(options_.unknown_token);
    check(unknown_ >= 0, Status::kFormat, source, ": the vocabulary lacks the unknown token ",
          options_.unknown_token);
  }
  find_stretches(merges);
}

void CharacterBpe::find_stretches(const Merges& merges) {
  // Tokens that do not represent their own characters say nothing about which text may be joined.
  const auto is_text = [&](const std::string& token) {
    return token != options_.unknown_token && (token.size() != 6 || token.rfind("<0x", 0) != 0);
  };
  for (const auto& [left, right] : merges) {
    if (!is_text(left) || !is_text(right)) return;
    const std::string joined = left + right;
    for (size_t at = joined.find(kBlank, 1); at != std::string::npos;
         at = joined.find(kBlank, at + 1)) {
      before_blank_.insert(last_character(std::string_view(joined).substr(0, at)));
    }
  }
  before_blank_.insert(U'\u2581');
  has_stretches_ =
      vocabulary_.id(kBlank) >= 0 && unknown_ >= 0;  // a dropped character separates nothing
}

size_t CharacterBpe::stretch_end(std::string_view piece, size_t at) const {
  if (!has_stretches_ || at >= piece.size()) return piece.size();
  if (options_.ignore_merges && at == 0 && vocabulary_.id(piece) >= 0) return piece.size();
  for (size_t end = piece.find(kBlank, at + 1); end != std::string_view::npos;
       end = piece.find(kBlank, end + kBlank.size())) {
    if (before_blank_.count(last_character(piece.substr(at, end - at))) == 0) return end;
  }
  return piece.size();
}

TokenParts CharacterBpe::tokens(std::string_view piece, std::vector<TokenPart>& buffer) const {
  if (options_.ignore_merges) {
    if (const int32_t id = vocabulary_.id(piece); id >= 0) {
      buffer.assign(1, {id, static_cast<uint32_t>(piece.size())});
      return {buffer.data(), buffer.size()};
    }
  }
  return merge(piece, buffer);
}

void CharacterBpe::split(std::string_view piece, Symbols& symbols) const {
  uint32_t unknown_length = 0;  // of pending unknown characters: as in Hugging Face, they are
                                // written only when a known one follows
  const auto flush = [&] {
    if (unknown_length > 0) add(unknown_, unknown_length, symbols);
    unknown_length = 0;
  };
  for (size_t at = 0; at < piece.size();) {
    const size_t begin = at;
    const char32_t c = decode_valid(piece, at);
    const std::string_view character = piece.substr(begin, at - begin);
    const int32_t id = characters_.at(c, [this](char32_t of) {
      std::string bytes;
      append_utf8(of, bytes);
      return vocabulary_.id(bytes);
    });
    if (id >= 0) {
      flush();
      add(id, static_cast<uint32_t>(character.size()), symbols);
    } else if (options_.byte_fallback && bytes_.cover(character)) {
      for (const char byte : character) add(bytes_.id(byte), 1, symbols);
    } else if (unknown_ >= 0) {
      if (!options_.fuse_unknown) flush();
      unknown_length += static_cast<uint32_t>(character.size());
    }
  }
  flush();
}

}  // namespace contrastive::text
