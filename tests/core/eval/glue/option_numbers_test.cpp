#include "core/eval/glue/option_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(OptionNumbers, ReadsNumbersInTheirRange) {
  EXPECT_THAT(option_numbers("lr", {"1e-5", "0.25", "3"}, above(0, 10)), ElementsAre(1e-5, 0.25, 3));
  EXPECT_THAT(option_integers("seeds", {"0", "7890"}, at_least(0)), ElementsAre(0, 7890));
}

TEST(OptionNumbers, NamesTheKeyAndTheEntry) {
  for (const char* bad : {"", "x", "1e-5x", " 1", "0", "-1", "11", "nan", "inf"}) {
    const Error error = error_of([&] { option_numbers("lr", {"1", bad}, above(0, 10)); });
    EXPECT_EQ(error.status(), Status::kArgument) << bad;
    EXPECT_THAT(error.message(), HasSubstr("'lr'"));
    EXPECT_THAT(error.message(), HasSubstr(std::string("'") + bad + "'"));
  }
  EXPECT_EQ(error_of([] { option_integers("seeds", {"1.5"}, at_least(0)); }).status(), Status::kArgument);
  EXPECT_EQ(error_of([] { option_integers("seeds", {}, at_least(0)); }).status(), Status::kArgument);
}

}  // namespace
}  // namespace contrastive::eval
