// Folders of tokenizers: their files, the ids of a text, and folders that are refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/rng.h"
#include "core/io/tokenizer_files.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::test {

inline const std::string kFixtures = fixtures() + "/tokenizers/";

constexpr const char* kVocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\n##s\ncafé\n";

constexpr const char* kBert = R"({
  "added_tokens": [{"id": 2, "content": "[CLS]", "special": true, "normalized": false}],
  "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
  "pre_tokenizer": {"type": "BertPreTokenizer"},
  "post_processor": {"type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]}}},
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
    "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "the": 3, "cat": 4, "##s": 5}}})";

inline std::vector<int32_t> ids(const text::Tokenizer& tokenizer, std::string_view text) {
  return tokenizer.encode(text, 0).ids;
}
inline std::vector<int32_t> ids(const std::string& folder, std::string_view text) {
  return ids(*io::load_tokenizer(folder), text);
}

// Expects loading the folder to fail.
inline void expect_refused(const TemporaryFolder& folder, Status status,
                           const std::string& message_part) {
  expect_error(status, message_part, [&] { io::load_tokenizer(folder.path()); });
}

// Changes, drops, doubles or cuts bytes anywhere: loading must give a working tokenizer or an
// Error.
inline void fuzz(const std::vector<std::string>& files, const TemporaryFolder& folder,
                 uint64_t rounds) {
  int refused = 0;
  std::vector<std::string> originals;
  for (const std::string& file : files) originals.push_back(read_text(folder / file));
  for (uint64_t round = 0; round < rounds; ++round) {
    Rng rng(9, Purpose::kSubset, files.size(), round);
    const size_t which = rng.below(files.size());
    std::string bytes = originals[which];
    for (uint64_t edits = 1 + rng.below(4); edits > 0 && !bytes.empty(); --edits) {
      const size_t at = rng.below(bytes.size()), length = 1 + rng.below(12);
      const uint64_t kind = rng.below(5);
      if (kind == 0) bytes[at] = static_cast<char>(rng.below(256));
      if (kind == 1) bytes.erase(at, length);
      if (kind == 2) bytes.insert(at, bytes.substr(rng.below(bytes.size()), length));
      if (kind == 3)
        bytes.insert(at, std::vector<std::string>{"\"", "{", "]", "-1", "99999999999", "null", "\n",
                                                  " ", "\xFF"}[rng.below(9)]);
      if (kind == 4 && rng.below(8) == 0) bytes.resize(at);
    }
    write_text(folder / files[which], bytes);
    try {
      io::load_tokenizer(folder.path())->encode("The cats' café 中文 <mask> [MASK]\xFF", 12);
    } catch (const Error& error) {
      EXPECT_FALSE(error.message().empty());
      ++refused;
    }
    write_text(folder / files[which], originals[which]);
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, static_cast<int>(rounds));
}

}  // namespace contrastive::test
