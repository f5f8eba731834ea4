#include "core/text/replacement.h"

#include "tests/core/text/stages.h"

namespace contrastive::text {
namespace {

TEST(Replacement, TakesWhatThePatternFinds) {
  EXPECT_EQ(chain_of_stages({replace("aa", "b")}, "aaaaa").storage, "bba");
  EXPECT_EQ(chain_of_stages({replace("a", "")}, "aba").storage, "b");
}

}  // namespace
}  // namespace contrastive::text
