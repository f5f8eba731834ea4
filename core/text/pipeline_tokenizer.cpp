#include "core/text/pipeline_tokenizer.h"

#include <algorithm>
#include <limits>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/system/per_thread.h"
#include "core/text/unicode.h"
#include "core/text/utf8.h"

namespace contrastive::text {

// Buffers that are kept from call to call, one set for each thread.
struct PipelineTokenizer::Scratch {
  NormalizedText normalized;
  TokenSequence first, second;
  std::string own;       // a copy of the text
  std::string repaired;  // the text with U+FFFD for malformed sequences
  std::vector<int64_t>
      boundaries;  // [repaired bytes + 1] the position of each of its characters in the given text

  static Scratch& of_thread() {
    static const system::PerThread<Scratch> scratches;
    Scratch& scratch = scratches.here();
    scratch.release_large();
    return scratch;
  }
  void limit(int64_t keep, bool keeps_end) {
    for (TokenSequence* tokens : {&first, &second}) {
      tokens->keep = keep;
      tokens->keeps_end = keeps_end;
    }
  }

 private:
  // A huge text must not hold its memory as long as the thread lives.
  void release_large() {
    constexpr size_t kKeep = size_t{1} << 20;
    if (std::max({normalized.storage.capacity(), normalized.begins.capacity(), first.ids.capacity(),
                  second.ids.capacity(), own.capacity(), repaired.capacity(),
                  boundaries.capacity()}) > kKeep) {
      *this = Scratch();
    }
  }
};

namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// Replaces every malformed sequence of `text`, and records the position in `text` of each byte that
// begins a character of the result.
void repair(std::string_view text, std::string& repaired, std::vector<int64_t>& boundaries) {
  repaired.clear();
  boundaries.clear();
  for (size_t at = 0; at < text.size();) {
    const auto begin = static_cast<int64_t>(at);
    append_utf8(decode_utf8(text, at), repaired);
    boundaries.resize(repaired.size(), begin);
  }
  boundaries.push_back(static_cast<int64_t>(text.size()));
}

NormalizerChain chain_of(const TokenizerParts& parts) {
  if (!parts.stages.empty()) return NormalizerChain(parts.stages);
  return NormalizerChain({std::make_shared<CharacterStage>(parts.normalizer)});
}

int64_t trailing_space_bytes(std::string_view text) {
  size_t end = 0;  // the end of the last malformed sequence
  for (size_t at = 0; at < text.size();) {
    if (!is_trimmed(decode_utf8(text, at))) end = at;
  }
  return static_cast<int64_t>(text.size() - end);
}

// The end of the part of a text that begins at `begin`: before the last space, tab or line break
// that follows a word, because hardly any token or rule of a tokenizer spans that position;
// otherwise after a whole character.
size_t part_end(std::string_view text, size_t begin) {
  if (text.size() - begin <= kLongestPart) return text.size();
  const std::string_view most = text.substr(begin, kLongestPart + 1);
  constexpr std::string_view kSpaces = " \t\n\r";
  for (size_t space = most.find_last_of(kSpaces); space != 0 && space != std::string_view::npos;
       space = most.find_last_of(kSpaces, space - 1)) {
    if (static_cast<unsigned char>(most[space - 1]) > ' ') return begin + space;
  }
  size_t end = kLongestPart;
  const auto continues = [&] { return (static_cast<unsigned char>(most[end]) & 0xC0) == 0x80; };
  while (kLongestPart - end < 3 && continues()) --end;
  return begin + (continues() ? kLongestPart : end);
}

}  // namespace

bool is_trimmed(char32_t c) { return c == 0x120 || (char_flags(c) & kSpace) != 0; }

PipelineTokenizer::PipelineTokenizer(TokenizerParts parts, std::string kind)
    : parts_(std::move(parts)), kind_(std::move(kind)), vocab_size_(parts_.vocabulary->size()),
      normalizer_(chain_of(parts_)) {
  std::vector<std::string> given_contents, normalized_contents;
  std::vector<AddedToken> given, normalized;
  NormalizedText buffer;
  for (AddedToken& token : parts_.added_tokens) {
    token.passed_over = token.special && parts_.splits_special_tokens;
    vocab_size_ = std::max<int64_t>(vocab_size_, int64_t{token.id} + 1);
    added_ids_.emplace(token.content, token.id);
    added_tokens_.emplace(token.id, &token);
    if (token.special) special_.insert(token.id);
    if (!token.normalized) {
      given_contents.push_back(token.content);
      given.push_back(token);
      continue;
    }
    normalizer_.normalize(token.content, 0, false, buffer);
    normalized_contents.emplace_back(buffer.bytes);
    normalized.push_back(token);
  }
  in_given_ = AddedTokenFinder(std::move(given_contents), std::move(given));
  in_normalized_ = AddedTokenFinder(std::move(normalized_contents), std::move(normalized));
  for (const auto* template_parts : {&parts_.post_processor.single, &parts_.post_processor.pair}) {
    for (const TemplatePart& part : *template_parts) {
      check(part.kind != TemplatePart::kSpecial || (part.id >= 0 && part.id < vocab_size_),
            Status::kFormat, parts_.source, ": the template has id ", part.id,
            ", but the vocabulary ends at ", vocab_size_ - 1);
    }
  }
}

std::string PipelineTokenizer::token(int32_t id) const {
  const auto added = added_tokens_.find(id);
  return added != added_tokens_.end() ? added->second->content : parts_.vocabulary->token(id);
}

int32_t PipelineTokenizer::id(std::string_view token) const {
  const auto added = added_ids_.find(token);
  return added != added_ids_.end() ? added->second : parts_.vocabulary->id(token);
}

bool PipelineTokenizer::is_special(int32_t id) const { return special_.count(id) != 0; }

void PipelineTokenizer::tokenize_text(std::string_view text, const Name& name, Scratch& scratch,
                                      TokenSequence& out) const {
  out.clear();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = part_end(text, begin);
    tokenize_part(text.substr(begin, end - begin), static_cast<int64_t>(begin), name, scratch, out);
    out.settle();
    begin = end;
  }
}

void PipelineTokenizer::tokenize_part(std::string_view text, int64_t shift, const Name& name,
                                      Scratch& scratch, TokenSequence& out) const {
  // Managed languages lend arrays that their other threads may write to. Text that was checked must
  // stay valid, because decode_valid() relies on it.
  text = scratch.own.assign(text);
  const size_t valid = valid_utf8_prefix(text), before = out.begins.size();
  if (valid == text.size()) return tokenize_valid(text, shift, scratch, out);
  check(parts_.invalid_utf8 == InvalidUtf8::kReplace, Status::kFormat, name.what, ' ', name.place,
        " is not valid UTF-8 at byte ", shift + static_cast<int64_t>(valid),
        " (invalid_utf8 = replace reads bad bytes as U+FFFD)");
  repair(text, scratch.repaired, scratch.boundaries);
  tokenize_valid(scratch.repaired, shift, scratch, out);
  for (auto* places : {&out.begins, &out.ends}) {
    for (size_t i = before; i < places->size(); ++i) {
      const int64_t place = std::max<int64_t>((*places)[i] - shift, 0);
      (*places)[i] = shift + scratch.boundaries[static_cast<size_t>(place)];
    }
  }
}

void PipelineTokenizer::tokenize_valid(std::string_view text, int64_t shift, Scratch& scratch,
                                       TokenSequence& out) const {
  in_given_.split(text, [&](size_t begin, size_t end, const AddedToken* token) {
    const std::string_view part = text.substr(begin, end - begin);
    const int64_t first = shift + static_cast<int64_t>(begin);
    NormalizedText& normalized = scratch.normalized;
    if (token != nullptr) {
      add_token(*token, part, first, shift + static_cast<int64_t>(end), out);
      return;
    }
    normalizer_.normalize(part, first, out.aligned || needs_places(), normalized);
    in_normalized_.split(normalized.bytes, [&](size_t from, size_t to, const AddedToken* found) {
      if (found != nullptr) {
        add_normalized(*found, normalized, from, to, out);
      } else {
        tokenize(normalized, from, to, out);
      }
    });
  });
}

PipelineTokenizer::SpaceCount PipelineTokenizer::count_leading_space(std::string_view text) {
  SpaceCount count;
  for (size_t at = 0; at < text.size() && is_trimmed(decode_utf8(text, at)); ++count.characters)
    count.bytes = static_cast<int64_t>(at);
  return count;
}

void PipelineTokenizer::add_normalized(const AddedToken& token, const NormalizedText& text,
                                       size_t begin, size_t end, TokenSequence& out) const {
  if (!out.aligned) {
    out.ids.push_back(token.id);
    return;
  }
  // White space is as wide as its source.
  const auto width = [&](size_t from, size_t to) {
    int64_t bytes = 0;
    while (from < to) {
      bytes += text.ends[from] - text.begins[from];
      decode_valid(text.bytes, from);
    }
    return bytes;
  };
  const std::string_view matched = text.bytes.substr(begin, end - begin);
  const SpaceCount leading = count_leading_space(matched);
  const auto trailing = static_cast<size_t>(trailing_space_bytes(matched));
  add_trimmed(token, {leading.characters, width(begin, begin + static_cast<size_t>(leading.bytes))},
              width(end - trailing, end), text.begins[begin], text.ends[end - 1], out);
}

void PipelineTokenizer::add_token(const AddedToken& token, std::string_view matched, int64_t first,
                                  int64_t last, TokenSequence& out) const {
  if (!out.aligned) {
    out.ids.push_back(token.id);
    return;
  }
  add_trimmed(token, count_leading_space(matched), trailing_space_bytes(matched), first, last, out);
}

void PipelineTokenizer::add_trimmed(const AddedToken& token, const SpaceCount& leading,
                                    int64_t trailing_bytes, int64_t first, int64_t last,
                                    TokenSequence& out) const {
  parts_.post_processor.trim(leading.characters, leading.bytes, trailing_bytes, out.ids.empty(),
                             first, last);
  out.add(token.id, first, last);
}

int64_t PipelineTokenizer::room(int64_t max_length, bool is_pair) const {
  if (max_length == 0) return kNoLimit;
  const int64_t special = parts_.post_processor.special_count(is_pair);
  check(max_length >= special, Status::kArgument, "max_length is ", max_length,
        ": the special tokens alone are ", special, " (0 means no limit)");
  return max_length - special;
}

int64_t PipelineTokenizer::prepare(std::string_view text, int64_t place, int64_t max_length,
                                   Scratch& scratch) const {
  const int64_t left = room(max_length, false);
  scratch.limit(left, parts_.truncates_left);
  tokenize_text(text, {"text", place}, scratch, scratch.first);
  const int64_t full = scratch.first.full_length();
  scratch.first.truncate(left);
  return full + parts_.post_processor.special_count(false);
}

int64_t PipelineTokenizer::prepare_pair(std::string_view a, std::string_view b, int64_t place,
                                        int64_t max_length, Scratch& scratch) const {
  const int64_t left = room(max_length, true);
  scratch.limit(left, parts_.truncates_left);
  tokenize_text(a, {"text a of pair", place}, scratch, scratch.first);
  tokenize_text(b, {"text b of pair", place}, scratch, scratch.second);
  int64_t first = scratch.first.full_length(), second = scratch.second.full_length();
  const int64_t full = first + second + parts_.post_processor.special_count(true);
  truncate_longest_first(left, first, second);
  scratch.first.truncate(first);
  scratch.second.truncate(second);
  return full;
}

void PipelineTokenizer::append_parts(const std::vector<TemplatePart>& parts, int64_t full_length,
                                     const Scratch& scratch, TokenBatch& batch) const {
  for (const TemplatePart& part : parts) {
    if (part.kind == TemplatePart::kSpecial) {
      batch.ids.push_back(part.id);
    } else {
      const std::vector<int32_t>& ids =
          (part.kind == TemplatePart::kFirst ? scratch.first : scratch.second).ids;
      batch.ids.insert(batch.ids.end(), ids.begin(), ids.end());
    }
    batch.type_ids.resize(batch.ids.size(), parts_.passes_types ? part.type_id : 0);
  }
  batch.offsets.push_back(static_cast<int64_t>(batch.ids.size()));
  batch.full_lengths.push_back(narrow<int32_t>(full_length, "token count"));
}

Encoding PipelineTokenizer::join_parts(const std::vector<TemplatePart>& parts, int64_t full_length,
                                       const Scratch& scratch) const {
  Encoding result;
  result.full_length = full_length;
  for (const TemplatePart& part : parts) {
    if (part.kind == TemplatePart::kSpecial) {
      result.ids.push_back(part.id);
      result.begins.push_back(-1);
      result.ends.push_back(-1);
    } else {
      const TokenSequence& sequence =
          part.kind == TemplatePart::kFirst ? scratch.first : scratch.second;
      result.ids.insert(result.ids.end(), sequence.ids.begin(), sequence.ids.end());
      result.begins.insert(result.begins.end(), sequence.begins.begin(), sequence.begins.end());
      result.ends.insert(result.ends.end(), sequence.ends.begin(), sequence.ends.end());
    }
    result.type_ids.resize(result.ids.size(), part.type_id);
  }
  return result;
}

void PipelineTokenizer::append(std::string_view text, int64_t max_length, TokenBatch& batch) const {
  Scratch& scratch = Scratch::of_thread();
  scratch.first.aligned = false;
  const int64_t full_length = prepare(text, batch.texts(), max_length, scratch);
  append_parts(parts_.post_processor.single, full_length, scratch, batch);
}

void PipelineTokenizer::append_pair(std::string_view a, std::string_view b, int64_t max_length,
                                    TokenBatch& batch) const {
  Scratch& scratch = Scratch::of_thread();
  scratch.first.aligned = scratch.second.aligned = false;
  const int64_t full_length = prepare_pair(a, b, batch.texts(), max_length, scratch);
  append_parts(parts_.post_processor.pair, full_length, scratch, batch);
}

Encoding PipelineTokenizer::encode(std::string_view text, int64_t max_length) const {
  Scratch& scratch = Scratch::of_thread();
  scratch.first.aligned = true;
  const int64_t full_length = prepare(text, 0, max_length, scratch);
  return join_parts(parts_.post_processor.single, full_length, scratch);
}

Encoding PipelineTokenizer::encode_pair(std::string_view a, std::string_view b,
                                        int64_t max_length) const {
  Scratch& scratch = Scratch::of_thread();
  scratch.first.aligned = scratch.second.aligned = true;
  const int64_t full_length = prepare_pair(a, b, 0, max_length, scratch);
  return join_parts(parts_.post_processor.pair, full_length, scratch);
}

}  // namespace contrastive::text
