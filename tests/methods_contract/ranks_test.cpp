// Ranks that share a run give the same weights as one process with the same batches, for every
// registered method and the rows of modes.h. Here ranks are threads; tests/program/ranks_test.sh
// starts processes.
#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>

#include "core/torch/tensors/tensors.h"
#include "core/torch/nn/torch_encoder.h"
#include "tests/methods_contract/contract.h"
#include "tests/temporary_folder.h"

namespace contrastive::methods {
namespace {

using Weights = std::map<std::string, at::Tensor>;

std::string devices_of(int ranks) {
  std::string list;
  for (int rank = 0; rank < ranks; ++rank)
    list += cat(rank == 0 ? "\"" : ", \"", test_device(), "\"");
  return cat(R"("dist.mode": "threads", "dist.timeout": 60, "dist.devices": [)", list, "]");
}

// Uses SGD, because an adaptive optimiser scales up gradients that are zero except for rounding,
// and sums may be rounded differently here.
const char* const kDescent =
    R"({"optimizer": "sgd", "momentum": 0.9, "lr": 0.02, "schedule": "constant", "warmup_steps": 0, "max_steps": 20, )";

class Ranks : public ::testing::TestWithParam<Mode> {
 protected:
  static bool caches() { return find_method(GetParam().method).describe({}).caches; }

  std::unique_ptr<training::Trainer> trainer(int ranks, const std::string& more) {
    Config own = Config::parse(GetParam().keys);
    own.merge(Config::parse(kDescent + devices_of(std::max(ranks, 1)) + "}"));
    own.merge(Config::parse("{" + more + "}"));
    Config config = toy_config(own.to_json().dump(), GetParam().method);
    config.merge(narrow_head(GetParam().method));
    if (ranks == 0) {  // one process
      for (const char* key : {"dist.mode", "dist.timeout", "dist.devices"}) config.erase(key);
    }
    return run::make_trainer(start_, data_, config);
  }

  // The weights after `steps` updates, and the metrics of the last one.
  Weights weights_after(int steps, int ranks, const std::string& more) {
    const auto run = trainer(ranks, more);
    for (int i = 0; i < steps; ++i) EXPECT_EQ(run->step(), Status::kOk);
    loss_ = run->metric("loss");
    norm_ = run->metric("grad_norm");
    tokens_ = run->metric("tokens");
    truncated_ = run->metric("truncated");
    return weights_of(*run->result(false));
  }

  std::shared_ptr<model::SentenceEncoder> start_ = start_of(GetParam());
  std::shared_ptr<data::Dataset> data_ =
      examples_of(GetParam(), 21);  // the last batch is not full, and no number of ranks divides it
  double loss_ = 0, norm_ = 0, tokens_ = 0, truncated_ = 0;
};

double largest_difference(const Weights& a, const Weights& b) {
  double apart = 0;
  EXPECT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a)
    apart = std::max(apart, (tensor - b.at(name)).abs().max().item<double>());
  return apart;
}

// The difference relative to the largest change of any weight in the run. A last bit of the largest
// weight is ignored, because adapters change by little more than that.
double relative(const Weights& a, const Weights& b, const Weights& start) {
  const double moved = largest_difference(a, start);
  EXPECT_GT(moved, 0) << "nothing was trained";
  double largest = 0;
  for (const auto& [name, tensor] : start)
    largest = std::max(largest, tensor.abs().max().item<double>());
  return std::max(0.0, largest_difference(a, b) - largest * std::numeric_limits<float>::epsilon()) /
         std::max(moved, 1e-30);
}

TEST_P(Ranks, GiveTheWeightsOfOneProcess) {
  const Weights start = weights_after(0, 0, "");
  double most = 0;
  // Batches with their own negatives, and parts of updates that share negatives. The third update
  // of the first ends an epoch.
  const std::vector<std::pair<std::string, std::vector<int>>> cases = {
      {R"("batch_size": 8, "accumulate": 1)", {1, 2, 3, 4}},
      {R"("batch_size": 4, "accumulate": 2, "negatives": "global")", {2, 3}},
      {R"("batch_size": 4, "accumulate": 2, "negatives": "micro")", {3}}};
  for (const auto& [keys, sizes] : cases) {
    const Weights one = weights_after(4, 0, keys);
    const double loss = loss_, norm = norm_, tokens = tokens_, truncated = truncated_;
    for (const int ranks : sizes) {
      if (GetParam().further() && ranks != 3) continue;  // to save time
      const Weights many = weights_after(4, ranks, keys);
      const double apart = relative(one, many, start);
      EXPECT_LT(apart, 1e-4) << ranks << " ranks, " << keys;
      EXPECT_LT(largest_difference(one, many), 1e-6) << ranks << " ranks, " << keys;
      EXPECT_NEAR(loss_, loss, 1e-5 * std::max(1.0, std::fabs(loss)));
      EXPECT_NEAR(norm_, norm, 1e-4 * norm);
      // In a method that caches vectors, a rank embeds the texts that it has not embedded itself.
      EXPECT_TRUE(caches() || tokens_ == tokens) << tokens_ << " tokens, not " << tokens;
      EXPECT_EQ(truncated_, truncated);
      most = std::max(most, apart);
    }
  }
  std::cout << GetParam() << ": after 4 updates on up to 4 ranks the weights differ by at most "
            << most << " of the largest change" << std::endl;
}

class DefaultRanks : public Ranks {};

TEST_P(DefaultRanks, GiveTheSameBytesTwice) {
  for (const int ranks : {2, 3}) {
    const std::string keys = R"("batch_size": 8, "optimizer": "adamw")";
    EXPECT_EQ(largest_difference(weights_after(3, ranks, keys), weights_after(3, ranks, keys)), 0)
        << ranks << " ranks";
  }
}

// A run of two ranks resumes with three, with one, and without ranks. With the same number it gives
// the bytes of an uninterrupted run.
TEST_P(DefaultRanks, AnyNumberOfRanksGoesOnWithARun) {
  const TemporaryFolder folder;
  const std::string keys = R"("batch_size": 8)";
  const auto whole = trainer(2, keys), first = trainer(2, keys);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(whole->step(), Status::kOk);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(first->step(), Status::kOk);
  first->save(folder / "saved");
  for (const int ranks : {2, 3, 0}) {
    const auto second =
        run::resume_trainer(folder / "saved", start_, data_,
                            ranks == 0 ? Config() : Config::parse("{" + devices_of(ranks) + "}"));
    for (int i = 0; i < 2; ++i) ASSERT_EQ(second->step(), Status::kOk);
    const double apart =
        largest_difference(weights_of(*whole->result(false)), weights_of(*second->result(false)));
    // A method that embeds each text once saves the vectors of rank 0. The other ranks embed theirs
    // again, in other batches.
    EXPECT_LT(apart, ranks == 2 && !caches() ? 1e-30 : 1e-6) << ranks << " ranks";
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, DefaultRanks, ::testing::ValuesIn(default_modes()),
                         ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Modes, Ranks, ::testing::ValuesIn(all_modes()),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace contrastive::methods
