#include "core/torch/run/collapse_watch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <gmock/gmock.h>

#include <cmath>

#include "core/base/log.h"

namespace contrastive::run {
namespace {

methods::Views views_of(const std::vector<at::Tensor>& vectors) {
  methods::Views views;
  for (const at::Tensor& rows : vectors)
    views.vectors.push_back({std::to_string(views.vectors.size()), rows});
  return views;
}

TEST(CollapseWatch, MeasuresWhatIsKnown) {
  const auto spread = measure(views_of({at::eye(4), at::eye(4)}));
  ASSERT_TRUE(spread);
  EXPECT_NEAR(spread->effective_rank, 4, 1e-9);
  EXPECT_NEAR(spread->mean_cosine, 0, 1e-9);
  EXPECT_NEAR(spread->alignment, 0, 1e-9);
  EXPECT_NEAR(spread->uniformity, -4, 1e-9);  // core/torch/methods/README.md 4: an orthogonal pair
  const auto point = measure(views_of({at::ones({6, 3}), -at::ones({6, 3})}));
  EXPECT_NEAR(point->effective_rank, 1, 1e-6);
  EXPECT_NEAR(point->mean_cosine, 1, 1e-6);
  EXPECT_NEAR(point->alignment, 4, 1e-5);
}

TEST(CollapseWatch, LooksAtMatricesOnly) {
  EXPECT_FALSE(measure(views_of({})));
  EXPECT_FALSE(measure(views_of({at::arange(6)})));
  EXPECT_FALSE(measure(views_of({at::ones({1, 3})})));
  const auto behind = measure(views_of({at::arange(6), at::eye(3)}));
  ASSERT_TRUE(behind);
  EXPECT_TRUE(std::isnan(behind->alignment));
  EXPECT_NEAR(measure(views_of({at::eye(200)}))->effective_rank, 128,
              1e-6);  // no more than 128 rows
}

TEST(CollapseWatch, CountsAndWarnsOnceOfZeroVectors) {
  std::vector<std::string> warnings;
  set_log_sink([&](LogLevel, const std::string& message) { warnings.push_back(message); },
               LogLevel::kWarning);
  const at::Tensor x = at::eye(200);
  at::Tensor y = at::eye(200);
  y.narrow(0, 190, 3).zero_();  // after the rows on which everything else is measured
  CollapseWatch watch;
  watch.look(*measure(views_of({x, x})), 0);
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(measure(views_of({x, y}))->zero_vectors, 3);
  for (int64_t step = 1; step < 4; ++step) watch.look(*measure(views_of({x, y, y})), step);
  set_log_sink({}, LogLevel::kInfo);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], ::testing::HasSubstr("update 1: 6 vectors of the batch are 0"));
}

TEST(CollapseWatch, AViewOfSeveralLayersIsTheLastOnesVectors) {
  const at::Tensor x = at::eye(4),
                   layers = at::stack({-x, x.roll(1, 0), x}, 1);  // [4, 3 layers, 4]
  EXPECT_NEAR(measure(views_of({x, layers}))->alignment, 0, 1e-9);
  EXPECT_NEAR(measure(views_of({x, layers.narrow(1, 0, 2)}))->alignment, 2, 1e-6);
  EXPECT_NEAR(measure(views_of({x, x.roll(1, 0), layers}))->alignment, 2, 1e-6)
      << "hard negatives come after both views";
  EXPECT_FALSE(measure(views_of({layers.narrow(1, 0, 0)})));
}

TEST(CollapseWatch, WarnsOnceAndOnlyWhenItGetsWorse) {
  std::vector<std::string> warnings;
  set_log_sink([&](LogLevel, const std::string& message) { warnings.push_back(message); },
               LogLevel::kWarning);
  CollapseWatch narrow;  // an encoder that is narrow from the start is not collapsing
  narrow.look({0, 0, 0.995, 3}, 0);
  narrow.look({0, 0, 0.994, 3}, 100);
  EXPECT_FALSE(narrow.collapsed());
  CollapseWatch watch;
  watch.look({0, 0, 0.5, 40}, 0);
  watch.look({0, 0, 0.98, 20}, 100);
  EXPECT_TRUE(warnings.empty());
  watch.look({0, 0, 0.999, 20}, 200);
  watch.look({0, 0, 0.9999, 1}, 300);
  EXPECT_EQ(warnings.size(), 1u);
  CollapseWatch line;
  line.look({0, 0, 0.1, 41}, 0);
  line.look({0, 0, 0.1, 4}, 100);
  set_log_sink({}, LogLevel::kInfo);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_THAT(warnings[1], ::testing::HasSubstr("update 100: the vectors of a batch collapse"));
  CollapseWatch resumed;
  TrainingState before, after;
  watch.save(before);
  resumed.restore(before);
  EXPECT_TRUE(resumed.collapsed());
  resumed.save(after);
  EXPECT_EQ(after.fields, before.fields);
}

}  // namespace
}  // namespace contrastive::run
