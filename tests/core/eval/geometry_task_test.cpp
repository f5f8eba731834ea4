#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/eval/evaluate.h"
#include "core/eval/geometry/geometry.h"
#include "core/torch/nn/torch_encoder.h"
#include "tests/core/eval/files.h"
#include "tests/core/eval/tasks.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(Evaluate, GeometryOfPairs) {
  const TemporaryFolder folder;
  const std::string path = folder.write("p.tsv", "5\tthe cat sat\tthe cat sat\n1\tred\tblue\n");
  const Json json = evaluate(encoder(), "geometry", config({{"data", path}}), nullptr);
  EXPECT_EQ(json["pairs"], 1);
  EXPECT_EQ(json["texts"], 4);
  // All sentences count, repeated ones too; distinct ones only give another figure.
  const std::vector<std::string_view> all = {"the cat sat", "the cat sat", "red", "blue"};
  const auto width = static_cast<int64_t>(encoder().dimension());
  std::vector<float> vectors(all.size() * static_cast<size_t>(width));
  encoder().encode(all, {}, vectors.data());
  EXPECT_NEAR(json["uniformity"].get<double>(), uniformity(vectors.data(), 4, width), 1e-6);
  EXPECT_NEAR(json["mean_cosine"].get<double>(), mean_cosine(vectors.data(), 4, width), 1e-6);
  const Json distinct =
      evaluate(encoder(), "geometry", config({{"data", path}, {"sentences", "distinct"}}), nullptr);
  EXPECT_EQ(distinct["texts"], 3);
  EXPECT_NEAR(distinct["uniformity"].get<double>(),
              uniformity(&vectors[static_cast<size_t>(width)], 3, width), 1e-6);
  EXPECT_LT(distinct["uniformity"].get<double>(), json["uniformity"].get<double>());
  EXPECT_NEAR(json["alignment"].get<double>(), 0, 1e-9);
  EXPECT_LT(json["uniformity"].get<double>(), 0);
  EXPECT_GT(json["effective_rank"].get<double>(), 1);
  EXPECT_LE(json["effective_rank"].get<double>(), 3);
}

TEST(Evaluate, GeometryAndTsneOfASplit) {
  const TemporaryFolder folder;
  folder.write("dev.tsv", "5\tthe cat sat\tthe cat sat\n1\tred\tblue\n");
  folder.write("test.tsv", "5\tthe cat\tthe cat sat\n5\tthe dog\tdog\n1\tred\tblue\n");
  EXPECT_EQ(evaluate(encoder(), "geometry", config({{"data", folder.path()}}), nullptr)["pairs"],
            2);
  EXPECT_EQ(evaluate(encoder(), "geometry", config({{"data", folder.path()}, {"split", "dev"}}),
                     nullptr)["pairs"],
            1);
  const Json dev =
      evaluate(encoder(), "tsne",
               config(
                   {{"data", folder.path()}, {"split", "dev"}, {"low", "1"}, {"iterations", "10"}}),
               nullptr);
  EXPECT_EQ(dev["points"].size(), 4u);
  EXPECT_EQ(evaluate(encoder(), "tsne",
                     config({{"data", folder.path()}, {"low", "1"}, {"iterations", "10"}}),
                     nullptr)["points"]
                .size(),
            6u);
}

// Not the figure of the other texts, which would be lower and so look better.
TEST(Evaluate, GeometryOfAModelThatGivesNaN) {
  const TemporaryFolder folder;
  const auto broken = encoder().snapshot();
  for (const auto& [name, weight] : nn::trainable(broken->encoder()).named_parameters()) {
    if (name == "embeddings.LayerNorm.bias")
      weight.detach().fill_(std::numeric_limits<float>::quiet_NaN());
  }
  const std::string path = folder.write("p.tsv", "5\tthe cat sat\tthe cat sat\n1\tred\tblue\n");
  expect_error(Status::kNumeric, "texts[0]: its vector is not finite",
               [&] { evaluate(*broken, "geometry", config({{"data", path}}), nullptr); });
}

}  // namespace
}  // namespace contrastive::eval
