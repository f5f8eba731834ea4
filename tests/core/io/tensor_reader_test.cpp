#include "core/io/tensor_reader.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <filesystem>

#include "core/io/atomic_file.h"
#include "core/io/safetensors.h"
#include "core/torch/tensors/tensors.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::safetensors_bytes;
using test::write_text;

void save(const std::string& path, const tensors::TorchTensorMap& tensors) {
  std::filesystem::remove(path);
  OutputFile file(path);
  write_safetensors(file, tensors::from_torch(tensors));
  file.finish();
}

tensors::TorchTensorMap load(const std::string& path, const TensorReadOptions& options = {}) {
  return tensors::to_torch(read_safetensors(path, options));
}

// More than one chunk for each of the two threads.
at::Tensor large() { return at::arange(3'000'001, at::TensorOptions().dtype(at::kFloat)).div(7); }

TEST(TensorReader, EveryFloatTypeBecomesFloat32) {
  const TemporaryFolder folder;
  const at::Tensor values = large().div(100);
  for (const at::ScalarType type : {at::kFloat, at::kHalf, at::kBFloat16, at::kDouble}) {
    save(folder / "x.safetensors", {{"x", values.to(type)}});
    for (const bool map : {false, true}) {
      const at::Tensor read = load(folder / "x.safetensors", {false, map}).at("x");
      EXPECT_EQ(read.scalar_type(), at::kFloat);
      EXPECT_TRUE(at::equal(read, values.to(type).to(at::kFloat))) << type << " mapped " << map;
    }
  }
}

TEST(TensorReader, HalfPrecisionBitByBit) {
  // All 65,536 patterns against LibTorch's own conversion, subnormals included.
  at::Tensor bits = at::arange(65536, at::TensorOptions().dtype(at::kInt)).to(at::kShort);
  for (const at::ScalarType type : {at::kHalf, at::kBFloat16}) {
    const TemporaryFolder folder;
    const at::Tensor values = bits.view(type);
    save(folder / "x.safetensors", {{"x", values}});
    TensorReadOptions options;
    options.allow_non_finite = true;
    const at::Tensor read = load(folder / "x.safetensors", options).at("x"),
                     expected = values.to(at::kFloat);
    const float *a = read.const_data_ptr<float>(), *b = expected.const_data_ptr<float>();
    for (int i = 0; i < 65536; ++i)
      ASSERT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) << type << " " << i;
  }
}

TEST(TensorReader, NonFiniteWeightsAreCountedByName) {
  const TemporaryFolder folder;
  at::Tensor values = large().clone();
  for (const int64_t i : {0, 1'000'000, 3'000'000}) values[i] = i == 0 ? NAN : INFINITY;
  save(folder / "x.safetensors", {{"bad.weight", values}, {"good.weight", large()}});
  for (const bool map : {false, true}) {
    expect_error(Status::kNumeric, "'bad.weight' has 3 values",
                 [&] { read_safetensors(folder / "x.safetensors", {false, map}); });
    EXPECT_EQ(read_safetensors(folder / "x.safetensors", {true, map}).size(), 2u);
  }
}

TEST(TensorReader, ADoubleBeyondFloat32IsNotFinite) {
  const TemporaryFolder folder;
  save(folder / "x.safetensors", {{"x", at::full({2}, 1e300, at::kDouble)}});
  expect_error(Status::kNumeric, "'x' has 2 values",
               [&] { read_safetensors(folder / "x.safetensors"); });
}

TEST(TensorReader, WholeNumbersAreNoWeights) {
  const TemporaryFolder folder;
  save(folder / "x.safetensors", {{"counts", at::zeros({3}, at::kLong)}});
  expect_error(Status::kUnsupported, "'counts' has elements of type I64",
               [&] { read_safetensors(folder / "x.safetensors"); });
  TensorReadOptions options;
  options.whole_numbers = true;
  const at::Tensor many = at::arange(400'000, at::kLong);
  save(folder / "x.safetensors", {{"counts", many}, {"x", large()}});
  const tensors::TorchTensorMap read = load(folder / "x.safetensors", options);
  EXPECT_TRUE(at::equal(read.at("counts"), many));
  EXPECT_TRUE(at::equal(read.at("x"), large()));
}

TEST(TensorReader, AFileCutAfterItsHeaderWasReadIsCorrupt) {
  const TemporaryFolder folder;
  save(folder / "x.safetensors", {{"x", large()}});
  for (const bool map : {false, true}) {
    const SafetensorsFile file(folder / "x.safetensors");
    std::filesystem::resize_file(folder / "x.safetensors",
                                 std::filesystem::file_size(folder / "x.safetensors") - 4096);
    expect_error(Status::kCorrupt, map ? "changed its length" : "became shorter",
                 [&] { read_tensors({{&file, &file.entries()[0]}}, {false, map}); });
    save(folder / "x.safetensors", {{"x", large()}});
  }
}

TEST(TensorReader, WritingToAMappedTensorLeavesTheFileAlone) {
  const TemporaryFolder folder;
  save(folder / "x.safetensors", {{"x", large()}});
  load(folder / "x.safetensors", {false, true}).at("x").zero_();
  EXPECT_TRUE(at::equal(load(folder / "x.safetensors").at("x"), large()));
}

TEST(TensorReader, AMisalignedMappedTensorIsCopied) {
  const TemporaryFolder folder;
  const std::string header = R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  for (size_t spaces = 0; spaces < 4; ++spaces) {
    write_text(folder / "x.safetensors", safetensors_bytes(header + std::string(spaces, ' '),
                                                           std::string("\0\0\x80\x3f", 4)));
    EXPECT_EQ(load(folder / "x.safetensors", {false, true}).at("x").item<float>(), 1.0f);
  }
}

}  // namespace
}  // namespace contrastive::io
