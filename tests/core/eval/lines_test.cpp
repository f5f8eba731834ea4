#include "core/eval/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  for_each_line(path, [&](const TextLine& line) {
    lines.push_back(std::string(line.where.substr(line.where.rfind(':') + 1)) + " " +
                    std::string(line.text));
  });
  return lines;
}

TEST(Lines, ComeWithTheirPlaces) {
  const TemporaryFolder folder;
  EXPECT_THAT(lines_of(folder.write("a", "\xEF\xBB\xBFone\r\n\ntwo\tthree\nfour")),
              ElementsAre("1 one", "2 ", "3 two\tthree", "4 four"));
  EXPECT_THAT(lines_of(folder.write("b", "")), ElementsAre());
  // "one\ntwo\n", compressed by gzip.
  const char packed[] = "\037\213\010\000\000\000\000\000\002\003\313\317\113\345\052\051\317\347"
                        "\002\000\346\013\272\022\010\000\000\000";
  EXPECT_THAT(lines_of(folder.write("c.gz", std::string(packed, sizeof packed - 1))),
              ElementsAre("1 one", "2 two"));
}

TEST(Lines, OneWithoutAnEndIsRefusedByItsPlace) {
  const TemporaryFolder folder;
  expect_error(Status::kLimit, "huge.tsv:2: the line is longer than", [&] {
    lines_of(folder.write("huge.tsv", "x\n" + std::string(size_t{16} << 20, 'y') + "\nz\n"));
  });
  expect_error(Status::kNotFound, "absent: cannot be opened: No such file or directory",
               [&] { lines_of(folder.path() + "/absent"); });
  expect_error(Status::kArgument, "not a regular file but a folder",
               [&] { lines_of(folder.path()); });
  expect_error(Status::kFormat, "UTF-16", [&] {
    lines_of(folder.write("wide", std::string("\xff\xfe"
                                              "1\0",
                                              4)));
  });
}

}  // namespace
}  // namespace contrastive::eval
