#include "core/eval/retrieval/paraphrase_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(ParaphraseFiles, TheTextsOfPairsAreSearchedOnce) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("p.tsv", "1\tabc\tabd\n0\tabc\txyz\n1\tabd\tabc\n1\txyz\txyz\n");
  const ParaphraseData data = read_paraphrase_pairs(path, false);
  EXPECT_EQ(data.texts, (std::vector<std::string>{"abc", "abd", "xyz"}));
  EXPECT_EQ(data.paraphrases.count(), 1);
  LetterEncoder letters;
  const Json json = evaluate_paraphrases(data, letters.encoder(), {}).to_json();
  EXPECT_EQ(json["pairs"], 3);
  EXPECT_EQ(json["f1"], 1.0);
  EXPECT_EQ(json["average_precision"], 1.0);
  EXPECT_EQ(letters.encoded, 3);
  const ParaphraseData none = read_paraphrase_pairs(folder.write("n.tsv", "0\ta\tb\n"), false);
  expect_error(Status::kFormat, "paraphrases: none of the pairs of texts",
               [&] { evaluate_paraphrases(none, letters.encoder(), {}); });
}

TEST(ParaphraseFiles, ReadsTextsAndDuplicatesById) {
  const TemporaryFolder folder;
  const std::string texts = folder.write("texts.tsv", "qid\tsentence\n7\tabc\n8\tabc\n9\txyz\n");
  const ParaphraseData data =
      read_paraphrase_files(texts, folder.write("d.tsv", "qid1\tqid2\n7\t8\n8\t9\n"), true);
  EXPECT_EQ(data.texts.size(), 3u);
  EXPECT_EQ(data.paraphrases.count(), 3);
  LetterEncoder letters;
  EXPECT_EQ(evaluate_paraphrases(data, letters.encoder(), {}).to_json()["recall"], 1.0);
  EXPECT_EQ(letters.encoded, 2);  // 7 and 8 are one text
  const auto read = [&](const std::string& lines) {
    read_paraphrase_files(texts, folder.write("e.tsv", lines), false);
  };
  expect_error(Status::kNotFound, "e.tsv:2: no text has the id '10'",
               [&] { read("7\t8\n7\t10\n"); });
  expect_error(Status::kFormat, "e.tsv:1", [&] { read("7\n"); });
  const std::string twice = folder.write("twice.tsv", "7\ta\n7\tb\n");
  expect_error(Status::kFormat, "twice.tsv:2",
               [&] { read_paraphrase_files(twice, folder.write("e.tsv", "7\t7\n"), false); });
  // Texts may have the names of columns as their ids.
  const ParaphraseData named = read_paraphrase_files(folder.write("t.tsv", "id1\ta\nid2\tb\n"),
                                                     folder.write("d.tsv", "id1\tid2\n"), false);
  EXPECT_EQ(named.paraphrases.count(), 1);
}

}  // namespace
}  // namespace contrastive::eval
