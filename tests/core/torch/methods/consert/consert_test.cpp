// ConSERT as a method: its losses against published values, and edge cases of texts, labels and
// batches.
#include "core/torch/methods/consert/consert.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/torch/tensors/cuda.h"
#include "tests/core/torch/methods/consert/consert_tests.h"
#include "tests/core/torch/methods/loss_terms.h"
#include "tests/core/torch/objectives/finite_differences.h"
#include "tests/core/torch/run/toy.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

double consert_loss(const std::string& json, const data::Batch& batch) {
  return loss_terms(*make(json), batch).total().item<double>();
}

TEST(Consert, JointLossesAreThePublishedOnes) {
  const Json test = read_json_file(fixtures() + "/consert_vectors.json")["joint"];
  const auto start = tiny_model();
  const c10::Device device = tensors::to_torch(start->encoder().device());
  // Zeros after the four published numbers do not change cosines.
  const auto vectors = [&](const char* name) {
    const at::Tensor z = at::zeros({2, start->shape().hidden_size}, at::kDouble);
    for (int64_t i = 0; i < 2; ++i) {
      for (int64_t k = 0; k < 4; ++k)
        z[i][k] = test[name][static_cast<size_t>(i)][static_cast<size_t>(k)].get<double>();
    }
    return z.to(device);
  };
  const double alpha = test["alpha"];
  for (const auto& [form, key] :
       {std::pair("per-side-sum", "joint_code"), std::pair("per-side-mean", "joint_per_side_mean"),
        std::pair("merged", "joint_merged")}) {
    Config config = Config::parse(
        R"({"consert.mode": "joint", "consert.temperature": 0.5, "consert.view1": "none"})");
    config.set("consert.joint_cl", form);
    const auto method = make(config.to_json().dump(), start);
    Views views;
    views.vectors = {{"a.clean", vectors("a_view1")},
                     {"a.view2", vectors("a_view2")},
                     {"a.text", at::tensor(std::vector<int64_t>{0, 1}, at::kLong)},
                     {"b.clean", vectors("b_view1")},
                     {"b.view2", vectors("b_view2")},
                     {"b.text", at::tensor(std::vector<int64_t>{2, 3}, at::kLong)}};
    const LossTerms terms = method->compare(views, pairs_of({{"a", "b"}, {"c", "d"}}));
    ASSERT_EQ(terms.values.size(), 3u);
    const double expected = (test[key].get<double>() - test["L_ce"].get<double>()) / alpha;
    EXPECT_NEAR(terms.values[2].second.item<double>(), expected, 1e-9) << form;
    const double mean_of_sides =
        (test["side_a_mean"].get<double>() + test["side_b_mean"].get<double>()) / 2;
    if (std::string(form) == "per-side-mean") {
      EXPECT_NEAR(expected, mean_of_sides, 1e-9);
    } else if (std::string(form) == "merged") {
      EXPECT_NEAR(expected, test["merged_mean"].get<double>(), 1e-9);
    }
    EXPECT_NEAR(terms.total().item<double>(),
                terms.values[1].second.item<double>() + alpha * expected, 1e-6)
        << form;
  }
}

TEST(Consert, GradientsOfItsLossesEqualFiniteDifferences) {
  using objectives::random_tensor;
  const c10::Device device(test_device());
  const at::Tensor ids = at::tensor(std::vector<int64_t>{0, 1}, at::kLong);
  const int64_t width = tiny_model()->shape().hidden_size;
  for (const char* form : {"per-side-sum", "per-side-mean", "merged"}) {
    Config config = Config::parse(
        R"({"consert.mode": "joint", "consert.nli_features": ["uv", "absdiff", "mul", "maxsq"]})");
    config.set("consert.joint_cl", form);
    const auto method = make(config.to_json().dump());
    const data::Batch batch = pairs_of({{"a", "b"}, {"c", "d"}}, 2);
    const objectives::Loss loss = [&](const std::vector<at::Tensor>& z) {
      const Views views{{{"a.clean", z[0].to(device)},
                         {"a.view2", z[1].to(device)},
                         {"a.text", ids},
                         {"b.clean", z[2].to(device)},
                         {"b.view2", z[3].to(device)},
                         {"b.text", ids + 2}},
                        {},
                        0};
      return method->compare(views, batch).total();
    };
    objectives::expect_gradient_by_differences(loss, {random_tensor({2, width}, 1),
                                                      random_tensor({2, width}, 2),
                                                      random_tensor({2, width}, 3),
                                                      random_tensor({2, width}, 4)});
  }
  const auto method = make(R"({"consert.preset": "consert-code"})");
  const objectives::Loss loss = [&](const std::vector<at::Tensor>& z) {
    return method
        ->compare({{{"a.view1", z[0].to(device)}, {"a.view2", z[1].to(device)}, {"a.text", ids}},
                   {},
                   0},
                  {})
        .total();
  };
  objectives::expect_gradient_by_differences(loss, {random_tensor({2, width}, 5),
                                                    random_tensor({2, width}, 6)});
}

TEST(Consert, PairsWithoutLabelsAreSeparateTexts) {
  const std::string json = R"({"consert.view1": "none", "consert.view2": "none"})";
  const double pairs = consert_loss(json, pairs_of({{kTexts[0], kTexts[2]}, {kTexts[1], kTexts[3]}},
                                                   std::numeric_limits<double>::quiet_NaN()));
  EXPECT_NEAR(pairs, consert_loss(json, batch_of(kTexts)), 1e-5);
}

TEST(Consert, TheAdversarialViewMovesUpTheClassificationLoss) {
  const std::string common =
      R"("consert.mode": "joint", "consert.dropout": false, "consert.view1": "none")";
  const auto method =
      make("{" + common + R"(, "consert.view2": "adversarial", "consert.fgv_eps": 0.01})");
  const Views views = method->views(kPairs);
  Views moved;  // the second view replaces the clean one
  for (const std::string column : {"a", "b"}) {
    const at::Tensor& second = views[column + ".view2"];
    moved.vectors.insert(moved.vectors.end(), {{column + ".clean", second},
                                               {column + ".view2", second},
                                               {column + ".text", views[column + ".text"]}});
  }
  const auto entropy = [&](const Views& seen) {
    return method->compare(seen, kPairs).values[1].second.item<double>();
  };
  EXPECT_GT(entropy(moved), entropy(views));
  // It is a constant: only the two passes have a graph.
  method->compare(views, kPairs).total().backward();
  for (const Parameter& p : method->parameters()) EXPECT_TRUE(p.tensor.grad().defined()) << p.name;
}

TEST(Consert, AdversarialWorksOnFrozenEmbeddings) {
  const auto method = make(
      R"({"consert.mode": "joint", "consert.freeze_embeddings": true, "consert.view2": "adversarial"})");
  const LossTerms terms = loss_terms(*method, kPairs);
  EXPECT_TRUE(std::isfinite(terms.total().item<double>()));
  terms.total().backward();
  for (const Parameter& p : method->parameters())
    EXPECT_EQ(p.name.rfind("embeddings.", 0), std::string::npos);
}

TEST(Consert, TheDeliveredModelPoolsAsAsked) {
  const auto method = make(R"({"consert.eval_pooling": "last2"})");
  EXPECT_EQ(method->deliver()->folder().poolings, std::vector<std::string>{"last2"});
  EXPECT_EQ(make("{}")->deliver()->folder().poolings, std::vector<std::string>{"mean"});
}

TEST(Consert, APoolingThatIsNotThePapersIsSaid) {
  const auto said = [](const std::string& json) {
    std::string all;
    set_log_sink([&](LogLevel, const std::string& message) { all += message; }, LogLevel::kInfo);
    const auto method = make(json);
    set_log_sink({}, LogLevel::kWarning);
    const std::vector<std::string> remarks = method->remarks();  // the remarks of the model's card
    EXPECT_EQ(remarks.size(), all.find("last2") == std::string::npos ? 0u : 1u) << json;
    for (const std::string& remark : remarks) EXPECT_THAT(all, HasSubstr(remark));
    return all;
  };
  EXPECT_THAT(said("{}"), HasSubstr("the figures of ConSERT's paper take last2"));
  EXPECT_THAT(said(R"({"consert.preset": "unsup-base"})"),
              Not(HasSubstr("last2")));  // saves the model with last2
  EXPECT_THAT(said(R"({"consert.eval_pooling": "last2"})"), Not(HasSubstr("last2")));
}

TEST(Consert, ThePoolingToDeliverIsCheckedAgainstTheModelAtOnce) {
  model::LoadOptions mean;
  mean.pooling = "mean";
  const auto start = model::SentenceEncoder::load(fixtures() + "/models/bert_gamma",
                                                  on_test_device(mean));  // without a pooler
  for (const auto& [pooling, part] :
       {std::pair("layer:3:mean", "config key 'consert.eval_pooling': pooling 'layer:3:mean'"),
        std::pair("cls-pooler", "config key 'consert.eval_pooling' is cls-pooler")}) {
    Config config;
    config.set("consert.eval_pooling", pooling);
    expect_error(Status::kArgument, part, [&] { make(config.to_json().dump(), start); });
  }
  EXPECT_EQ(make(R"({"consert.eval_pooling": "layer:2:mean"})")->deliver()->folder().poolings,
            std::vector<std::string>{"layer:2:mean"});
}

TEST(Consert, AlphaWeighsTextsAloneWhereTheReleasedCodeIsAsked) {
  const Json test = read_json_file(fixtures() + "/consert_vectors.json")["joint"];
  const int64_t width = tiny_model()->shape().hidden_size;
  const auto total = [&](Method& method, const std::string& side) {
    Views views;
    for (const std::string name : {"view1", "view2"}) {
      at::Tensor z = at::zeros({2, width}, at::kDouble);
      for (int64_t i = 0; i < 2; ++i) {
        for (int64_t k = 0; k < 4; ++k)
          z[i][k] =
              test[side + "_" + name][static_cast<size_t>(i)][static_cast<size_t>(k)].get<double>();
      }
      views.vectors.push_back({"a." + name, z});
    }
    views.vectors.push_back({"a.text", at::tensor(std::vector<int64_t>{0, 1}, at::kLong)});
    return method.compare(views, batch_of({"a", "b"})).total().item<double>();
  };
  // The paper's loss for unlabelled texts: the mean over the rows of both views.
  const auto paper = make(R"({"consert.temperature": 0.5})");
  EXPECT_NEAR(total(*paper, "a"), test["L_con_a_only_unsup_paper"].get<double>(), 1e-9);
  EXPECT_NEAR(total(*paper, "a"), test["side_a_mean"].get<double>(), 1e-9);
  EXPECT_NEAR(total(*paper, "b"), test["side_b_mean"].get<double>(), 1e-9);
  // The loss that the authors' code adds to the classification: two-sided for each side's texts,
  // weighted by alpha.
  const auto both = [&](const char* json) {
    const auto method = make(json);
    return total(*method, "a") + total(*method, "b");
  };
  const double added = test["joint_code"].get<double>() - test["L_ce"].get<double>();
  EXPECT_NEAR(both(R"({"consert.preset": "consert-code", "consert.temperature": 0.5})"), added,
              1e-9);
  EXPECT_NEAR(
      both(
          R"({"consert.alpha_everywhere": true, "consert.reduction": "two-sided", "consert.temperature": 0.5, "consert.alpha": 0.3})"),
      2 * added, 1e-9)
      << "twice the alpha of the fixture";
  EXPECT_NEAR(
      both(
          R"({"consert.preset": "consert-code", "consert.temperature": 0.5, "consert.alpha_everywhere": false})"),
      added / test["alpha"].get<double>(), 1e-9);
}

// core/torch/methods/README.md 3, one test per case.

TEST(ConsertDegenerate, AShortTextIsItsOwnCleanView) {
  const auto method = make(R"({"consert.view1": "none", "consert.view2": "token-cutoff"})");
  const Views views = method->views(batch_of({"run", "cat"}));  // 3 tokens each: int(3 * 0.15) = 0
  EXPECT_TRUE(views["a.view1"].allclose(views["a.view2"], 1e-6, 1e-6));
}

TEST(ConsertDegenerate, AnEmptyTextHasTwoTokens) {
  for (const char* strategy :
       {"shuffle", "token-cutoff", "feature-cutoff", "span-cutoff", "dropout"}) {
    Config config = Config::parse(R"({"consert.view1": "none"})");
    config.set("consert.view2", strategy);
    if (std::string(strategy) != "shuffle") config.set("consert.cutoff_rate2", "0.5");
    const auto method = make(config.to_json().dump());
    const LossTerms terms = loss_terms(*method, batch_of({"", "", "cat"}));
    EXPECT_TRUE(std::isfinite(terms.total().item<double>())) << strategy;
    terms.total().backward();
    for (const Parameter& p : method->parameters())
      EXPECT_TRUE(std::isfinite(p.tensor.grad().sum().item<double>())) << strategy << " " << p.name;
  }
}

TEST(ConsertDegenerate, ABatchOfOneTeachesNothing) {
  const auto method = make("{}");
  const LossTerms terms = loss_terms(*method, batch_of({kTexts[0]}));
  EXPECT_EQ(terms.total().item<double>(), 0);
  terms.total().backward();
  for (const Parameter& p : method->parameters())
    EXPECT_EQ(p.tensor.grad().abs().max().item<double>(), 0) << p.name;
}

TEST(ConsertDegenerate, AllTextsTheSame) {
  const std::string clean = R"({"consert.view1": "none", "consert.view2": "none"})";
  EXPECT_NEAR(consert_loss(clean, batch_of({"cat", "cat", "cat"})), std::log(5.0), 1e-4);
}

TEST(ConsertDegenerate, RepeatedTextsCanBeMasked) {
  const std::string keep = R"({"consert.view1": "none", "consert.view2": "none"})";
  const std::string mask =
      R"({"consert.view1": "none", "consert.view2": "none", "consert.false_negatives": "mask"})";
  EXPECT_LT(consert_loss(mask, batch_of({kTexts[0], kTexts[0], kTexts[2]})),
            consert_loss(keep, batch_of({kTexts[0], kTexts[0], kTexts[2]})));
  EXPECT_NEAR(consert_loss(mask, batch_of(kTexts)), consert_loss(keep, batch_of(kTexts)), 1e-6);
}

TEST(ConsertDegenerate, ALongTextIsCutAndKeepsItsEnd) {
  const auto method = make(R"({"consert.max_length": 5})");
  data::Batch batch = batch_of({kTexts[0], "run"});
  method->tokenize(batch);
  ASSERT_EQ(batch.tokens[0].length(0), 5);
  EXPECT_EQ(batch.tokens[0].ids[4], batch.tokens[0].ids.back()) << "both texts end in [SEP]";
  expect_error(Status::kArgument, "config key 'consert.max_length' is 41, above",
               [&] { make(R"({"consert.max_length": 41})"); });  // the model has 40 positions
}

TEST(ConsertDegenerate, ALabelOutOfRangeNamesItsLineBeforeTheFirstUpdate) {
  const TemporaryFolder folder;
  const auto data =
      data::open_dataset(folder.write("nli.tsv", "a\tb\t0\n\nc\td\t1\ne\tf\t7\n"), {});
  expect_error(Status::kArgument, "nli.tsv:4: the label is 7",
               [&] { make(R"({"consert.mode": "sup"})")->prepare(data.get(), nullptr); });
}

TEST(ConsertDegenerate, LabelsThatAreMissingOrNone) {
  for (const auto& [label, part] :
       {std::pair(std::numeric_limits<double>::quiet_NaN(), "example 0: no label"),
        std::pair(3.0, "label is 3"), std::pair(0.5, "label is 0.5"),
        std::pair(-1.0, "label is -1")}) {
    expect_error(Status::kArgument, part, [&, label = label] {
      loss_terms(*make(R"({"consert.mode": "sup"})"), pairs_of({{"a", "b"}, {"c", "d"}}, label));
    });
  }
  expect_error(Status::kArgument, "has one text only",
               [&] { loss_terms(*make(R"({"consert.mode": "joint"})"), batch_of(kTexts)); });
}

}  // namespace
}  // namespace contrastive::methods
