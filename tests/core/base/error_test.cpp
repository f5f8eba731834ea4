#include "core/base/error.h"

#include <gtest/gtest.h>

namespace contrastive {
namespace {

struct GermanNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Error, MessagesAreTheSameInEveryLocale) {
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new GermanNumbers));
  EXPECT_EQ(cat("n is ", 1234567, " and x ", 0.5), "n is 1234567 and x 0.5");
  std::locale::global(before);
  const Error error(Status::kIo, "disk");
  EXPECT_STREQ(error.what(), "disk");
  EXPECT_EQ(error.status(), Status::kIo);
}

}  // namespace
}  // namespace contrastive
