#include "core/eval/sts/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;

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
  const auto read = [](const std::string& bytes) { rows_of(bytes, 2); };
  expect_error(Status::kFormat, "x.csv:2: 3 comma separated columns, expected 2",
               [&] { read("a,b\na,b,c\n"); });
  expect_error(Status::kFormat, "x.csv:2: 3",
               [&] { read("a,b\n\"a\nb\",c,d\n"); });  // the line at which the record begins
  expect_error(Status::kFormat, "x.csv:2: a closing quote is followed by ' '",
               [&] { read("a,b\n\"a\" x,b\n"); });
  expect_error(Status::kFormat, "followed by 'b'", [&] { read("\"a\"\"\"b,c\n"); });
  expect_error(Status::kFormat, "x.csv:2: a quote that begins in this record is never closed",
               [&] { read("a,b\n\"a,b\n"); });
  expect_error(Status::kFormat, "x.csv:1: 1 comma separated columns, expected 2",
               [&] { read("a\n"); });
}

}  // namespace
}  // namespace contrastive::eval
