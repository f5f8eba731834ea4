#include "core/torch/methods/clear/clear.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <gmock/gmock.h>

#include <cmath>

#include "core/base/error.h"
#include "core/torch/tensors/tensors.h"
#include "core/torch/nn/mlm_head.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/core/torch/run/warnings_of.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {
namespace {

using run::warnings_of;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::unique_ptr<EncoderMethod> make(
    const std::string& json, const std::shared_ptr<model::SentenceEncoder>& start = tiny_model()) {
  MethodContext context;
  context.start = start;
  context.config = Config::parse(json);
  describe_clear(context.config);
  return as_encoder_method(make_clear(context));
}

const std::vector<std::string> kTexts = {"the cat sat on the old red house",
                                         "a dog runs on the water",
                                         "two birds and a small tree by the house",
                                         "summer is here"};

double value(const LossTerms& terms, const std::string& name) {
  for (const auto& [key, tensor] : terms.values) {
    if (key == name) return tensor.item<double>();
  }
  ADD_FAILURE() << "no term " << name;
  return 0;
}

at::Tensor parameter(const Method& method, const std::string& name) {
  for (const Parameter& p : method.parameters()) {
    if (p.name == name) return p.tensor;
  }
  return {};
}

TEST(Clear, TheTotalIsMaskedLanguageModellingPlusWeightTimesContrast) {
  for (const auto& [json, weight] : std::vector<std::pair<std::string, double>>{
           {"{}", 1},
           {R"({"clear.contrastive_weight": 0.25})", 0.25},
           {R"({"clear.reduction": "sum", "clear.head": "none"})", 1}}) {
    const LossTerms terms = loss_terms(*make(json), singles_batch(kTexts));
    EXPECT_NEAR(terms.total().item<double>(),
                value(terms, "mlm") + weight * value(terms, "contrastive"), 1e-5)
        << json;
    EXPECT_GT(value(terms, "contrastive"), 0);
  }
}

TEST(Clear, BaselinesAreMaskedLanguageModellingAlone) {
  for (const char* objective : {"mlm", "double-batch", "double-mlm"}) {
    const auto method = make(cat(R"({"clear.objective": ")", objective, "\"}"));
    const LossTerms terms = loss_terms(*method, singles_batch(kTexts));
    ASSERT_EQ(terms.values.size(), 1u);
    const double chance = std::log(static_cast<double>(tiny_model()->shape().vocab_size));
    EXPECT_NEAR(terms.total().item<double>(), chance, 2) << "an untrained head predicts by chance";
    EXPECT_FALSE(parameter(*method, "head.0.weight").defined()) << "no head without views";
  }
}

TEST(Clear, TwoMasksShareOneMean) {
  const auto method = make(R"({"clear.objective": "double-mlm", "clear.dropout": false})");
  const auto once = make(R"({"clear.objective": "mlm", "clear.dropout": false})");
  const Views two = method->views(singles_batch(kTexts)), one = once->views(singles_batch(kTexts));
  EXPECT_GT(two.means[0].count, one.means[0].count);
  EXPECT_NEAR(two.means[0].count, 2 * one.means[0].count, static_cast<double>(kTexts.size()));
  EXPECT_EQ(two.tokens, 2 * one.tokens);
}

TEST(Clear, ViewsAreTheSameBitsTwiceAndPartsAddUp) {
  const auto method = make("{}");
  const data::Batch whole = singles_batch(kTexts);
  const Views first = method->views(whole), again = method->views(whole);
  for (const char* name : {"view1", "view2", "text"})
    EXPECT_TRUE(first[name].equal(again[name])) << name;
  EXPECT_TRUE(first.means[0].sum.equal(again.means[0].sum));

  std::vector<Views> parts;
  for (const int64_t begin : {0, 3}) {
    data::Batch part;
    for (int64_t i = begin; i < (begin == 0 ? 3 : 4); ++i) {
      part.indices.push_back(i);
      part.examples.push_back(whole.examples[static_cast<size_t>(i)]);
    }
    parts.push_back(method->views(part));
  }
  const LossTerms joined = method->compare(join(parts), whole),
                  direct = method->compare(first, whole);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(joined.values[i].second.item<double>(), direct.values[i].second.item<double>(),
                1e-5)
        << joined.values[i].first;
  }
}

TEST(Clear, DecaysEverythingOrMatricesOnly) {
  for (const Parameter& p : make("{}")->parameters()) EXPECT_TRUE(p.decay) << p.name;
  for (const Parameter& p : make(R"({"clear.decay_all": false})")->parameters())
    EXPECT_EQ(p.decay, decays_by_name(p.name)) << p.name;
}

TEST(Clear, FailingRecipesWarn) {
  for (const char* recipe : {"reorder", "reorder+subs", "subs"}) {
    const TemporaryFolder folder;
    const std::string table = folder.write("synonyms", "10, 11\n");
    const std::string synonyms = std::string(recipe).find("subs") == std::string::npos
                                     ? ""
                                     : cat(R"(, "clear.synonyms": ")", table, "\"");
    EXPECT_THAT(warnings_of(
                    [&] { make(cat(R"({"clear.recipe": ")", recipe, "\"", synonyms, "}")); }),
                Contains(HasSubstr("clear.recipe")))
        << recipe;
  }
  EXPECT_THAT(warnings_of([] { make(R"({"clear.recipe": "del-word+reorder"})"); }),
              Not(Contains(HasSubstr("clear.recipe"))));
}

TEST(Clear, EqualViewsWarn) {
  const auto warnings = [](const std::string& keys) {
    return warnings_of([&] { make("{" + keys + "}"); });
  };
  const std::string none = R"("clear.recipe": "none")", off = R"(, "clear.dropout": false)";
  EXPECT_THAT(warnings(none + off), Contains(HasSubstr("both views of a text are the same")));
  EXPECT_THAT(warnings(R"("clear.view1_recipe": "none", "clear.view2_recipe": "none")" + off),
              Contains(HasSubstr("are the same")));
  for (const std::string& keys : {none, none + off + R"(, "clear.view2_recipe": "del-word")",
                                  R"("clear.objective": "mlm")" + off}) {
    EXPECT_THAT(warnings(keys), Not(Contains(HasSubstr("are the same")))) << keys;
  }
}

TEST(Clear, AFileOfSynonymsThatIsNotThereIsNamedWithItsKey) {
  expect_error(Status::kNotFound, "config key 'clear.synonyms': /nonexist", [&] {
    make(R"({"clear.recipe": "subs+del-word", "clear.synonyms": "/nonexist"})");
  });
}

TEST(Clear, DegenerateBatches) {
  const auto method = make("{}");
  const LossTerms empty = loss_terms(*method, singles_batch({"", ""}));
  EXPECT_EQ(value(empty, "mlm"), 0) << "nothing to predict";
  EXPECT_TRUE(std::isfinite(empty.total().item<double>()));
  empty.total().backward();
  for (const Parameter& p : method->parameters()) {
    EXPECT_TRUE(!p.tensor.grad().defined() ||
                std::isfinite(p.tensor.grad().abs().max().item<double>()))
        << p.name;
  }
  EXPECT_EQ(parameter(*method, "cls.predictions.bias").grad().abs().max().item<double>(), 0);

  EXPECT_EQ(value(loss_terms(*make("{}"), singles_batch({"the cat sat on the house"})),
                  "contrastive"),
            0)
      << "one text has no negatives";
  // Without augmentation and dropout all vectors are equal: log(2n - 1).
  const auto same =
      make(R"({"clear.recipe": "none", "clear.dropout": false, "clear.head": "none"})");
  EXPECT_NEAR(value(loss_terms(*same, singles_batch({"the cat", "the cat", "the cat"})),
                    "contrastive"),
              std::log(5.0), 1e-4);
  const auto masked = make(
      R"({"clear.recipe": "none", "clear.dropout": false, "clear.head": "none", "clear.false_negatives": "mask"})");
  EXPECT_EQ(value(loss_terms(*masked, singles_batch({"the cat", "the cat", "the cat"})),
                  "contrastive"),
            0);
  // A head that ends in ReLU may give the zero vector: cosine 0, gradient 0.
  const auto dead = make(R"({"clear.dropout": false})");
  parameter(*dead, "head.1.weight").detach().fill_(0);
  parameter(*dead, "head.1.bias").detach().fill_(-1);
  const LossTerms terms = loss_terms(*dead, singles_batch(kTexts));
  EXPECT_NEAR(value(terms, "contrastive"), std::log(2.0 * static_cast<double>(kTexts.size()) - 1),
              1e-5);
  terms.total().backward();
  EXPECT_EQ(parameter(*dead, "head.0.weight").grad().abs().max().item<double>(), 0);
}

TEST(Clear, ANewDelTokenTrainsAndIsNotDelivered) {
  const auto start = tiny_model();
  const auto method = make(R"({"clear.del_token": "new", "clear.recipe": "del-word"})", start);
  const at::Tensor words = parameter(*method, "embeddings.word_embeddings.weight");
  ASSERT_EQ(words.size(0), start->shape().vocab_size + 1);
  loss_terms(*method, singles_batch(kTexts)).total().backward();
  EXPECT_GT(words.grad()[words.size(0) - 1].abs().max().item<double>(), 0);
  EXPECT_EQ(parameter(*method, "cls.predictions.bias").size(0), start->shape().vocab_size)
      << "it is never predicted";
  const auto delivered = method->deliver();
  EXPECT_EQ(delivered->shape().vocab_size, start->shape().vocab_size);
  const std::vector<std::string_view> texts = {"the cat sat"};
  at::Tensor inside = at::empty({1, method->dimension()}, at::kFloat),
             outside = at::empty_like(inside);
  method->embed(texts, inside.mutable_data_ptr<float>());
  model::EncodeOptions options;
  options.normalize = 0;
  delivered->encode(texts, options, outside.mutable_data_ptr<float>());
  EXPECT_TRUE(inside.allclose(outside, 1e-5, 1e-6));
}

TEST(Clear, TheHeadOfACheckpointIsTakenUpAndDeliveredOnDemand) {
  const auto start = tiny_model();
  tensors::TorchTensorMap head;
  for (const auto& [name, tensor] : nn::MlmHead::random(start->shape(), 77).named_parameters())
    head[name] = tensor.clone().add_(0.5);
  start->set_mlm_head(tensors::from_torch(head));
  const auto plain = make("{}", start),
             delivering = make(R"({"clear.deliver_mlm_head": true})", start);
  for (const auto& [name, tensor] : head)
    EXPECT_TRUE(parameter(*plain, name).cpu().equal(tensor)) << name;
  EXPECT_THAT(plain->deliver()->folder().mlm_head, IsEmpty());
  parameter(*delivering, "cls.predictions.bias").detach().fill_(3);
  const TemporaryFolder folder;
  delivering->deliver()->save(folder / "model");
  const auto loaded = model::SentenceEncoder::load(folder / "model", on_test_device());
  EXPECT_EQ(
      tensors::to_torch(loaded->folder().mlm_head.at("cls.predictions.bias")).min().item<double>(),
      3);
  EXPECT_TRUE(
      tensors::to_torch(loaded->folder().mlm_head.at("cls.predictions.transform.dense.weight"))
          .equal(head.at("cls.predictions.transform.dense.weight")));
  EXPECT_EQ(
      tensors::to_torch(start->folder().mlm_head.at("cls.predictions.bias")).max().item<double>(),
      0.5)
      << "the start model's own is unchanged";
  EXPECT_EQ(loaded->fingerprint(), delivering->deliver()->fingerprint());
}

TEST(Clear, DeliversTheFirstTokenUnlessToldOtherwise) {
  EXPECT_EQ(make("{}")->deliver()->folder().poolings, std::vector<std::string>{"cls"});
  EXPECT_EQ(make(R"({"clear.pooling": "mean"})")->deliver()->folder().poolings,
            std::vector<std::string>{"mean"});
}

TEST(Clear, TrainsOnBlocksOfAFileAndOfACaller) {
  const TemporaryFolder folder;
  std::string corpus;
  for (int i = 0; i < 60; ++i) corpus += kTexts[static_cast<size_t>(i) % kTexts.size()] + "\n";
  const auto data = data::open_dataset(folder.write("corpus.txt", corpus), {});
  const Config config =
      toy_config(R"({"clear.blocks": true, "batch_size": 4, "accumulate": 1, "max_steps": 6})",
                 "clear");
  run::TrainingRun whole(tiny_model(), data, config);
  EXPECT_LT(whole.metric("steps_per_epoch"), 15) << "several sentences make a block";
  for (int i = 0; i < 3; ++i) ASSERT_EQ(whole.step(), Status::kOk);
  whole.save(folder / "run");
  const auto resumed = run::TrainingRun::resume(folder / "run", tiny_model(), data, {});
  while (whole.step() == Status::kOk) {
    ASSERT_EQ(resumed->step(), Status::kOk);
    EXPECT_EQ(whole.metric("loss"), resumed->metric("loss"));
  }
  EXPECT_EQ(whole.trained(false)->fingerprint(), resumed->trained(false)->fingerprint());

  const auto method = make(R"({"clear.blocks": true})");
  data::Batch brought = singles_batch({"the cat sat\nand the dog", "one line"});
  method->tokenize(brought);
  const auto start = tiny_model();
  const text::Tokenizer& words = start->tokenizer();
  EXPECT_EQ(brought.tokens[0].length(0), words.encode("the cat sat", 0).full_length +
                                             words.encode("and the dog", 0).full_length - 1);
  EXPECT_TRUE(std::isfinite(loss_terms(*method, brought).total().item<double>()));
}

TEST(Clear, NeedsRoomInTheModel) {
  expect_error(Status::kArgument, "config key 'clear.max_length' is 100000",
               [] { make(R"({"clear.max_length": 100000})"); });
}

// The tiny model, with a tokenizer in which [MASK] is an ordinary word.
TEST(Clear, NeedsAMaskToken) {
  const TemporaryFolder folder;
  const std::string model = folder / "model";
  std::filesystem::copy(fixtures() + "/models/bert_st", model,
                        std::filesystem::copy_options::recursive);
  Json settings = read_json_file(model + "/tokenizer_config.json"),
       tokenizer = read_json_file(model + "/tokenizer.json");
  settings.erase("mask_token");
  tokenizer["added_tokens"].erase(4);
  Json vocabulary = Json::object();
  for (const auto& [word, id] : tokenizer["model"]["vocab"].items())
    vocabulary[word == "[MASK]" ? "unmasked" : word] = id;
  tokenizer["model"]["vocab"] = vocabulary;
  folder.write("model/tokenizer_config.json", settings.dump());
  folder.write("model/tokenizer.json", tokenizer.dump());
  const std::shared_ptr<model::SentenceEncoder> without =
      model::SentenceEncoder::load(model, on_test_device());
  ASSERT_EQ(without->tokenizer().special_ids().mask, -1);
  expect_error(Status::kArgument, "no mask token", [&] { make("{}", without); });
  expect_error(Status::kArgument, "no mask token",
               [&] { make(R"({"clear.objective": "mlm"})", without); });
}

}  // namespace
}  // namespace contrastive::methods
