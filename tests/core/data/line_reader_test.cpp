#include "core/data/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/data/content_hash.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::data {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> lines_of(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  reader.scan([&](const Line& line) {
    lines.emplace_back(line.too_long ? "<too long>" : std::string(line.text));
    EXPECT_EQ(line.number, static_cast<int64_t>(lines.size()));
    if (line.too_long) return;
    EXPECT_EQ(reader.read(line.begin, static_cast<int64_t>(line.text.size())), line.text);
  });
  return lines;
}

TEST(LineReader, AcceptsEveryLineEndAndAByteOrderMark) {
  const TemporaryFolder folder;
  EXPECT_THAT(lines_of(folder.write("mixed", "\xef\xbb\xbfone\r\ntwo\nthree\r\n\nlast")),
              ElementsAre("one", "two", "three", "", "last"));
  EXPECT_THAT(lines_of(folder.write("closed", "one\n")), ElementsAre("one"));
  EXPECT_THAT(lines_of(folder.write("empty", "")), ElementsAre());
}

TEST(LineReader, KeepsLinesThatCrossBlocks) {
  const TemporaryFolder folder;
  std::string bytes;
  std::vector<std::string> expected;
  for (int i = 0; i < 5; ++i) {
    expected.push_back(
        std::string(900000 + 7 * static_cast<size_t>(i), static_cast<char>('a' + i)));
    bytes += expected.back() + (i % 2 == 0 ? "\r\n" : "\n");
  }
  EXPECT_EQ(lines_of(folder.write("long", bytes)), expected);
}

TEST(LineReader, CapsALineAndGoesOnAfterIt) {
  const TemporaryFolder folder;
  const std::string most(static_cast<size_t>(kMaxLineBytes), 'm');
  const auto lines = lines_of(
      folder.write("cap", "a\n" + most + "\r\n" + most + "mm\n" + most + most + most + "\nb\n"));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[1].size(), most.size());
  EXPECT_EQ(lines[2], "<too long>");
  EXPECT_EQ(lines[3], "<too long>");
  EXPECT_EQ(lines[4], "b");
}

TEST(LineReader, NamesWhatIsNoTextFile) {
  const TemporaryFolder folder;
  for (const std::string magic : {"BZh",
                                  "\xfd"
                                  "7zXZ",
                                  "\xff\xfe"}) {
    expect_error(Status::kFormat, "first",
                 [&] { lines_of(folder.write("foreign", magic + "rest\n")); });
  }
  expect_error(Status::kNotFound, "absent: cannot be opened",
               [&] { LineReader(folder / "absent"); });
  expect_error(Status::kArgument, "not a regular file but a folder",
               [&] { LineReader(folder.path()); });
}

TEST(LineReader, NoticesAnotherLength) {
  const TemporaryFolder folder;
  const std::string path = folder.write("changing", "one\ntwo\n");
  const LineReader reader(path);
  EXPECT_NO_THROW(reader.check_length());
  folder.write("changing", "one\n");
  expect_error(Status::kCorrupt, "changing: had 8 bytes when it was opened and has 4",
               [&] { reader.check_length(); });
  expect_error(Status::kCorrupt, "changing: became shorter since it was opened",
               [&] { reader.read(4, 3); });
}

TEST(ContentHash, DependsOnTheBytesAndNotOnThePieces) {
  ContentHash whole, pieces, other;
  whole.update("the same twenty bytes here");
  for (const char c : std::string("the same twenty bytes here")) pieces.update({&c, 1});
  other.update("the same twenty bytes Here");
  EXPECT_EQ(whole.value(), pieces.value());
  EXPECT_NE(whole.value(), other.value());
}

}  // namespace
}  // namespace contrastive::data
