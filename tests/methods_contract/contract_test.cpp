// The contract of every registered method. A new line in core/torch/methods/registry.cpp
// automatically adds a row of tests here. What a mode of a method may break is also tested for the
// rows of modes.h.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <gmock/gmock.h>
#include <torch/csrc/autograd/function.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "core/data/batcher.h"
#include "core/torch/methods/registry.h"
#include "core/torch/nn/torch_encoder.h"
#include "tests/core/torch/methods/loss_terms.h"
#include "tests/expect_error.h"
#include "tests/methods_contract/contract.h"
#include "tests/temporary_folder.h"

namespace contrastive::methods {
namespace {

data::Batch batch_of(const data::Dataset& data, int64_t n) {
  data::Batch batch;
  for (int64_t i = 0; i < n; ++i) {
    batch.indices.push_back(i);
    batch.examples.push_back(data.get(i));
  }
  return batch;
}

class Contract : public ::testing::TestWithParam<Mode> {
 protected:
  const MethodEntry& entry() const { return find_method(GetParam().method); }
  std::unique_ptr<Method> make(uint64_t seed = 1) {
    MethodContext context;
    context.start = start_;
    context.seed = seed;
    context.config = method_config(GetParam());
    return make_method(entry(), context);
  }
  std::unique_ptr<run::TrainingRun> trainer(const std::string& more = "{}") {
    return contract_trainer(GetParam(), more, start_, data_);
  }

  std::shared_ptr<model::SentenceEncoder> start_ = start_of(GetParam());
  std::shared_ptr<data::Dataset> data_ = examples_of(GetParam(), 40);
};
class ModeContract : public Contract {};  // for all rows, because a mode may break this

TEST_P(Contract, LossIsFiniteAndItsTermsAreNamed) {
  const auto method = make();
  method->prepare(data_.get(), nullptr);
  for (const int64_t n : {2, 8}) {
    const LossTerms terms = loss_terms(*method, batch_of(*data_, n));
    ASSERT_FALSE(terms.values.empty());
    for (const auto& [name, value] : terms.values) {
      EXPECT_FALSE(name.empty());
      EXPECT_EQ(value.numel(), 1);
      EXPECT_TRUE(std::isfinite(value.item<double>())) << name;
    }
  }
}

TEST_P(ModeContract, GradientsReachExactlyTheDeclaredParameters) {
  const auto method = make();
  method->prepare(data_.get(), nullptr);
  const auto parameters = method->parameters();
  ASSERT_FALSE(parameters.empty());
  std::map<std::string, int> names;
  for (const Parameter& p : parameters) {
    EXPECT_EQ(++names[p.name], 1) << p.name << " appears twice";
    EXPECT_EQ(p.tensor.scalar_type(), at::kFloat) << p.name;
    EXPECT_TRUE(p.tensor.is_leaf() && p.tensor.requires_grad()) << p.name;
  }
  // A layer whose weights start at zero blocks the gradients of earlier layers, so disturb it a
  // little.
  for (const Parameter& p : parameters) p.tensor.detach().add_(0.01);
  loss_terms(*method, batch_of(*data_, 8)).total().backward();
  for (const Parameter& p : parameters) {
    ASSERT_TRUE(p.tensor.grad().defined()) << p.name << " is declared, but no gradient reaches it";
    // A constant that is added to all documents of a list cancels if they are only compared.
    if (GetParam().further() && GetParam().examples == Examples::kLists &&
        p.name == "classifier.out_proj.bias")
      continue;
    EXPECT_GT(p.tensor.grad().abs().max().item<double>(), 0) << p.name;
  }
  // Training must not change the start model.
  for (const auto& [name, tensor] : nn::trainable(start_->encoder()).named_parameters())
    EXPECT_FALSE(tensor.grad().defined()) << name;
}

// LibTorch's own row selection and its GELU compute in an OpenMP team, which ends the process if
// memory runs out. (What a layer recomputes in the backward pass is not part of this graph; the
// sweeps of tests/faults/memory cover it.)
TEST_P(ModeContract, NoSelectionOfLibTorchsInALoss) {
  if (test_device() != "cpu") GTEST_SKIP() << "on a GPU the kernels are the GPU's";
  const auto method = make();
  method->prepare(data_.get(), nullptr);
  const at::Tensor loss = loss_terms(*method, batch_of(*data_, 8)).total();
  std::vector<torch::autograd::Node*> open = {loss.grad_fn().get()};
  std::set<torch::autograd::Node*> seen;
  std::set<std::string> names;
  while (!open.empty()) {
    torch::autograd::Node* const node = open.back();
    open.pop_back();
    if (node == nullptr || !seen.insert(node).second) continue;
    names.insert(node->name());
    for (const torch::autograd::Edge& edge : node->next_edges())
      open.push_back(edge.function.get());
  }
  EXPECT_GT(names.size(), 2u);
  for (const char* name : {"IndexSelectBackward0", "IndexAddBackward0", "GeluBackward0"})
    EXPECT_EQ(names.count(name), 0u) << name;
}

TEST_P(ModeContract, WhatIsFrozenStaysBitForBit) {
  const auto before = weights_of(*start_);
  const std::string fingerprint = start_->fingerprint();
  const auto method = make();
  EXPECT_EQ(entry().describe(method_config(GetParam())).trains_encoder, method->trains_encoder())
      << "one checks the config, the other the run";
  const auto run = trainer();
  for (int i = 0; i < 5; ++i) run->step();
  EXPECT_EQ(start_->fingerprint(), fingerprint) << "the start model changed";
  const auto after = weights_of(*run->result(false));
  std::set<std::string> declared;
  for (const Parameter& p : method->parameters()) declared.insert(p.name);
  int changed = 0;
  for (const auto& [name, tensor] : before) {
    const bool same = tensor.equal(after.at(name));
    changed += same ? 0 : 1;
    const bool adapted = declared.count(name.substr(0, name.rfind('.')) + ".lora_A.weight") >
                         0;  // and merged into the encoder
    EXPECT_TRUE(same || adapted || declared.count(name) > 0)
        << name << " moved, but is not declared";
  }
  if (method->trains_encoder()) {
    EXPECT_GT(changed, 0);
  } else {
    EXPECT_EQ(changed, 0);
  }
}

TEST_P(Contract, TheSeedDecidesEverything) {
  const auto losses = [&](int seed) {
    const auto run = trainer(cat(R"({"seed": )", seed, "}"));
    std::vector<double> values;
    for (int i = 0; i < 6; ++i) run->step(), values.push_back(run->metric("loss"));
    return values;
  };
  EXPECT_EQ(losses(3), losses(3));
  EXPECT_NE(losses(3), losses(4));
}

TEST_P(Contract, ConfigComesBackFromItsOwnDump) {
  const auto run = trainer();
  const Config resolved = run->resolved_config();
  for (const Json& row : entry().describe({}).rows)
    EXPECT_TRUE(resolved.has(row.at("key"))) << row.at("key");
  run::TrainingRun again(start_, data_, resolved);
  EXPECT_EQ(again.resolved_config().to_json(), resolved.to_json());
  run->step();
  again.step();
  EXPECT_EQ(again.metric("loss"), run->metric("loss"));
}

TEST_P(Contract, TwentyStepsLowerTheToyLoss) {
  const auto run = trainer(R"({"batch_size": 40, "schedule": "constant", "warmup_steps": 0})");
  ASSERT_EQ(run->step(), Status::kOk);
  const double first = run->metric("loss");
  for (int i = 0; i < 19; ++i) ASSERT_EQ(run->step(), Status::kOk);
  EXPECT_LT(run->metric("loss"), first);
}

TEST_P(Contract, SaveLoadAndEncodeAgree) {
  const TemporaryFolder folder;
  const auto run = trainer();
  for (int i = 0; i < 5; ++i) run->step();
  run->save(folder / "model");
  const auto trained = run->result(false);
  EXPECT_EQ(outputs_of(load_like(trained, folder / "model")), outputs_of(trained));
}

// Before there is a model, only what is known about the examples decides how the run's length is
// checked.
TEST_P(Contract, ExamplesAreArrangedAsItsTraitsSay) {
  const auto method = make();
  const MethodTraits traits = entry().describe(method_config(GetParam()));
  EXPECT_EQ(method->arrange(data_) != data_, traits.arranges_examples);
}

TEST_P(ModeContract, EmbedAndDeliverAgree) {
  const auto method = make();
  method->prepare(data_.get(), nullptr);
  loss_terms(*method, batch_of(*data_, 4));
  Cancel stopped;
  stopped.trigger();
  ASSERT_NE(encoder_method(*method) == nullptr, reranker_method(*method) == nullptr)
      << "a method must be one of the two";
  ASSERT_EQ(encoder_method(*method) != nullptr,
            entry().describe(method_config(GetParam())).gives == Gives::kVectors);
  if (auto* scores = reranker_method(*method)) {
    const auto reranker = model::cross_encoder(method->result({}));
    ASSERT_NE(reranker, nullptr);
    const std::vector<model::TextPair> pairs = {{"the first text", "another one"},
                                                {"the first text", "a third"}};
    std::vector<float> inside(2 * static_cast<size_t>(scores->labels())), outside(inside.size());
    ASSERT_EQ(reranker->label_count(), scores->labels());
    expect_error(Status::kCancelled, "cancelled", [&] {
      scores->score(pairs, inside.data(), &stopped);
    });  // an evaluation must stop when it is cancelled
    scores->score(pairs, inside.data());
    model::ScoreOptions options;
    options.activation = "identity";
    reranker->score(pairs, options, outside.data());
    for (size_t i = 0; i < inside.size(); ++i) EXPECT_NEAR(inside[i], outside[i], 1e-5) << i;
    return;
  }
  auto* vectors = encoder_method(*method);
  const auto encoder = vectors->deliver();
  ASSERT_EQ(encoder->dimension(), vectors->dimension());
  const std::vector<std::string_view> texts = {"the first text", "another one"};
  at::Tensor inside = at::empty({2, vectors->dimension()}, at::kFloat),
             outside = at::empty({2, vectors->dimension()}, at::kFloat);
  expect_error(Status::kCancelled, "cancelled", [&] {
    vectors->embed(texts, inside.mutable_data_ptr<float>(), &stopped);
  });  // an evaluation must stop when it is cancelled
  vectors->embed(texts, inside.mutable_data_ptr<float>());
  model::EncodeOptions options;
  options.normalize = 0;
  encoder->encode(texts, options, outside.mutable_data_ptr<float>());
  EXPECT_TRUE(inside.allclose(outside, 1e-4, 1e-5));
}

TEST_P(ModeContract, DeliversOtherWeightsThanItsOwn) {
  const auto method = make();
  method->prepare(data_.get(), nullptr);
  loss_terms(*method, batch_of(*data_, 4));
  const std::string first = method->result({})->fingerprint();
  tensors::TorchTensorMap weights;
  for (const Parameter& p : method->parameters()) weights[p.name] = p.tensor.detach().clone();
  for (const Parameter& p : method->parameters()) p.tensor.detach().add_(0.01);
  const std::string moved = method->result({})->fingerprint();
  EXPECT_NE(moved, first);
  EXPECT_EQ(method->result(weights)->fingerprint(), first);
  EXPECT_EQ(method->result({})->fingerprint(), moved) << "its own weights were changed";
}

TEST_P(ModeContract, ResumeIsBitIdentical) {
  const TemporaryFolder folder;
  const auto whole = trainer(R"({"max_steps": 12})");  // an epoch begins after the pause
  for (int i = 0; i < 7; ++i) whole->step();
  whole->save(folder / "run");
  const auto resumed = run::TrainingRun::resume(folder / "run", start_of(GetParam()),
                                                examples_of(GetParam(), 40), {});
  while (whole->step() == Status::kOk) {
    ASSERT_EQ(resumed->step(), Status::kOk);
    EXPECT_EQ(whole->metric("loss"), resumed->metric("loss")) << "update " << whole->metric("step");
  }
  EXPECT_EQ(resumed->step(), Status::kDone);
  EXPECT_EQ(whole->result(false)->fingerprint(), resumed->result(false)->fingerprint());
}

INSTANTIATE_TEST_SUITE_P(Methods, Contract, ::testing::ValuesIn(default_modes()),
                         ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Modes, ModeContract, ::testing::ValuesIn(all_modes()),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace contrastive::methods
