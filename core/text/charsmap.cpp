#include "core/text/charsmap.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/text/grapheme.h"
#include "core/text/utf8.h"

namespace contrastive::text {
namespace {

constexpr size_t kLongestCluster = 5;  // of a cluster that is replaced as a whole, in bytes

uint32_t label_of(uint32_t unit) { return unit & 0x800000FF; }
uint32_t offset_of(uint32_t unit) { return (unit >> 10) << ((unit & 0x200) >> 6); }

int64_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; });
}

// Records the replacement of the characters of `before` by those of `now` as changes.
void replace(std::string_view before, std::string_view now, std::vector<CharacterChange>& changes) {
  const int64_t before_count = count_characters(before), now_count = count_characters(now);
  int64_t left = now_count;
  for (size_t at = 0; at < now.size(); --left) {
    const char32_t c = decode_valid(now, at);
    changes.push_back({c, left <= now_count - before_count ? 1 : 0});
  }
  if (now_count < before_count && !changes.empty())
    changes.back().change -= static_cast<int32_t>(before_count - now_count);
}

}  // namespace

Charsmap::Charsmap(std::string_view bytes, const std::string& source) {
  check(bytes.size() >= 4, Status::kFormat, source, ": ", bytes.size(),
        " bytes are no map of characters");
  const auto little_endian = [&](size_t at) {
    uint32_t value = 0;
    for (size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  };
  const uint32_t size = little_endian(0);
  check(size >= 4 && size % 4 == 0 && size <= bytes.size() - 4, Status::kFormat, source,
        ": a trie of ", size, " bytes in a map of ", bytes.size());
  for (size_t at = 4; at < 4 + size_t{size}; at += 4) units_.push_back(little_endian(at));
  texts_ = bytes.substr(4 + size);
  const size_t valid = valid_utf8_prefix(texts_);
  check(valid == texts_.size(), Status::kFormat, source,
        ": the replacements are not UTF-8 at byte ", valid);
  check(texts_.empty() || texts_.back() == '\0', Status::kFormat, source,
        ": the last replacement does not end");
  constexpr size_t kLongest = 1024;
  for (size_t begin = 0; begin < texts_.size();) {
    const size_t end = texts_.find('\0', begin);
    check(end - begin <= kLongest, Status::kLimit, source, ": a replacement has ", end - begin,
          " bytes, above the limit of ", kLongest);
    begin = end + 1;
  }
  for (size_t c = 0; c < plain_.size(); ++c) {
    const char byte = static_cast<char>(c);
    std::string_view replacement;
    plain_[c] = byte != '\r' && !find({&byte, 1}, replacement);
  }
}

bool Charsmap::find(std::string_view chunk, std::string_view& replacement) const {
  size_t at = offset_of(units_[0]);
  for (const char byte : chunk) {
    const auto c = static_cast<unsigned char>(byte);
    if (c == 0) return false;
    at ^= c;
    if (at >= units_.size()) return false;
    const uint32_t unit = units_[at];
    if (label_of(unit) != c) return false;
    at ^= offset_of(unit);
    if ((unit >> 8 & 1) == 0) continue;
    if (at >= units_.size()) return false;
    const size_t begin = units_[at] & 0x7FFFFFFF;
    // An offset after the texts, or inside a character: the map is damaged.
    if (begin >= texts_.size() || (static_cast<unsigned char>(texts_[begin]) & 0xC0) == 0x80)
      return false;
    replacement = std::string_view(texts_).substr(begin, texts_.find('\0', begin) - begin);
    return true;
  }
  return false;
}

// Calls change(begin, end, replacement, replaced) for the parts of the text in order.
template <class Change>
void Charsmap::each(std::string_view text, const Change& change) const {
  const auto is_plain = [&](size_t at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    return byte < 0x80 && plain_[byte];
  };
  std::string_view replacement;
  for (size_t at = 0; at < text.size();) {
    // An ASCII character before an ASCII character is a separate cluster, unless it is half of CR
    // LF.
    size_t end = at;
    while (end < text.size() && is_plain(end) &&
           (end + 1 == text.size() || static_cast<unsigned char>(text[end + 1]) < 0x80))
      ++end;
    if (end > at) {
      change(at, end, replacement, false);
      at = end;
      continue;
    }
    end = grapheme_end(text, at);
    if (end - at <= kLongestCluster && find(text.substr(at, end - at), replacement)) {
      change(at, end, replacement, true);
      at = end;
      continue;
    }
    while (at < end) {
      const size_t begin = at;
      decode_valid(text, at);
      const bool found = find(text.substr(begin, at - begin), replacement);
      change(begin, at, replacement, found);
    }
  }
}

bool Charsmap::apply(const NormalizedText& in, int64_t shift, bool aligned,
                     NormalizedText& out) const {
  const std::string_view text = in.bytes;
  bool changed = false;
  if (!aligned) {
    clear_text(out);
    each(text, [&](size_t begin, size_t end, std::string_view replacement, bool replaced) {
      changed = changed || replaced;
      out.storage.append(replaced ? replacement : text.substr(begin, end - begin));
    });
    out.bytes = out.storage;
    return changed;
  }
  std::vector<CharacterChange> changes;
  each(text, [&](size_t begin, size_t end, std::string_view replacement, bool replaced) {
    changed = changed || replaced;
    if (replaced) {
      replace(text.substr(begin, end - begin), replacement, changes);
      return;
    }
    while (begin < end) changes.push_back({decode_valid(text, begin), 0});
  });
  if (changed) apply_changes(in, changes, 0, shift, aligned, out);
  return changed;
}

}  // namespace contrastive::text
