#include "core/data/gzip.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/data/dataset.h"
#include "core/data/line_reader.h"
#include "tests/expect_error.h"
#include "tests/core/data/packed.h"
#include "tests/temporary_folder.h"

namespace contrastive::data {
namespace {

void expect_unreadable(Status status, const std::string& part, const std::string& path) {
  expect_error(status, part, [&] { open_dataset(path, {}); });
}

std::string many_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += "text a " + std::to_string(i) + "\ttext b " + std::to_string(i * 7) + "\n";
  return text;
}

TEST(Gzip, ReadsAsWhatIsInIt) {
  const TemporaryFolder folder;
  const std::string text = many_lines(60000);  // more than one block, compressed and uncompressed
  const auto plain = open_dataset(folder.write("p.tsv", text), {}),
             gzip = open_dataset(folder.write("p.tsv.gz", packed(text)), {});
  ASSERT_EQ(gzip->size(), 60000);
  EXPECT_EQ(gzip->fingerprint(), plain->fingerprint());  // a run resumes with either
  for (const int64_t i : {59999, 0, 31234}) {
    EXPECT_EQ(gzip->get(i).a, plain->get(i).a);
    EXPECT_EQ(gzip->get(i).b, plain->get(i).b);
  }
  EXPECT_NO_THROW(gzip->check_unchanged());
}

TEST(Gzip, EveryFormAndName) {
  const TemporaryFolder folder;
  EXPECT_EQ(open_dataset(folder.write("t.txt.gz", packed("one\ntwo\n")), {})->get(1).a, "two");
  EXPECT_EQ(open_dataset(folder.write("j.jsonl.gz", packed("{\"a\": \"x\", \"b\": \"y\"}\n")), {})
                ->get(0)
                .b,
            "y");
  EXPECT_EQ(open_dataset(folder.write("unnamed", packed("one\ttwo\n")), {})->get(0).b, "two");
}

TEST(Gzip, MembersFollowEachOtherAndPaddingIsIgnored) {
  const TemporaryFolder folder;
  const auto data = open_dataset(folder.write("m.gz", packed("one\ntw") + packed("") +
                                                          packed("o\n") + std::string(512, '\0')),
                                 {});
  ASSERT_EQ(data->size(), 2);
  EXPECT_EQ(data->get(1).a, "two");
  const auto padded = open_dataset(
      folder.write("p.gz", packed("one\n") + std::string(300000, '\0') + packed("two\n")), {});
  ASSERT_EQ(padded->size(), 2) << "as gzip reads it: two concatenated, padded files";
}

TEST(Gzip, RefusesWhatIsCutOrDamaged) {
  const TemporaryFolder folder;
  const std::string whole = packed(many_lines(5000));
  expect_unreadable(Status::kCorrupt, "end in the middle",
                    folder.write("cut.gz", whole.substr(0, whole.size() / 2)));
  expect_unreadable(Status::kCorrupt, "end in the middle",
                    folder.write("sum.gz", whole.substr(0, whole.size() - 4)));
  std::string damaged = whole;
  damaged[whole.size() - 6] = static_cast<char>(damaged[whole.size() - 6] ^ 1);  // of the checksum
  expect_unreadable(Status::kCorrupt, "damaged", folder.write("damaged.gz", damaged));
  expect_unreadable(Status::kFormat, "no examples", folder.write("empty.gz", packed("")));
}

TEST(Gzip, UnpackingAndReadingCanBeCancelled) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.gz", packed("one\n"));
  Cancel cancel;
  LineReader reader(path, &cancel);
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled", [&] { reader.scan([](const Line&) {}); });
  expect_error(Status::kCancelled, "cancelled", [&] { LineReader(path, &cancel); });
}

}  // namespace
}  // namespace contrastive::data
