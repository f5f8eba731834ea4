#include "core/io/pruned_tokenizer.h"

#include "core/io/tokenizer_files.h"
#include "core/io/tokenizer_json.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::io {
namespace {

using testing::ElementsAre;

PrunedTokenizer pruned(const std::string& document, bool drop_unused = true) {
  return prune_tokenizer(document, "here", *tokenizer_from_json(document, "here", {}), drop_unused);
}

const std::string kAdded =
    R"([{"id": 0, "content": "[PAD]", "special": true}, {"id": 1, "content": "[UNK]", "special": true},
                               {"id": 2, "content": "[CLS]", "special": true}, {"id": 3, "content": "[SEP]", "special": true}])";

TEST(PrunedTokenizer, KeepsWhatTextsHave) {
  const std::string document =
      R"({"version": "1.0", "truncation": {"max_length": 4, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
    "added_tokens": )" +
      kAdded +
      R"(, "normalizer": null, "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
      "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[unused1]": 4, "a\"b": 7, "the": 5, "[unusedx]": 6, "##s": 8, "\u00e9": 9}}})";
  const PrunedTokenizer result = pruned(document);
  EXPECT_THAT(result.kept, ElementsAre(0, 1, 5, 6, 7, 8, 9));
  const auto tokenizer = tokenizer_from_json(result.document, "there", {});
  EXPECT_EQ(tokenizer->vocab_size(), 7);
  EXPECT_EQ(tokenizer->token(4), "a\"b");
  EXPECT_THAT(tokenizer->encode("thes \u00e9 zzz", 0).ids, ElementsAre(2, 5, 6, 1))
      << "and nothing around it";
  EXPECT_THAT(pruned(document, false).kept, ElementsAre(0, 1, 4, 5, 6, 7, 8, 9));
}

TEST(PrunedTokenizer, ListsAndTheirUnknownTokenToo) {
  const std::string document =
      R"({"version": "1.0", "added_tokens": [{"id": 0, "content": "<s>", "special": true}, {"id": 1, "content": "<pad>", "special": true},
      {"id": 2, "content": "<unk>", "special": true}, {"id": 5, "content": "<mask>", "special": true}],
    "normalizer": null, "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": true}, "post_processor": null,
    "model": {"type": "Unigram", "unk_id": 2, "byte_fallback": false, "vocab": [["<s>", 0.0], ["<pad>", 0.0], ["<unk>", 0.0], ["\u2581the", -1.5], ["\u2581a", -2.25]]}})";
  const PrunedTokenizer result = pruned(document);
  EXPECT_THAT(result.kept, ElementsAre(1, 2, 3, 4));
  const auto tokenizer = tokenizer_from_json(result.document, "there", {});
  EXPECT_THAT(tokenizer->encode("the a \u00e9", 0).ids, testing::Contains(1));
  EXPECT_EQ(tokenizer->token(2), "\u2581the");
}

TEST(PrunedTokenizer, EveryFixtureIsPrunedAndReadAgain) {
  for (const char* folder :
       {"models/bert_st", "kinds/unigram", "kinds/gemma_bpe", "kinds/qwen_bpe"}) {
    SCOPED_TRACE(folder);
    const std::string path = fixtures() + "/" + folder;
    const auto tokenizer = load_tokenizer(path);
    const PrunedTokenizer result =
        prune_tokenizer(test::read_text(path + "/tokenizer.json"), path, *tokenizer, true);
    const auto again = static_tokenizer(result.document, path, false, text::InvalidUtf8::kReplace);
    ASSERT_EQ(again->vocab_size(), static_cast<int64_t>(result.kept.size()));
    for (size_t id = 0; id < result.kept.size(); ++id)
      EXPECT_EQ(again->token(static_cast<int32_t>(id)), tokenizer->token(result.kept[id])) << id;
    // A text has the same tokens as before, except those around it.
    const text::Encoding before = tokenizer->encode("the old house, 12 cats", 0),
                         after = again->encode("the old house, 12 cats", 0);
    std::vector<int32_t> mapped, own;
    for (const int32_t id : after.ids) mapped.push_back(result.kept[static_cast<size_t>(id)]);
    for (size_t i = 0; i < before.ids.size(); ++i) {
      if (before.begins[i] >= 0) own.push_back(before.ids[i]);
    }
    EXPECT_EQ(mapped, own);
  }
}

// Tokens with confusing names, which must not be mistaken for the vocabulary or the merges.
TEST(PrunedTokenizer, TokensThatAreCalledAsPlacesAre) {
  const std::string document =
      R"({"version": "1.0", "added_tokens": [{"id": 0, "content": "vocabulary stands here", "special": true}], "normalizer": {"type": "Replace",
    "pattern": {"String": "here"}, "content": "merges stand here"}, "pre_tokenizer": null, "post_processor": null, "model": {"type": "BPE",
    "unk_token": "vocabulary stands here", "vocab": {"vocabulary stands here": 0, "here": 1, "here.": 2, "a": 3, "here..": 4, "here..a": 5},
    "merges": [["here..", "a"], ["here", "a"]]}})";
  std::string with_all = document;
  const std::string last = "\"here..a\": 5";
  with_all.replace(with_all.find(last), last.size(), last + ", \"herea\": 6");
  const PrunedTokenizer result = pruned(with_all);
  EXPECT_THAT(result.kept, ElementsAre(0, 1, 2, 3, 4, 5, 6));
  const Json json = parse_json(result.document, "there");
  EXPECT_EQ(json["added_tokens"][0]["content"], "vocabulary stands here");
  EXPECT_EQ(json["normalizer"]["content"], "merges stand here");
  EXPECT_EQ(json["model"]["vocab"]["here."], 2);
  EXPECT_EQ(json["model"]["merges"], Json::parse(R"([["here..", "a"], ["here", "a"]])"));
}

// Its keys are added, so the document grows.
TEST(PrunedTokenizer, ADocumentOfItsModelAlone) {
  const PrunedTokenizer result = pruned(
      R"({"model": {"type": "WordLevel", "unk_token": "no", "vocab": {"yes": 0, "no": 1, "may be": 2}}})");
  EXPECT_THAT(result.kept, ElementsAre(0, 1, 2));
  const Json json = parse_json(result.document, "there");
  EXPECT_EQ(json["model"]["vocab"].dump(), R"({"yes":0,"no":1,"may be":2})");
  EXPECT_EQ(json["model"]["unk_token"], "no");
  EXPECT_TRUE(json["post_processor"].is_null() && json["added_tokens"].empty());
}

TEST(PrunedTokenizer, AMergeOfATokenThatGoesIsRefused) {
  const std::string document =
      R"({"version": "1.0", "added_tokens": [{"id": 2, "content": "ab", "special": true}], "normalizer": null, "pre_tokenizer": {"type":
    "ByteLevel", "add_prefix_space": false, "use_regex": true}, "post_processor": null, "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}})";
  expect_error(Status::kUnsupported, "'a' and 'b'", [&] { pruned(document); });
}

}  // namespace
}  // namespace contrastive::io
