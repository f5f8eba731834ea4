#include "core/data/line_splitter.h"

#include <gmock/gmock.h>

#include <vector>

namespace contrastive::data {
namespace {

using ::testing::ElementsAre;

// The lines of a stream that arrives in pieces of `size` bytes, each with its offset.
std::vector<std::string> split(const std::string& stream, size_t size) {
  LineSplitter splitter;
  std::vector<std::string> lines;
  Line line;
  const auto take = [&] {
    while (splitter.next(line)) {
      EXPECT_EQ(line.number, static_cast<int64_t>(lines.size()) + 1);
      lines.push_back(std::to_string(line.begin) + ":" + std::string(line.text));
    }
  };
  for (size_t at = 0; at < stream.size(); at += size) {
    splitter.feed(std::string_view(stream).substr(at, size));
    take();
  }
  splitter.end();
  take();
  EXPECT_EQ(splitter.waiting(), 0u);
  return lines;
}

TEST(LineSplitter, PiecesOfAnySizeGiveTheSame) {
  for (const size_t size : {1, 2, 3, 5, 100}) {
    EXPECT_THAT(split("\xef\xbb\xbfone\r\ntwo\n\n\xef\xbb\xbf"
                      "four\r\n\rlast",
                      size),
                ElementsAre("3:one", "8:two", "12:",
                            "13:\xef\xbb\xbf"
                            "four",
                            "22:\rlast"));
    EXPECT_THAT(split("", size), ElementsAre());
    EXPECT_THAT(split("\xef\xbb\xbf", size), ElementsAre());
    EXPECT_THAT(split("\n", size), ElementsAre("0:"));
  }
}

TEST(LineSplitter, ReturnsALineThatIsTooLongBeforeItsEnd) {
  LineSplitter splitter;
  Line line;
  const std::string block(size_t{1} << 20, 'x');
  int blocks = 0;
  do {
    ASSERT_LE(++blocks, 17);
    splitter.feed(block);
  } while (!splitter.next(line));
  EXPECT_TRUE(line.too_long);
  EXPECT_EQ(line.number, 1);
  EXPECT_EQ(splitter.waiting(), 0u);
  splitter.feed(block);
  EXPECT_FALSE(splitter.next(line));
  EXPECT_EQ(splitter.waiting(), 0u) << "the rest is not kept";
  splitter.feed("rest\nnext\n");
  ASSERT_TRUE(splitter.next(line));
  EXPECT_FALSE(line.too_long);
  EXPECT_EQ(line.text, "next");
  EXPECT_EQ(line.number, 2);
  EXPECT_FALSE(splitter.next(line));
}

}  // namespace
}  // namespace contrastive::data
