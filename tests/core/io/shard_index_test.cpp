#include "core/io/shard_index.h"

#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::kModels;
using test::safetensors_bytes;
using test::write_text;

constexpr const char* kFirst = "model-00001-of-00002.safetensors";
constexpr const char* kSecond = "model-00002-of-00002.safetensors";

TEST(ShardIndex, OneFileOrManyGiveTheirTensors) {
  const WeightFiles single = open_weight_files(kModels + "bert_gamma");
  EXPECT_EQ(single.files.size(), 1u);
  EXPECT_EQ(single.tensors.size(), 23u);
  const WeightFiles sharded = open_weight_files(kModels + "roberta_sharded");
  EXPECT_EQ(sharded.files.size(), 2u);
  EXPECT_EQ(sharded.tensors.size(), 23u);
}

TEST(ShardIndex, AMissingShardIsNamed) {
  const TemporaryFolder folder(kModels + "roberta_sharded");
  std::filesystem::remove(folder / kSecond);
  expect_error(Status::kNotFound, kSecond, [&] { open_weight_files(folder.path()); });
}

TEST(ShardIndex, AShardOutsideTheFolderIsRefused) {
  for (const char* name : {"../x.safetensors", "/etc/passwd", "sub/../../x.safetensors"}) {
    const TemporaryFolder folder;
    write_text(folder / "model.safetensors.index.json",
               R"({"weight_map":{"a":")" + std::string(name) + "\"}}");
    expect_error(Status::kFormat, name, [&] { open_weight_files(folder.path()); });
  }
}

TEST(ShardIndex, ATensorInTwoShardsIsRefused) {
  const TemporaryFolder folder;
  const std::string entry = R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})",
                    other = R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]})";
  write_text(folder / kFirst, safetensors_bytes("{" + entry + "}", "1234"));
  write_text(folder / kSecond, safetensors_bytes("{" + entry + "," + other + "}", "12345678"));
  const auto index = [&](const std::string& map) {
    write_text(folder / "model.safetensors.index.json", R"({"weight_map":)" + map + "}");
  };
  index(R"({"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"})");
  expect_error(
      Status::kFormat,
      "tensor 'a' is in model-00002-of-00002.safetensors, but the index places it in model-00001",
      [&] { open_weight_files(folder.path()); });
  index(R"({"b":"model-00002-of-00002.safetensors"})");
  expect_error(Status::kFormat, "does not name tensor 'a'",
               [&] { open_weight_files(folder.path()); });
  index(R"({"a":"model-00001-of-00002.safetensors","c":"model-00001-of-00002.safetensors"})");
  expect_error(Status::kFormat,
               "places 2 tensors in model-00001-of-00002.safetensors, which holds 1",
               [&] { open_weight_files(folder.path()); });
  index(R"({"a":"model-00001-of-00002.safetensors","a":"model-00002-of-00002.safetensors"})");
  expect_error(Status::kFormat, "'a' appears twice", [&] { open_weight_files(folder.path()); });
}

TEST(ShardIndex, AnIndexThatIsNoneIsRefused) {
  const TemporaryFolder folder;
  const std::pair<const char*, const char*> bad[] = {
      {"{}", "'weight_map' is missing"},
      {R"({"weight_map":[]})", "weight_map must be an object"},
      {R"({"weight_map":{}})", "weight_map is empty"},
      {R"({"weight_map":{"a":1}})", "the file of tensor 'a' must be a string"}};
  for (const auto& [text, message] : bad) {
    write_text(folder / "model.safetensors.index.json", text);
    expect_error(Status::kFormat, message, [&] { open_weight_files(folder.path()); });
  }
}

TEST(ShardIndex, PickleIsRefusedWithTheWayToConvertIt) {
  for (const char* name : {"pytorch_model.bin", "model.pt", "checkpoint.ckpt", "weights.pth",
                           "pytorch_model-00001-of-00002.bin"}) {
    const TemporaryFolder folder;
    write_text(folder / name, "PK");
    expect_error(Status::kUnsupported, "pickle is not read",
                 [&] { open_weight_files(folder.path()); });
    expect_error(Status::kUnsupported, "convert it once with",
                 [&] { open_weight_files(folder.path()); });
  }
  const TemporaryFolder other;
  write_text(other / "tf_model.h5", "x");
  expect_error(Status::kUnsupported, "safetensors", [&] { open_weight_files(other.path()); });
}

TEST(ShardIndex, NoWeightsAtAll) {
  const TemporaryFolder folder;
  write_text(folder / "config.json", "{}");
  expect_error(Status::kNotFound, "no model.safetensors",
               [&] { open_weight_files(folder.path()); });
}

}  // namespace
}  // namespace contrastive::io
