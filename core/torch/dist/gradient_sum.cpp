#include "core/torch/dist/gradient_sum.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <utility>

namespace contrastive::dist {

// The elements of several gradients, concatenated, followed by a 1 for each gradient that is
// defined. They are cut into pieces of equal length, one for each rank.
struct GradientSum::Bucket {
  std::vector<size_t> parameters;
  std::vector<int64_t> begins;  // where each begins in `values`
  int64_t numbers = 0;          // elements of all gradients
  size_t missing = 0;           // gradients that have not arrived in this update
  at::Tensor values, pieces;    // [ranks * piece]
  std::unique_ptr<Exchange> exchange;
};

// The backward pass calls this on its own thread, once for each parameter that it reaches.
class GradientSum::Hook final : public torch::autograd::PostAccumulateGradHook {
 public:
  Hook(GradientSum& sum, size_t parameter) : sum_(sum), parameter_(parameter) {}
  void operator()(const torch::autograd::Variable&) override { sum_.filled(parameter_); }

 private:
  GradientSum& sum_;
  size_t parameter_;
};

GradientSum::GradientSum(World& world, std::vector<at::Tensor> parameters, int64_t bucket)
    : world_(world), parameters_(std::move(parameters)), bucket_of_(parameters_.size(), 0),
      most_(bucket) {
  std::vector<size_t> order(parameters_.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = order.size() - 1 - i;  // the last layer's gradients come first
  arrange(order);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    TORCH_CHECK(parameters_[i].is_leaf() && parameters_[i].scalar_type() == at::kFloat,
                "a gradient that is summed is a float32 leaf's");
    torch::autograd::impl::set_post_acc_grad_hooks(parameters_[i],
                                                   std::make_unique<Hook>(*this, i));
  }
}

GradientSum::~GradientSum() {
  for (const at::Tensor& parameter : parameters_)
    torch::autograd::impl::set_post_acc_grad_hooks(parameter, nullptr);
}

void GradientSum::arrange(const std::vector<size_t>& order) {
  buckets_.clear();
  for (const size_t parameter : order) {
    if (buckets_.empty() || buckets_.back()->numbers >= most_)
      buckets_.push_back(std::make_unique<Bucket>());
    Bucket& bucket = *buckets_.back();
    bucket_of_[parameter] = buckets_.size() - 1;
    bucket.parameters.push_back(parameter);
    bucket.begins.push_back(bucket.numbers);
    bucket.numbers += parameters_[parameter].numel();
  }
  for (const auto& bucket : buckets_) {
    const int64_t length = bucket->numbers + static_cast<int64_t>(bucket->parameters.size()),
                  ranks = world_.size();
    const int64_t whole = (length + ranks - 1) / ranks * ranks;
    bucket->values = at::zeros({whole}, at::kFloat);
    bucket->pieces = at::empty({whole}, at::kFloat);
    bucket->missing = bucket->parameters.size();
  }
}

void GradientSum::begin(const std::string& doing) {
  begun_ = true;
  doing_ = doing;
  came_.clear();
}

void GradientSum::filled(size_t parameter) {
  if (!begun_) return;
  if (!arranged_) came_.push_back(parameter);
  --buckets_[bucket_of_[parameter]]->missing;
  while (sent_ < buckets_.size() && buckets_[sent_]->missing == 0) send_next();
}

void GradientSum::send_next() {
  const at::NoGradGuard no_grad;
  Bucket& bucket = *buckets_[sent_++];
  auto* const flags = bucket.values.mutable_data_ptr<float>() + bucket.numbers;
  for (size_t i = 0; i < bucket.parameters.size(); ++i) {
    const at::Tensor& gradient = parameters_[bucket.parameters[i]].grad();
    const at::Tensor place =
        bucket.values.narrow(0, bucket.begins[i], parameters_[bucket.parameters[i]].numel());
    flags[i] = gradient.defined() ? 1 : 0;
    if (gradient.defined()) {
      place.copy_(gradient.reshape({-1}));
    } else {
      place.zero_();
    }
  }
  bucket.exchange = world_.begin_all_to_all(bucket.pieces, bucket.values, doing_);
}

void GradientSum::finish(const std::string& doing) {
  const at::NoGradGuard no_grad;
  doing_ = doing;
  while (sent_ < buckets_.size()) send_next();
  const int64_t ranks = world_.size();
  std::vector<at::Tensor> sums;
  for (const auto& bucket : buckets_) {
    world_.wait(*bucket->exchange, doing);
    const at::Tensor pieces = bucket->pieces.view({ranks, -1});
    sums.push_back(pieces.select(0, 0).clone());
    for (int64_t rank = 1; rank < ranks; ++rank) sums.back() += pieces.select(0, rank);
    bucket->exchange = world_.begin_all_gather(bucket->values, sums.back(), doing);
  }
  for (const auto& bucket : buckets_) {
    world_.wait(*bucket->exchange, doing);
    bucket->exchange.reset();
    bucket->missing = bucket->parameters.size();
    const auto* const flags = bucket->values.const_data_ptr<float>() + bucket->numbers;
    for (size_t i = 0; i < bucket->parameters.size(); ++i) {
      if (flags[i] == 0) continue;
      const at::Tensor& parameter = parameters_[bucket->parameters[i]];
      const at::Tensor sum =
          bucket->values.narrow(0, bucket->begins[i], parameter.numel()).view(parameter.sizes());
      at::Tensor& gradient = parameter.mutable_grad();
      if (gradient.defined()) {
        gradient.copy_(sum);
      } else {
        gradient = sum.to(parameter.device(), parameter.scalar_type(), /*non_blocking=*/false,
                          /*copy=*/true);
      }
    }
  }
  sent_ = 0;
  if (!begun_ || arranged_) {
    begun_ = false;
    return;
  }
  begun_ = false;
  // Gradients that only the comparison computes arrive before the pass or not at all. They would
  // hold up all others, so they are sent last.
  std::string order;
  for (const size_t parameter : came_) order += std::to_string(parameter) + " ";
  std::vector<size_t> all;
  std::vector<bool> placed(parameters_.size(), false);
  const std::string first = world_.gather(order, doing).front();
  for (size_t at = 0; at < first.size();) {
    const size_t end = first.find(' ', at), parameter = std::stoul(first.substr(at, end - at));
    if (!placed.at(parameter)) all.push_back(parameter);
    placed[parameter] = true;
    at = end + 1;
  }
  for (size_t i = 0; i < placed.size(); ++i) {
    if (!placed[i]) all.push_back(i);
  }
  arrange(all);
  arranged_ = true;
}

}  // namespace contrastive::dist
