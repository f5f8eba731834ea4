#include "core/eval/tsv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;

TEST(Tsv, RowsAreLinesThatAreNotEmpty) {
  const TemporaryFolder folder;
  std::vector<std::vector<std::string>> rows;
  read_tsv_rows(folder.write("x.tsv", "\xEF\xBB\xBF\"a\tb\"\r\n\r\n\t\nc"), [&](const TsvRow& row) {
    rows.emplace_back(row.fields.begin(), row.fields.end());
    rows.back().push_back(std::string(row.where.substr(row.where.rfind(':'))));
  });
  EXPECT_THAT(rows, ElementsAre(ElementsAre("\"a", "b\"", ":1"), ElementsAre("", "", ":3"),
                                ElementsAre("c", ":4")))
      << "a quote is an ordinary character";
  for (const char* nothing : {"", "\n\r\n", "\xEF\xBB\xBF"}) {
    expect_error(Status::kFormat, "empty.tsv: no row in it",
                 [&] { read_tsv_rows(folder.write("empty.tsv", nothing), [](const TsvRow&) {}); });
  }
}

TEST(Tsv, AnotherNumberOfColumnsNamesFileAndLine) {
  const TemporaryFolder folder;
  expect_error(Status::kFormat, "x.tsv:3: 3 tab separated columns, expected 2", [&] {
    read_tsv(folder.write("x.tsv", "a\tb\n\na\tb\tc\n"), 2, [](const TsvRow&) {});
  });
}

TEST(Tsv, NumbersAreFiniteAndWhole) {
  EXPECT_EQ(parse_number("-2.5e1", "f:1", "score"), -25);
  for (const char* bad :
       {"", " 1", "1 ", "1,5", "nan", "inf", "-inf", "1e999", "0x10", "+1", "one"}) {
    SCOPED_TRACE(bad);
    expect_error(Status::kFormat, std::string("f:7: score '") + bad + "' is not a number",
                 [&] { parse_number(bad, "f:7", "score"); });
  }
}

}  // namespace
}  // namespace contrastive::eval
