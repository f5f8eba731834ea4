#include "core/data/joined_dataset.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::data {
namespace {

std::shared_ptr<Dataset> texts(const std::string& name, int count) {
  const auto dataset = make_dataset();
  for (int i = 0; i < count; ++i) dataset->add({name + std::to_string(i), "", false});
  return dataset;
}

TEST(JoinedDataset, HasTheExamplesOfOneBehindThoseOfTheOther) {
  const auto joined = join_datasets({texts("a", 3), texts("b", 2), texts("c", 1)});
  ASSERT_EQ(joined->size(), 6);
  std::string all;
  for (int64_t i = 0; i < joined->size(); ++i) all += joined->get(i).a + " ";
  EXPECT_EQ(all, "a0 a1 a2 b0 b1 c0 ");
  expect_error(Status::kArgument, "example 6 of a dataset of 6", [&] { joined->get(6); });
  expect_error(Status::kArgument, "example -1 of a dataset of 6", [&] { joined->get(-1); });
  ASSERT_EQ(joined->parts().size(), 3u);
  EXPECT_EQ(joined->parts()[1]->get(1).a, "b1");
  EXPECT_EQ(joined->report().lines, 6);
  const TemporaryFolder folder;
  const auto with_gaps = open_dataset(folder.write("gaps.txt", "one\n\n\ntwo\n"), {});
  EXPECT_EQ(join_datasets({texts("a", 1), with_gaps, with_gaps})->report().empty_left_out(), 4);
  EXPECT_EQ(texts("a", 1)->parts().size(), 1u) << "a single dataset is its own part";
}

TEST(JoinedDataset, IsAnotherOneWhereAnyPartIs) {
  const auto fingerprint = [](int first, int second) {
    return join_datasets({texts("a", first), texts("b", second)})->fingerprint();
  };
  EXPECT_EQ(fingerprint(3, 2), fingerprint(3, 2));
  EXPECT_NE(fingerprint(3, 2), fingerprint(2, 3));
  EXPECT_NE(fingerprint(3, 2), fingerprint(3, 1));
}

TEST(JoinedDataset, SaysWhereAnExampleComesFromAndThatAFileChanged) {
  const TemporaryFolder folder;
  const std::string path = folder.write("texts.txt", "one\ntwo\n");
  const auto joined = join_datasets({texts("a", 3), open_dataset(path, {})});
  EXPECT_EQ(joined->where(1), "example 1");
  EXPECT_EQ(joined->where(4), path + ":2");
  EXPECT_NO_THROW(joined->check_unchanged());
  folder.write("texts.txt", "one, two and three\n");
  expect_error(Status::kCorrupt, "texts.txt: had 8 bytes when it was opened and has 19",
               [&] { joined->check_unchanged(); });
}

}  // namespace
}  // namespace contrastive::data
