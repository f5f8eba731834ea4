#include "core/torch/methods/distill/distill.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

#include <cmath>

#include "core/model/cross_encoder.h"
#include "tests/core/torch/methods/distill/distill_tests.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {
namespace {

data::Batch with_negatives() {
  data::Batch batch = some_pairs();
  batch.examples[0].negatives = {"water", "a green tree"};
  batch.examples[1].negatives = {"the house"};
  batch.examples[2].negatives = {"cat"};
  return batch;
}

// A student like the start model, but with another pooling and without Normalize, so that it
// differs from its teacher.
std::shared_ptr<model::SentenceEncoder> student() {
  io::ModelFolder folder = io::read_model_folder(kModels + "bert_st");
  folder.poolings = {"cls"};
  folder.normalize = false;
  return std::make_shared<model::SentenceEncoder>(std::move(folder), on_test_device());
}

TEST(Distill, BothTextsOfAPairLearnTheVectorOfTheFirst) {
  const auto start = student(),
             teacher = model::SentenceEncoder::load(kModels + "bert_st", on_test_device());
  const data::Batch batch = some_pairs();
  std::vector<std::string_view> a, b;
  for (const data::Example& example : batch.examples)
    a.push_back(example.a), b.push_back(example.b);
  const at::Tensor taught = embedded(*teacher, a), own_a = embedded(*start, a),
                   own_b = embedded(*start, b);
  const double expected = at::cat({own_a - taught, own_b - taught}).square().mean().item<double>();
  EXPECT_NEAR(loss_of(*make_method("distill", keys(kModels + "bert_st"), start), batch), expected,
              1e-6);
  const double each =
      at::cat({own_a - taught, own_b - embedded(*teacher, b)}).square().mean().item<double>();
  EXPECT_NEAR(loss_of(*make_method("distill",
                                   keys(kModels + "bert_st", R"("distill.second_texts": "own")"),
                                   start),
                      batch),
              each, 1e-6);
  EXPECT_GT(std::fabs(each - expected), 1e-3);
  data::Batch single = batch;
  for (data::Example& example : single.examples) example.b.clear(), example.has_b = false;
  EXPECT_NEAR(loss_of(*make_method("distill", keys(kModels + "bert_st"), start), single),
              (own_a - taught).square().mean().item<double>(), 1e-6);
}

TEST(Distill, MarginsAreTheTeachersOrThoseOfTheData) {
  const auto start = student(),
             teacher = model::SentenceEncoder::load(kModels + "bert_st_old", on_test_device());
  const data::Batch batch = with_negatives();
  const auto dot = [](const model::SentenceEncoder& model, const std::string& x,
                      const std::string& y) {
    return (embedded(model, {x})[0] * embedded(model, {y})[0]).sum().item<double>();
  };
  double sum = 0, of_labels = 0;
  for (const data::Example& example : batch.examples) {
    for (const std::string& negative : example.negatives) {
      const double own = dot(*start, example.a, example.b) - dot(*start, example.a, negative);
      const double taught =
          dot(*teacher, example.a, example.b) - dot(*teacher, example.a, negative);
      sum += (own - taught) * (own - taught);
      of_labels += (own - 0.25) * (own - 0.25);
    }
  }
  const auto method =
      make_method("distill", keys(kModels + "bert_st_old", R"("distill.loss": "margin_mse")"),
                  start);
  EXPECT_NEAR(loss_of(*method, batch) / (sum / 4), 1, 1e-4);

  const auto by_labels =
      make_method("distill", R"({"distill.dropout": false, "distill.loss": "margin_mse"})", start);
  data::Batch labelled = batch;
  for (data::Example& example : labelled.examples) example.label = 0.25;
  expect_error(Status::kArgument, "one label is the margin of one hard negative, but there are 2",
               [&] { loss_of(*by_labels, labelled); });
  labelled.examples[0].negatives.pop_back();
  expect_error(Status::kArgument,
               "the label of a row is the teacher's margin, but here it is missing", [&] {
                 data::Batch without = labelled;
                 without.examples[1].label = std::nan("");
                 loss_of(*by_labels, without);
               });
  data::Batch scored = batch;
  double of_scores = 0;
  for (size_t i = 0; i < scored.examples.size(); ++i) {
    data::Example& example = scored.examples[i];
    example.scores = {0.5 * static_cast<double>(i)};
    for (const std::string& negative : example.negatives) {
      example.scores.push_back(-0.25 * static_cast<double>(example.scores.size()));
      const double own = dot(*start, example.a, example.b) - dot(*start, example.a, negative);
      of_scores += std::pow(own - (example.scores.front() - example.scores.back()), 2);
    }
  }
  EXPECT_NEAR(loss_of(*by_labels, scored) / (of_scores / 4), 1, 1e-4);
  const auto by_scores =
      make_method("distill", R"({"distill.dropout": false, "distill.loss": "scores"})", start);
  EXPECT_GT(loss_of(*by_scores, scored), 0);
  expect_error(Status::kArgument, "no scores of a teacher: name their columns in data.scores",
               [&] { loss_of(*by_scores, batch); });
  scored.examples[1].scores.pop_back();
  expect_error(Status::kArgument, "1 scores of a teacher, but a second text and 1 hard negatives",
               [&] { loss_of(*by_labels, scored); });

  EXPECT_GT(of_labels, 0);
  const double first = dot(*start, batch.examples[0].a, batch.examples[0].b) -
                       dot(*start, batch.examples[0].a, batch.examples[0].negatives[1]);
  EXPECT_NEAR(loss_of(*by_labels, labelled) / ((of_labels - (first - 0.25) * (first - 0.25)) / 3),
              1, 1e-4);
}

TEST(Distill, ARerankerTeachesByItsLogits) {
  const auto start = student();
  const std::string margins = R"("distill.loss": "margin_mse")";
  const data::Batch batch = with_negatives();
  const auto reranker = model::CrossEncoder::load(kReranker);
  double sum = 0;
  model::ScoreOptions options;
  options.activation = "identity";
  for (const data::Example& example : batch.examples) {
    for (const std::string& negative : example.negatives) {
      float scores[2];
      reranker->score({{example.a, example.b}, {example.a, negative}}, options, scores);
      const at::Tensor own = embedded(*start, {example.a, example.b, negative});
      const double margin = (own[0] * (own[1] - own[2])).sum().item<double>();
      sum += std::pow(margin - static_cast<double>(scores[0] - scores[1]), 2);
    }
  }
  EXPECT_NEAR(loss_of(*make_method("distill", keys(kReranker, margins), start), batch) / (sum / 4),
              1, 1e-4);
}

TEST(Distill, ABatchWithoutNegativesGivesNothing) {
  for (const char* loss : {"margin_mse", "scores"}) {
    const auto method =
        make_method("distill", keys(kModels + "bert_st", cat(R"("distill.loss": ")", loss, '"')));
    EXPECT_EQ(loss_of(*method, some_pairs()), 0) << loss;
    const auto data = data::make_dataset();
    for (const data::Example& example : some_pairs().examples) data->add(example);
    expect_error(Status::kArgument, "name their columns in data.negatives",
                 [&] { method->prepare(data.get(), nullptr); });
  }
}

TEST(Distill, EverySwitchOfScoresChangesTheLoss) {
  const auto loss = [&](const std::string& more) {
    return loss_of(*make_method("distill",
                                keys(kModels + "bert_st_old", R"("distill.loss": "scores")" + more),
                                student()),
                   with_negatives());
  };
  const double plain = loss("");
  EXPECT_GT(plain, 0);
  for (const char* key : {R"(, "distill.temperature": 2)", R"(, "distill.similarity": "cosine")",
                          R"(, "distill.anchor_prompt": "the old ")"}) {
    EXPECT_GT(std::fabs(loss(key) - plain), 1e-5) << key;
  }
}

}  // namespace
}  // namespace contrastive::methods
