#include "core/torch/optim/parameter.h"

#include <gtest/gtest.h>

namespace contrastive::optim {
namespace {

TEST(Parameter, DecayRule) {
  EXPECT_TRUE(decays_by_name("encoder.layer.0.output.dense.weight"));
  for (const char* name : {"encoder.layer.0.output.dense.bias", "embeddings.LayerNorm.weight",
                           "embeddings.LayerNorm.bias"}) {
    EXPECT_FALSE(decays_by_name(name)) << name;
  }
}

}  // namespace
}  // namespace contrastive::optim
