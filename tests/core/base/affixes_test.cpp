#include "core/base/affixes.h"

#include <gtest/gtest.h>

namespace contrastive {
namespace {

TEST(Affixes, ABeginningIsTheWholeTextAtMost) {
  EXPECT_TRUE(begins_with("data.files", "data."));
  EXPECT_TRUE(begins_with("data.", "data."));
  EXPECT_TRUE(begins_with("data.", ""));
  EXPECT_FALSE(begins_with("data", "data."));
  EXPECT_FALSE(begins_with("a data.", "data."));
}

TEST(Affixes, AnEndingIsTheWholeTextAtMost) {
  EXPECT_TRUE(ends_with("layer.inv_freq", ".inv_freq"));
  EXPECT_TRUE(ends_with(".inv_freq", ".inv_freq"));
  EXPECT_TRUE(ends_with("", ""));
  EXPECT_FALSE(ends_with("inv_freq", ".inv_freq"));
  EXPECT_FALSE(ends_with("layer.inv_freq.", ".inv_freq"));
}

}  // namespace
}  // namespace contrastive
