#include "core/eval/sts/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using CsvRows = std::vector<std::vector<std::string>>;

CsvRows rows_of(const std::string& bytes, size_t columns) {
  const TemporaryFolder folder;
  CsvRows rows;
  read_csv(folder.write("x.csv", bytes), columns,
           [&](const CsvRow& row) { rows.push_back(row.fields); });
  return rows;
}

TEST(Csv, QuotesHoldCommasLineEndsAndQuotes) {
  EXPECT_THAT(rows_of("a,b,1\r\n\"one, two\",\"he said \"\"no\"\"\",2\n", 3),
              ElementsAre(ElementsAre("a", "b", "1"),
                          ElementsAre("one, two", "he said \"no\"", "2")));
  EXPECT_THAT(rows_of("\"two\r\n\nlines\",x\n\n,\n", 2),
              ElementsAre(ElementsAre("two\n\nlines", "x"), ElementsAre("", "")));
  EXPECT_THAT(rows_of("5\" pipe,\"\"", 2), ElementsAre(ElementsAre("5\" pipe", "")))
      << "a quote inside a field is an ordinary character";
  EXPECT_THAT(rows_of("", 2), ElementsAre());
}

TEST(Csv, ErrorsNameFileAndLine) {
  const auto error = [](const std::string& bytes) { return error_of([&] { rows_of(bytes, 2); }); };
  EXPECT_THAT(error("a,b\na,b,c\n").message(),
              HasSubstr("x.csv:2: 3 comma separated columns, expected 2"));
  EXPECT_THAT(error("a,b\n\"a\nb\",c,d\n").message(), HasSubstr("x.csv:2: 3"))
      << "the line at which the record begins";
  EXPECT_THAT(error("a,b\n\"a\" x,b\n").message(),
              HasSubstr("x.csv:2: a closing quote is followed by ' '"));
  EXPECT_THAT(error("\"a\"\"\"b,c\n").message(), HasSubstr("followed by 'b'"));
  EXPECT_THAT(error("a,b\n\"a,b\n").message(),
              HasSubstr("x.csv:2: a quote that begins in this record is never closed"));
  EXPECT_EQ(error("a\n").status(), Status::kFormat);
}

}  // namespace
}  // namespace contrastive::eval
