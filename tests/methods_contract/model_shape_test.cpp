// In every registered method, a config that does not fit the model is refused from the model's
// shape alone, before its weights are read.
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/torch/run/train_options.h"
#include "tests/expect_error.h"
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
  void read(const std::string& key, const Json& value, const encoder::Architecture* shape) const {
    Config config;
    config.set("method", GetParam());
    config.set_json(key, value);
    run::read_run_config(config, true, shape);
  }
  const encoder::Architecture shape_ = tiny_model()->shape();
};

TEST_P(ModelShape, TextsAreNoLongerThanItsPositions) {
  for (const std::string& key : keys(".max_length")) {
    EXPECT_NO_THROW(read(key, 1000, nullptr)) << key;
    SCOPED_TRACE(key);
    expect_error(Status::kArgument, "'" + key + "'", [&] { read(key, 1000, &shape_); });
    EXPECT_NO_THROW(read(key, shape_.max_tokens(), &shape_)) << key;
  }
}

TEST_P(ModelShape, PoolingsAreOfLayersThatItHas) {
  for (const std::string& key : keys("pooling")) {
    SCOPED_TRACE(key);
    expect_error(Status::kArgument, "'" + key + "'", [&] { read(key, "meen", nullptr); });
    SCOPED_TRACE(key);
    expect_error(Status::kArgument, "'" + key + "'",
                 [&] { read(key, cat("layer:", shape_.num_hidden_layers + 1, ":mean"), &shape_); });
    EXPECT_NO_THROW(read(key, "mean", &shape_)) << key;
  }
}

TEST_P(ModelShape, EvaluationsEmbedWithWhatItHas) {
  if (find_method(GetParam()).describe({}).gives != Gives::kVectors) {
    Config config = Config::parse(R"({"evaluate.sts.encode.max_length": 8})");
    config.set("method", GetParam());
    expect_error(Status::kArgument, "tasks measure vectors of texts",
                 [&] { run::read_run_config(config, true, &shape_); });
    return;
  }
  EXPECT_NO_THROW(read("evaluate.sts.encode.max_length", 1000, nullptr));
  expect_error(Status::kArgument, "'evaluate.sts.encode.max_length'",
               [&] { read("evaluate.sts.encode.max_length", 1000, &shape_); });
  expect_error(Status::kArgument, "'evaluate.sts.encode.pooling'", [&] {
    read("evaluate.sts.encode.pooling", cat("layer:", shape_.num_hidden_layers + 1, ":mean"),
         &shape_);
  });
  EXPECT_NO_THROW(read("evaluate.sts.encode.pooling", "mean", &shape_));
}

INSTANTIATE_TEST_SUITE_P(Methods, ModelShape, ::testing::ValuesIn(method_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace contrastive::methods
