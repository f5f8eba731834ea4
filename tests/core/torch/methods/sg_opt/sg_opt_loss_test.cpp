// SG-OPT's losses against published-formula values, against a loop over the definition, and their
// gradients against finite differences.
#include "core/torch/methods/sg_opt/sg_opt_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/torch/methods/sg_opt/l2_anchor.h"
#include "core/torch/objectives/nt_xent.h"
#include "tests/core/torch/objectives/finite_differences.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {
namespace {

using objectives::expect_gradient_by_differences;
using objectives::random_tensor;

Json vectors() { return read_json_file(fixtures() + "/sg_opt_vectors.json"); }

void flatten(const Json& nested, std::vector<double>& to) {
  if (nested.is_number()) return to.push_back(nested.get<double>());
  for (const Json& item : nested) flatten(item, to);
}

at::Tensor tensor_of(const Json& nested) {
  std::vector<double> values;
  flatten(nested, values);
  std::vector<int64_t> shape;
  for (const Json* level = &nested; level->is_array(); level = &level->at(0))
    shape.push_back(static_cast<int64_t>(level->size()));
  return at::tensor(values, at::kDouble).reshape(shape);
}

at::Tensor picked(const at::Tensor& h, const Json& pick) {
  std::vector<at::Tensor> rows;
  for (int64_t i = 0; i < h.size(0); ++i)
    rows.push_back(h[i][pick.at(static_cast<size_t>(i)).get<int64_t>()]);
  return at::stack(rows);
}

double base(const at::Tensor& c, const at::Tensor& h, double temperature) {
  objectives::NtXentOptions options;
  options.temperature = temperature;
  return objectives::nt_xent(c, h, options).item<double>();
}

double cosine(const at::Tensor& a, const at::Tensor& b) {
  return ((a * b).sum() / (a.square().sum() * b.square().sum()).sqrt()).item<double>();
}

// Equation 8's term of sentence i and layer k, by its definition. sg_opt3() gives the mean of all
// terms.
double opt3_term(const at::Tensor& c, const at::Tensor& h, int64_t i, int64_t k, double tau) {
  double others = 0;
  for (int64_t m = 0; m < h.size(0); ++m) {
    for (int64_t n = 0; m != i && n < h.size(1); ++n)
      others += std::exp(cosine(c[i], h[m][n]) / tau);
  }
  const double own = std::exp(cosine(c[i], h[i][k]) / tau);
  return -std::log(own / (own + others));
}

TEST(SgOptLoss, EqualsTheTestVectors) {
  const Json sg = vectors();
  const double distance =
      l2_anchor({tensor_of(sg.at("theta_T"))}, {tensor_of(sg.at("theta_F"))}).item<double>();
  const double anchor = sg.at("lambda").get<double>() * distance;
  EXPECT_NEAR(distance, sg.at("L_reg").get<double>(), 1e-12);
  EXPECT_NEAR(anchor, sg.at("lambda_L_reg").get<double>(), 1e-12);
  ASSERT_EQ(sg.at("cases").size(), 5u);
  for (const Json& test : sg.at("cases")) {
    const at::Tensor c = tensor_of(test.at("c")), views = tensor_of(test.at("h")),
                     h = picked(views, test.at("pick"));
    const double tau = test.at("tau");
    const Json& expected = test.at("expected");
    const auto expect = [&](const char* name, double value, const char* with_anchor = nullptr) {
      EXPECT_NEAR(value, expected.at(name).get<double>(), 2e-6) << test.at("name") << " " << name;
      if (with_anchor == nullptr || !expected.contains(with_anchor)) return;
      EXPECT_NEAR(value + anchor, expected.at(with_anchor).get<double>(), 2e-6)
          << test.at("name") << " " << with_anchor;
    };
    expect("L_base", base(c, h, tau), "L_base_plus_reg");
    expect("L_opt1", sg_opt1(c, h, tau).item<double>(), "L_opt1_plus_reg");
    expect("L_opt2", sg_opt2(c, h, tau).item<double>(), "L_opt2_plus_reg");
    expect("L_opt2_released_code", sg_opt2(c, h, tau, true).item<double>());
    expect("L_opt3", sg_opt3(c, views, tau).item<double>(), "L_opt3_plus_reg");
    if (!expected.contains("L_opt3_rows")) continue;
    for (int64_t i = 0; i < views.size(0); ++i) {
      for (int64_t k = 0; k < views.size(1); ++k) {
        const double term =
            expected.at("L_opt3_rows").at(static_cast<size_t>(i)).at(static_cast<size_t>(k));
        EXPECT_NEAR(opt3_term(c, views, i, k, tau), term, 2e-6)
            << test.at("name") << " sentence " << i << ", layer " << k;
      }
    }
  }
}

TEST(SgOptLoss, Opt3EqualsALoopOverTheDefinition) {
  const int64_t b = 4, layers = 3;
  const at::Tensor c = random_tensor({b, 6}, 1), h = random_tensor({b, layers, 6}, 2);
  double total = 0;
  for (int64_t i = 0; i < b; ++i) {
    for (int64_t k = 0; k < layers; ++k) total += opt3_term(c, h, i, k, 0.3);
  }
  EXPECT_NEAR(sg_opt3(c, h, 0.3).item<double>(), total / static_cast<double>(b * layers), 1e-12);
}

TEST(SgOptLoss, GradientsEqualFiniteDifferences) {
  const at::Tensor ids = at::tensor(std::vector<int64_t>{0, 1, 0, 2}, at::kLong);
  for (const at::Tensor& text_ids : {at::Tensor(), ids}) {
    const at::Tensor c = random_tensor({4, 5}, 1), h = random_tensor({4, 5}, 2),
                     views = random_tensor({4, 3, 5}, 3);
    expect_gradient_by_differences(
        [&](const auto& x) { return sg_opt1(x[0], x[1], 0.3, text_ids); }, {c, h});
    expect_gradient_by_differences(
        [&](const auto& x) { return sg_opt2(x[0], x[1], 0.3, false, text_ids); }, {c, h});
    expect_gradient_by_differences(
        [&](const auto& x) { return sg_opt2(x[0], x[1], 0.3, true, text_ids); }, {c, h});
    expect_gradient_by_differences(
        [&](const auto& x) { return sg_opt3(x[0], x[1], 0.3, text_ids); }, {c, views});
  }
}

// All losses, for one batch.
std::vector<at::Tensor> all_losses(const at::Tensor& c, const at::Tensor& views,
                                   const at::Tensor& ids = {}) {
  const at::Tensor h = views.select(1, 0);
  return {sg_opt1(c, h, 0.01, ids), sg_opt2(c, h, 0.01, false, ids), sg_opt2(c, h, 0.01, true, ids),
          sg_opt3(c, views, 0.01, ids)};
}

TEST(SgOptLoss, OneSentenceGivesExactlyZeroAndNoGradient) {
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    for (size_t k = 0; k < 4; ++k) {
      const at::Tensor c = random_tensor({1, 96}, 4).to(type).requires_grad_(true),
                       h = random_tensor({1, 3, 96}, 5).to(type).requires_grad_(true);
      const at::Tensor loss = all_losses(c, h)[k];
      EXPECT_EQ(loss.item<double>(), 0.0) << k;
      loss.backward();
      EXPECT_EQ(c.grad().abs().max().item<double>(), 0.0) << k;
      EXPECT_EQ(h.grad().abs().max().item<double>(), 0.0) << k;
    }
  }
}

TEST(SgOptLoss, SentencesWithOneTextAreNoNegativesOfEachOther) {
  const at::Tensor c = random_tensor({3, 8}, 6), h = random_tensor({3, 2, 8}, 7);
  const at::Tensor all_equal = at::tensor(std::vector<int64_t>{5, 5, 5}, at::kLong),
                   distinct = at::tensor(std::vector<int64_t>{5, 6, 7}, at::kLong);
  for (const at::Tensor& loss : all_losses(c, h, all_equal)) EXPECT_EQ(loss.item<double>(), 0.0);
  const auto plain = all_losses(c, h), masked = all_losses(c, h, distinct);
  for (size_t k = 0; k < plain.size(); ++k)
    EXPECT_EQ(plain[k].item<double>(), masked[k].item<double>());
}

TEST(SgOptLoss, ZeroVectorsHaveCosineZeroAndNoGradient) {
  at::Tensor c = random_tensor({3, 8}, 8), h = random_tensor({3, 2, 8}, 9);
  c[1].zero_();
  h[2].zero_();
  for (size_t k = 0; k < 4; ++k) {
    const at::Tensor leaf_c = c.clone().requires_grad_(true),
                     leaf_h = h.clone().requires_grad_(true);
    all_losses(leaf_c, leaf_h)[k].backward();
    EXPECT_EQ(leaf_c.grad()[1].abs().max().item<double>(), 0.0);
    EXPECT_EQ(leaf_h.grad()[2].abs().max().item<double>(), 0.0);
    EXPECT_TRUE(leaf_c.grad().isfinite().all().item<bool>() &&
                leaf_h.grad().isfinite().all().item<bool>());
  }
}

TEST(SgOptLoss, RefusesWhatDoesNotFit) {
  const at::Tensor c = random_tensor({3, 8}, 1);
  expect_error(Status::kMismatch, "SG-OPT's losses need sentence vectors and views",
               [&] { sg_opt1(c, random_tensor({2, 8}, 2), 0.1); });
  expect_error(Status::kMismatch, "SG-OPT's losses need sentence vectors and views",
               [&] { sg_opt2(c, random_tensor({3, 7}, 2), 0.1); });
  expect_error(Status::kMismatch, "SG-OPT's losses need sentence vectors and views",
               [&] { sg_opt3(c, random_tensor({3, 8}, 2), 0.1); });
  expect_error(Status::kMismatch, "one text id for each of the 3 sentences is needed", [&] {
    sg_opt3(c, random_tensor({3, 2, 8}, 2), 0.1, at::tensor(std::vector<int64_t>{1, 2}, at::kLong));
  });
}

}  // namespace
}  // namespace contrastive::methods
