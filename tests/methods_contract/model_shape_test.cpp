// In every registered method, a config that does not fit the model is refused from the model's
// shape alone, before its weights are read.
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/torch/run/train_options.h"
#include "tests/methods_contract/contract.h"

namespace contrastive::methods {
namespace {

class ModelShape : public ::testing::TestWithParam<std::string> {
 protected:
  // The method's own keys with this ending.
  std::vector<std::string> keys(const std::string& end) const {
    std::vector<std::string> found;
    for (const Json& row : find_method(GetParam()).describe({}).rows) {
      const std::string key = row.at("key");
      if (key.size() > end.size() && key.compare(key.size() - end.size(), end.size(), end) == 0)
        found.push_back(key);
    }
    return found;
  }
  // The error for a config with this key, which must name the key; "" if it is accepted.
  std::string refusal(const std::string& key, const Json& value,
                      const encoder::Architecture* shape) const {
    Config config;
    config.set("method", GetParam());
    config.set_json(key, value);
    try {
      run::read_run_config(config, true, shape);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::kArgument) << error.message();
      EXPECT_THAT(error.message(), ::testing::HasSubstr("'" + key + "'"));
      return error.message();
    }
    return "";
  }
  const encoder::Architecture shape_ = tiny_model()->shape();
};

TEST_P(ModelShape, TextsAreNoLongerThanItsPositions) {
  for (const std::string& key : keys(".max_length")) {
    EXPECT_EQ(refusal(key, 1000, nullptr), "") << key;
    EXPECT_NE(refusal(key, 1000, &shape_), "") << key;
    EXPECT_EQ(refusal(key, shape_.max_tokens(), &shape_), "") << key;
  }
}

TEST_P(ModelShape, PoolingsAreOfLayersThatItHas) {
  for (const std::string& key : keys("pooling")) {
    EXPECT_NE(refusal(key, "meen", nullptr), "") << key;
    EXPECT_NE(refusal(key, cat("layer:", shape_.num_hidden_layers + 1, ":mean"), &shape_), "")
        << key;
    EXPECT_EQ(refusal(key, "mean", &shape_), "") << key;
  }
}

TEST_P(ModelShape, EvaluationsEmbedWithWhatItHas) {
  if (find_method(GetParam()).describe({}).gives != Gives::kVectors) {
    Config config = Config::parse(R"({"evaluate.sts.encode.max_length": 8})");
    config.set("method", GetParam());
    EXPECT_THROW(run::read_run_config(config, true, &shape_), Error)
        << "tasks measure vectors, and it gives scores";
    return;
  }
  EXPECT_EQ(refusal("evaluate.sts.encode.max_length", 1000, nullptr), "");
  EXPECT_NE(refusal("evaluate.sts.encode.max_length", 1000, &shape_), "");
  EXPECT_NE(refusal("evaluate.sts.encode.pooling",
                    cat("layer:", shape_.num_hidden_layers + 1, ":mean"), &shape_),
            "");
  EXPECT_EQ(refusal("evaluate.sts.encode.pooling", "mean", &shape_), "");
}

INSTANTIATE_TEST_SUITE_P(Methods, ModelShape, ::testing::ValuesIn(method_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace contrastive::methods
