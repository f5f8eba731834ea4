#include "core/torch/methods/sg_opt/l2_anchor.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "core/base/error.h"
#include "core/torch/tensors/recycled_memory.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::methods {
namespace {

using torch::autograd::variable_list;

// Both passes run over every weight of the encoder, so memory bandwidth is their cost: each tensor
// is read once, in pieces that all threads share.
constexpr int64_t kPiece = int64_t{1} << 16;
constexpr int64_t kBlock = 256;  // short enough for float32 sums, added up in double

double squared_distance(const float* a, const float* b, int64_t count) {
  double total = 0;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, count);
    float lanes[16] = {};
    int64_t i = begin;
    for (; i + 16 <= end; i += 16) {
      for (int64_t lane = 0; lane < 16; ++lane) {
        const float difference = a[i + lane] - b[i + lane];
        lanes[lane] += difference * difference;
      }
    }
    for (; i < end; ++i) lanes[0] += (a[i] - b[i]) * (a[i] - b[i]);
    for (const float lane : lanes) total += lane;
  }
  return total;
}

bool plain(const at::Tensor& weight, const at::Tensor& start) {
  return weight.device().is_cpu() && weight.scalar_type() == at::kFloat && weight.is_contiguous() &&
         start.is_contiguous();
}

// body(piece, first element, end) for all pieces of a tensor.
template <class Body>
void for_pieces(int64_t count, const Body& body) {
  runtime::parallel_for((count + kPiece - 1) / kPiece, [&](int64_t piece) {
    body(piece, piece * kPiece, std::min(count, (piece + 1) * kPiece));
  });
}

at::Tensor squared_distance(const at::Tensor& weight, const at::Tensor& start) {
  if (!plain(weight, start)) return at::sub(weight, start).to(at::kDouble).square().sum();
  const float *a = weight.const_data_ptr<float>(), *b = start.const_data_ptr<float>();
  std::vector<double> sums(
      static_cast<size_t>((weight.numel() + kPiece - 1) /
                          kPiece));  // added in order: the same for any number of threads
  for_pieces(weight.numel(), [&](int64_t piece, int64_t begin, int64_t end) {
    sums[piece] = squared_distance(a + begin, b + begin, end - begin);
  });
  return at::zeros({}, at::kDouble).fill_(std::accumulate(sums.begin(), sums.end(), 0.0));
}

// 2 gradient (weight - start)
at::Tensor pull(const at::Tensor& weight, const at::Tensor& start, const at::Tensor& gradient) {
  if (!plain(weight, start))
    return at::sub(weight, start).mul_(gradient.to(weight.scalar_type()) * 2);
  const at::Tensor result = tensors::recycled(weight.sizes());
  const float *a = weight.const_data_ptr<float>(), *b = start.const_data_ptr<float>(),
              factor = 2 * gradient.item<float>();
  float* out = result.mutable_data_ptr<float>();
  for_pieces(weight.numel(), [&](int64_t, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = factor * (a[i] - b[i]);
  });
  return result;
}

struct AnchorBackward : torch::autograd::Node {
  std::string name() const override { return "AnchorBackward"; }
  variable_list apply(variable_list&& grads) override {
    TORCH_CHECK(!weights.empty(), "a second backward pass through a graph that was not retained");
    TORCH_CHECK(!at::GradMode::is_enabled(), "the anchor has no second derivative");
    variable_list results(weights.size());
    if (!grads[0].defined()) return results;
    for (size_t i = 0; i < weights.size(); ++i) {
      if (task_should_compute_output(i)) results[i] = pull(weights[i], starts[i], grads[0]);
    }
    return results;
  }
  void release_variables() override {
    weights.clear();
    starts.clear();
  }

  std::vector<at::Tensor> weights, starts;
};

}  // namespace

at::Tensor l2_anchor(const std::vector<at::Tensor>& weights,
                     const std::vector<at::Tensor>& starts) {
  check(!weights.empty() && weights.size() == starts.size(), Status::kMismatch, "each of the ",
        weights.size(), " weights needs its start, not ", starts.size());
  at::Tensor total;
  {
    const at::NoGradGuard no_grad;
    for (size_t i = 0; i < weights.size(); ++i) {
      const at::Tensor &weight = weights[i], &start = starts[i];
      check(weight.sizes() == start.sizes() && weight.scalar_type() == start.scalar_type() &&
                weight.device() == start.device(),
            Status::kMismatch, "weight ", i, " is ", weight.sizes(), " and its start ",
            start.sizes(), ", or of another type or device");
      const at::Tensor distance = squared_distance(weight, start);
      total = total.defined() ? total + distance : distance;
    }
    total = total.to(weights[0].scalar_type());
  }
  if (!torch::autograd::compute_requires_grad(weights)) return total;
  const auto node = std::make_shared<AnchorBackward>();
  node->weights = weights;
  node->starts = starts;
  node->set_next_edges(torch::autograd::collect_next_edges(weights));
  torch::autograd::set_history(total, node);
  return total;
}

}  // namespace contrastive::methods
