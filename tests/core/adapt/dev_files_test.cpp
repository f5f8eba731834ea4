#include "core/adapt/dev_files.h"

#include <gtest/gtest.h>

#include "core/eval/retrieval/retrieval_files.h"
#include "tests/core/mining/tables.h"
#include "tests/temporary_folder.h"

namespace contrastive::adapt {
namespace {

TEST(DevFiles, AreWhatTheTaskRetrievalReads) {
  const TemporaryFolder folder;
  const std::vector<AdaptPair> dev = {{"q\tone", "a one"},
                                      {"q\tone", "a two"},
                                      {"q two", "a one"},
                                      {"q two", "a one"}};
  const auto further = mining::texts_of({"x", "a two", "y", "z"});
  write_dev_files(folder / "dev", dev, *further, 10, 1);
  const eval::BeirFiles files = eval::beir_files(folder / "dev", "dev");
  const eval::RetrievalData data = eval::read_beir(files.queries, files.corpus, files.judgements);
  EXPECT_EQ(data.queries, (std::vector<std::string>{"q\tone", "q two"}));
  EXPECT_EQ(data.documents.size(), 5u) << "two answers and three other texts";
  EXPECT_EQ(data.judged[0].size(), 2u);
  EXPECT_EQ(data.judged[1].size(), 1u);
}

TEST(DevFiles, DrawSoManyOthers) {
  const TemporaryFolder folder;
  std::vector<std::string> many;
  for (int i = 0; i < 100; ++i) many.push_back(cat("text ", i));
  write_dev_files(folder / "dev", {{"q", "a"}}, *mining::texts_of(many), 7, 3);
  const eval::BeirFiles files = eval::beir_files(folder / "dev", "dev");
  EXPECT_EQ(eval::read_beir(files.queries, files.corpus, files.judgements).documents.size(), 8u);
}

}  // namespace
}  // namespace contrastive::adapt
