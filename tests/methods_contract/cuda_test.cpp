// Every registered method on a GPU, and the rows of modes.h. Skipped with the reason if there is no
// GPU.
#include <gmock/gmock.h>

#include <cmath>

#include "core/base/error.h"
#include "core/base/options.h"
#include "core/torch/tensors/cuda.h"
#include "core/torch/run/train_options.h"
#include "tests/methods_contract/contract.h"
#include "tests/temporary_folder.h"

namespace contrastive::methods {
namespace {

class CudaContract : public ::testing::TestWithParam<Mode> {
 protected:
  void SetUp() override {
    std::string why;
    if (tensors::cuda_device_count(&why) == 0) GTEST_SKIP() << why;
    model::LoadOptions options;
    options.device = "cuda";
    start_ = start_of(GetParam(), options);
  }
  double loss_after(int steps, const std::string& more) {
    const auto run = contract_trainer(GetParam(), more, start_, examples_of(GetParam(), 40));
    for (int i = 0; i < steps; ++i) EXPECT_EQ(run->step(), Status::kOk);
    return run->metric("loss");
  }

  std::shared_ptr<model::SentenceEncoder> start_;
};
class ModeOnCuda : public CudaContract {};

TEST_P(ModeOnCuda, TrainsAsOnTheCpu) {
  const auto cpu =
      contract_trainer(GetParam(), "{}", start_of(GetParam()), examples_of(GetParam(), 40));
  for (int i = 0; i < 3; ++i) cpu->step();
  EXPECT_NEAR(loss_after(3, "{}"), cpu->metric("loss"),
              1e-3 * std::max(1.0, std::fabs(cpu->metric("loss"))));
}

TEST_P(CudaContract, InPartsAndInMixedPrecision) {
  const double full = loss_after(1, R"({"batch_size": 8, "accumulate": 1})");
  EXPECT_NEAR(loss_after(1, R"({"negatives": "global", "batch_size": 2, "accumulate": 4})"), full,
              1e-3 * std::max(1.0, std::fabs(full)));
  for (const char* amp : {"bfloat16", "float16"}) {
    EXPECT_NEAR(loss_after(1, cat(R"({"amp": ")", amp, "\"}")), full, 0.05 * std::fabs(full) + 0.05)
        << amp;
    EXPECT_TRUE(std::isfinite(
        loss_after(8, cat(R"({"gradient_checkpointing": true, "amp": ")", amp, "\"}"))))
        << amp;
  }
}

TEST_P(CudaContract, SavesAndGoesOn) {
  const TemporaryFolder folder;
  const std::string more = R"({"amp": "float16", "max_steps": 8})";
  const auto whole = contract_trainer(GetParam(), more, start_, examples_of(GetParam(), 40));
  for (int i = 0; i < 4; ++i) whole->step();
  whole->save(folder / "run");
  const auto resumed =
      run::TrainingRun::resume(folder / "run", start_, examples_of(GetParam(), 40), {});
  while (whole->step() == Status::kOk) {
  }
  while (resumed->step() == Status::kOk) {
  }
  EXPECT_NEAR(resumed->metric("loss"), whole->metric("loss"),
              1e-3 * std::max(1.0, std::fabs(whole->metric("loss"))));
  EXPECT_NO_THROW(load_like(whole->result(false), folder / "run"));
}

// Every value of every choice key of the method and of the trainer, if the other defaults allow it.
TEST_P(CudaContract, EveryChoiceTrainsAsOnTheCpu) {
  std::vector<Json> rows = find_method(GetParam().method).describe({}).rows;
  for (const Json& row : describe_options<run::TrainOptions>()) rows.push_back(row);
  const auto cpu_start = tiny_model();
  int trained = 0;
  for (const Json& row : rows) {
    const std::string key = row.at("key");
    std::vector<Json> values;
    if (row.contains("values")) values = row.at("values").get<std::vector<Json>>();
    if (row.at("default").is_boolean()) values = {false, true};
    for (const Json& value : values) {
      if (key == "method" || value == "float16") continue;
      SCOPED_TRACE(cat(key, " = ", value.dump()));
      Config config = Config::parse(R"({"batch_size": 8, "accumulate": 1})");
      config.set_json(key, value);
      if (value == "mse") config.set_json("scored.max_score", 2);  // the labels go up to 2
      std::unique_ptr<run::TrainingRun> on_cpu;
      try {
        on_cpu = contract_trainer(GetParam(), config.to_json().dump(), cpu_start,
                                  examples_of(GetParam(), 40));
        on_cpu->step();
      } catch (const Error& error) {
        ASSERT_EQ(error.status(), Status::kArgument) << error.message();
        continue;  // refused with the defaults of the other keys, on every device
      }
      const auto on_gpu = contract_trainer(GetParam(), config.to_json().dump(), start_,
                                           examples_of(GetParam(), 40));
      ASSERT_EQ(on_cpu->step(), Status::kOk);
      for (int i = 0; i < 2; ++i) ASSERT_EQ(on_gpu->step(), Status::kOk);
      ++trained;
      const double expected = on_cpu->metric("loss"), tolerance = value == "bfloat16" ? 0.05 : 1e-3;
      EXPECT_NEAR(on_gpu->metric("loss"), expected, tolerance * std::max(1.0, std::fabs(expected)));
    }
  }
  EXPECT_GT(trained, 20);
}

INSTANTIATE_TEST_SUITE_P(Methods, CudaContract, ::testing::ValuesIn(default_modes()),
                         ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Modes, ModeOnCuda, ::testing::ValuesIn(all_modes()),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace contrastive::methods
