#include "core/io/card_text.h"

#include <clocale>
#include <locale>

#include "tests/core/io/files.h"

namespace contrastive::io {
namespace {

TEST(CardText, AYamlTextStaysOneQuotedLine) {
  EXPECT_EQ(yaml_text("plain"), "\"plain\"");
  EXPECT_EQ(yaml_text("no"), "\"no\"");  // which YAML 1.1 reads as false if it is not quoted
  EXPECT_EQ(yaml_text("a: b # c"), "\"a: b # c\"");
  EXPECT_EQ(yaml_text("she \"said\" C:\\new"), "\"she \\\"said\\\" C:\\\\new\"");
  EXPECT_EQ(yaml_text("one\n---\nlicense: mit"), "\"one --- license: mit\"");
  EXPECT_EQ(yaml_text(std::string_view("a\0b\x7f", 4)), "\"a b \"");
  EXPECT_EQ(yaml_text("a\xc2\x85z\xe2\x80\xa8y"),
            "\"a z y\"");  // NEL and LINE SEPARATOR end lines in YAML 1.1
  EXPECT_EQ(yaml_text("\xff\xef\xbb\xbf\xef\xbf\xbf"),
            "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");  // PyYAML refuses these
  EXPECT_EQ(yaml_text("Größe 猫 \xf0\x9f\x90\x88"), "\"Größe 猫 \xf0\x9f\x90\x88\"");
}

TEST(CardText, MarkdownSeesWordsAlone) {
  EXPECT_EQ(markdown_text("plain words, 3.5 of them"), "plain words, 3.5 of them");
  EXPECT_EQ(markdown_text("<script>alert(1)</script>"), "\\<script\\>alert(1)\\</script\\>");
  EXPECT_EQ(markdown_text("`a` *b* _c_ [d](e) |f| #g ~h~ &lt;"),
            "\\`a\\` \\*b\\* \\_c\\_ \\[d\\](e) \\|f\\| \\#g \\~h\\~ \\&lt;");
  EXPECT_EQ(markdown_text("one\n\n# two\r\n```"), "one  \\# two  \\`\\`\\`");
  EXPECT_EQ(markdown_text("https://example.org a@b.c"), "https\\://example.org a\\@b.c");
  EXPECT_EQ(markdown_text("    - not a list"), "\\- not a list");
  EXPECT_EQ(markdown_text("12. not a list"), "12\\. not a list");
  EXPECT_EQ(markdown_text("--- ==="), "\\--- ===");
  EXPECT_EQ(markdown_text("abc\xe2\x80\xae"
                          "cba"),
            "abc\xef\xbf\xbd"
            "cba");  // right-to-left override
  EXPECT_EQ(markdown_text(""), "");
}

TEST(CardText, CodeIsFencedByMoreBackticksThanItHas) {
  EXPECT_EQ(markdown_code("pairs.tsv"), "`pairs.tsv`");
  EXPECT_EQ(markdown_code("a`b"), "``a`b``");
  EXPECT_EQ(markdown_code("`b``"), "``` `b`` ```");
  EXPECT_EQ(markdown_code(" a "), "`  a  `");
  EXPECT_EQ(markdown_code(""), "`  `");
  EXPECT_EQ(markdown_code("two\nlines"), "`two lines`");
}

TEST(CardText, NumbersAreThoseOfYamlInEveryLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // if it is installed
  EXPECT_EQ(card_number(0.8123456789), "0.812346");
  EXPECT_EQ(card_number(1e-5), "0.000010");
  EXPECT_EQ(card_number(-0.25), "-0.250000");
  EXPECT_EQ(card_number(-1e-9), "0.000000");
  EXPECT_EQ(card_number(0.9999999), "1.000000");
  EXPECT_EQ(card_number(1234.5), "1234.500000");
  EXPECT_EQ(card_count(0), "0");
  EXPECT_EQ(card_count(999), "999");
  EXPECT_EQ(card_count(1000), "1,000");
  EXPECT_EQ(card_count(1234567), "1,234,567");
  std::setlocale(LC_ALL, before.c_str());
}

TEST(CardText, OfAPathTheLastPartIsShown) {
  EXPECT_EQ(card_file("/a/private/place/pairs.tsv"), "pairs.tsv");
  EXPECT_EQ(card_file("sts/"), "sts");
  EXPECT_EQ(card_file("pairs.tsv"), "pairs.tsv");
  EXPECT_EQ(card_file("/"), "");
  EXPECT_EQ(card_file(""), "");
}

}  // namespace
}  // namespace contrastive::io
