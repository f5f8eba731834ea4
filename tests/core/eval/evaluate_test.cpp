// The tasks by name, on a small random encoder.
#include "core/eval/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/base/file.h"
#include "core/eval/geometry/geometry.h"
#include "core/torch/nn/torch_encoder.h"
#include "tests/core/eval/files.h"
#include "tests/test_device.h"
#include "tests/fixtures_folder.h"

namespace contrastive::eval {
namespace {

using ::testing::HasSubstr;

const model::SentenceEncoder& encoder() {
  static const auto loaded =
      model::SentenceEncoder::load(fixtures() + "/models/bert_st", on_test_device());
  return *loaded;
}

Config config(std::initializer_list<std::pair<std::string, std::string>> entries) {
  Config result;
  for (const auto& [key, value] : entries) result.set(key, value);
  return result;
}

TEST(Evaluate, StsGivesTheStableForm) {
  const TemporaryFolder folder;
  folder.write("one.tsv", "5\ta cat\ta cat\n3\ta cat\tthe cat sat\n0\ta cat\tstock markets fell\n");
  folder.write("two.tsv", "1\tred\tblue\n4\tred\tred red\n");
  const Json json = evaluate(encoder(), "sts", config({{"data", folder.path()}}), nullptr);
  for (const char* figure : {"spearman", "pearson"}) {
    for (const char* aggregate : {"all", "mean", "wmean"})
      EXPECT_TRUE(json[figure][aggregate].is_number()) << figure << " " << aggregate;
  }
  EXPECT_EQ(json["subsets"].size(), 2u);
  EXPECT_EQ(json["subsets"]["one"]["pairs"], 3);
  EXPECT_NE(evaluate(encoder(), "sts", config({{"data", folder.path()}, {"encode.pooling", "cls"}}),
                     nullptr)["pearson"],
            json["pearson"]);
}

TEST(Evaluate, StsWritesItsPairs) {
  const TemporaryFolder folder;
  const std::string data = folder.write("one.tsv",
                                        "5\ta cat\ta cat\n3.5\ta cat\tstock markets fell\n"),
                    output = folder.path() + "/pairs";
  evaluate(encoder(), "sts", config({{"data", data}, {"output", output}}), nullptr);
  const std::string lines = read_file(output, 1000);
  EXPECT_THAT(lines, testing::StartsWith("one.tsv\tone\t5\t1\ta cat\ta cat\none.tsv\tone\t3.5\t"));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
}

TEST(Evaluate, RetrievalFindsATextByItself) {
  const TemporaryFolder folder;
  const std::string pairs =
      folder.write("pairs.tsv",
                   "the cat sat\tthe cat sat\nstock markets fell\tstock markets fell\nred\tred\n");
  const Json json =
      evaluate(encoder(), "retrieval", config({{"data", pairs}, {"k", "1,3"}}), nullptr);
  EXPECT_EQ(json["queries"], 3);
  EXPECT_EQ(json["recall@1"], 1.0);
  EXPECT_EQ(json["mrr@3"], 1.0);
  EXPECT_FALSE(json.contains("recall@10"));
}

TEST(Evaluate, RetrievalReadsAFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() + "/qrels");
  folder.write("corpus.jsonl", "{\"_id\": \"d1\", \"text\": \"the cat sat\"}\n{\"_id\": \"d2\", "
                               "\"text\": \"stock markets fell\"}\n");
  folder.write("queries.jsonl", "{\"_id\": \"q\", \"text\": \"stock markets fell\"}\n");
  folder.write("qrels/dev.tsv", "query-id\tcorpus-id\tscore\nq\td2\t1\n");
  const Json json =
      evaluate(encoder(), "retrieval",
               config({{"data", folder.path()}, {"split", "dev"}, {"k", "1"}}), nullptr);
  EXPECT_EQ(json["documents"], 2);
  EXPECT_EQ(json["precision@1"], 1.0);
  const Error error = error_of(
      [&] { evaluate(encoder(), "retrieval", config({{"data", folder.path()}}), nullptr); });
  EXPECT_EQ(error.status(), Status::kNotFound);
  EXPECT_THAT(error.message(), HasSubstr("qrels/test.tsv"));
}

TEST(Evaluate, PairsTripletsAndParaphrases) {
  const TemporaryFolder folder;
  const std::string pairs =
      folder.write("pairs.tsv",
                   "1\tthe cat sat\tthe cat sat.\n0\tred\tstock markets fell\n1\tred\tred\n");
  const Json told = evaluate(encoder(), "pairs", config({{"data", pairs}}), nullptr);
  EXPECT_EQ(told["positives"], 2);
  for (const char* metric : {"cosine", "dot", "euclidean", "manhattan"})
    EXPECT_EQ(told[metric].size(), 8u) << metric;
  const std::string triplets =
      folder.write("triplets.tsv", "red\tred\tstock markets fell\nred\tthe cat sat\tred\n");
  EXPECT_EQ(evaluate(encoder(), "triplets", config({{"data", triplets}}),
                     nullptr)["accuracy"]["cosine"],
            0.5);
  EXPECT_EQ(evaluate(encoder(), "triplets", config({{"data", triplets}, {"margin", "5"}}),
                     nullptr)["accuracy"]["cosine"],
            0.0);
  const Json found =
      evaluate(encoder(), "paraphrases", config({{"data", pairs}, {"min_score", "-1"}}), nullptr);
  EXPECT_EQ(found["texts"], 4);
  EXPECT_EQ(found["pairs"], 6);
  EXPECT_EQ(found["paraphrases"], 1);  // a text and itself are not a pair
  for (const char* task : {"pairs", "triplets", "paraphrases", "tsne"}) {
    EXPECT_EQ(error_of([&] { evaluate(encoder(), task, {}, nullptr); }).status(), Status::kArgument)
        << task;
    EXPECT_EQ(error_of([&] {
                evaluate(encoder(), task, config({{"data", "/absent"}}), nullptr);
              }).status(),
              Status::kNotFound)
        << task;
  }
  EXPECT_EQ(error_of([&] {
              evaluate(encoder(), "paraphrases", config({{"texts", pairs}}), nullptr);
            }).status(),
            Status::kArgument);
}

TEST(Evaluate, TsneGivesPointsAndWritesThem) {
  const TemporaryFolder folder;
  const std::string pairs = folder.write(
      "p.tsv", "5\tthe cat sat\tthe cat sat.\n0\tred\tstock markets fell\n5\tblue\tblue blue\n");
  const std::string output = folder.path() + "/points.tsv";
  const Json json = evaluate(
      encoder(), "tsne",
      config({{"data", pairs}, {"output", output}, {"iterations", "50"}, {"perplexity", "1"}}),
      nullptr);
  ASSERT_EQ(json["points"].size(), 6u);
  EXPECT_EQ(json["points"][5]["pair"], 2);
  EXPECT_EQ(json["points"][5]["gold"], 0.0);
  EXPECT_TRUE(json["kl"].is_number());
  const std::string table = read_file(output, 1 << 20);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 6);
  EXPECT_EQ(table.substr(0, 6), "1\ta\t5\t");
  const std::string texts = folder.write("t.tsv", "x\tred\nx\tblue\ny\tthe cat sat\n");
  const Error few =
      error_of([&] { evaluate(encoder(), "tsne", config({{"texts", texts}}), nullptr); });
  EXPECT_EQ(few.status(), Status::kArgument);
  EXPECT_THAT(few.message(), HasSubstr("at least 4"));
}

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
  const Error error =
      error_of([&] { evaluate(*broken, "geometry", config({{"data", path}}), nullptr); });
  EXPECT_EQ(error.status(), Status::kNumeric);
  EXPECT_THAT(error.message(), HasSubstr("texts[0]: its vector is not finite"));
}

TEST(Evaluate, RefusesUnknownTasksAndKeys) {
  const Error task = error_of([] { evaluate(encoder(), "stss", {}, nullptr); });
  EXPECT_EQ(task.status(), Status::kArgument);
  EXPECT_THAT(task.message(), HasSubstr("'sts'"));
  const Error key = error_of([] { evaluate(encoder(), "sts", config({{"date", "x"}}), nullptr); });
  EXPECT_EQ(key.status(), Status::kArgument);
  EXPECT_THAT(key.message(), HasSubstr("data"));
  EXPECT_EQ(error_of([] { evaluate(encoder(), "sts", {}, nullptr); }).status(), Status::kArgument);
  EXPECT_EQ(error_of([] {
              evaluate(encoder(), "sts", config({{"data", "/absent"}}), nullptr);
            }).status(),
            Status::kNotFound);
  EXPECT_EQ(error_of([] {
              evaluate(encoder(), "retrieval", config({{"data", "x"}, {"corpus", "y"}}), nullptr);
            }).status(),
            Status::kArgument);
  for (const char* k : {"0", "ten", "1,,2", "1000000"}) {
    EXPECT_EQ(error_of([&] {
                evaluate(encoder(), "retrieval", config({{"data", "x"}, {"k", k}}), nullptr);
              }).status(),
              Status::kArgument)
        << k;
  }
}

TEST(Evaluate, CanBeCancelled) {
  const TemporaryFolder folder;
  const std::string path = folder.write("p.tsv", "5\tthe cat sat\tthe cat sat\n1\tred\tblue\n");
  Cancel cancel;
  cancel.trigger();
  EXPECT_EQ(error_of([&] {
              evaluate(encoder(), "sts", config({{"data", path}}), &cancel);
            }).status(),
            Status::kCancelled);
}

TEST(Evaluate, EveryTaskDescribesItsKeys) {
  for (const std::string& task : task_names()) {
    const Json rows = describe_task(task);
    ASSERT_GE(rows.size(), 5u);
    EXPECT_EQ(rows[0]["key"], "data");
    for (const Json& row : rows) EXPECT_FALSE(row["help"].get<std::string>().empty()) << row.dump();
  }
}

}  // namespace
}  // namespace contrastive::eval
