// The attention kernel against plain loops in double precision, for texts with any begin and end in
// a panel, and for odd head widths.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/rng.h"
#include "core/cpu/builds.h"

namespace contrastive::cpu {
namespace {

struct Panels {
  int64_t hidden, lanes;
  std::vector<float> values;
  Panels(int64_t tokens, int64_t hidden_size, int64_t lane_count, uint64_t seed)
      : hidden(hidden_size), lanes(lane_count) {
    Rng rng(seed, Purpose::kSubset);
    values.resize(static_cast<size_t>((tokens + lanes - 1) / lanes * lanes * hidden));
    for (float& value : values) value = static_cast<float>(2 * rng.normal());
  }
  float& at(int64_t token, int64_t i) {
    return values[static_cast<size_t>((token / lanes * hidden + i) * lanes + token % lanes)];
  }
};

void check_attention(const EncodeKernels& table, const std::vector<int64_t>& lengths, int64_t heads,
                     int64_t width) {
  std::vector<int64_t> offsets{0};
  for (const int64_t length : lengths) offsets.push_back(offsets.back() + length);
  const int64_t tokens = offsets.back(), hidden = heads * width;
  int64_t longest = 0;
  for (const int64_t length : lengths) longest = std::max(longest, length);
  Panels q(tokens, hidden, table.lanes, 1), k(tokens, hidden, table.lanes, 2),
      v(tokens, hidden, table.lanes, 3), out(tokens, hidden, table.lanes, 4);
  std::vector<float> scratch(static_cast<size_t>(table.attention_scratch(longest)));
  AttentionTask task;
  task.q = q.values.data(), task.k = k.values.data(), task.v = v.values.data(),
  task.stride = hidden * table.lanes;
  task.out = out.values.data(), task.out_stride = hidden * table.lanes,
  task.offsets = offsets.data();
  task.texts = static_cast<int64_t>(lengths.size()), task.head_end = heads, task.head_width = width,
  task.scores = scratch.data();
  table.attention(task);
  for (size_t text = 0; text < lengths.size(); ++text) {
    for (int64_t head = 0; head < heads; ++head) {
      for (int64_t query = offsets[text]; query < offsets[text + 1]; ++query) {
        std::vector<double> weights;
        double total = 0;
        for (int64_t key = offsets[text]; key < offsets[text + 1]; ++key) {
          double dot = 0;
          for (int64_t d = head * width; d < (head + 1) * width; ++d)
            dot += static_cast<double>(q.at(query, d)) * static_cast<double>(k.at(key, d));
          weights.push_back(std::exp(dot / std::sqrt(static_cast<double>(width))));
          total += weights.back();
        }
        for (int64_t d = head * width; d < (head + 1) * width; ++d) {
          double expected = 0;
          for (int64_t key = offsets[text]; key < offsets[text + 1]; ++key) {
            expected += weights[static_cast<size_t>(key - offsets[text])] / total *
                        static_cast<double>(v.at(key, d));
          }
          ASSERT_NEAR(out.at(query, d), expected, 2e-5)
              << table.name << " text " << text << " head " << head << " query " << query;
        }
      }
    }
  }
}

TEST(AttentionKernel, EqualsPlainLoops) {
  for (const EncodeKernels* table : builds(&Kernels::encode)) {
    check_attention(*table, {1}, 1, 8);
    check_attention(*table, {16, 16, 32, 48}, 2, 32);
    check_attention(*table, {3, 1, 40, 7, 16, 15, 17, 33, 2, 65, 31}, 3, 32);
    check_attention(*table, {5, 130, 9}, 2, 10);
    check_attention(*table, {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 1, 3);
  }
}

TEST(AttentionKernel, LanesBehindTheLastTokenHoldNumbers) {
  for (const EncodeKernels* table : builds(&Kernels::encode)) {
    Panels q(3, 8, table->lanes, 1), out(3, 8, table->lanes, 2);
    for (float& value : out.values) value = NAN;
    const std::vector<int64_t> offsets{0, 1, 3};
    std::vector<float> scratch(static_cast<size_t>(table->attention_scratch(2)));
    AttentionTask task;
    task.q = task.k = task.v = q.values.data(), task.stride = task.out_stride = 8 * table->lanes,
    task.out = out.values.data();
    task.offsets = offsets.data(), task.texts = 2, task.head_end = 1, task.head_width = 8,
    task.scores = scratch.data();
    table->attention(task);
    for (const float value : out.values) ASSERT_TRUE(std::isfinite(value)) << table->name;
  }
}

}  // namespace
}  // namespace contrastive::cpu
