#include "core/text/word_level.h"

#include "core/base/checked.h"
#include "core/base/error.h"

namespace contrastive::text {

WordLevel::WordLevel(const Vocabulary& vocabulary, const std::string& unknown_token,
                     const std::string& source)
    : vocabulary_(vocabulary), unknown_(vocabulary.id(unknown_token)) {
  check(unknown_ >= 0, Status::kFormat, source, ": the vocabulary has no ", unknown_token);
}

TokenParts WordLevel::tokens(std::string_view piece, std::vector<TokenPart>& buffer) const {
  const int32_t id = vocabulary_.id(piece);
  buffer.assign(1, {id >= 0 ? id : unknown_, narrow<uint32_t>(piece.size(), "bytes of a word")});
  return {buffer.data(), buffer.size()};
}

}  // namespace contrastive::text
