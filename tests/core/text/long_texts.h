// The tokenizers that the tests of long texts run: each family, with each kind of normaliser.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/text/byte_bpe_tokenizer.h"
#include "core/text/wordpiece_tokenizer.h"
#include "tests/core/text/merges.h"

namespace contrastive::text {

inline AddedToken added(const char* content, int32_t id, const char* flags) {
  AddedToken token;
  token.content = content;
  token.id = id;
  for (; *flags != '\0'; ++flags) {
    token.single_word = token.single_word || *flags == 'w';
    token.lstrip = token.lstrip || *flags == 'l';
    token.rstrip = token.rstrip || *flags == 'r';
    token.normalized = token.normalized || *flags == 'n';
  }
  return token;
}

inline std::vector<AddedToken> added_tokens(int32_t first) {
  return {added("[M]", first, ""), added("<l>", first + 1, "l"), added("<R>", first + 2, "rn"),
          added("wo", first + 3, "w"), added("Aé", first + 4, "wn"), added("<b>", first + 5, "lrn"),
          added("<br>", first + 6, "lr"), added("a b", first + 7, "n"),
          // An added token in the white space that another one takes.
          added("\n", first + 8, ""), added(" e", first + 9, "n"), added("<r>", first + 10, "r")};
}

inline TokenizerParts wordpiece_parts(std::vector<NormalizerStep> steps) {
  TokenizerParts parts;
  parts.source = "test";
  TokenList tokens;
  for (const char* token : {"[UNK]", "[CLS]", "[SEP]", "a", "ab", "b", "##a", "##b", "##ab", ".",
                            "中", "é", "e", "##e", "##\u0301", "\u0301", "<", ">", "r"}) {
    tokens.emplace_back(token, static_cast<int32_t>(tokens.size()));
  }
  parts.normalizer = std::move(steps);
  parts.added_tokens = added_tokens(static_cast<int32_t>(tokens.size()));
  parts.vocabulary = std::make_shared<Vocabulary>(tokens, "test");
  parts.post_processor = bert_post_processor(1, 2);
  return parts;
}

inline TokenizerParts bpe_parts(std::vector<NormalizerStep> steps, bool all_bytes) {
  TokenizerParts parts;
  parts.source = "test";
  TokenList tokens;
  for (size_t byte = 0; byte < 256; ++byte) {
    if (all_bytes || byte != '.')
      tokens.emplace_back(byte_characters()[byte], static_cast<int32_t>(tokens.size()));
  }
  for (const auto& [left, right] : kMerges)
    tokens.emplace_back(left + right, static_cast<int32_t>(tokens.size()));
  for (const char* token : {"<s>", "</s>", "<unk>"})
    tokens.emplace_back(token, static_cast<int32_t>(tokens.size()));
  parts.normalizer = std::move(steps);
  parts.added_tokens = added_tokens(static_cast<int32_t>(tokens.size()));
  parts.vocabulary = std::make_shared<Vocabulary>(tokens, "test");
  const auto size = static_cast<int32_t>(tokens.size());
  parts.post_processor = roberta_post_processor(size - 3, size - 2);
  parts.post_processor.trim_offsets = true;
  return parts;
}

struct Family {
  std::string name;
  std::unique_ptr<Tokenizer> (*make)(const std::vector<NormalizerStep>& steps);
};

inline std::vector<Family> families() {
  return {{"wordpiece",
           [](const std::vector<NormalizerStep>& steps) -> std::unique_ptr<Tokenizer> {
             WordPieceOptions options;
             options.max_input_chars_per_word = 12;
             return std::make_unique<WordPieceTokenizer>(wordpiece_parts(steps), options);
           }},
          {"byte-bpe",
           [](const std::vector<NormalizerStep>& steps) -> std::unique_ptr<Tokenizer> {
             return std::make_unique<ByteBpeTokenizer>(bpe_parts(steps, true), kMerges,
                                                       ByteBpeOptions{}, ByteLevelOptions{});
           }},
          {"byte-bpe with a prefix space and unknown bytes",
           [](const std::vector<NormalizerStep>& steps) -> std::unique_ptr<Tokenizer> {
             TokenizerParts parts = bpe_parts(steps, false);
             return std::make_unique<ByteBpeTokenizer>(parts, kMerges,
                                                       ByteBpeOptions{"<unk>", true, 0},
                                                       ByteLevelOptions{true, true});
           }},
          {"byte-bpe of one piece",
           [](const std::vector<NormalizerStep>& steps) -> std::unique_ptr<Tokenizer> {
             return std::make_unique<ByteBpeTokenizer>(bpe_parts(steps, true), kMerges,
                                                       ByteBpeOptions{},
                                                       ByteLevelOptions{true, false});
           }},
          {"byte-bpe that drops bytes",
           [](const std::vector<NormalizerStep>& steps) -> std::unique_ptr<Tokenizer> {
             return std::make_unique<ByteBpeTokenizer>(bpe_parts(steps, false), kMerges,
                                                       ByteBpeOptions{}, ByteLevelOptions{});
           }}};
}

inline std::vector<std::vector<NormalizerStep>> normalizers() {
  using S = NormalizerStep;
  return {{},
          bert_steps(true, true, true, true),
          bert_steps(true, false, false, true),
          {S::kDecompose},
          {S::kClean, S::kDecompose, S::kLowerCase},
          {S::kLowerCase, S::kDecompose, S::kSpaceCjk, S::kDecompose, S::kDropMarks}};
}

}  // namespace contrastive::text
