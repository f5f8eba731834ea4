#include "core/eval/encode_keys.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "core/base/options.h"
#include "tests/core/eval/tasks.h"

namespace contrastive::eval {
namespace {

TEST(EncodeKeys, AreTheOptionsOfACall) {
  const Config keys = config({{"encode.pooling", "max"},
                              {"encode.prompt", "query: "},
                              {"encode.truncate_dim", "4"},
                              {"encode.max_length", "9"}});
  const Cancel cancel;
  const model::EncodeOptions options = read_options<EncodeKeys>(keys, "encode.").resolved(&cancel);
  EXPECT_EQ(options.pooling, "max");
  EXPECT_EQ(options.prompt, "query: ");
  EXPECT_EQ(options.truncate_dim, 4);
  EXPECT_EQ(options.max_length, 9);
  EXPECT_EQ(options.cancel, &cancel);
  EXPECT_FALSE(EncodeKeys().resolved(nullptr).prompt.has_value()) << "the model's own, if any";
}

TEST(TextEncoder, GivesTheVectorsOfTheModel) {
  EncodeKeys keys;
  keys.truncate_dim = 4;
  const TextEncoder of_keys = text_encoder(encoder(), keys.resolved(nullptr));
  ASSERT_EQ(of_keys.dimension, 4);
  const std::vector<std::string_view> texts{"the cat sat", "red"};
  std::vector<float> got(8), expected(8);
  of_keys.encode(texts, got.data());
  encoder().encode(texts, keys.resolved(nullptr), expected.data());
  EXPECT_EQ(got, expected);
}

}  // namespace
}  // namespace contrastive::eval
