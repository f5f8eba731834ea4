#include "core/torch/optim/optimizer_list.h"

#include <ATen/ops/ones.h>
#include <gmock/gmock.h>

#include <set>

#include "tests/core/torch/optim/one_parameter.h"

namespace contrastive::optim {
namespace {

TEST(OptimizerList, NamesAreUnique) {
  std::set<std::string> names;
  for (const OptimizerEntry& entry : all_optimizers())
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
}

TEST(OptimizerList, AnUnknownNameIsNotTreatedAsAdam) {
  OptimizerOptions options;
  options.name = "adamwhf";
  EXPECT_THROW(make_optimizer(options, {parameter(at::ones({1}))}), c10::Error);
}

}  // namespace
}  // namespace contrastive::optim
