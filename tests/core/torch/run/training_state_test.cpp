#include "core/torch/run/training_state.h"

#include <ATen/ops/arange.h>
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::run {
namespace {

TrainingState example() {
  TrainingState state;
  state.fields = {{"step", 12}, {"best", 0.1234567890123456789}};
  state.tensors = {{"weight.a", at::arange(6, at::kFloat).view({2, 3})},
                   {"counts", at::arange(4, at::kLong)}};
  return state;
}

TEST(TrainingState, ComesBackBitForBit) {
  const TemporaryFolder folder;
  write_training_state(folder.path(), example());
  const TrainingState state = read_training_state(folder.path());
  EXPECT_EQ(state.fields, example().fields);
  ASSERT_EQ(state.tensors.size(), 2u);
  for (const auto& [name, tensor] : example().tensors) {
    EXPECT_EQ(state.tensors.at(name).scalar_type(), tensor.scalar_type());
    EXPECT_TRUE(state.tensors.at(name).equal(tensor)) << name;
  }
}

TEST(TrainingState, RefusesDamage) {
  const TemporaryFolder folder;
  expect_error(Status::kNotFound, "training_state/manifest.json: is not there",
               [&] { read_training_state(folder.path()); });
  write_training_state(folder.path(), example());
  const std::string tensors = "training_state/state.safetensors",
                    manifest = "training_state/manifest.json";
  std::string bytes, text;
  std::getline(std::ifstream(folder / tensors, std::ios::binary), bytes, '\xff');
  std::getline(std::ifstream(folder / manifest), text, '\xff');
  std::string flipped = bytes;
  flipped.back() ^= 1;
  folder.write(tensors, flipped);
  expect_error(Status::kCorrupt, "training_state/state.safetensors",
               [&] { read_training_state(folder.path()); });
  folder.write(tensors, bytes.substr(0, bytes.size() - 1));
  expect_error(Status::kCorrupt, "training_state/state.safetensors",
               [&] { read_training_state(folder.path()); });
  std::filesystem::remove(folder / tensors);
  expect_error(Status::kCorrupt, "training_state/state.safetensors",
               [&] { read_training_state(folder.path()); });
  folder.write(tensors, bytes);
  EXPECT_NO_THROW(read_training_state(folder.path()));
  const size_t version = text.find("\"format_version\": 1");
  ASSERT_NE(version, std::string::npos);
  folder.write(manifest, std::string(text).replace(version, 19, "\"format_version\": 2"));
  expect_error(Status::kMismatch, "training_state/manifest.json: format_version is 2",
               [&] { read_training_state(folder.path()); });
  folder.write(manifest, "{");
  expect_error(Status::kFormat, "training_state/manifest.json",
               [&] { read_training_state(folder.path()); });
}

}  // namespace
}  // namespace contrastive::run
