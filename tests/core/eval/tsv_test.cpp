#include "core/eval/tsv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
    const Error error =
        error_of([&] { read_tsv_rows(folder.write("empty.tsv", nothing), [](const TsvRow&) {}); });
    EXPECT_EQ(error.status(), Status::kFormat);
    EXPECT_THAT(error.message(), HasSubstr("empty.tsv: no row in it"));
  }
}

TEST(Tsv, AnotherNumberOfColumnsNamesFileAndLine) {
  const TemporaryFolder folder;
  const Error error = error_of(
      [&] { read_tsv(folder.write("x.tsv", "a\tb\n\na\tb\tc\n"), 2, [](const TsvRow&) {}); });
  EXPECT_EQ(error.status(), Status::kFormat);
  EXPECT_THAT(error.message(), HasSubstr("x.tsv:3: 3 tab separated columns, expected 2"));
}

TEST(Tsv, NumbersAreFiniteAndWhole) {
  EXPECT_EQ(parse_number("-2.5e1", "f:1", "score"), -25);
  for (const char* bad :
       {"", " 1", "1 ", "1,5", "nan", "inf", "-inf", "1e999", "0x10", "+1", "one"}) {
    const Error error = error_of([&] { parse_number(bad, "f:7", "score"); });
    EXPECT_EQ(error.status(), Status::kFormat) << bad;
    EXPECT_THAT(error.message(),
                HasSubstr(std::string("f:7: score '") + bad + "' is not a number"));
  }
}

}  // namespace
}  // namespace contrastive::eval
