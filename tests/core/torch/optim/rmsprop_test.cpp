#include <gmock/gmock.h>

#include "core/torch/optim/optimizer_list.h"
#include "tests/core/torch/optim/one_parameter.h"
#include "tests/core/torch/optim/vectors.h"

namespace contrastive::optim {
namespace {

// Against torch.optim.RMSprop (tests/golden/optim/rmsprop.py).
TEST(RmsProp, EqualsPyTorchs) {
  const Json golden = read_json_file(fixtures() + "/rmsprop_golden.json");
  ASSERT_EQ(golden.at("runs").size(), 3u);
  for (const Json& run : golden.at("runs")) {
    OptimizerOptions options;
    options.name = "rmsprop";
    options.weight_decay = run.at("weight_decay").get<double>();
    options.keys.set_json("alpha", run.at("alpha"));
    options.keys.set_json("eps", run.at("eps"));
    const Parameter p = parameter(vector_of(golden.at("start")));
    const auto optimizer = make_optimizer(options, {p});
    for (size_t step = 0; step < golden.at("gradients").size(); ++step) {
      p.tensor.mutable_grad() = vector_of(golden.at("gradients")[step]);
      optimizer->step(run.at("lr").get<double>());
      EXPECT_TRUE(p.tensor.detach().allclose(vector_of(run.at("after")[step]), 1e-5, 1e-6))
          << run.at("weight_decay") << " step " << step;
    }
  }
}

}  // namespace
}  // namespace contrastive::optim
