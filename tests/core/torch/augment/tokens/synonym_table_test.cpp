#include "core/torch/augment/tokens/synonym_table.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/io/tokenizer_files.h"
#include "tests/core/torch/augment/tokens/ids.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::augment {
namespace {

std::shared_ptr<const text::Tokenizer> tokenizer(const std::string& model) {
  return io::load_tokenizer(fixtures() + "/models/" + model);
}

Ids plain(const text::Tokenizer& tokenizer, const std::string& text) {
  const Ids ids = tokenizer.encode(text, 0).ids;
  return {ids.begin() + 1, ids.end() - 1};
}

TEST(SynonymTable, ReadsLinesOfIds) {
  const TemporaryFolder folder;
  const auto words = tokenizer("bert_st");
  const auto table = SynonymTable::read(
      folder.write("ids.txt", "12, 13, 14 15\r\n\n12 16, 17\n9 9 9 9 9, 8\n11, 11\n"), *words);
  EXPECT_EQ(table.size(), 2) << "keys of five ids and candidates equal to their key are left out";
  const Ids text = {12, 16, 5};
  int64_t length = 0;
  ASSERT_NE(table.longest(text.data(), 3, length), nullptr);
  EXPECT_EQ(length, 2);
  EXPECT_EQ(*table.longest(text.data(), 3, length), (SynonymTable::Candidates{{17}}));
  EXPECT_EQ(*table.longest(text.data(), 1, length), (SynonymTable::Candidates{{13}, {14, 15}}));
  EXPECT_EQ(length, 1);
  EXPECT_EQ(table.longest(text.data() + 2, 1, length), nullptr);
}

TEST(SynonymTable, ReadsWordsAsTheyStandInATextAndAtItsBeginning) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("words.json", R"({"the": ["a", "one"], "text": [], "a": ["the"]})");
  const auto bert = tokenizer("bert_st"), roberta = tokenizer("roberta_hf");
  int64_t length = 0;
  for (const auto& [words, forms] : {std::pair(bert, 1), std::pair(roberta, 2)}) {
    const auto table = SynonymTable::read(path, *words);
    EXPECT_EQ(table.size(), 2 * forms);
    const Ids inside = plain(*words, " the"), begin = plain(*words, "the");
    const auto* found = table.longest(inside.data(), static_cast<int64_t>(inside.size()), length);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ((*found)[0], plain(*words, " a"));
    found = table.longest(begin.data(), static_cast<int64_t>(begin.size()), length);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ((*found)[0], plain(*words, "a"));
  }
}

TEST(SynonymTable, ReadsADictionary) {
  std::string words = "{";
  const auto word = [](int i) {
    std::string letters;
    for (int k = 0; k < 4; ++k, i /= 26) letters += static_cast<char>('a' + i % 26);
    return letters;
  };
  for (int i = 0; i < 30000; ++i)
    words += (i == 0 ? "\"" : ",\"") + word(i) + "\":[\"" + word(i + 1) + "\"]";
  const TemporaryFolder folder;
  EXPECT_GT(
      SynonymTable::read(folder.write("large.json", words + "}"), *tokenizer("bert_st")).size(),
      1000);
}

TEST(SynonymTable, RefusesWhatIsInNeitherForm) {
  const TemporaryFolder folder;
  const auto words = tokenizer("bert_st");
  for (const auto& [text, status, part] : std::vector<std::tuple<std::string, Status, std::string>>{
           {"", Status::kFormat, "no synonyms"},
           {"{}", Status::kFormat, "no synonyms"},
           {"{\"a\": \"b\"}", Status::kFormat, "the synonyms of 'a' are not a list"},
           {"{\"a\": [1]}", Status::kFormat, "a synonym of 'a' is not a text"},
           {"{\"a\": [", Status::kFormat, "not valid JSON at byte"},
           {"{\"a\": [[\"b\"]]}", Status::kFormat, "a synonym of 'a' is not a text"},
           {"{\"a\": {\"b\": []}}", Status::kFormat, "the synonyms of 'a' are not a list"},
           {"{\"a\": [\"b\"]} 5", Status::kFormat, "not valid JSON at byte"},
           {"1, 2\nword, 3\n", Status::kFormat, "synonyms:2: 'word' is not a token id"},
           {"1, 2\n3,, 4\n", Status::kFormat, "synonyms:2: an entry without ids"},
           {"1, 123456789\n", Status::kMismatch, "synonyms:1: id 123456789"},
           {"1, 99999999999\n", Status::kFormat, "is not a token id"},
           {"-1, 2\n", Status::kMismatch, "id -1"}}) {
    SCOPED_TRACE(text);
    expect_error(status, part,
                 [&, text = text] { SynonymTable::read(folder.write("synonyms", text), *words); });
  }
}

}  // namespace
}  // namespace contrastive::augment
