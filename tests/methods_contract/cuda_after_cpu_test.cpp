// Trains on the CPU and then uses the GPU. A separate program, because LibTorch fixes its devices
// at the first backward pass.
#include <gmock/gmock.h>

#include <cmath>

#include "core/torch/tensors/cuda.h"
#include "tests/fixtures_folder.h"
#include "tests/methods_contract/contract.h"

namespace contrastive::methods {
namespace {

double loss_of_three_updates(const std::string& device) {
  model::LoadOptions options;
  options.device = device;
  const auto start = model::SentenceEncoder::load(fixtures() + "/models/bert_st", options);
  const auto run = contract_trainer({"simcse"}, "{}", start, labelled_pairs(40));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run->step(), Status::kOk);
  return run->metric("loss");
}

TEST(CudaAfterCpu, TrainsAsIfItHadComeFirst) {
  const double on_cpu = loss_of_three_updates("cpu");
  std::string why;
  if (tensors::cuda_device_count(&why) == 0) GTEST_SKIP() << why;
  EXPECT_NEAR(loss_of_three_updates("cuda"), on_cpu, 1e-3 * on_cpu);
  EXPECT_EQ(loss_of_three_updates("cpu"), on_cpu);
}

}  // namespace
}  // namespace contrastive::methods
