#include "core/text/byte_bpe.h"

#include "core/base/error.h"
#include "core/text/utf8.h"

namespace contrastive::text {

const std::array<std::string, 256>& byte_characters() {
  static const std::array<std::string, 256> table = [] {
    std::array<std::string, 256> made;
    char32_t stand_in = 256;
    for (char32_t byte = 0; byte < 256; ++byte) {
      const bool printable =
          (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      append_utf8(printable ? byte : stand_in++, made[byte]);
    }
    return made;
  }();
  return table;
}

ByteBpe::ByteBpe(const Vocabulary& vocabulary, const Merges& merges, const ByteBpeOptions& options,
                 const std::string& source)
    : Bpe(vocabulary, merges, options.first_line, source), options_(options) {
  if (!options_.unknown_token.empty()) unknown_ = vocabulary.id(options_.unknown_token);
  for (size_t byte = 0; byte < 256; ++byte) {
    byte_ids_[byte] = vocabulary.id(byte_characters()[byte]);
    check(byte_ids_[byte] >= 0 || options_.unknown_token.empty() || unknown_ >= 0, Status::kFormat,
          source, ": the vocabulary has neither '", byte_characters()[byte], "' for the byte ",
          byte, " nor the unknown token ", options_.unknown_token);
  }
}

void ByteBpe::split(std::string_view piece, Symbols& symbols) const {
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
    add(id < 0 ? unknown_ : id, 1, symbols);
  }
}

}  // namespace contrastive::text
