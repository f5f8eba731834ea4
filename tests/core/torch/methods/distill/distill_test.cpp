#include "core/torch/methods/distill/distill.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/cat.h>

#include <cmath>

#include "core/torch/tensors/tensors.h"
#include "core/model/cross_encoder.h"
#include "core/model/principal_components.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {
namespace {

const std::string kModels = fixtures() + "/models/";
const std::string kReranker = fixtures() + "/rerankers/bert";

std::string keys(const std::string& teacher, const std::string& more = "") {
  return R"({"distill.dropout": false, "distill.teacher": ")" + teacher + '"' +
         (more.empty() ? "" : ", " + more) + "}";
}

data::Batch with_negatives() {
  data::Batch batch = some_pairs();
  batch.examples[0].negatives = {"water", "a green tree"};
  batch.examples[1].negatives = {"the house"};
  batch.examples[2].negatives = {"cat"};
  return batch;
}

// A teacher like the start model, but with another pooling and without Normalize, so that they
// differ.
std::shared_ptr<model::SentenceEncoder> student() {
  io::ModelFolder folder = io::read_model_folder(kModels + "bert_st");
  folder.poolings = {"cls"};
  folder.normalize = false;
  return std::make_shared<model::SentenceEncoder>(std::move(folder), on_test_device());
}

at::Tensor embedded(const model::SentenceEncoder& model,
                    const std::vector<std::string_view>& texts) {
  at::Tensor out = at::empty({static_cast<int64_t>(texts.size()), model.dimension()}, at::kFloat);
  model.encode(texts, {}, out.mutable_data_ptr<float>());
  return out;
}

TEST(Distill, RefusesWhatSaysNothingOrContradictsItself) {
  const std::string st = kModels + "bert_st";
  for (const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
           {R"({"distill.temperature": 2})",
            "'distill.temperature' is set, but it goes with distill.loss = scores only"},
           {R"({"distill.similarity": "cosine"})", "margin_mse or scores only"},
           {keys(st, R"("distill.loss": "margin_mse", "distill.projection": "linear")"),
            "embedding_mse only"},
           {keys(st, R"("distill.pca_texts": 100)"), "distill.teacher_pca only"},
           {keys(st, R"("distill.teacher_pca": true, "distill.projection": "linear")"),
            "exclude each other"},
           {R"({"distill.teacher_pca": true})", "its own teacher"},
           {keys(kReranker), "is a reranker, which gives scores and no vectors"}}) {
    expect_refused(json, part,
                   [&, text = json] { find_method("distill").describe(Config::parse(text)); });
  }
  try {
    find_method("distill").describe(Config::parse(keys("/no/such/folder")));
    ADD_FAILURE() << "a missing folder was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::kNotFound);
    EXPECT_THAT(error.message(),
                ::testing::HasSubstr("config key 'distill.teacher': /no/such/folder"));
  }
}

TEST(Distill, TraitsFollowTheLoss) {
  const auto traits = [](const std::string& json) {
    return find_method("distill").describe(Config::parse(json));
  };
  EXPECT_FALSE(traits("{}").needs_pairs);
  EXPECT_TRUE(traits("{}").caches);
  EXPECT_FALSE(traits("{}").hard_negatives);
  EXPECT_TRUE(traits(R"({"distill.second_texts": "own"})").hard_negatives);
  const MethodTraits margins = traits(R"({"distill.loss": "margin_mse"})");
  EXPECT_TRUE(margins.needs_pairs && margins.needs_labels && margins.hard_negatives &&
              margins.scores);
  EXPECT_FALSE(margins.caches);
  EXPECT_FALSE(traits(keys(kReranker, R"("distill.loss": "margin_mse")")).needs_labels);
}

TEST(Distill, AnotherDimensionIsRefusedWithTheWaysOut) {
  const auto refused = [](const std::string& json, const std::string& part) {
    expect_refused(json, part, [&] { make_method("distill", json); });
  };
  refused(keys(kModels + "bert_st_old"), "the teacher's vectors have 12 dimensions, the student's "
                                         "32: set distill.projection = linear");
  refused(keys(kModels + "bert_st_old", R"("distill.teacher_pca": true)"),
          "there is nothing to take away");
  const auto method =
      make_method("distill", keys(kModels + "bert_st_old", R"("distill.projection": "linear")"));
  EXPECT_EQ(method->parameters().back().name, "projection.0.bias");
  EXPECT_EQ(method->deliver()->dimension(), 32) << "the projection is not saved with the model";
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

TEST(Distill, ItsOwnTeacherTeachesNothingOfSingleTexts) {
  const auto data = data::make_dataset();
  for (const data::Example& example : some_texts().examples) data->add(example);
  expect_refused("single texts", "config key 'distill.teacher' is missing",
                 [&] { make_method("distill")->prepare(data.get(), nullptr); });
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
  expect_refused("two negatives", "one label is the margin of one hard negative, but there are 2",
                 [&] { loss_of(*by_labels, labelled); });
  labelled.examples[0].negatives.pop_back();
  expect_refused("no label", "the label of a row is the teacher's margin, but here it is missing",
                 [&] {
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
  expect_refused("labels alone", "no scores of a teacher: name their columns in data.scores",
                 [&] { loss_of(*by_scores, batch); });
  scored.examples[1].scores.pop_back();
  expect_refused("too few scores", "1 scores of a teacher, but a second text and 1 hard negatives",
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
    expect_refused(loss, "name their columns in data.negatives",
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

// A teacher of 32 dimensions, a student of 8: the start model behind a Dense module.
TEST(Distill, ComponentsTakeTheTeacherToTheStudentsDimension) {
  io::ModelFolder folder = io::read_model_folder(kModels + "bert_st");
  Tensor weight({8, 32});
  for (int64_t i = 0; i < weight.elements(); ++i)
    weight.mutable_floats()[i] = static_cast<float>((i * 7) % 11) / 40 - 0.1F;
  folder.dense = {{weight, Tensor(), "identity"}};
  folder.normalize = false;
  const auto start = std::make_shared<model::SentenceEncoder>(std::move(folder), on_test_device());
  const auto data = data::make_dataset();
  std::vector<std::string> texts;
  for (const char* what : {"cat", "dog", "bird", "house", "tree", "mat", "water"}) {
    for (const char* how : {"a red ", "the old ", "two "}) texts.push_back(std::string(how) + what);
  }
  for (const std::string& text : texts) data->add({text, "", false});
  const std::string json = keys(kModels + "bert_st", R"("distill.teacher_pca": true)");
  expect_refused("no projection",
                 "the teacher's vectors have 32 dimensions, the student's 8: set "
                 "distill.projection = linear, or distill.teacher_pca = true",
                 [&] { make_method("distill", keys(kModels + "bert_st"), start); });
  const auto method = make_method("distill", json, start);
  expect_refused("no data", "needs a dataset", [&] { method->prepare(nullptr, nullptr); });
  method->prepare(data.get(), nullptr);

  const auto teacher = model::SentenceEncoder::load(kModels + "bert_st", on_test_device());
  const at::Tensor all = embedded(*teacher, {texts.begin(), texts.end()});
  const at::Tensor axes = tensors::to_torch(model::principal_axes(tensors::from_torch(all), 8));
  const data::Batch batch = singles_batch({texts[0], texts[5], texts[9]});
  const at::Tensor taught = embedded(*teacher, {texts[0], texts[5], texts[9]}).matmul(axes.t());
  const double expected =
      (embedded(*start, {texts[0], texts[5], texts[9]}) - taught).square().mean().item<double>();
  EXPECT_NEAR(loss_of(*method, batch), expected, 1e-5 * std::max(1.0, expected));

  const auto resumed = make_method("distill", json, start);
  resumed->load_state(method->save_state());
  EXPECT_EQ(loss_of(*resumed, batch), loss_of(*method, batch))
      << "a resumed run has the same components";
  data->add({"one more", "", false});
  const auto few = data::make_dataset();
  for (const std::string& text : {texts[0], texts[1]}) few->add({text, "", false});
  expect_refused("few texts", "8 components are wanted, but there are only 2 training texts",
                 [&] { make_method("distill", json, start)->prepare(few.get(), nullptr); });
}

}  // namespace
}  // namespace contrastive::methods
