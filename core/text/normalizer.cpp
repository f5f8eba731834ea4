#include "core/text/normalizer.h"

#include <algorithm>
#include <cstring>

#include "core/text/unicode.h"
#include "core/text/unicode_forms.h"
#include "core/text/utf8.h"

namespace contrastive::text {
namespace {

bool is_decomposition(NormalizerStep step) {
  return step == NormalizerStep::kDecompose || step == NormalizerStep::kDecomposeCompatibly;
}

// A character during the steps. `change` follows Hugging Face's alignment rules: 0 for a character
// that replaces the next character of the source, 1 for one that is inserted after it.
struct NormalizerItem {
  char32_t c;
  uint8_t combining;
  uint8_t change;
  int64_t begin, end;  // the range of its source character
};

void add(std::vector<NormalizerItem>& out, const NormalizerItem& source, char32_t c, bool first,
         uint8_t combining) {
  out.push_back({c, combining, static_cast<uint8_t>(first ? 0 : 1), source.begin, source.end});
}

// The lists of the Nmt normaliser.
bool nmt_drops(char32_t c) {
  return (c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F ||
         c == 0x9F;
}
bool nmt_is_space(char32_t c) {
  return c == 0x9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
         (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF ||
         c == 0xFFFD;
}

// Appends the result of `step` for `item`, without the reordering of decompositions.
void apply_step(NormalizerStep step, const NormalizerItem& item, std::vector<NormalizerItem>& out) {
  const uint16_t flags = char_flags(item.c);
  char32_t made[kLongestDecomposition];
  size_t count = 0;
  switch (step) {
    case NormalizerStep::kClean:
      if ((flags & kDropped) == 0)
        add(out, item, (flags & kSpace) != 0 ? U' ' : item.c, true, item.combining);
      return;
    case NormalizerStep::kSpaceCjk:
      if ((flags & kCjk) != 0) add(out, item, U' ', true, 0);
      add(out, item, item.c, (flags & kCjk) == 0, item.combining);
      if ((flags & kCjk) != 0) add(out, item, U' ', false, 0);
      return;
    case NormalizerStep::kDropAccents:
      if ((flags & kAccent) == 0) out.push_back(item);
      return;
    case NormalizerStep::kDropMarks:
      if ((flags & kMark) == 0) out.push_back(item);
      return;
    case NormalizerStep::kDecompose:
    case NormalizerStep::kDecomposeCompatibly:
      count = step == NormalizerStep::kDecompose ? decompose(item.c, made)
                                                 : decompose_compatibly(item.c, made);
      for (size_t i = 0; i < count; ++i) add(out, item, made[i], i == 0, combining_class(made[i]));
      return;
    case NormalizerStep::kLowerCase:
      count = lower_case(item.c, made);
      for (size_t i = 0; i < count; ++i) add(out, item, made[i], i == 0, item.combining);
      return;
    case NormalizerStep::kNmt:
      if (!nmt_drops(item.c))
        add(out, item, nmt_is_space(item.c) ? U' ' : item.c, true, item.combining);
      return;
  }
}

// Puts every run of marks into canonical order. The source positions stay in place: only the
// characters move, with their `change`, as Hugging Face counts.
void reorder(std::vector<NormalizerItem>& items, const std::vector<NormalizerItem>& sources) {
  for (size_t i = 0; i < items.size();) {
    size_t end = i + 1;
    if (items[i].combining != 0) {
      while (end < items.size() && items[end].combining != 0) ++end;
      std::stable_sort(items.begin() + i, items.begin() + end,
                       [](const NormalizerItem& a, const NormalizerItem& b) {
                         return a.combining < b.combining;
                       });
    }
    i = end;
  }
  size_t taken = 0;
  for (NormalizerItem& item : items) {
    if (item.change == 0) ++taken;
    const NormalizerItem& source = sources[taken == 0 ? 0 : taken - 1];
    item.begin = taken == 0 ? 0 : source.begin;
    item.end = taken == 0 ? 0 : source.end;
  }
}

}  // namespace

std::vector<NormalizerStep> bert_steps(bool clean_text, bool handle_chinese_chars,
                                       bool strip_accents, bool lowercase) {
  std::vector<NormalizerStep> steps;
  if (clean_text) steps.push_back(NormalizerStep::kClean);
  if (handle_chinese_chars) steps.push_back(NormalizerStep::kSpaceCjk);
  if (strip_accents) {
    steps.push_back(NormalizerStep::kDecompose);
    steps.push_back(NormalizerStep::kDropAccents);
  }
  if (lowercase) steps.push_back(NormalizerStep::kLowerCase);
  return steps;
}

void take_as_given(std::string_view text, int64_t shift, bool aligned, NormalizedText& out) {
  out.bytes = text;
  out.begins.clear();
  out.ends.clear();
  for (size_t at = 0; aligned && at < text.size();) {
    const auto begin = static_cast<int64_t>(at);
    decode_valid(text, at);
    out.begins.insert(out.begins.end(), at - begin, shift + begin);
    out.ends.insert(out.ends.end(), at - begin, shift + static_cast<int64_t>(at));
  }
}

Normalizer::Normalizer(std::vector<NormalizerStep> steps) : steps_(std::move(steps)) {
  for (char32_t c = 0; c < 128; ++c) {
    const Mapping mapping = compute(c);
    ascii_keep_[c] = mapping.length;  // ASCII never becomes more than one character
    ascii_[c] = mapping.length != 0 ? mapping.bytes[0] : '\0';
  }
}

Normalizer::Mapping Normalizer::compute(char32_t c) const {
  Mapping mapping{};
  if (c >= 0xD800 && c < 0xE000) return mapping;  // never in valid UTF-8
  std::vector<NormalizerItem> items{{c, 0, 0, 0, 0}}, next;
  for (const NormalizerStep step : steps_) {
    next.clear();
    for (const NormalizerItem& item : items) apply_step(step, item, next);
    items.swap(next);
  }
  mapping.in_order = true;
  for (const NormalizerItem& item : items) {
    char bytes[4];
    const size_t size = encode_utf8(item.c, bytes);
    if (item.combining != 0 || mapping.length + size > sizeof(mapping.bytes)) {
      mapping.in_order = false;
      break;
    }
    std::memcpy(mapping.bytes + mapping.length, bytes, size);
    mapping.length = static_cast<uint8_t>(mapping.length + size);
  }
  return mapping;
}

void Normalizer::normalize(std::string_view text, int64_t shift, bool aligned,
                           NormalizedText& out) const {
  if (steps_.empty()) {
    take_as_given(text, shift, aligned, out);
  } else if (!map_each(text, shift, aligned, out)) {
    apply_steps(text, shift, aligned, out);
  }
}

// The fast path for nearly every text, character by character. False if marks have to be reordered.
bool Normalizer::map_each(std::string_view text, int64_t shift, bool aligned,
                          NormalizedText& out) const {
  constexpr size_t kSlack = sizeof(Mapping::bytes);
  const auto fill = [this](char32_t c) { return compute(c); };
  std::string& made = out.storage;
  out.begins.clear();
  out.ends.clear();
  // At every moment there is room for the rest of the text, if it is ASCII, and for one more
  // mapping.
  if (made.size() < text.size() + kSlack) made.resize(text.size() + kSlack);
  size_t size = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t from = at, size_before = size;
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      made[size] = ascii_[byte];
      size += ascii_keep_[byte];
      ++at;
    } else {
      const Mapping& mapping = pages_.at(decode_valid(text, at), fill);
      if (!mapping.in_order) return false;
      const size_t needed = size + kSlack + (text.size() - from);
      if (made.size() < needed) made.resize(needed + needed / 2);
      std::memcpy(&made[size], mapping.bytes, kSlack);
      size += mapping.length;
    }
    if (aligned) {
      out.begins.insert(out.begins.end(), size - size_before, shift + static_cast<int64_t>(from));
      out.ends.insert(out.ends.end(), size - size_before, shift + static_cast<int64_t>(at));
    }
  }
  out.bytes = std::string_view(made.data(), size);
  return true;
}

// Step by step over the whole text: this defines what the steps mean. Used for texts in which marks
// are reordered.
void Normalizer::apply_steps(std::string_view text, int64_t shift, bool aligned,
                             NormalizedText& out) const {
  std::vector<NormalizerItem> items, next;
  items.reserve(text.size());
  next.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const auto begin = static_cast<int64_t>(at);
    const char32_t c = decode_valid(text, at);
    items.push_back({c, 0, 0, shift + begin, shift + static_cast<int64_t>(at)});
  }
  for (const NormalizerStep step : steps_) {
    next.clear();
    for (const NormalizerItem& item : items) apply_step(step, item, next);
    if (is_decomposition(step)) reorder(next, items);
    items.swap(next);
  }
  out.storage.clear();
  out.begins.clear();
  out.ends.clear();
  for (const NormalizerItem& item : items) {
    const size_t before = out.storage.size();
    append_utf8(item.c, out.storage);
    if (!aligned) continue;
    out.begins.insert(out.begins.end(), out.storage.size() - before, item.begin);
    out.ends.insert(out.ends.end(), out.storage.size() - before, item.end);
  }
  out.bytes = out.storage;
}

}  // namespace contrastive::text
