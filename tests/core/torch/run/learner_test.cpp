#include "core/torch/run/learner.h"

#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>

#include "tests/core/torch/run/toy_method.h"
#include "tests/expect_error.h"

namespace contrastive::run {
namespace {

std::unique_ptr<Learner> toy_learner() {
  return std::make_unique<Learner>(toy_method(), TrainOptions(), c10::Device(test_device()),
                                   nullptr);
}

Update some_update() {
  data::Batch batch;
  const auto data = toy_pairs(4);
  for (int64_t i = 0; i < 4; ++i) batch.examples.push_back(data->get(i));
  batch.indices.assign(4, -1);
  return split_batch(std::move(batch), TrainOptions());
}

bool same(const tensors::TorchTensorMap& one, const tensors::TorchTensorMap& other) {
  for (const auto& [name, tensor] : one) {
    if (!tensor.equal(other.at(name))) return false;
  }
  return one.size() == other.size();
}

void make_update(Learner& learner) {
  const PassResult result = learner.fill_gradients(some_update());
  learner.move(result.gradient_norm, 1e-3);
  learner.clear_gradients();
}

TEST(Learner, OnlyMoveMovesTheWeights) {
  const auto learner = toy_learner();
  const tensors::TorchTensorMap before = learner->copy_weights();
  const PassResult result = learner->fill_gradients(some_update());
  EXPECT_TRUE(same(learner->copy_weights(), before));
  learner->move(result.gradient_norm, 1e-3);
  EXPECT_FALSE(same(learner->copy_weights(), before));
}

TEST(Learner, ComesBackBitForBitFromASavedRun) {
  const auto one = toy_learner(), other = toy_learner();
  make_update(*one);
  TrainingState state;
  one->save(state);
  other->restore(state);
  make_update(*one);
  make_update(*other);
  EXPECT_TRUE(same(one->copy_weights(), other->copy_weights()))
      << "the optimizer's moments were restored too";
}

TEST(Learner, RefusesWeightsOfAnotherMethod) {
  const auto learner = toy_learner();
  TrainingState state;
  learner->save(state);
  state.tensors["weight.projection"] = at::eye(2);
  expect_error(Status::kMismatch, "weight 'projection'", [&] { learner->restore(state); });
  state.tensors.erase("weight.projection");
  expect_error(Status::kMismatch, "has no weight 'projection'", [&] { learner->restore(state); });
}

}  // namespace
}  // namespace contrastive::run
