#include "core/text/normalizer.h"

#include <algorithm>
#include <cstring>

#include "core/text/normalizer_item.h"
#include "core/text/utf8.h"

namespace contrastive::text {
namespace {

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

Normalizer::Normalizer(std::vector<NormalizerStep> steps)
    : steps_(std::move(steps)),
      decomposes_(std::count_if(steps_.begin(), steps_.end(), is_decomposition)) {
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
  mapping.starts = mapping.closes = true;
  for (const NormalizerStep step : steps_) {
    next.clear();
    for (const NormalizerItem& item : items) apply_step(step, item, next);
    items.swap(next);
    if (!is_decomposition(step)) continue;
    mapping.starts = mapping.starts && !items.empty() && items.front().combining == 0;
    mapping.closes = mapping.closes && !items.empty() && items.back().combining == 0;
    mapping.opens = mapping.opens || (!items.empty() && items.back().combining != 0);
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

Normalizer::Order Normalizer::order(char32_t c) const {
  const Mapping& mapping = pages_.at(c, [this](char32_t of) { return compute(of); });
  return {mapping.starts, mapping.opens, mapping.closes};
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
