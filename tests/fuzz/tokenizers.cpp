// Tokenizer files, and texts for the tokenizers of the fixture models. Ids must be in the
// vocabulary, and positions in the text.
#include <memory>
#include <set>

#include "core/io/pruned_tokenizer.h"
#include "core/io/tokenizer_files.h"
#include "core/io/tokenizer_json.h"
#include "core/io/tokenizer_settings.h"
#include "core/text/charsmap.h"
#include "core/text/regular_expression.h"
#include "core/text/utf8.h"
#include "tests/fuzz/target.h"

namespace contrastive::fuzz {
namespace {

constexpr std::string_view kText = "Hello, wORLD! caf\xc3\xa9 \xe4\xb8\xad\xe6\x96\x87 un\xff"
                                   "believable <s>[MASK] \xf0\x9f\x98\x80\n  123";

// The types of the template, or 0 for every token if the tokenizer gives an encoder no types.
bool types_fit(const text::TokenBatch& batch, const text::Encoding& encoding) {
  return batch.type_ids == encoding.type_ids ||
         batch.type_ids == std::vector<int32_t>(encoding.ids.size(), 0);
}

void check_encoding(const text::Tokenizer& tokenizer, const text::Encoding& encoding,
                    const std::vector<int64_t>& sizes, int64_t max_length) {
  const size_t count = encoding.ids.size();
  expect(encoding.type_ids.size() == count && encoding.begins.size() == count &&
             encoding.ends.size() == count,
         "arrays of different length");
  expect(max_length == 0 || static_cast<int64_t>(count) <= max_length, "more ids than the limit");
  expect(encoding.full_length >= static_cast<int64_t>(count),
         "the whole text has fewer tokens than its part");
  expect(max_length != 0 || encoding.full_length == static_cast<int64_t>(count),
         "a text was cut without a limit");
  for (size_t i = 0; i < count; ++i) {
    const int64_t begin = encoding.begins[i], end = encoding.ends[i];
    expect(encoding.ids[i] >= 0 && encoding.ids[i] < tokenizer.vocab_size(),
           "an id outside of the vocabulary");
    if (begin == -1 && end == -1) continue;
    int64_t size = 0;
    for (const int64_t one : sizes) size = std::max(size, one);
    expect(begin >= 0 && begin <= end && end <= size, "a position outside of the text");
  }
}

void check_text(const text::Tokenizer& tokenizer, std::string_view text) {
  const int64_t size = static_cast<int64_t>(text.size());
  for (const int64_t max_length : {int64_t{0}, int64_t{6}}) {
    text::Encoding encoding;
    text::TokenBatch batch;
    // A template may have more special tokens than fit, and a regular expression may take too long.
    bool too_long = false;
    const auto encode = [&] {
      try {
        encoding = tokenizer.encode(text, max_length);
      } catch (const Error& error) {
        too_long = error.status() == Status::kLimit;
        throw;
      }
    };
    if (!accepted(encode, {Status::kArgument})) {
      expect(max_length > 0 || too_long, "a text without a limit was refused");
      continue;
    }
    check_encoding(tokenizer, encoding, {size}, max_length);
    tokenizer.append(text, max_length, batch);
    expect(batch.texts() == 1 && batch.ids == encoding.ids && types_fit(batch, encoding),
           "append and encode differ");
    expect(batch.full_lengths[0] == encoding.full_length, "append and encode count differently");

    const std::string_view a = text.substr(0, text.size() / 3), b = text.substr(text.size() / 3);
    if (!accepted([&] { encoding = tokenizer.encode_pair(a, b, max_length); }, {Status::kArgument}))
      continue;
    check_encoding(tokenizer, encoding,
                   {static_cast<int64_t>(a.size()), static_cast<int64_t>(b.size())}, max_length);
    batch.clear();
    tokenizer.append_pair(a, b, max_length, batch);
    expect(batch.ids == encoding.ids && types_fit(batch, encoding),
           "append_pair and encode_pair differ");
  }
}

void check_tokenizer(const text::Tokenizer& tokenizer, std::string_view text) {
  const text::SpecialIds& special = tokenizer.special_ids();
  for (const int32_t id : {special.pad, special.unk, special.cls, special.sep, special.mask}) {
    expect(id >= -1 && id < tokenizer.vocab_size(), "a special token outside of the vocabulary");
  }
  expect(tokenizer.model_max_length() >= 0, "a negative length");
  bool known = false;
  for (const char* kind : {"wordpiece", "byte-bpe", "bpe", "unigram", "word-level"})
    known = known || tokenizer.kind() == kind;
  expect(known, "a tokenizer without a kind");
  for (int32_t id = -1; id <= std::min<int64_t>(tokenizer.vocab_size(), 300); ++id) {
    const std::string token = tokenizer.token(id);
    if (!token.empty())
      expect(tokenizer.id(token) >= 0 && tokenizer.token(tokenizer.id(token)) == token,
             "a token is not found by its name");
    tokenizer.is_special(id);
  }
  check_text(tokenizer, text);
  check_text(tokenizer, kText);
}

void load_and_check(const MemoryFolder& folder, std::string_view text) {
  std::shared_ptr<const text::Tokenizer> tokenizer;
  if (accepted([&] { tokenizer = io::load_tokenizer(folder.path()); }, {Status::kNotFound}))
    check_tokenizer(*tokenizer, text);
}

}  // namespace

FUZZ_TARGET(tokenizer_json) {
  const auto parts = pieces(bytes, 3);  // the document, tokenizer_config.json, a text
  const MemoryFolder folder;
  folder.write("tokenizer.json", parts[0]);
  if (!parts[1].empty()) folder.write("tokenizer_config.json", parts[1]);
  load_and_check(folder, parts[2]);
}

// The tokens of a tokenizer that are kept when its encoder is distilled into a table.
FUZZ_TARGET(pruned_tokenizer) {
  const auto parts = pieces(bytes, 2);  // the document, a text
  std::shared_ptr<const text::Tokenizer> tokenizer, left;
  if (!accepted([&] { tokenizer = io::tokenizer_from_json(parts[0], "tokenizer.json", {}); }))
    return;
  for (const bool drop_unused : {true, false}) {
    io::PrunedTokenizer pruned;
    if (!accepted([&] {
          pruned = io::prune_tokenizer(parts[0], "tokenizer.json", *tokenizer, drop_unused);
        }))
      continue;
    for (const int32_t id : pruned.kept)
      expect(id >= 0 && id < tokenizer->vocab_size(), "a token is kept that does not exist");
    expect(std::set<int32_t>(pruned.kept.begin(), pruned.kept.end()).size() == pruned.kept.size(),
           "a token is kept twice");
    if (!accepted([&] {
          left = io::static_tokenizer(pruned.document, "pruned", true, text::InvalidUtf8::kReplace);
        }))
      continue;
    expect(left->vocab_size() == static_cast<int64_t>(pruned.kept.size()),
           "the vocabulary and the list of kept tokens differ in size");
    for (size_t id = 0; id < pruned.kept.size(); ++id) {
      // A file may give an added token the id of another token. If the added token is removed, the
      // other one stays.
      const std::string token = left->token(static_cast<int32_t>(id));
      expect(token == tokenizer->token(pruned.kept[id]) || tokenizer->id(token) == pruned.kept[id],
             "a token has changed");
    }
    for (const std::string_view text : {std::string_view(parts[1]), kText}) {
      text::Encoding encoding;
      if (!accepted([&] { encoding = left->encode(text, 0); })) continue;
      for (const int32_t id : encoding.ids)
        expect(id >= 0 && id < left->vocab_size(), "an id outside of the vocabulary");
    }
  }
}

FUZZ_TARGET(sentencepiece_files) {
  const auto parts = pieces(bytes, 3);  // tokenizer_config.json, a text, the model
  const MemoryFolder folder;
  folder.write("tokenizer_config.json", parts[0]);
  folder.write("spiece.model", parts[2]);
  load_and_check(folder, parts[1]);
}

FUZZ_TARGET(charsmap) {
  const auto parts = pieces(bytes, 2);  // a text, the map
  std::string text;
  for (size_t at = 0; at < parts[0].size();)
    text::append_utf8(text::decode_utf8(parts[0], at), text);
  if (!accepted([&] { text::Charsmap(parts[1], "map"); })) return;
  const text::Charsmap map(parts[1], "map");
  text::NormalizedText in, out, unaligned;
  text::take_as_given(text, 0, true, in);
  const bool changed = map.apply(in, 0, true, out);
  expect(map.apply(in, 0, false, unaligned) == changed,
         "the map reports a change only with positions, or only without");
  if (!changed) return;
  expect(out.bytes == unaligned.bytes, "the text with positions differs from the one without");
  expect(text::valid_utf8_prefix(out.bytes) == out.bytes.size(), "the map made malformed text");
  expect(out.begins.size() == out.bytes.size() && out.ends.size() == out.bytes.size(),
         "a byte without a position");
  for (size_t i = 0; i < out.begins.size(); ++i) {
    expect(out.begins[i] >= 0 && out.begins[i] <= out.ends[i] &&
               out.ends[i] <= static_cast<int64_t>(text.size()),
           "a position outside of the text");
  }
}

FUZZ_TARGET(regular_expression) {
  const auto parts = pieces(bytes, 2);  // the expression, a text
  std::string text;
  for (size_t at = 0; at < parts[1].size() && text.size() < 2000;)
    text::append_utf8(text::decode_utf8(parts[1], at), text);
  std::vector<text::Span> matches;
  if (!accepted([&] { text::RegularExpression(parts[0], "expression").find(text, matches); }))
    return;
  size_t done = 0;
  for (const text::Span& match : matches) {
    expect(match.begin >= done && match.end >= match.begin && match.end <= text.size(),
           "a match outside of the text, or over another one");
    done = match.end;
  }
}

FUZZ_TARGET(wordpiece_files) {
  const auto parts = pieces(bytes, 4);
  const MemoryFolder folder;
  folder.write("vocab.txt", parts[0]);
  if (!parts[1].empty()) folder.write("tokenizer_config.json", parts[1]);
  if (!parts[2].empty()) folder.write("special_tokens_map.json", parts[2]);
  load_and_check(folder, parts[3]);
}

FUZZ_TARGET(bpe_files) {
  const auto parts = pieces(bytes, 5);
  const MemoryFolder folder;
  folder.write("vocab.json", parts[0]);
  folder.write("merges.txt", parts[1]);
  if (!parts[2].empty()) folder.write("tokenizer_config.json", parts[2]);
  if (!parts[3].empty()) folder.write("special_tokens_map.json", parts[3]);
  load_and_check(folder, parts[4]);
}

FUZZ_TARGET(tokenise) {
  static const auto wordpiece =
      io::load_tokenizer(std::string(CONTRASTIVE_FIXTURES) + "/models/bert_st");
  static const auto byte_bpe =
      io::load_tokenizer(std::string(CONTRASTIVE_FIXTURES) + "/models/roberta_hf");
  static const auto strict =
      io::load_tokenizer(std::string(CONTRASTIVE_FIXTURES) + "/models/bert_st",
                         text::InvalidUtf8::kError);
  check_text(*wordpiece, bytes);
  check_text(*byte_bpe, bytes);
  text::Encoding encoding;
  if (accepted([&] { encoding = strict->encode(bytes, 0); })) {
    expect(encoding.ids == wordpiece->encode(bytes, 0).ids,
           "a well-formed text reads differently where malformed ones are refused");
  }
}

}  // namespace contrastive::fuzz
