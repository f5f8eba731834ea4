#include "core/mining/text_identity.h"

#include "core/base/sha256.h"
#include "core/data/content_hash.h"
#include "core/text/unicode.h"
#include "core/text/utf8.h"

namespace contrastive::mining {
namespace {

// Malformed sequences as U+FFFD.
std::string repaired_utf8(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) text::append_utf8(text::decode_utf8(text, at), result);
  return result;
}

}  // namespace

data::RowKey text_key(std::string_view prefix, std::string_view text) {
  Sha256 hash;
  hash.update(prefix);
  hash.update(text);
  return data::row_key(hash);
}

bool is_blank(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if ((text::char_flags(text::decode_utf8(text, at)) & text::kSpace) == 0) return false;
  }
  return true;
}

TextNormalizer::TextNormalizer()
    : steps_({text::NormalizerStep::kDecomposeCompatibly, text::NormalizerStep::kLowerCase}) {}

std::string TextNormalizer::normalize(std::string_view text) const {
  const bool valid = text::valid_utf8_prefix(text) == text.size();
  const std::string repaired = valid ? std::string() : repaired_utf8(text);
  text::NormalizedText normal;
  steps_.normalize(valid ? text : std::string_view(repaired), 0, false, normal);
  std::string result;
  bool blank = false;
  for (size_t at = 0; at < normal.bytes.size();) {
    const size_t begin = at;
    if ((text::char_flags(text::decode_valid(normal.bytes, at)) & text::kSpace) != 0) {
      blank = !result.empty();
      continue;
    }
    if (blank) result += ' ';
    blank = false;
    result += normal.bytes.substr(begin, at - begin);
  }
  return result;
}

uint64_t TextNormalizer::hash(std::string_view text) const {
  data::ContentHash hash;
  hash.update(normalize(text));
  return hash.value();
}

}  // namespace contrastive::mining
