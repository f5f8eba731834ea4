#include "core/torch/run/joint_method.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/data/joined_dataset.h"
#include "tests/core/torch/run/toy_method.h"
#include "tests/expect_error.h"

namespace contrastive::run {
namespace {

// Toy methods that share an encoder; each has its own projection.
std::vector<TaskMethod> two_toys(double weight) {
  methods::MethodContext context;
  context.start = tiny_model();
  context.shared = methods::make_shared_encoder();
  std::vector<TaskMethod> tasks;
  tasks.push_back({std::make_unique<ToyMethod>(context), 1});
  tasks.push_back({std::make_unique<ToyMethod>(context), weight});
  return tasks;
}

data::Batch batch_of(const data::Dataset& data, int64_t first, int64_t count, int64_t task) {
  data::Batch batch;
  for (int64_t i = first; i < first + count; ++i) {
    batch.examples.push_back(data.get(i));
    batch.indices.push_back(i);
  }
  batch.task = task;
  return batch;
}

TEST(JointMethod, ParametersAreTheSharedOnesOnceAndTheFurtherTasksOwn) {
  std::vector<TaskMethod> toys = two_toys(1);
  const auto first = toys[0].method->parameters();
  const auto second = toys[1].method->parameters();
  ASSERT_EQ(first.size(), second.size());
  for (size_t i = 0; i + 1 < first.size(); ++i)
    EXPECT_TRUE(first[i].tensor.is_same(second[i].tensor)) << first[i].name;
  const auto joint = join_methods(std::move(toys));
  const auto all = joint->parameters();
  ASSERT_EQ(all.size(), first.size() + 1);
  for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(all[i].name, first[i].name);
  EXPECT_EQ(all.back().name, "task2.projection");
  EXPECT_TRUE(all.back().tensor.is_same(second.back().tensor));
}

TEST(JointMethod, ABatchIsItsTasksAndItsLossIsWeighed) {
  const auto data = toy_pairs(8);
  std::vector<TaskMethod> toys = two_toys(0.25);
  static_cast<ToyMethod&>(*toys[1].method).factor = 3;
  const auto* counted = static_cast<ToyMethod*>(toys[1].method.get());
  const auto joint = join_methods(std::move(toys));
  for (const int64_t task : {0, 1}) {
    data::Batch batch = batch_of(*data, 0, 4, task);
    joint->tokenize(batch);
    for (const auto& parameter : joint->parameters())
      parameter.tensor.mutable_grad() = at::Tensor();
    const methods::LossTerms terms = joint->compare(joint->views(batch), batch);
    EXPECT_EQ(counted->passes, task);
    const std::string name = cat("task", task + 1);
    ASSERT_EQ(terms.values.size(), 5u);
    EXPECT_EQ(terms.values[0].first, "total");
    EXPECT_EQ(terms.values[1].first, name);
    EXPECT_EQ(terms.values[3].first, name + ".contrastive");
    EXPECT_FLOAT_EQ(terms.total().item<float>(),
                    terms.values[1].second.item<float>() * (task == 0 ? 1.0f : 0.25f));
    terms.total().backward();
    EXPECT_EQ(joint->parameters().back().tensor.grad().defined(), task == 1)
        << "a task's head has a gradient in its own updates only";
  }
}

class Asked : public ToyMethod {
 public:
  using ToyMethod::ToyMethod;
  void prepare(const data::Dataset* data, const Cancel*) override {
    seen = data;
    if (data != nullptr && data->size() == 3) fail(Status::kArgument, "three are too few");
  }
  methods::MethodState save_state() const override {
    methods::MethodState state;
    state.values["number"] = number;
    state.tensors["row"] = at::eye(number);
    return state;
  }
  void load_state(const methods::MethodState& state) override { loaded = state; }

  const data::Dataset* seen = nullptr;
  int number = 0;
  methods::MethodState loaded;
};

TEST(JointMethod, EachMethodHasItsOwnDataAndState) {
  methods::MethodContext context;
  context.start = tiny_model();
  context.shared = methods::make_shared_encoder();
  std::vector<TaskMethod> tasks;
  std::vector<Asked*> asked;
  for (int i = 0; i < 2; ++i) {
    auto method = std::make_unique<Asked>(context);
    method->number = i + 2;
    asked.push_back(method.get());
    tasks.push_back({std::move(method), 1});
  }
  const auto joint = join_methods(std::move(tasks));
  const auto data = data::join_datasets({toy_pairs(5), toy_pairs(4)});
  joint->prepare(data.get(), nullptr);
  EXPECT_EQ(asked[0]->seen, data->parts()[0]);
  EXPECT_EQ(asked[1]->seen, data->parts()[1]);
  const auto few = data::join_datasets({toy_pairs(5), toy_pairs(3)});
  expect_error(Status::kArgument, "three are too few (task 2)",
               [&] { joint->prepare(few.get(), nullptr); });
  joint->load_state(joint->save_state());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(asked[static_cast<size_t>(i)]->loaded.values.at("number"), i + 2);
    EXPECT_EQ(asked[static_cast<size_t>(i)]->loaded.tensors.at("row").size(0), i + 2);
  }
}

TEST(JointMethod, ARunOfOneTaskHasItsMethodAlone) {
  const RunConfig run = read_run_config(toy_config("{}", "mnrl"), true);
  methods::MethodContext context;
  context.start = tiny_model();
  const auto method = make_method(run, context);
  for (const auto& parameter : method->parameters())
    EXPECT_EQ(parameter.name.find("task"), std::string::npos) << parameter.name;
}

}  // namespace
}  // namespace contrastive::run
