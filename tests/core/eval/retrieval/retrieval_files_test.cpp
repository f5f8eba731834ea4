#include "core/eval/retrieval/retrieval_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(RetrievalFiles, EqualDocumentsOfPairsAreOneDocument) {
  const TemporaryFolder folder;
  const RetrievalData data =
      read_pairs(folder.write("pairs.tsv", "q1\tsame\nq2\tother\nq3\tsame\n"));
  EXPECT_EQ(data.documents, (std::vector<std::string>{"same", "other"}));
  EXPECT_EQ(data.judged[2], (Judgements{{0, 1.0}}));
  expect_error(Status::kFormat, "bad.tsv:1: 3 tab separated columns, expected 2",
               [&] { read_pairs(folder.write("bad.tsv", "q\td\tx\n")); });
}

TEST(RetrievalFiles, ReadsTheLayoutOfBeir) {
  const TemporaryFolder folder;
  const std::string corpus =
      folder.write("corpus.jsonl", "{\"_id\": \"d1\", \"title\": \"T\", \"text\": \"one\"}\n"
                                   "{\"_id\": \"d2\", \"title\": \"\", \"text\": \"two\"}\n");
  const std::string queries = folder.write(
      "queries.jsonl",
      "{\"_id\": \"a\", \"text\": \"not judged\"}\n\n{\"_id\": \"b\", \"text\": \"judged\"}\n");
  const RetrievalData data =
      read_beir(queries, corpus,
                folder.write("q.tsv",
                             "query-id\tcorpus-id\tscore\nb\td2\t2\nb\td1\t0\na\td1\t0\n"));
  EXPECT_EQ(data.documents, (std::vector<std::string>{"T one", "two"}));
  EXPECT_EQ(data.queries, (std::vector<std::string>{"judged"}));
  EXPECT_EQ(data.judged[0], (Judgements{{1, 2.0}}));
  const RetrievalData again =
      read_beir(queries, corpus, folder.write("r.tsv", "b\td1\t2\nb\td2\t1\nb\td1\t0\nb\td2\t3\n"));
  EXPECT_EQ(again.judged[0], (Judgements{{1, 3.0}}))
      << "of several judgements of a pair the last one counts";

  const auto read = [&](const std::string& judgements) {
    read_beir(queries, corpus, folder.write("e.tsv", judgements));
  };
  expect_error(Status::kNotFound, "e.tsv:1: no document has the _id 'd9'",
               [&] { read("b\td9\t1\n"); });
  expect_error(Status::kFormat, "e.tsv:1: grade 'yes'", [&] { read("b\td1\tyes\n"); });
  expect_error(Status::kFormat, "e.tsv: it names no relevant document",
               [&] { read("b\td1\t0\n"); });
  const std::string twice =
      folder.write("twice.jsonl",
                   "{\"_id\": \"b\", \"text\": \"x\"}\n{\"_id\": \"b\", \"text\": \"y\"}\n");
  expect_error(Status::kFormat, "twice.jsonl:2",
               [&] { read_beir(twice, corpus, folder.write("e.tsv", "b\td1\t1\n")); });
}

TEST(RetrievalFiles, AFolderOfBeirByItsNames) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() + "/qrels");
  const auto find = [&](const std::string& split) { beir_files(folder.path(), split); };
  expect_error(Status::kNotFound, "qrels/test.tsv", [&] { find("test"); });
  folder.write("qrels/dev.tsv", "b\td2\t1\n");
  expect_error(Status::kNotFound, "queries.jsonl", [&] { find("dev"); });
  folder.write("queries.jsonl", "{\"_id\": \"b\", \"text\": \"judged\"}\n");
  // "{"_id": "d2", "text": "two"}\n", compressed by gzip.
  const char packed[] = "\037\213\010\000\000\000\000\000\002\377\253\126\212\317\114\121\262\122"
                        "\120\112\061\122\322\121\120\052\111\255\050\001"
                        "\361\112\312\363\225\152\271\000\125\305\010\024\035\000\000\000";
  folder.write("corpus.jsonl.gz", std::string(packed, sizeof packed - 1));
  const BeirFiles files = beir_files(folder.path(), "dev");
  const RetrievalData data = read_beir(files.queries, files.corpus, files.judgements);
  EXPECT_EQ(data.documents, std::vector<std::string>{"two"});
  EXPECT_EQ(data.judged[0], (Judgements{{0, 1.0}}));
}

}  // namespace
}  // namespace contrastive::eval
