// Rerankers of every family, against the scores that sentence-transformers' CrossEncoder gives
// (tests/golden/rerankers/make.py).
#include "core/model/cross_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <thread>

#include "core/encoder/inference.h"
#include "core/runtime/threads.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"
#include "tests/temporary_folder.h"

namespace contrastive::model {
namespace {

const std::string kRerankers = fixtures() + "/rerankers/";

Json golden_of(const std::string& name) {
  return read_json_file(kRerankers + name + "/golden.json");
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs golden_pairs(const std::string& name) {
  Pairs pairs;
  const Json golden = golden_of(name);
  for (const Json& pair : golden.at("pairs"))
    pairs.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
  return pairs;
}

std::vector<float> score(const CrossEncoder& model, const Pairs& pairs,
                         const ScoreOptions& options = {}, int32_t* counts = nullptr) {
  std::vector<TextPair> views;
  for (const auto& [first, second] : pairs) views.push_back({first, second});
  std::vector<float> scores(pairs.size() * static_cast<size_t>(model.label_count()),
                            std::numeric_limits<float>::quiet_NaN());
  model.score(views, options, scores.data(), counts);
  return scores;
}

double largest_difference(const std::vector<float>& a, const Json& rows) {
  double largest = 0;
  size_t i = 0;
  for (const Json& row : rows) {
    for (const Json& value : row) {
      if (i < a.size())
        largest = std::max(largest, std::abs(static_cast<double>(a[i]) - value.get<double>()));
      ++i;
    }
  }
  return i == a.size() && std::isfinite(largest) ? largest : 1e9;
}

ScoreOptions with_activation(const std::string& activation) {
  ScoreOptions options;
  options.activation = activation;
  return options;
}

class Rerankers : public testing::TestWithParam<std::string> {};

TEST_P(Rerankers, ScoresAreCrossEncoders) {
  const Json golden = golden_of(GetParam());
  const Pairs pairs = golden_pairs(GetParam());
  const auto model = CrossEncoder::load(kRerankers + GetParam());
  EXPECT_EQ(Json(model->labels()), golden.at("labels"));
  EXPECT_EQ(model->info().at("computed_by"),
            encoder::kernels_infer(model->encoder().architecture()) ? "kernels" : "libtorch");
  std::vector<int32_t> counts(pairs.size());
  EXPECT_LT(largest_difference(score(*model, pairs, {}, counts.data()), golden.at("scores")), 1e-5);
  EXPECT_LT(largest_difference(score(*model, pairs, with_activation("identity")),
                               golden.at("logits")),
            1e-5);
  if (golden.contains("softmax")) {
    EXPECT_LT(largest_difference(score(*model, pairs, with_activation("softmax")),
                                 golden.at("softmax")),
              1e-5);
  }
  for (size_t i = 0; i < pairs.size() && GetParam() != "saved";
       ++i) {  // the golden ids do not include the prompt of this model
    const auto cut = static_cast<int32_t>(golden.at("ids")[i].size());
    EXPECT_GE(counts[i], cut) << i;
    EXPECT_EQ(counts[i] > model->max_length(), cut == model->max_length() && counts[i] != cut) << i;
  }
}

TEST_P(Rerankers, TokensArePythons) {
  const Json golden = golden_of(GetParam());
  const auto model = CrossEncoder::load(kRerankers + GetParam());
  text::TokenBatch batch;
  for (const auto& [first, second] : golden_pairs(GetParam()))
    model->tokenizer().append_pair(first, second, model->max_length(), batch);
  std::vector<int32_t> ids, types;
  for (const Json& row : golden.at("ids")) {
    for (const Json& id : row) ids.push_back(id.get<int32_t>());
  }
  for (const Json& row : golden.at("type_ids")) {
    for (const Json& type : row) types.push_back(type.get<int32_t>());
  }
  EXPECT_EQ(batch.ids, ids);
  EXPECT_EQ(batch.type_ids, types);
}

TEST_P(Rerankers, AloneAsTogetherAndWithAnyThreads) {
  const Pairs pairs = golden_pairs(GetParam());
  const auto model = CrossEncoder::load(kRerankers + GetParam());
  const int before = runtime::threads();
  runtime::set_threads(1);
  const std::vector<float> one = score(*model, pairs);
  runtime::set_threads(4);
  const std::vector<float> four = score(*model, pairs);
  runtime::set_threads(before);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(four[i], one[i], 2e-6) << i;
  const auto width = static_cast<size_t>(model->label_count());
  ScoreOptions small;
  small.batch_tokens = 1;
  const std::vector<float> cut = score(*model, pairs, small);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(cut[i], one[i], 2e-6) << i;
  for (size_t i = 0; i < pairs.size(); i += 3) {
    const std::vector<float> alone = score(*model, {pairs[i]});
    for (size_t label = 0; label < width; ++label)
      EXPECT_NEAR(alone[label], one[i * width + label], 2e-6) << i;
  }
}

TEST_P(Rerankers, AreSavedAndScoreAgain) {
  const Pairs pairs = golden_pairs(GetParam());
  const auto model = CrossEncoder::load(kRerankers + GetParam());
  const TemporaryFolder folder;
  model->save(folder / "saved");
  const char* const kept =
      std::getenv("CONTRASTIVE_SAVED_RERANKERS");  // for tests/golden/rerankers/compare.sh
  if (kept != nullptr) model->save(std::string(kept) + "/" + GetParam());
  const auto again = CrossEncoder::load(folder / "saved");
  EXPECT_EQ(score(*again, pairs), score(*model, pairs));
  EXPECT_EQ(again->labels(), model->labels());
  EXPECT_EQ(again->fingerprint(), model->fingerprint());
  EXPECT_EQ(again->info().at("activation"), model->info().at("activation"));
  EXPECT_EQ(again->folder().prompts, model->folder().prompts);
  const Json before = read_json_file(kRerankers + GetParam() + "/config.json"),
             after = read_json_file(folder / "saved/config.json");
  EXPECT_EQ(after.at("architectures"), before.at("architectures"));
  again->save(folder / "saved");  // over itself
  EXPECT_EQ(score(*CrossEncoder::load(folder / "saved"), pairs), score(*model, pairs));
}

TEST_P(Rerankers, NarrowNumbersWhereTheKernelsCoverIt) {
  const auto model = CrossEncoder::load(kRerankers + GetParam());
  CheckpointOptions narrow;
  narrow.precision = "int8";
  if (!encoder::kernels_infer(model->encoder().architecture())) {
    expect_error(Status::kUnsupported, "load it with precision = float32",
                 [&] { CrossEncoder::load(kRerankers + GetParam(), narrow); });
    return;
  }
  const auto rounded = CrossEncoder::load(kRerankers + GetParam(), narrow);
  const Pairs pairs = golden_pairs(GetParam());
  const std::vector<float> a = score(*model, pairs), b = score(*rounded, pairs);
  double square = 0;
  for (size_t i = 0; i < a.size(); ++i)
    square += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
  EXPECT_LT(std::sqrt(square / static_cast<double>(a.size())), 0.08);
  const TemporaryFolder folder;
  expect_error(Status::kState, "load it with precision = float32",
               [&] { rounded->save(folder / "none"); });
}

TEST(CrossEncoder, PromptsStandBeforeTheFirstText) {
  const auto model = CrossEncoder::load(kRerankers + "saved");
  ScoreOptions none, explicitly;
  none.prompt = "";
  explicitly.prompt = "who: ";
  const Pairs pairs = {{"no one", "a stone"}}, prompted = {{"who: no one", "a stone"}};
  EXPECT_EQ(score(*model, pairs), score(*model, pairs, explicitly));
  EXPECT_EQ(score(*model, prompted, none), score(*model, pairs));
  EXPECT_NE(score(*model, pairs, none), score(*model, pairs));
  ScoreOptions unknown;
  unknown.prompt_name = "asks";
  expect_error(Status::kArgument, "did you mean 'ask'", [&] { score(*model, pairs, unknown); });
}

TEST(CrossEncoder, OptionsAreChecked) {
  const auto model = CrossEncoder::load(kRerankers + "bert");
  const Pairs pairs = {{"a", "b"}};
  expect_error(Status::kArgument, "sigmoid",
               [&] { score(*model, pairs, with_activation("sigmiod")); });
  ScoreOptions options;
  options.max_length = 129;
  expect_error(Status::kArgument, "at most 128 tokens", [&] { score(*model, pairs, options); });
  for (const int64_t length : {1, 2, 3, 4}) {
    options.max_length = length;
    expect_error(Status::kArgument,
                 "no room for a token of each text: the special tokens of a pair alone are 3",
                 [&] { score(*model, pairs, options); });
    expect_error(Status::kArgument, "no room", [&] { model->check_options(options); });
  }
  options.max_length = 5;
  EXPECT_NE(score(*model, {{"a", "trees"}}, options), score(*model, {{"a", "hare"}}, options));
  expect_error(Status::kArgument, "this reranker has one label",
               [&] { score(*model, pairs, with_activation("softmax")); });
  expect_error(Status::kArgument, "this reranker has one label",
               [&] { model->check_options(with_activation("softmax")); });
  Cancel cancel;
  cancel.trigger();
  ScoreOptions stopped;
  stopped.cancel = &cancel;
  expect_error(Status::kCancelled, "cancelled", [&] { score(*model, pairs, stopped); });
  EXPECT_TRUE(score(*model, {}).empty());
  CheckpointOptions strict;
  strict.invalid_utf8 = text::InvalidUtf8::kError;
  const auto refusing = CrossEncoder::load(kRerankers + "bert", strict);
  expect_error(Status::kFormat, "pairs[1]: its second text is not valid UTF-8 at byte 2",
               [&] { score(*refusing, {{"a", "b"}, {"a", "no\xff"}}); });
}

TEST(CrossEncoder, AScoreThatIsNoNumberIsAnErrorWithItsIndex) {
  io::ReadOptions read;
  read.classifier = true;
  io::ModelFolder folder = io::read_model_folder(kRerankers + "bert", read);
  io::Classifier broken = *folder.classifier;
  broken.weights["classifier.out_proj.bias"] =
      Tensor::filled({1}, std::numeric_limits<float>::quiet_NaN());
  folder.classifier = std::make_shared<const io::Classifier>(broken);
  const CrossEncoder model(std::move(folder));
  expect_error(Status::kNumeric, "pairs[0]", [&] { score(model, {{"a", "b"}, {"c", "d"}}); });
}

TEST(CrossEncoder, FoldersThatAreNoRerankersSayWhatTheyLack) {
  const std::string models = fixtures() + "/models/", families = fixtures() + "/families/";
  expect_error(Status::kMismatch, "BertForSequenceClassification",
               [&] { CrossEncoder::load(families + "bert"); });
  expect_error(Status::kUnsupported, "a sentence encoder",
               [&] { CrossEncoder::load(models + "bert_st_old"); });
  expect_error(Status::kUnsupported, "no classification head of T5",
               [&] { CrossEncoder::load(families + "t5"); });
}

INSTANTIATE_TEST_SUITE_P(All, Rerankers, testing::ValuesIn(fixtures_in("rerankers")),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace contrastive::model
