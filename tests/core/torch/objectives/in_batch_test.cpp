// In-batch InfoNCE against published-formula values and sentence-transformers', against a loop over
// the definition, and its gradient against finite differences.
#include "core/torch/objectives/in_batch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "tests/core/torch/objectives/finite_differences.h"
#include "tests/core/torch/objectives/json_matrix.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::objectives {
namespace {

at::Tensor numbers(std::vector<int64_t> values) { return at::tensor(values, at::kLong); }

// Four anchors, four positives, five hard negatives of anchors 0, 0, 2, 3 and 3. Anchors 0 and 2
// have the same text, and so have positive 1 and the last hard negative.
InBatchVectors sample() {
  InBatchVectors v{random_tensor({4, 5}, 1), random_tensor({4, 5}, 2), random_tensor({5, 5}, 3),
                   numbers({0, 0, 2, 3, 3})};
  v.anchor_ids = numbers({10, 11, 10, 13});
  v.positive_ids = numbers({20, 21, 22, 10});
  v.negative_ids = numbers({30, 31, 32, 33, 21});
  v.anchor_guides = random_tensor({4, 3}, 4);
  v.positive_guides = v.anchor_guides + 0.5 * random_tensor({4, 3}, 5);
  v.negative_guides = random_tensor({5, 3}, 6);
  return v;
}

InBatchVectors without_guide(InBatchVectors v) {
  v.anchor_guides = v.positive_guides = v.negative_guides = at::Tensor();
  return v;
}

TEST(InBatch, EqualsTheTestVectorsOfOneSidedInfoNce) {
  int found = 0;
  const Json all = read_json_file(fixtures() + "/vectors.json");
  for (const Json& test : all.at("nt_xent")) {
    if (test.at("name").get<std::string>().find("one_sided") == std::string::npos) continue;
    InBatchOptions options;
    options.scale = 1 / test.at("tau").get<double>();
    const double loss =
        in_batch_loss({matrix(test.at("z1")), matrix(test.at("z2"))}, options).item<double>();
    EXPECT_NEAR(loss, test.at("expected").at("mean").get<double>(), 1e-6);
    ++found;
  }
  EXPECT_EQ(found, 2);
}

double similarity(const at::Tensor& a, const at::Tensor& b, Similarity kind) {
  const double dot = (a * b).sum().item<double>();
  return kind == Similarity::kDot
             ? dot
             : dot / std::sqrt(a.square().sum().item<double>() * b.square().sum().item<double>());
}

// The mean over rows of -log(e^positive / sum of w e^candidate), by the definition.
double reference(const InBatchVectors& v, const InBatchOptions& o) {
  const int64_t n = v.anchors.size(0), m = v.negatives.defined() ? v.negatives.size(0) : 0;
  const auto id = [](const at::Tensor& ids, int64_t i) { return ids[i].item<int64_t>(); };
  double forward = 0, backward = 0;
  const auto document = [&](int64_t k) { return k < n ? v.positives[k] : v.negatives[k - n]; };
  const auto owner = [&](int64_t k) { return k < n ? k : id(v.owners, k - n); };
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0, other_way = 0;
    // Whether a candidate other than the positive itself is kept, by its text and by the guide;
    // `row` is the guide's vector of the text that it is compared with.
    const auto stays = [&](int64_t text, const at::Tensor& row, const at::Tensor& column) {
      if (o.false_negatives == FalseNegatives::kMask &&
          (text == id(v.anchor_ids, i) || text == id(v.positive_ids, i)))
        return false;
      if (!v.anchor_guides.defined()) return true;
      const double own = similarity(v.anchor_guides[i], v.positive_guides[i], Similarity::kCosine);
      return similarity(row, column, Similarity::kCosine) <=
             own - (o.relative_margin ? std::fabs(own) : 1) * o.guide_margin;
    };
    const auto guide = [&](const at::Tensor& guides, int64_t k) {
      return guides.defined() ? guides[k] : at::Tensor();
    };
    const auto guide_of_document = [&](int64_t k) {
      return k < n ? guide(v.positive_guides, k) : guide(v.negative_guides, k - n);
    };
    const auto text_of_document = [&](int64_t k) {
      return k < n ? id(v.positive_ids, k) : id(v.negative_ids, k - n);
    };
    const auto power = [&](const at::Tensor& x, const at::Tensor& y) {
      return std::exp(o.scale * similarity(x, y, o.similarity));
    };
    for (int64_t k = 0; k < n + m; ++k) {
      const bool own = owner(k) == i, hard = k >= n;
      if (k != i && !stays(text_of_document(k), guide(v.anchor_guides, i), guide_of_document(k)))
        continue;
      const double s = similarity(v.anchors[i], document(k), o.similarity);
      const bool harder = (o.hardness == Hardness::kInBatch && !own) ||
                          (o.hardness == Hardness::kHard && own && hard) ||
                          (o.hardness == Hardness::kAll && k != i);
      sum += (own && hard ? o.hard_negative_weight : 1) *
             std::exp((o.scale + (harder ? o.hardness_strength : 0)) * s);
    }
    for (int64_t k = 0; k < n; ++k) {
      const bool first =
          stays(id(v.anchor_ids, k), guide(v.anchor_guides, i), guide(v.anchor_guides, k));
      const bool second = k == i || stays(id(v.anchor_ids, k), guide(v.positive_guides, i),
                                          guide(v.anchor_guides, k));
      if (o.further.query_to_query && k != i && first) sum += power(v.anchors[i], v.anchors[k]);
      if (o.further.doc_to_query && second) sum += power(v.positives[i], v.anchors[k]);
      if (second) other_way += power(v.positives[i], v.anchors[k]);
    }
    for (int64_t k = 0; k < n + m; ++k) {
      const bool kept = owner(k) != i && stays(text_of_document(k), guide(v.positive_guides, i),
                                               guide_of_document(k));
      if (o.further.doc_to_doc && kept) sum += power(v.positives[i], document(k));
    }
    const double own = o.scale * similarity(v.anchors[i], v.positives[i], o.similarity);
    forward += std::log(sum) - own;
    backward += std::log(other_way) - own;
  }
  return (o.symmetric ? (forward + backward) / 2 : forward) / static_cast<double>(n);
}

std::vector<InBatchOptions> all_options() {
  std::vector<InBatchOptions> all;
  for (const Similarity kind : {Similarity::kCosine, Similarity::kDot}) {
    for (const bool symmetric : {false, true}) {
      for (const double weight : {1.0, 2.5}) {
        for (const FalseNegatives rule : {FalseNegatives::kKeep, FalseNegatives::kMask})
          all.push_back({1.7, kind, symmetric, weight, rule});
      }
    }
  }
  const FurtherColumns many[] = {{true, false, false},
                                 {false, true, false},
                                 {false, false, true},
                                 {true, true, true}};
  for (const FurtherColumns& further : many) {
    for (const FalseNegatives rule : {FalseNegatives::kKeep, FalseNegatives::kMask}) {
      all.push_back({1.7, Similarity::kCosine, false, 2.5, rule, further});
      all.push_back(
          {1.7, Similarity::kDot, false, 1, rule, further, Hardness::kAll, 0.7, 0.2, true});
    }
  }
  for (const Hardness hardness : {Hardness::kInBatch, Hardness::kHard, Hardness::kAll}) {
    for (const double weight : {1.0, 2.5})
      all.push_back({1.7,
                     Similarity::kCosine,
                     weight == 1,
                     weight,
                     FalseNegatives::kKeep,
                     {},
                     hardness,
                     2,
                     0.3});
  }
  return all;
}

TEST(InBatch, EqualsALoopOverTheDefinition) {
  for (InBatchVectors v : {sample(), without_guide(sample())}) {
    for (const InBatchOptions& options : all_options())
      EXPECT_NEAR(in_batch_loss(v, options).item<double>(), reference(v, options), 1e-11);
    v.negatives = v.owners = v.negative_ids = v.negative_guides = at::Tensor();
    for (const InBatchOptions& options : all_options())
      EXPECT_NEAR(in_batch_loss(v, options).item<double>(), reference(v, options), 1e-11);
  }
}

TEST(InBatch, DirectionsAndHardnessEqualWhatSentenceTransformersComputes) {
  const Json test = read_json_file(fixtures() + "/../golden/methods/mnrl.json").at("objectives");
  InBatchVectors v{matrix(test.at("a")), matrix(test.at("b")), matrix(test.at("negatives")),
                   numbers({0, 1, 2, 3, 4})};
  ASSERT_EQ(test.at("cases").size(), 40u);
  for (const Json& one : test.at("cases")) {
    SCOPED_TRACE(one.dump());
    const auto has = [&](const std::string& name) {
      const auto names = one.at("directions").get<std::vector<std::string>>();
      return std::count(names.begin(), names.end(), name) > 0;
    };
    const std::string name = one.at("hardness");
    InBatchOptions options;
    options.scale = 4;
    options.further = {has("query_to_query"), has("doc_to_query"), has("doc_to_doc")};
    options.hardness = name == "in_batch_negatives" ? Hardness::kInBatch
                       : name == "hard_negatives"   ? Hardness::kHard
                       : name == "all_negatives"    ? Hardness::kAll
                                                    : Hardness::kNone;
    options.hardness_strength = one.at("strength");
    const InBatchVectors given =
        one.at("negatives").get<bool>() ? v : InBatchVectors{v.anchors, v.positives};
    EXPECT_NEAR(in_batch_loss(given, options).item<double>(), one.at("loss").get<double>(), 1e-10);
  }
}

// A candidate's hardness weight is a constant for the gradient, so the differences must be those of
// a loss with fixed weights.
TEST(InBatch, HardnessIsAConstantForTheGradient) {
  InBatchVectors v = without_guide(sample());
  InBatchOptions hard{1.7, Similarity::kDot};
  hard.hardness = Hardness::kAll;
  hard.hardness_strength = 0.6;
  v.anchors.requires_grad_(true);
  in_batch_loss(v, hard).backward();
  const at::Tensor given = v.anchors.grad(), a = v.anchors.detach(),
                   documents = at::cat({v.positives, v.negatives});
  const at::Tensor s = at::matmul(a, documents.t());
  at::Tensor logits = s * (hard.scale + hard.hardness_strength);
  for (int64_t i = 0; i < 4; ++i) logits[i][i] = s[i][i] * hard.scale;
  at::Tensor slope = logits.softmax(1);
  for (int64_t i = 0; i < 4; ++i) slope[i][i] -= 1;
  EXPECT_TRUE(given.allclose(at::matmul(slope, documents) * hard.scale / 4, 1e-10, 1e-12));
}

TEST(InBatch, GradientEqualsFiniteDifferences) {
  for (const InBatchOptions& options : all_options()) {
    if (options.hardness != Hardness::kNone) continue;
    InBatchVectors v = sample();
    expect_gradient_by_differences(
        [&](const std::vector<at::Tensor>& x) {
          v.anchors = x[0], v.positives = x[1], v.negatives = x[2];
          return in_batch_loss(v, options);
        },
        {v.anchors.clone(), v.positives.clone(), v.negatives.clone()});
  }
}

TEST(InBatch, OnePairGivesExactlyZeroAndNoGradient) {
  const at::Tensor a = random_tensor({1, 384}, 1).to(at::kFloat).requires_grad_(true);
  const at::Tensor b = random_tensor({1, 384}, 2).to(at::kFloat).requires_grad_(true);
  for (const bool symmetric : {false, true}) {
    const at::Tensor loss = in_batch_loss({a, b}, {20, Similarity::kCosine, symmetric});
    EXPECT_EQ(loss.item<double>(), 0.0);
    loss.backward();
    EXPECT_EQ(a.grad().abs().max().item<double>(), 0.0);
    EXPECT_EQ(b.grad().abs().max().item<double>(), 0.0);
  }
  // Even then there is a hard negative to learn from.
  EXPECT_GT(in_batch_loss({a, b, random_tensor({1, 384}, 3).to(at::kFloat), numbers({0})}, {})
                .item<double>(),
            0);
}

TEST(InBatch, IdenticalTextsGiveTheLogarithmOfTheirNumberAndMaskedNothing) {
  const at::Tensor x = at::full({8, 4}, 0.7, at::kDouble), ids = at::full({8}, 3, at::kLong);
  InBatchVectors v{x, x};
  v.anchor_ids = v.positive_ids = ids;
  EXPECT_NEAR(in_batch_loss(v, {}).item<double>(), std::log(8.0), 1e-12);
  InBatchOptions mask;
  mask.false_negatives = FalseNegatives::kMask;
  EXPECT_EQ(in_batch_loss(v, mask).item<double>(), 0.0);
}

TEST(InBatch, ZeroVectorsHaveCosineZeroAndNoGradient) {
  InBatchVectors v = sample();
  v.anchors[1].zero_();
  v.negatives[4].zero_();
  v.anchors.requires_grad_(true);
  v.negatives.requires_grad_(true);
  in_batch_loss(v, {}).backward();
  EXPECT_EQ(v.anchors.grad()[1].abs().max().item<double>(), 0.0);
  EXPECT_EQ(v.negatives.grad()[4].abs().max().item<double>(), 0.0);
  EXPECT_TRUE(v.anchors.grad().isfinite().all().item<bool>());
}

TEST(InBatch, RefusesWhatDoesNotFit) {
  const InBatchVectors v = sample();
  InBatchVectors bad = v;
  bad.positives = random_tensor({3, 5}, 1);
  expect_error(Status::kMismatch, "in-batch InfoNCE needs an anchor and a positive",
               [&] { in_batch_loss(bad, {}); });
  bad = v;
  bad.owners = numbers({0});
  expect_error(Status::kMismatch, "each of the 5 hard negatives needs its anchor",
               [&] { in_batch_loss(bad, {}); });
  bad = v;
  bad.negative_ids = at::Tensor();
  EXPECT_NO_THROW(in_batch_loss(bad, {}));
  expect_error(Status::kArgument, "false_negatives 'mask' needs an id for every text", [&] {
    in_batch_loss(bad, {20, Similarity::kCosine, false, 1, FalseNegatives::kMask});
  });
  bad = v;
  bad.negative_guides = random_tensor({5, 2}, 1);
  expect_error(Status::kMismatch, "a guide's vectors need one of one width for every",
               [&] { in_batch_loss(bad, {}); });
  expect_error(Status::kArgument, "a softmax for each direction does not go", [&] {
    in_batch_loss(v,
                  {20, Similarity::kCosine, true, 1, FalseNegatives::kKeep, {true, false, false}});
  });
}

}  // namespace
}  // namespace contrastive::objectives
