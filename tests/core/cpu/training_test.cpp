// Every build of the training kernels: masks against their random generator, everything else
// against the baseline build. The tests in tests/core/torch/nn/cpu/layer_test.cpp compare the
// widest build with double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/rng.h"
#include "core/cpu/builds.h"
#include "tests/core/cpu/random_floats.h"

namespace contrastive::cpu {
namespace {

void expect_near(const std::vector<float>& a, const std::vector<float>& b, const char* what) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 2e-5) << what << " at " << i;
}

TEST(TrainingKernels, MasksAreTheDrawsOfTheGenerator) {
  for (const TrainingKernels* table : builds(&Kernels::training)) {
    for (const int64_t count : {1, 7, 64, 65, 384, 1000}) {
      for (const uint64_t example : {uint64_t{0}, uint64_t{12345678901234567}}) {
        for (const uint32_t threshold : {0U, 429496729U, 4000000000U}) {
          std::vector<uint64_t> bits(static_cast<size_t>((count + 63) / 64));
          Rng rng(9, Purpose::kDropout, 77, example);
          table->draw_mask(rng.key(), example, threshold, count, bits.data());
          for (int64_t i = 0; i < count; ++i) {
            ASSERT_EQ(bits[static_cast<size_t>(i / 64)] >> (i % 64) & 1,
                      rng.next32() >= threshold ? 1U : 0U)
                << table->name << " draw " << i;
          }
        }
      }
    }
  }
}

// Outputs of all row kernels, one after the other.
std::vector<float> run_rows(const TrainingKernels& k, int64_t rows, int64_t width, bool dropped) {
  const int64_t count = rows * width, words = (width + 63) / 64;
  const std::vector<float> y = random_floats(count, 1), residual = random_floats(count, 2),
                           bias = random_floats(width, 3);
  const std::vector<float> gain = random_floats(width, 4), shift = random_floats(width, 5),
                           grad = random_floats(count, 6);
  std::vector<uint64_t> bits(static_cast<size_t>(rows * words));
  Rng rng(8, Purpose::kSubset);
  for (uint64_t& word : bits) word = rng.next64();
  const Mask mask{dropped ? bits.data() : nullptr, words, 1.25f};
  const auto fresh = [](int64_t size) { return std::vector<float>(static_cast<size_t>(size)); };
  std::vector<float> normed = fresh(count), scale = fresh(rows), out = fresh(count),
                     grad_sum = fresh(count), grad_y = fresh(count);
  std::vector<float> sums = fresh(3 * width), activated = fresh(count), grad_x = grad,
                     column = fresh(width), shifted = fresh(count), thinned = y;
  NormTask norm;
  norm.rows = rows, norm.width = width, norm.eps = 1e-5, norm.y = y.data(), norm.bias = bias.data(),
  norm.residual = residual.data();
  norm.mask = mask, norm.gain = gain.data(), norm.shift = shift.data(), norm.normed = normed.data(),
  norm.scale = scale.data(), norm.out = out.data();
  k.norm(norm);
  NormBackwardTask back;
  back.rows = rows, back.width = width, back.grad_out = grad.data(), back.normed = normed.data(),
  back.scale = scale.data(), back.gain = gain.data();
  back.mask = mask, back.grad_sum = grad_sum.data(), back.grad_y = grad_y.data();
  back.grad_gain = sums.data(), back.grad_shift = sums.data() + width,
  back.grad_bias = sums.data() + 2 * width;
  k.norm_backward(back);
  ActivationTask act;
  act.rows = rows, act.width = width, act.x = y.data(), act.bias = bias.data(),
  act.activated = activated.data(), act.grad = grad_x.data();
  act.grad_bias = column.data();
  k.activation(act);
  k.scale_shift(y.data(), gain.data(), shift.data(), rows, width, shifted.data());
  k.drop(thinned.data(), rows, width, mask);
  std::vector<float> all, total = fresh(width);
  k.column_sums(y.data(), rows, width, width, total.data());
  for (const auto* part : {&normed, &scale, &out, &grad_sum, &grad_y, &sums, &activated, &grad_x,
                           &column, &shifted, &thinned, &total}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

TEST(TrainingKernels, RowsAreTheSameInEveryBuild) {
  for (const int64_t width : {1, 5, 16, 40, 100}) {
    for (const bool dropped : {false, true}) {
      const std::vector<float> expected =
          run_rows(*builds(&Kernels::training).front(), 5, width, dropped);
      for (const TrainingKernels* table : builds(&Kernels::training))
        expect_near(run_rows(*table, 5, width, dropped), expected, table->name);
    }
  }
}

std::vector<float> run_attention(const TrainingKernels& table, int64_t length, int64_t width,
                                 bool dropped) {
  const int64_t stride = 3 * width + 2, words = (2 * length + 63) / 64 + 1;
  const std::vector<float> qkv = random_floats(length * stride, 1),
                           bias = random_floats(3 * width, 2),
                           grad = random_floats(length * width, 3);
  std::vector<uint64_t> bits(static_cast<size_t>(length * words));
  Rng rng(8, Purpose::kSubset);
  for (uint64_t& word : bits) word = rng.next64();
  std::vector<float> logs(static_cast<size_t>(length)), out(static_cast<size_t>(length * width)),
      grads(static_cast<size_t>(length * stride));
  std::vector<float> scratch(static_cast<size_t>(text_attention_scratch(length, width)));
  TextAttentionTask t;
  t.length = length, t.width = width, t.stride = stride, t.q = qkv.data(), t.k = t.q + width,
  t.v = t.k + width;
  t.q_bias = bias.data(), t.k_bias = t.q_bias + width, t.v_bias = t.k_bias + width;
  if (dropped) t.mask = {bits.data(), words, 2.0f};
  t.first_bit = length;  // the second of two heads
  t.log_sums = logs.data(), t.out = out.data(), t.out_stride = width, t.scratch = scratch.data();
  table.attention(t);
  t.grad_out = grad.data(), t.grad_q = grads.data(), t.grad_k = t.grad_q + width,
  t.grad_v = t.grad_k + width;
  table.attention_backward(t);
  for (const auto* part : {&logs, &grads}) out.insert(out.end(), part->begin(), part->end());
  return out;
}

TEST(TrainingKernels, AttentionIsTheSameInEveryBuild) {
  for (const int64_t length : {1, 4, 17, 64, 70, 130}) {
    for (const int64_t width : {1, 10, 32, 64}) {
      for (const bool dropped : {false, true}) {
        const std::vector<float> expected =
            run_attention(*builds(&Kernels::training).front(), length, width, dropped);
        for (const TrainingKernels* table : builds(&Kernels::training))
          expect_near(run_attention(*table, length, width, dropped), expected, table->name);
      }
    }
  }
}

}  // namespace
}  // namespace contrastive::cpu
