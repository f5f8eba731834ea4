// The device that the tests of models, methods, training and evaluation run on: CONTRASTIVE_TEST_DEVICE, or the CPU. tests/host_cuda stands for a GPU
// where there is none.
#pragma once

#include <cstdlib>
#include <string>

#include "core/model/sentence_encoder.h"

namespace contrastive {

inline std::string test_device() {
  const char* device = std::getenv("CONTRASTIVE_TEST_DEVICE");
  return device != nullptr ? device : "cpu";
}

inline model::LoadOptions on_test_device(model::LoadOptions options = {}) {
  options.device = test_device();
  return options;
}

}  // namespace contrastive
