#include "core/torch/methods/reranker/reranker.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>

#include <cmath>

#include "core/model/cross_encoder.h"
#include "tests/core/base/expect_error.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {
namespace {

std::string reranker_folder(const char* name = "bert") { return fixtures() + "/rerankers/" + name; }

// A method that starts from a reranker's folder.
std::unique_ptr<Method> further(const std::string& json, const char* name = "bert") {
  const auto reranker = model::CrossEncoder::load(reranker_folder(name), on_test_device());
  MethodContext context;
  context.start = reranker->body();
  context.head = reranker->folder().classifier;
  context.config = Config::parse(json);
  find_method("reranker").describe(context.config);
  return find_method("reranker").make(context);
}

data::Batch some_lists() {
  data::Batch batch = some_pairs();
  for (data::Example& example : batch.examples)
    example.negatives = {example.b + " closed", "the house"};
  batch.examples[1].negatives.pop_back();
  return batch;
}

const char* const kRerankerStill = R"({"reranker.dropout": false)";

double loss(const std::string& more, const data::Batch& batch = some_lists()) {
  return loss_of(*further(kRerankerStill + more + "}"), batch);
}

TEST(Reranker, RefusesKeysOfOtherLosses) {
  for (const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
           {R"({"reranker.loss": "cosine"})", "reranker.loss"},
           {R"({"reranker.loss": "listwise", "reranker.positive_weight": 2})",
            "reranker.positive_weight"},
           {R"({"reranker.lambda_top": 2})", "reranker.lambda_top"},
           {R"({"reranker.teacher": "somewhere"})", "reranker.teacher"},
           {R"({"reranker.lora_rank": -1})", "reranker.lora_rank"},
           {R"({"reranker.lora_alpha": 4})", "reranker.lora_alpha"}}) {
    expect_refused(json, part,
                   [&, text = json] { find_method("reranker").describe(Config::parse(text)); });
  }
  test::expect_error(Status::kNotFound, "nowhere: there is no such folder", [] {
    find_method("reranker")
        .describe(
            Config::parse(R"({"reranker.loss": "distillation", "reranker.teacher": "nowhere"})"));
  });
}

TEST(Reranker, RefusesHeadsThatDoNotFitTheLoss) {
  expect_refused("classes of one label", "one label",
                 [] { further(R"({"reranker.loss": "classes"})"); });
  expect_refused("one score of three labels",
                 "the reranker has 3 labels, but config key 'reranker.loss' is binary, which "
                 "trains a reranker of one label: take classes",
                 [] { further("{}", "bert_labels"); });
  expect_refused("another number of labels", "reranker.labels",
                 [] { further(R"({"reranker.labels": 2})"); });
  expect_refused("a teacher of classes", "reranker.teacher", [] {
    further(R"({"reranker.loss": "distillation", "reranker.teacher": ")" +
            reranker_folder("bert_labels") + "\"}");
  });
  EXPECT_THROW(further(R"({"reranker.loss": "distillation", "reranker.teacher": ")" + fixtures() +
                       "/models/bert_st\"}"),
               Error)
      << "a sentence encoder cannot teach scores";
}

TEST(Reranker, ALengthWithoutRoomForBothTextsIsNamed) {
  for (const char* length : {"3", "4"}) {
    expect_refused(length,
                   cat("config key 'reranker.max_length' is ", length,
                       ", which leaves no room for a token of each text"),
                   [&] { further(cat("{\"reranker.max_length\": ", length, "}")); });
  }
  EXPECT_NE(further(R"({"reranker.max_length": 5})"), nullptr);
}

TEST(Reranker, RefusesExamplesThatTeachNothing) {
  const auto refused = [](const std::string& what, const std::string& part, const std::string& json,
                          const data::Batch& batch) {
    const auto data = data::make_dataset();
    for (const data::Example& example : batch.examples) data->add(example);
    const auto method = further(json);
    expect_refused(what, part, [&] { method->prepare(data.get(), nullptr); });
    expect_refused(what + " of the caller", part.rfind("none of", 0) == 0 ? "" : part, [&] {
      loss_of(*method, batch);
      if (part.rfind("none of", 0) == 0)
        fail(Status::kArgument, "lists of one are warned of there");
    });
  };
  data::Batch scored = some_pairs();
  for (data::Example& example : scored.examples) example.label = 3;
  refused("bare pairs", "neither a label nor hard negatives", "{}", some_pairs());
  refused("a label above 1", "takes labels from 0 to 1", "{}", scored);
  refused("lists of one", "none of the first 4 examples has a hard negative",
          R"({"reranker.loss": "listwise"})", scored);
  const auto lists_of_one = data::make_dataset();
  for (const data::Example& example : scored.examples) lists_of_one->add(example);
  expect_refused("lists of one by their loss",
                 "config key 'reranker.loss' is lambda, which compares texts of one list", [&] {
                   further(R"({"reranker.loss": "lambda"})")->prepare(lists_of_one.get(), nullptr);
                 });
  refused("no teacher", "no scores of a teacher", R"({"reranker.loss": "distillation"})",
          some_lists());
  data::Batch wrong = some_lists();
  for (data::Example& example : wrong.examples)
    example.scores.assign(1 + example.negatives.size(), 0.0);
  refused("nothing is right", "has a label above 0", R"({"reranker.loss": "listwise"})", wrong);
  data::Batch long_list = some_lists();
  long_list.examples[0].negatives.assign(64, "wrong");
  const auto lists = data::make_dataset();
  for (const data::Example& example : long_list.examples) lists->add(example);
  test::expect_error(Status::kLimit, "64 hard negatives, above the limit of 63",
                     [&] { further("{}")->prepare(lists.get(), nullptr); });
  expect_refused("single texts", "has one text only",
                 [] { loss_of(*further("{}"), some_texts()); });
}

TEST(Reranker, ClassesAreThoseOfTheHead) {
  data::Batch batch = some_pairs();
  for (size_t i = 0; i < batch.examples.size(); ++i)
    batch.examples[i].label = static_cast<double>(i % 3);
  const auto method = further(R"({"reranker.loss": "classes"})", "bert_labels");
  EXPECT_TRUE(std::isfinite(loss_of(*method, batch)));
  batch.examples[1].label = 3;
  expect_refused("a class too many", "from 0 to 2", [&] { loss_of(*method, batch); });
  batch.examples[1].label = 1;
  batch.examples[1].negatives = {"a text"};
  expect_refused("hard negatives", "takes pairs with a class each",
                 [&] { loss_of(*method, batch); });
}

TEST(Reranker, EverySwitchChangesTheLoss) {
  const double binary = loss("");
  for (const char* key : {R"(, "reranker.positive_weight": 3)", R"(, "reranker.loss": "listwise")",
                          R"(, "reranker.loss": "listnet")", R"(, "reranker.loss": "lambda")",
                          R"(, "reranker.max_length": 6)"}) {
    EXPECT_GT(std::fabs(loss(key) - binary), 1e-5) << key;
  }
  const double lambda = loss(R"(, "reranker.loss": "lambda")");
  EXPECT_NE(loss(R"(, "reranker.loss": "lambda", "reranker.lambda_weights": "lambdarank")"),
            lambda);
  EXPECT_NE(loss(R"(, "reranker.loss": "lambda", "reranker.lambda_weights": "none")"), lambda);
  const auto method = further("{}");
  data::Batch other = some_lists();
  other.epoch = 1;
  EXPECT_NE(loss_of(*method, some_lists()), loss_of(*method, other))
      << "dropout is drawn again in each epoch";
}

TEST(Reranker, ItsOwnScoresAreNothingToLearnFromItself) {
  const std::string itself = R"(, "reranker.teacher": ")" + reranker_folder() + "\"";
  EXPECT_NEAR(loss(R"(, "reranker.loss": "distillation")" + itself), 0, 1e-10);
  EXPECT_NEAR(loss(R"(, "reranker.loss": "margin-distillation")" + itself), 0, 1e-10);
  data::Batch margins = some_pairs();
  for (data::Example& example : margins.examples) {
    example.negatives = {"the house"};
    example.label = 2;
  }
  data::Batch scores = margins;
  for (data::Example& example : scores.examples) example.scores = {3, 1};
  const char* const key = R"(, "reranker.loss": "margin-distillation")";
  EXPECT_NEAR(loss(key, margins), loss(key, scores), 1e-12)
      << "a difference is equivalent to the two scores";
}

TEST(Reranker, GoesOnFromWhatTheRerankerKnows) {
  const auto reranker = model::CrossEncoder::load(reranker_folder(), on_test_device());
  const auto method = further("{}");
  const std::vector<model::TextPair> pairs = {{"a cat", "the cat sat"}, {"a cat", "two birds"}};
  std::vector<float> own(2), before(2);
  reranker_method(*method)->score(pairs, own.data());
  model::ScoreOptions options;
  options.activation = "identity";
  reranker->score(pairs, options, before.data());
  EXPECT_EQ(own, before);
  EXPECT_EQ(method->result({})->fingerprint(), reranker->fingerprint());
}

TEST(Reranker, ASentenceEncoderGetsASeededHead) {
  const auto fresh = [](uint64_t seed) {
    MethodContext context;
    context.start = tiny_model();
    context.config = Config::parse(R"({"reranker.labels": 1})");
    context.seed = seed;
    find_method("reranker").describe(context.config);
    return find_method("reranker").make(context)->result({});
  };
  const auto one = fresh(1);
  EXPECT_EQ(one->fingerprint(), fresh(1)->fingerprint());
  EXPECT_NE(one->fingerprint(), fresh(2)->fingerprint());
  const auto reranker = model::cross_encoder(one);
  ASSERT_NE(reranker, nullptr);
  EXPECT_EQ(reranker->labels(), std::vector<std::string>{"LABEL_0"});
  const TemporaryFolder folder;
  reranker->save(folder / "reranker");
  EXPECT_EQ(model::CrossEncoder::load(folder / "reranker")->fingerprint(), one->fingerprint());
}

}  // namespace
}  // namespace contrastive::methods
