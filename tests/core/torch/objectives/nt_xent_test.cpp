// NT-Xent against published-formula values, against a ten-line loop, and its gradient against
// finite differences.
#include "core/torch/objectives/nt_xent.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/runtime/threads.h"
#include "tests/core/torch/objectives/json_matrix.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::objectives {
namespace {

const Json& vectors() {
  static const Json all = read_json_file(fixtures() + "/vectors.json");
  return all;
}

at::Tensor text_ids(
    const Json& test) {  // the vectors have one id per pair: both halves have the same text
  std::vector<int64_t> ids;
  for (int half = 0; half < 2; ++half) {
    for (const Json& id : test["text_id"]) ids.push_back(id);
  }
  return at::tensor(ids, at::kLong);
}

at::Tensor random_matrix(int64_t n, int64_t d, uint64_t seed) {
  Rng rng(seed, Purpose::kInitialise);
  at::Tensor m = at::zeros({n, d}, at::kDouble);
  for (int64_t i = 0; i < n * d; ++i) m.data_ptr<double>()[i] = rng.normal();
  return m;
}

double value(const at::Tensor& a, const at::Tensor& b, const NtXentOptions& options,
             const at::Tensor& ids = {}) {
  return nt_xent(a, b, options, ids).item<double>();
}

NtXentOptions options_for(const Json& test) {
  NtXentOptions options;
  options.temperature = test["tau"];
  if (test.contains("text_id") && test["name"] == "false_negatives_mask")
    options.false_negatives = FalseNegatives::kMask;
  if (std::string(test["name"]).rfind("one_sided", 0) == 0) options.sides = Sides::kOne;
  return options;
}

void expect_published(at::ScalarType type, double relative, double absolute) {
  int compared = 0;
  for (const Json& test : vectors()["nt_xent"]) {
    SCOPED_TRACE(std::string(test["name"]));
    const at::Tensor a = matrix(test["z1"], type), b = matrix(test["z2"], type);
    const at::Tensor ids = test.contains("text_id") ? text_ids(test) : at::Tensor();
    NtXentOptions options = options_for(test);
    for (const auto& [key, reduction] :
         {std::pair("mean", Reduction::kMean), std::pair("sum", Reduction::kSum),
          std::pair("consert_code_two_sided_sum", Reduction::kTwoSided)}) {
      if (!test["expected"].contains(key)) continue;
      options.reduction = reduction;
      const double expected = test["expected"][key];
      EXPECT_NEAR(value(a, b, options, ids), expected, absolute + relative * std::abs(expected))
          << key;
      ++compared;
    }
  }
  EXPECT_GE(compared, 30);
}

TEST(NtXent, EqualsThePublishedValuesInDouble) { expect_published(at::kDouble, 1e-10, 1e-11); }
TEST(NtXent, EqualsThePublishedValuesInFloat) { expect_published(at::kFloat, 1e-5, 1e-5); }

TEST(NtXent, GradientEqualsThePublishedOne) {
  for (const Json& test : vectors()["nt_xent"]) {
    if (!test["expected"].contains("grad_z1")) continue;
    at::Tensor a = matrix(test["z1"]).requires_grad_(true),
               b = matrix(test["z2"]).requires_grad_(true);
    nt_xent(a, b, options_for(test)).backward();
    EXPECT_LT((a.grad() - matrix(test["expected"]["grad_z1"])).abs().max().item<double>(), 1e-10);
    EXPECT_LT((b.grad() - matrix(test["expected"]["grad_z2"])).abs().max().item<double>(), 1e-10);
    return;
  }
  FAIL() << "no gradient in the fixture";
}

// The definition: the term of each anchor.
std::vector<double> reference_rows(const at::Tensor& a, const at::Tensor& b, double temperature) {
  const at::Tensor z = at::cat({a, b});
  const int64_t n = a.size(0), d = a.size(1);
  const double* p = z.data_ptr<double>();
  auto cosine = [&](int64_t i, int64_t j) {
    double dot = 0, ii = 0, jj = 0;
    for (int64_t k = 0; k < d; ++k)
      dot += p[i * d + k] * p[j * d + k], ii += p[i * d + k] * p[i * d + k],
          jj += p[j * d + k] * p[j * d + k];
    return ii * jj > 0 ? dot / std::sqrt(ii * jj) : 0;
  };
  std::vector<double> rows;
  for (int64_t i = 0; i < 2 * n; ++i) {
    const double positive = cosine(i, (i + n) % (2 * n));
    double denominator = 0;  // in units of exp(1 / temperature), the largest possible value
    for (int64_t k = 0; k < 2 * n; ++k)
      denominator += k == i ? 0 : std::exp((cosine(i, k) - 1) / temperature);
    rows.push_back(std::log(denominator) - (positive - 1) / temperature);
  }
  return rows;
}

double reference(const at::Tensor& a, const at::Tensor& b, double temperature) {
  const std::vector<double> rows = reference_rows(a, b, temperature);
  return std::accumulate(rows.begin(), rows.end(), 0.0) / static_cast<double>(rows.size());
}

TEST(NtXent, TheDefinitionsRowsAreThePublishedOnes) {
  int compared = 0;
  for (const Json& test : vectors()["nt_xent"]) {
    const NtXentOptions options = options_for(test);
    const bool plain =
        options.sides == Sides::kBoth && options.false_negatives == FalseNegatives::kKeep;
    if (!plain || !test["expected"].contains("rows")) continue;
    const std::vector<double> rows =
        reference_rows(matrix(test["z1"]), matrix(test["z2"]), options.temperature);
    ASSERT_EQ(rows.size(), test["expected"]["rows"].size()) << test["name"];
    for (size_t i = 0; i < rows.size(); ++i, ++compared) {
      const double expected = test["expected"]["rows"][i];
      EXPECT_NEAR(rows[i], expected, 1e-11 + 1e-10 * std::abs(expected))
          << test["name"] << " row " << i;
    }
  }
  EXPECT_GE(compared, 20);
}

TEST(NtXent, EqualsALoopOverTheDefinition) {
  for (int64_t n : {1, 2, 7, 33}) {
    const at::Tensor a = random_matrix(n, 12, n), b = random_matrix(n, 12, n + 100);
    NtXentOptions options;
    for (double temperature : {0.05, 0.5, 2.0}) {
      options.temperature = temperature;
      EXPECT_NEAR(value(a, b, options), reference(a, b, temperature), 1e-11) << n;
    }
  }
}

void expect_gradient_by_differences(const NtXentOptions& options, const at::Tensor& ids) {
  const int64_t n = 4, d = 5;
  at::Tensor a = random_matrix(n, d, 1), b = random_matrix(n, d, 2);
  at::Tensor leaf_a = a.clone().requires_grad_(true), leaf_b = b.clone().requires_grad_(true);
  nt_xent(leaf_a, leaf_b, options, ids).backward();
  for (int64_t i = 0; i < n * d; ++i) {
    for (auto& [input, gradient] : {std::pair(a, leaf_a.grad()), std::pair(b, leaf_b.grad())}) {
      double& x = input.data_ptr<double>()[i];
      const double saved = x, h = 1e-6;
      x = saved + h;
      const double above = value(a, b, options, ids);
      x = saved - h;
      const double below = value(a, b, options, ids);
      x = saved;
      EXPECT_NEAR(gradient.contiguous().data_ptr<double>()[i], (above - below) / (2 * h), 1e-7);
    }
  }
}

TEST(NtXent, GradientEqualsFiniteDifferences) {
  const at::Tensor ids = at::tensor(std::vector<int64_t>{0, 1, 0, 2, 3, 1, 3, 0}, at::kLong);
  for (Sides sides : {Sides::kBoth, Sides::kOne}) {
    for (Reduction reduction : {Reduction::kMean, Reduction::kSum, Reduction::kTwoSided}) {
      if (sides == Sides::kOne && reduction == Reduction::kTwoSided) continue;
      for (FalseNegatives rule : {FalseNegatives::kKeep, FalseNegatives::kMask})
        expect_gradient_by_differences({0.3, reduction, sides, rule}, ids);
    }
  }
}

// So large that the threads of the pool share the rows, with sizes that are not multiples of any
// block.
TEST(NtXent, ManyRowsGiveTheSameBitsOnAnyNumberOfThreads) {
  const int before = runtime::threads();
  const at::Tensor a = random_matrix(331, 403, 1).to(at::kFloat),
                   b = random_matrix(331, 403, 2).to(at::kFloat);
  for (const Sides sides : {Sides::kBoth, Sides::kOne}) {
    NtXentOptions options;
    options.sides = sides;
    const auto run = [&](at::ScalarType type) {
      const at::Tensor x = a.to(type, false, true).requires_grad_(true),
                       y = b.to(type, false, true).requires_grad_(true);
      const at::Tensor loss = nt_xent(x, y, options);
      loss.backward();
      return std::vector<at::Tensor>{loss.detach(), x.grad(), y.grad()};
    };
    std::vector<std::vector<at::Tensor>> results;
    for (const int threads : {1, 2, 5}) {
      runtime::set_threads(threads);
      results.push_back(run(at::kFloat));
    }
    const std::vector<at::Tensor> expected = run(at::kDouble);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(results[1][i].equal(results[0][i]) && results[2][i].equal(results[0][i])) << i;
      const double scale = expected[i].abs().max().item<double>();
      EXPECT_LT((results[0][i].to(at::kDouble) - expected[i]).abs().max().item<double>(),
                2e-5 * scale)
          << i;
    }
    if (sides == Sides::kBoth) {
      EXPECT_NEAR(expected[0].item<double>(),
                  reference(a.to(at::kDouble), b.to(at::kDouble), options.temperature), 1e-10);
    }
  }
  runtime::set_threads(before);
}

TEST(NtXent, OnePairGivesExactlyZeroAndNoGradient) {
  for (at::ScalarType type : {at::kFloat, at::kDouble}) {
    at::Tensor a = random_matrix(1, 384, 3).to(type).requires_grad_(true),
               b = random_matrix(1, 384, 4).to(type).requires_grad_(true);
    for (Sides sides : {Sides::kBoth, Sides::kOne}) {
      const at::Tensor loss = nt_xent(a, b, {0.07, Reduction::kMean, sides});
      EXPECT_EQ(loss.item<double>(), 0.0);
      loss.backward();
      EXPECT_EQ(a.grad().abs().max().item<double>(), 0.0);
      EXPECT_EQ(b.grad().abs().max().item<double>(), 0.0);
    }
  }
}

TEST(NtXent, ZeroRowHasCosineZeroAndGradientZero) {
  at::Tensor a = random_matrix(3, 6, 5), b = random_matrix(3, 6, 6);
  a[1].zero_();
  a.requires_grad_(true);
  b.requires_grad_(true);
  nt_xent(a, b, {}).backward();
  EXPECT_EQ(a.grad()[1].abs().max().item<double>(), 0.0);
  EXPECT_GT(a.grad()[0].abs().max().item<double>(), 0.0);
  EXPECT_TRUE(b.grad().isfinite().all().item<bool>());
}

TEST(NtXent, ScaleOfARowDoesNotMatterEvenWhereItsSquareOverflows) {
  const at::Tensor a = random_matrix(4, 8, 7).to(at::kFloat),
                   b = random_matrix(4, 8, 8).to(at::kFloat);
  const double expected = value(a, b, {});
  EXPECT_NEAR(value(a * 1e30, b, {}), expected, 1e-5);
  EXPECT_NEAR(value(a, b * 1e-10, {}), expected, 1e-5);
  at::Tensor huge = (a * 1e30).requires_grad_(true);
  nt_xent(huge, b, {}).backward();
  EXPECT_TRUE(huge.grad().isfinite().all().item<bool>());
}

TEST(NtXent, IdenticalVectorsGiveTheLogarithmOfTheOthers) {
  at::Tensor a = at::full({16, 4}, 0.7, at::kDouble).requires_grad_(true);
  const at::Tensor loss = nt_xent(a, a, {});
  EXPECT_NEAR(loss.item<double>(), std::log(31.0), 1e-12);
  loss.backward();
  EXPECT_LT(a.grad().abs().max().item<double>(), 1e-12);
}

TEST(NtXent, HalfTypesAreComputedInFloat) {
  const at::Tensor a = random_matrix(8, 16, 9), b = random_matrix(8, 16, 10);
  for (at::ScalarType type : {at::kHalf, at::kBFloat16}) {
    const at::Tensor loss = nt_xent(a.to(type), b.to(type), {});
    EXPECT_EQ(loss.scalar_type(), at::kFloat);
    EXPECT_NEAR(loss.item<double>(),
                value(a.to(type).to(at::kFloat), b.to(type).to(at::kFloat), {}), 1e-6);
  }
}

TEST(NtXent, NotANumberIsSeen) {
  at::Tensor a = random_matrix(3, 4, 11);
  a.data_ptr<double>()[0] = std::nan("");
  EXPECT_TRUE(std::isnan(value(a, random_matrix(3, 4, 12), {})));
}

TEST(NtXent, RefusesWhatItCannotCompute) {
  const at::Tensor a = random_matrix(3, 4, 13);
  expect_error(Status::kMismatch, "NT-Xent needs two matrices of one shape, not [3, 4]",
               [&] { nt_xent(a, random_matrix(2, 4, 1), {}); });
  expect_error(Status::kMismatch, "NT-Xent needs two matrices of one shape, not [4]",
               [&] { nt_xent(a[0], a[0], {}); });
  expect_error(Status::kArgument, "NT-Xent of an empty batch [0, 4]",
               [&] { nt_xent(at::zeros({0, 4}), at::zeros({0, 4}), {}); });
  expect_error(Status::kArgument, "config key 'reduction' is two-sided, but 'sides'",
               [&] { nt_xent(a, a, {0.1, Reduction::kTwoSided, Sides::kOne}); });
  expect_error(Status::kArgument, "false_negatives 'mask' needs 6 text ids, one", [&] {
    nt_xent(a, a, {0.1, Reduction::kMean, Sides::kBoth, FalseNegatives::kMask});
  });
}

TEST(NtXent, OptionsAreReadFromAConfig) {
  Config config;
  config.set("clsr.temperature", "0.05");
  config.set("clsr.reduction", "two-sided");
  config.set("clsr.false_negatives", "mask");
  const auto options = read_options<NtXentOptions>(config, "clsr.");
  EXPECT_EQ(options.temperature, 0.05);
  EXPECT_EQ(options.reduction, Reduction::kTwoSided);
  EXPECT_EQ(options.false_negatives, FalseNegatives::kMask);
  for (const char* bad : {"0", "-1", "1e-30", "NaN"}) {
    config.set("clsr.temperature", bad);
    SCOPED_TRACE(bad);
    expect_error(Status::kArgument, "config key 'clsr.temperature' must be a number",
                 [&] { read_options<NtXentOptions>(config, "clsr."); });
  }
}

}  // namespace
}  // namespace contrastive::objectives
