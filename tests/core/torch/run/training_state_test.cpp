#include "core/torch/run/training_state.h"

#include <ATen/ops/arange.h>
#include <gmock/gmock.h>

#include "core/base/error.h"
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

Status status_of(const std::string& folder) {
  try {
    read_training_state(folder);
    return Status::kOk;
  } catch (const Error& error) {
    return error.status();
  }
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
  EXPECT_EQ(status_of(folder.path()), Status::kNotFound);
  write_training_state(folder.path(), example());
  const std::string tensors = "training_state/state.safetensors",
                    manifest = "training_state/manifest.json";
  std::string bytes, text;
  std::getline(std::ifstream(folder / tensors, std::ios::binary), bytes, '\xff');
  std::getline(std::ifstream(folder / manifest), text, '\xff');
  std::string flipped = bytes;
  flipped.back() ^= 1;
  folder.write(tensors, flipped);
  EXPECT_EQ(status_of(folder.path()), Status::kCorrupt);
  folder.write(tensors, bytes.substr(0, bytes.size() - 1));
  EXPECT_EQ(status_of(folder.path()), Status::kCorrupt);
  std::filesystem::remove(folder / tensors);
  EXPECT_EQ(status_of(folder.path()), Status::kCorrupt);
  folder.write(tensors, bytes);
  EXPECT_EQ(status_of(folder.path()), Status::kOk);
  const size_t version = text.find("\"format_version\": 1");
  ASSERT_NE(version, std::string::npos);
  folder.write(manifest, std::string(text).replace(version, 19, "\"format_version\": 2"));
  EXPECT_EQ(status_of(folder.path()), Status::kMismatch);
  folder.write(manifest, "{");
  EXPECT_EQ(status_of(folder.path()), Status::kFormat);
}

}  // namespace
}  // namespace contrastive::run
