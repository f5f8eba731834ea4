#include "core/retrieval/query_panels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/rng.h"

namespace contrastive::retrieval {
namespace {

TEST(QueryPanels, HoldEveryQueryInALaneOfItsOwn) {
  constexpr int64_t kWidth = 5;
  for (const int64_t n : {1, 7, 16, 17, 33, 100}) {
    Rng rng(1, Purpose::kSubset, n);
    std::vector<float> queries(static_cast<size_t>(n * kWidth));
    for (float& x : queries) x = static_cast<float>(rng.normal());
    const QueryPanels panels(queries.data(), n, kWidth, Metric::kDot);
    EXPECT_GE(panels.padded(), n);
    int64_t next = 0;
    for (int64_t i = 0; i < panels.count(); ++i) {
      const Panel panel = panels.panel(i);
      ASSERT_EQ(panel.first, next) << n;
      ASSERT_LE(panel.queries, panel.lanes) << n;
      ASSERT_LE(panel.first + panel.lanes, panels.padded()) << n;
      next += panel.queries;
      for (int64_t lane = 0; lane < panel.lanes; ++lane) {
        for (int64_t k = 0; k < kWidth; ++k) {
          const float expected =
              lane < panel.queries ? queries[static_cast<size_t>((panel.first + lane) * kWidth + k)]
                                   : 0;
          ASSERT_EQ(panels.data(panel)[k * panel.lanes + lane], expected) << n;
        }
      }
    }
    EXPECT_EQ(next, n);
  }
}

TEST(QueryPanels, TheCosineDividesByTheLength) {
  const float queries[] = {3, 4, 0, 0, 1e-30f, 0};
  const QueryPanels panels(queries, 3, 2, Metric::kCosine);
  const float* const plain = panels.plain();
  EXPECT_FLOAT_EQ(plain[0], 0.6f);
  EXPECT_FLOAT_EQ(plain[1], 0.8f);
  EXPECT_EQ(plain[2], 0);
  EXPECT_FLOAT_EQ(plain[4], 1) << "whose square is no float";
}

TEST(AlignedFloats, BeginAtACacheLine) {
  for (const int64_t count : {0, 1, 17}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(AlignedFloats(count).data()) % 64, 0u) << count;
  }
}

}  // namespace
}  // namespace contrastive::retrieval
