// Every build of the row products against plain loops in double, for every remainder of rows,
// outputs and inputs that gives another tile.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/cpu/builds.h"
#include "tests/core/cpu/random_floats.h"

namespace contrastive::cpu {
namespace {

double product(const float* a, const float* b, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

TEST(RowProducts, EqualPlainLoops) {
  for (const TrainingKernels* kernels : builds(&Kernels::training)) {
    for (const int64_t in : {1, 5, 16, 67, 130}) {
      for (const int64_t out : {1, 2, 3, 4, 5, 6, 7, 8, 11}) {
        for (const int64_t rows : {1, 2, 3, 4, 5, 9}) {
          const std::vector<float> x = random_floats(2 * rows * in, 1),
                                   weight = random_floats(out * in, 2),
                                   bias = random_floats(out, 3);
          const std::vector<float> grad_y = random_floats(rows * out, 4);
          std::vector<const float*> pointers;  // every second row, backwards
          for (int64_t row = rows - 1; row >= 0; --row) pointers.push_back(x.data() + 2 * row * in);
          const float guard = 12345;
          std::vector<float> y(static_cast<size_t>(rows * out + 1), guard),
              grad_weight(static_cast<size_t>(out * in + 1), guard);
          kernels->row_products(
              {rows, in, out, pointers.data(), weight.data(), bias.data(), y.data()});
          kernels->weight_gradient(
              {rows, in, out, pointers.data(), grad_y.data(), grad_weight.data()});
          std::vector<double> expected_y, expected_gradient;
          for (int64_t row = 0; row < rows; ++row) {
            for (int64_t o = 0; o < out; ++o)
              expected_y.push_back(product(pointers[row], weight.data() + o * in, in) + bias[o]);
          }
          for (int64_t o = 0; o < out; ++o) {
            for (int64_t i = 0; i < in; ++i) {
              double sum = 0;
              for (int64_t row = 0; row < rows; ++row)
                sum += static_cast<double>(pointers[row][i]) * grad_y[row * out + o];
              expected_gradient.push_back(sum);
            }
          }
          const std::string what = cat(kernels->name, ": ", rows, " rows, ", in, " to ", out);
          for (size_t i = 0; i < expected_y.size(); ++i)
            ASSERT_NEAR(y[i], expected_y[i], 2e-5) << what;
          for (size_t i = 0; i < expected_gradient.size(); ++i)
            ASSERT_NEAR(grad_weight[i], expected_gradient[i], 2e-5) << what;
          EXPECT_EQ(y.back(), guard);
          EXPECT_EQ(grad_weight.back(), guard);
        }
      }
    }
  }
}

// A row alone gives the same as in a tile with others.
TEST(RowProducts, ARowDoesNotDependOnItsNeighbours) {
  const int64_t in = 77, out = 6, rows = 11;
  const std::vector<float> x = random_floats(rows * in, 1), weight = random_floats(out * in, 2),
                           bias = random_floats(out, 3);
  for (const TrainingKernels* kernels : builds(&Kernels::training)) {
    std::vector<const float*> pointers;
    for (int64_t row = 0; row < rows; ++row) pointers.push_back(&x[static_cast<size_t>(row * in)]);
    std::vector<float> together(static_cast<size_t>(rows * out)), alone(together.size());
    kernels->row_products(
        {rows, in, out, pointers.data(), weight.data(), bias.data(), together.data()});
    for (int64_t row = 0; row < rows; ++row) {
      kernels->row_products({1, in, out, &pointers[static_cast<size_t>(row)], weight.data(),
                             bias.data(), &alone[static_cast<size_t>(row * out)]});
    }
    EXPECT_EQ(together, alone) << kernels->name;
  }
}

}  // namespace
}  // namespace contrastive::cpu
