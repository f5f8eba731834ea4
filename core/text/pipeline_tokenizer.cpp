#include "core/text/pipeline_tokenizer.h"

#include <algorithm>
#include <limits>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/host/per_thread.h"
#include "core/text/normalizer_stream.h"
#include "core/text/pending_text.h"
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
    static const host::PerThread<Scratch> scratches;
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

// Maps positions in the repaired text to positions in `text`, for the few tokens of a long text
// that are kept: one pass, without a table of the whole text.
void map_places(std::string_view text, TokenSequence& tokens) {
  std::vector<int64_t*> places;
  for (auto* list : {&tokens.begins, &tokens.ends}) {
    for (int64_t& place : *list) places.push_back(&place);
  }
  std::sort(places.begin(), places.end(),
            [](const int64_t* a, const int64_t* b) { return *a < *b; });
  size_t at = 0;
  int64_t begin = 0,
          repaired = 0;  // the repaired position of the character before `at`, and of `at`
  for (int64_t* place : places) {
    while (*place >= repaired && at < text.size()) {
      char bytes[4];
      begin = static_cast<int64_t>(at);
      repaired += static_cast<int64_t>(encode_utf8(decode_utf8(text, at), bytes));
    }
    *place = *place >= repaired ? static_cast<int64_t>(text.size()) : begin;
  }
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
  const bool is_long = text.size() > parts_.window,
             replaces = parts_.invalid_utf8 == InvalidUtf8::kReplace;
  if (is_long && replaces &&
      !in_given_.mentions("\uFFFD")) {  // each piece is repaired when it is processed
    tokenize_long(text, out);
    return;
  }
  // Managed languages lend arrays that their other threads may write to. Text that was checked must
  // stay valid, because decode_valid() relies on it.
  if (!is_long) text = scratch.own.assign(text);
  const size_t valid = valid_utf8_prefix(text);
  check(valid == text.size() || replaces, Status::kFormat, name.what, ' ', name.place,
        " is not valid UTF-8 at byte ", valid,
        " (invalid_utf8 = replace reads bad bytes as U+FFFD)");
  if (valid == text.size()) {
    if (is_long) tokenize_long(text, out);
    else tokenize_valid(text, scratch, out);
    return;
  }
  repair(text, scratch.repaired, scratch.boundaries);
  tokenize_valid(scratch.repaired, scratch, out);
  for (int64_t& begin : out.begins) begin = scratch.boundaries[begin];
  for (int64_t& end : out.ends) end = scratch.boundaries[end];
}

void PipelineTokenizer::tokenize_valid(std::string_view text, Scratch& scratch,
                                       TokenSequence& out) const {
  in_given_.split(text, [&](size_t begin, size_t end, const AddedToken* token) {
    const std::string_view part = text.substr(begin, end - begin);
    NormalizedText& normalized = scratch.normalized;
    if (token != nullptr) {
      add_token(*token, part, static_cast<int64_t>(begin), static_cast<int64_t>(end), out);
      return;
    }
    normalizer_.normalize(part, static_cast<int64_t>(begin), out.aligned || needs_places(),
                          normalized);
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

// A part of a long text between the tokens that are found in the original text. It is normalised
// piece by piece, searched for the other added tokens, and tokenised. It holds back text that may
// still be the beginning of such a token, and white space of any length that may belong to one.
// Only that memory grows with a text, and only if the vocabulary has a token with lstrip or rstrip
// that is searched for in normalised text.
class PipelineTokenizer::LongPart {
 public:
  LongPart(const PipelineTokenizer& tokenizer, PartTokenizer& model, TokenSequence& out)
      : tokenizer_(tokenizer), finder_(tokenizer.in_normalized_), model_(model), out_(out) {}

  void take(const NormalizedText& piece) {
    if (finder_.empty()) {
      model_.take(piece, 0, piece.bytes.size(), out_);
    } else {
      held_.append(piece, 0, piece.bytes.size());
      search(false);
    }
    out_.settle();
  }

  void finish() {
    if (!finder_.empty()) search(true);
    model_.finish(out_);
    out_.settle();
  }

 private:
  void search(bool ended) {
    const std::string_view text = held_.bytes();
    const size_t context = finder_.longest() + 4;  // of a token and the character after it
    const size_t stop = ended ? text.size() : text.size() - std::min(text.size(), context);
    if (growing_) {
      match_.end = skip_space(text, match_.end);
      if (match_.end == text.size() && !ended) return;
      add_match();
    }
    const size_t searched = at_;
    while (finder_.next(text, at_, stop, taken_, match_)) {
      give(match_.begin);
      growing_ = match_.token->rstrip && match_.end == text.size() &&
                 !ended;  // the white space that belongs to it may continue
      if (growing_) return;
      add_match();
    }
    size_t safe = std::min(at_, text.size());
    while (safe > given_ && safe < text.size() &&
           (static_cast<unsigned char>(text[safe]) & 0xC0) == 0x80)
      --safe;
    if (finder_.any_lstrip() && !ended) {
      // Everything held since the last search is white space.
      const size_t from = std::max({searched, taken_, given_});
      safe = skip_space_back(text, safe, from);
      if (safe <= from) safe = given_;
    }
    give(std::max(safe, given_));
    forget();
  }

  void add_match() {
    growing_ = false;
    model_.finish(out_);
    tokenizer_.add_normalized(*match_.token, held_.text(), match_.begin, match_.end, out_);
    given_ = taken_ = match_.end;  // continue the search directly after the token: the white space
                                   // that belongs to it may begin the next token
  }

  void give(size_t end) {
    if (end > given_) model_.take(held_.text(), given_, end, out_);
    given_ = end;
    out_.settle();
  }

  // Keep the character before the held text: a token with single_word needs it.
  void forget() {
    size_t drop = std::min(given_, at_);
    drop -= std::min<size_t>(drop, 4);
    while (drop < given_ && (static_cast<unsigned char>(held_.bytes()[drop]) & 0xC0) == 0x80)
      ++drop;
    held_.drop(drop);
    given_ -= drop;
    at_ -= std::min(at_, drop);
    taken_ -= std::min(taken_, drop);
  }

  const PipelineTokenizer& tokenizer_;
  const AddedTokenFinder& finder_;
  PartTokenizer& model_;
  TokenSequence& out_;
  PendingText held_;
  AddedTokenFinder::Match match_{};
  bool growing_ = false;
  size_t at_ = 0, taken_ = 0,
         given_ = 0;  // how far, after the last token, text has been searched and given to the
                      // model
};

void PipelineTokenizer::tokenize_long(std::string_view text, TokenSequence& out) const {
  const size_t size = std::max<size_t>(parts_.window / 4, 1);
  const std::unique_ptr<PartTokenizer> model = start_part();
  int64_t place = 0;  // position in the repaired text
  size_t behind = 0;  // the end of the last token
  in_given_.split(text, [&](size_t begin, size_t end, const AddedToken* token) {
    if (begin < behind)
      place -= static_cast<int64_t>(
          behind - begin);  // a token in the white space that belongs to the previous one
    behind = end;
    const std::string_view part = text.substr(begin, end - begin);
    if (token != nullptr) {
      const int64_t first = place;
      place += static_cast<int64_t>(part.size());  // tokens are well formed
      add_token(*token, part, first, place, out);
      out.settle();
      return;
    }
    LongPart long_part(*this, *model, out);
    NormalizerStream stream(normalizer_, part, place, out.aligned || needs_places(), size);
    NormalizedText piece;
    while (stream.next(piece)) long_part.take(piece);
    long_part.finish();
    place = stream.place();
  });
  if (place != static_cast<int64_t>(text.size()))
    map_places(text, out);  // U+FFFD takes at least as many bytes as the sequence that it replaces
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
