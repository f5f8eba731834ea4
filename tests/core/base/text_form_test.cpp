#include "core/base/text_form.h"
#include "tests/expect_error.h"

#include <gtest/gtest.h>

namespace contrastive {
namespace {

TEST(TextForm, IsTheOneThatTheNameSays) {
  EXPECT_EQ(text_form_of_name("a.b/texts.txt", ""), TextForm::kText);
  EXPECT_EQ(text_form_of_name("PAIRS.TSV.GZ", ""), TextForm::kTsv);
  EXPECT_EQ(text_form_of_name("a.jsonl", ""), TextForm::kJsonl);
  EXPECT_EQ(text_form_of_name("a.ndjson.gz", ""), TextForm::kJsonl);
  for (const char* name : {"-", "a", "a.csv/texts", "texts.en", "a.gz", ""})
    EXPECT_EQ(text_form_of_name(name, ""), std::nullopt) << name;
}

TEST(TextForm, RefusesNamesOfFormsThatAreNotRead) {
  for (const char* name : {"a.csv", "b/a.CSV.gz", "a.json", "a.parquet"}) {
    expect_error(Status::kArgument, "name the form of its lines with --format",
                 [&] { text_form_of_name(name, "--format"); });
  }
}

TEST(TextForm, IsToldByTheFirstLineWhereTheNameSaysNothing) {
  EXPECT_EQ(text_form_of_line("a\tb"), TextForm::kTsv);
  EXPECT_EQ(text_form_of_line(R"({"text": "a"})"), TextForm::kJsonl);
  for (const char* line : {"", "a, b", "{a", "[1]"})
    EXPECT_EQ(text_form_of_line(line), TextForm::kText) << line;
}

TEST(TextForm, KnowsTheNamesOfColumnsFromTexts) {
  for (const char* line :
       {"anchor\tpositive", "text", "Score\tSentence1\tSentence2", "query\tid\tx", "negative_12",
        "source\ttarget", "question1\tquestion2", "Search Query\tClicked Document",
        "\"query\"\t\"document\"", "user_query\tproduct-name"})
    EXPECT_TRUE(looks_like_titles(line)) << line;
  for (const char* line : {"", "a\tb", "the text\tanother", "query\ta dog\t1", "\t",
                           "a question\tthe answer", "1\t2", "user\tfirst"})
    EXPECT_FALSE(looks_like_titles(line)) << line;
}

}  // namespace
}  // namespace contrastive
