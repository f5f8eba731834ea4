#include "core/torch/run/cut_encoder.h"

#include <gtest/gtest.h>

namespace contrastive::run {
namespace {

TEST(CutEncoder, GivesTheFirstNumbersAndEmbedsATextOnce) {
  std::vector<std::string> embedded;
  const auto encode = [&](const std::vector<std::string_view>& texts, float* out) {
    for (const std::string_view text : texts) {
      embedded.emplace_back(text);
      for (int k = 0; k < 3; ++k)
        *out++ = static_cast<float>(text.size()) + static_cast<float>(k) / 10;
    }
  };
  CutEncoder cuts({3, encode});
  const eval::TextEncoder whole = cuts.at(3), two = cuts.at(2);
  EXPECT_EQ(two.dimension, 2);
  std::vector<float> vectors(9);
  whole.encode({"a", "bb", "a"}, vectors.data());
  EXPECT_EQ(vectors, (std::vector<float>{1, 1.1F, 1.2F, 2, 2.1F, 2.2F, 1, 1.1F, 1.2F}));
  vectors.assign(4, 0);
  two.encode({"ccc", "bb"}, vectors.data());
  EXPECT_EQ(vectors, (std::vector<float>{3, 3.1F, 2, 2.1F}));
  EXPECT_EQ(embedded, (std::vector<std::string>{"a", "bb", "ccc"}));
}

}  // namespace
}  // namespace contrastive::run
