// The device that the tests of models, methods, training and evaluation run on:
// CONTRASTIVE_TEST_DEVICE, or the CPU. tests/host_cuda simulates a CUDA device without a GPU.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "core/torch/tensors/cuda.h"
#include "core/model/sentence_encoder.h"

namespace contrastive {

inline std::string test_device() {
  const char* device = std::getenv("CONTRASTIVE_TEST_DEVICE");
  return device != nullptr ? device : "cpu";
}

// Tests of gradients run a backward pass without the trainer, which would otherwise initialise the
// device first.
struct TestDevice : testing::Environment {
  void SetUp() override {
    if (test_device() != "cpu") tensors::load_cuda_before_backward();
  }
};
inline testing::Environment* const test_device_environment =
    testing::AddGlobalTestEnvironment(new TestDevice);

inline model::LoadOptions on_test_device(model::LoadOptions options = {}) {
  options.device = test_device();
  return options;
}

}  // namespace contrastive
