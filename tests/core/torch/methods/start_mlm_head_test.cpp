#include "core/torch/methods/start_mlm_head.h"

#include <gmock/gmock.h>

#include "core/torch/nn/mlm_head.h"
#include "tests/core/torch/run/toy.h"

namespace contrastive::methods {
namespace {

at::Tensor first_matrix(const std::shared_ptr<model::SentenceEncoder>& start, uint64_t seed) {
  MethodContext context;
  context.start = start;
  const TunedEncoder encoder(context, {});
  const auto named = start_mlm_head(encoder, encoder.shape().vocab_size, seed).named_parameters();
  for (const auto& [name, tensor] : named)
    EXPECT_TRUE(tensor.requires_grad() && tensor.is_leaf()) << name;
  return named.front().second.detach().cpu();
}

TEST(StartMlmHead, IsAFunctionOfTheSeedWhereTheCheckpointHasNone) {
  EXPECT_TRUE(first_matrix(tiny_model(), 1).equal(first_matrix(tiny_model(), 1)));
  EXPECT_FALSE(first_matrix(tiny_model(), 1).equal(first_matrix(tiny_model(), 2)));
}

TEST(StartMlmHead, IsACopyOfTheCheckpoints) {
  const auto start = tiny_model();
  TensorMap head;
  for (const auto& [name, tensor] : nn::MlmHead::random(start->shape(), 9).named_parameters())
    head[name] = tensors::from_torch(tensor);
  start->set_mlm_head(head);
  const at::Tensor taken = first_matrix(start, 1);
  EXPECT_TRUE(taken.equal(tensors::to_torch(head.at("cls.predictions.transform.dense.weight"))));
  EXPECT_NE(taken.const_data_ptr(),
            tensors::to_torch(head.at("cls.predictions.transform.dense.weight")).const_data_ptr());
}

}  // namespace
}  // namespace contrastive::methods
