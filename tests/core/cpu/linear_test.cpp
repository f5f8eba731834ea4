// The product and LayerNorm kernels against plain loops in double precision: every number of rows
// and panels that gives another tile.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/cpu/builds.h"
#include "tests/core/cpu/random_floats.h"

namespace contrastive::cpu {
namespace {

TEST(LinearKernel, EqualsPlainLoopsForEveryTile) {
  const int64_t in = 37, out = 43;
  const std::vector<float> weight = random_floats(out * in, 1), bias = random_floats(out, 2);
  for (const EncodeKernels* table : builds(&Kernels::encode)) {
    const int64_t lanes = table->lanes;
    for (int64_t panels = 1; panels <= 3; ++panels) {
      for (int64_t begin = 0; begin < 3; ++begin) {
        for (int64_t end = begin; end <= out; ++end) {
          const std::vector<float> x = random_floats(panels * in * lanes, 3),
                                   residual = random_floats(panels * out * lanes, 4);
          std::vector<float> y(static_cast<size_t>(panels * out * lanes), -77.0f);
          LinearTask task;
          task.x = x.data(), task.x_stride = in * lanes, task.weight = weight.data(),
          task.bias = bias.data();
          task.residual = residual.data(), task.residual_stride = out * lanes, task.y = y.data(),
          task.y_stride = out * lanes;
          task.panels = panels, task.in = in, task.begin = begin, task.end = end;
          table->linear(task);
          for (int64_t i = 0; i < panels * out * lanes; ++i) {
            const int64_t panel = i / (out * lanes), row = i / lanes % out, lane = i % lanes;
            double expected = -77;
            if (row >= begin && row < end) {
              expected = static_cast<double>(bias[static_cast<size_t>(row)]) +
                         static_cast<double>(residual[static_cast<size_t>(i)]);
              for (int64_t k = 0; k < in; ++k) {
                expected +=
                    static_cast<double>(weight[static_cast<size_t>(row * in + k)]) *
                    static_cast<double>(x[static_cast<size_t>((panel * in + k) * lanes + lane)]);
              }
            }
            ASSERT_NEAR(y[static_cast<size_t>(i)], expected, 2e-5)
                << table->name << " panels " << panels << " rows " << begin << ".." << end << " at "
                << i;
          }
        }
      }
    }
  }
}

TEST(LinearKernel, ATailIsTheLastPanelsFirstTokens) {
  const int64_t in = 37, out = 43, panels = 2;
  const std::vector<float> weight = random_floats(out * in, 1), bias = random_floats(out, 2);
  for (const EncodeKernels* table : builds(&Kernels::encode)) {
    const int64_t lanes = table->lanes;
    const std::vector<float> x = random_floats(panels * in * lanes, 3),
                             residual = random_floats(panels * out * lanes, 4);
    for (int64_t tail = 0; tail <= lanes / 2; ++tail) {
      std::vector<float> y(static_cast<size_t>(panels * out * lanes)),
          whole = y, scratch(static_cast<size_t>(lanes / 2 * in));
      LinearTask task;
      task.x = x.data(), task.x_stride = in * lanes, task.weight = weight.data(),
      task.bias = bias.data();
      task.residual = residual.data(), task.residual_stride = out * lanes, task.y = whole.data(),
      task.y_stride = out * lanes;
      task.panels = panels, task.in = in, task.end = out, task.activate = true;
      table->linear(task);
      task.y = y.data(), task.tail = tail, task.tail_x = scratch.data();
      table->linear(task);
      for (int64_t i = 0; i < panels * out * lanes; ++i) {
        if (tail > 0 && i >= out * lanes && i % lanes >= tail) continue;  // these are never read
        ASSERT_NEAR(y[static_cast<size_t>(i)], whole[static_cast<size_t>(i)], 1e-5)
            << table->name << " tail " << tail << " at " << i;
      }
    }
  }
}

TEST(LayerNormKernel, EqualsPlainLoops) {
  const int64_t width = 29, panels = 2;
  const std::vector<float> gain = random_floats(width, 1), shift = random_floats(width, 2);
  for (const EncodeKernels* table : builds(&Kernels::encode)) {
    const int64_t lanes = table->lanes;
    std::vector<float> x = random_floats(panels * width * lanes, 3);
    for (int64_t i = 0; i < width; ++i)
      x[static_cast<size_t>(i * lanes)] = 5.0f;  // a token without variance
    const std::vector<float> before = x;
    table->layer_norm({x.data(), gain.data(), shift.data(), 1e-5, panels, width});
    for (int64_t panel = 0; panel < panels; ++panel) {
      for (int64_t lane = 0; lane < lanes; ++lane) {
        const auto at = [&](int64_t i) {
          return static_cast<size_t>((panel * width + i) * lanes + lane);
        };
        double mean = 0, variance = 0;
        for (int64_t i = 0; i < width; ++i)
          mean += static_cast<double>(before[at(i)]) / static_cast<double>(width);
        for (int64_t i = 0; i < width; ++i)
          variance +=
              std::pow(static_cast<double>(before[at(i)]) - mean, 2) / static_cast<double>(width);
        for (int64_t i = 0; i < width; ++i) {
          const double unit =
              (static_cast<double>(before[at(i)]) - mean) / std::sqrt(variance + 1e-5);
          ASSERT_NEAR(x[at(i)],
                      unit * static_cast<double>(gain[static_cast<size_t>(i)]) +
                          static_cast<double>(shift[static_cast<size_t>(i)]),
                      1e-5)
              << table->name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace contrastive::cpu
