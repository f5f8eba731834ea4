#include "core/io/safetensors.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/scalar_tensor.h>

#include "core/base/json.h"
#include "core/base/rng.h"
#include "core/io/atomic_file.h"
#include "core/io/tensor_reader.h"
#include "core/torch/tensors/tensors.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::safetensors_bytes;
using test::write_text;

const std::string kTwo =
    R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})";

struct BadFile {
  const char* name;
  std::string bytes;
  Status status;
  const char* message;
};

std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}}";
}

std::vector<BadFile> bad_files() {
  const std::string eight(8, '\0'), twelve(12, '\0');
  std::string huge(16, '\xff'), negative(16, '\xff');
  huge[7] = '\x7f';
  std::string beyond = safetensors_bytes("{}", "");
  beyond[0] = 3;
  const auto limit = [](uint64_t n) {
    std::string bytes(16, '\0');
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(n >> (8 * i) & 0xff);
    return bytes;
  };
  return {
      {"seven bytes", "1234567", Status::kFormat, "too few"},
      {"empty", "", Status::kFormat, "too few"},
      {"header of 2^63-1", huge, Status::kLimit, "9223372036854775807"},
      {"header of 2^64-1", negative, Status::kLimit, "limit of 100000000"},
      {"header above 100 MB", limit(100'000'001), Status::kLimit, "100000001"},
      {"header longer than the file", beyond, Status::kFormat, "the file has 10"},
      {"header of nothing", safetensors_bytes("", ""), Status::kFormat, "does not begin with '{'"},
      {"header not an object", safetensors_bytes("[]", ""), Status::kFormat,
       "does not begin with '{'"},
      {"leading space", safetensors_bytes(" {}", ""), Status::kFormat, "does not begin with '{'"},
      {"not UTF-8", safetensors_bytes("{\"\xff\":1}", ""), Status::kFormat, "not valid JSON"},
      {"cut JSON", safetensors_bytes("{\"a\":", ""), Status::kFormat, "not valid JSON"},
      {"bytes after the object", safetensors_bytes("{}x", ""), Status::kFormat, "not valid JSON"},
      {"NUL after the object", safetensors_bytes(std::string("{}\0", 3), ""), Status::kFormat,
       "a NUL character"},
      {"duplicate tensor",
       safetensors_bytes(
           R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[],"data_offsets":[4,8]}})",
           eight),
       Status::kFormat, "'a' appears twice"},
      {"nested deeply",
       safetensors_bytes("{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}",
                         ""),
       Status::kLimit, "deeper than 64"},
      {"overlap",
       safetensors_bytes(
           R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
           twelve),
       Status::kFormat, "'b' overlaps"},
      {"hole",
       safetensors_bytes(
           R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
           twelve),
       Status::kFormat, "4 bytes before tensor 'b'"},
      {"hole at the start", safetensors_bytes(one("F32", "[1]", "[4,8]"), eight), Status::kFormat,
       "4 bytes before tensor 'a'"},
      {"backwards", safetensors_bytes(one("F32", "[2]", "[8,0]"), eight), Status::kFormat,
       "'a': data_offsets run backwards"},
      {"negative offset", safetensors_bytes(one("F32", "[2]", "[-8,0]"), eight), Status::kFormat,
       "'a': data_offsets must hold"},
      {"offset of 2^63", safetensors_bytes(one("F32", "[2]", "[0,9223372036854775808]"), eight),
       Status::kFormat, "'a': data_offsets must hold"},
      {"past the end", safetensors_bytes(one("F32", "[4]", "[0,16]"), eight), Status::kFormat,
       "'a': its data would end at byte 16 of 8"},
      {"three offsets", safetensors_bytes(one("F32", "[2]", "[0,8,8]"), eight), Status::kFormat,
       "two numbers"},
      {"shape overflows",
       safetensors_bytes(one("F32", "[4294967296,4294967296,2]", "[0,8]"), eight), Status::kFormat,
       "'a': the shape"},
      {"shape wraps to the span",
       safetensors_bytes(one("F32", "[4611686018427387905,2]", "[0,8]"), eight), Status::kFormat,
       "'a': the shape"},
      {"shape of nothing overflows",
       safetensors_bytes(one("F32", "[0,4611686018427387904,4]", "[0,0]"), ""), Status::kFormat,
       "'a': the shape"},
      {"shape too small", safetensors_bytes(one("F32", "[1]", "[0,8]"), eight), Status::kFormat,
       "'a': F32 [1] does not fill its 8 bytes"},
      {"span not a multiple", safetensors_bytes(one("F32", "[1]", "[0,6]"), std::string(6, '\0')),
       Status::kFormat, "does not fill its 6 bytes"},
      {"shape negative", safetensors_bytes(one("F32", "[-2]", "[0,8]"), eight), Status::kFormat,
       "shape must hold"},
      {"shape real", safetensors_bytes(one("F32", "[2.0]", "[0,8]"), eight), Status::kFormat,
       "shape must hold"},
      {"shape of 17 dimensions",
       safetensors_bytes(one("F32", "[2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[0,8]"), eight),
       Status::kFormat, "at most 16"},
      {"shape missing", safetensors_bytes(R"({"a":{"dtype":"F32","data_offsets":[0,8]}})", eight),
       Status::kFormat, "'a': the key 'shape' is missing"},
      {"unknown key",
       safetensors_bytes(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"stride":1}})",
                         eight),
       Status::kFormat, "unknown key 'stride'"},
      {"tensor not an object", safetensors_bytes(R"({"a":7})", ""), Status::kFormat,
       "'a': a JSON object is needed"},
      {"metadata not text", safetensors_bytes(R"({"__metadata__":{"n":1}})", ""), Status::kFormat,
       "n must be a string"},
      {"two bytes missing", safetensors_bytes(kTwo, std::string(10, '\0')), Status::kFormat,
       "'b': its data would end at byte 12 of 10"},
      {"bytes after the last tensor", safetensors_bytes(kTwo, std::string(13, '\0')),
       Status::kFormat, "1 bytes after the last tensor"},
      {"type F4", safetensors_bytes(one("F4", "[2]", "[0,1]"), "x"), Status::kUnsupported,
       "'a': elements of type F4"},
      {"type F8", safetensors_bytes(one("F8_E4M3", "[1]", "[0,1]"), "x"), Status::kUnsupported,
       "F8_E4M3"},
  };
}

TEST(Safetensors, RefusesEveryMalformedFileByName) {
  const TemporaryFolder folder;
  for (const BadFile& bad : bad_files()) {
    SCOPED_TRACE(bad.name);
    write_text(folder / "bad.safetensors", bad.bytes);
    expect_error(bad.status, bad.message, [&] { SafetensorsFile(folder / "bad.safetensors"); });
  }
}

TEST(Safetensors, ALongNameIsALimit) {
  const TemporaryFolder folder;
  const auto named = [&](size_t length) {
    write_text(folder / "x.safetensors",
               safetensors_bytes("{\"" + std::string(length, 'a') +
                                     R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                                 std::string(4, '\0')));
    return SafetensorsFile(folder / "x.safetensors").entries().size();
  };
  EXPECT_EQ(named(1024), 1u);
  expect_error(Status::kLimit, "a name of 1025 bytes, above the limit of 1024",
               [&] { named(1025); });
}

TEST(Safetensors, ReadsEntriesInTheOrderOfTheirData) {
  const TemporaryFolder folder;
  const std::string header =
      R"({"z":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},"__metadata__":{"format":"pt"},)"
      R"("e":{"dtype":"F32","shape":[0,7],"data_offsets":[4,4]},"a":{"dtype":"I64","shape":[],"data_offsets":[4,12]}}   )";
  write_text(folder / "good.safetensors", safetensors_bytes(header, std::string(12, '\0')));
  const SafetensorsFile file(folder / "good.safetensors");
  ASSERT_EQ(file.entries().size(), 3u);
  EXPECT_EQ(file.entries()[0].name, "z");
  EXPECT_EQ(file.entries()[1].name, "e");
  EXPECT_EQ(file.entries()[1].elements, 0);
  EXPECT_EQ(file.find("a")->elements, 1);
  EXPECT_EQ(file.find("a")->bytes, 8);
  EXPECT_FALSE(file.find("a")->is_float());
  EXPECT_EQ(file.find("b"), nullptr);
  EXPECT_EQ(file.metadata().at("format"), "pt");
}

TEST(Safetensors, WritesWhatItReads) {
  const TemporaryFolder folder;
  const at::Tensor numbers = at::arange(6, at::TensorOptions().dtype(at::kFloat)).reshape({2, 3});
  const tensors::TorchTensorMap tensors = {{"half", numbers.to(at::kHalf)},
                                           {"brain", numbers.to(at::kBFloat16)},
                                           {"double", numbers.to(at::kDouble)},
                                           {"turned", numbers.t()},
                                           {"one", at::scalar_tensor(2.5f)},
                                           {"none", at::empty({0, 3})}};
  OutputFile out(folder / "out.safetensors");
  write_safetensors(out, tensors::from_torch(tensors), {{"made_by", "test"}});
  out.finish();
  const SafetensorsFile file(folder / "out.safetensors");
  EXPECT_EQ(file.metadata().at("format"), "pt");
  EXPECT_EQ(file.metadata().at("made_by"), "test");
  EXPECT_EQ(file.entries()[0].offset % 8, 0) << "data must be aligned for mapped readers";
  const tensors::TorchTensorMap back =
      tensors::to_torch(read_safetensors(folder / "out.safetensors"));
  ASSERT_EQ(back.size(), tensors.size());
  for (const auto& [name, tensor] : tensors)
    EXPECT_TRUE(at::equal(back.at(name), tensor.to(at::kFloat))) << name;
}

TEST(Safetensors, MutatedFilesAreReadOrRefusedNeverWorse) {
  const TemporaryFolder folder;
  const std::string path = folder / "mutated.safetensors";
  const std::string good = safetensors_bytes(R"({"__metadata__":{"format":"pt"},)" + kTwo.substr(1),
                                             std::string(12, '\1'));
  Rng rng(1, Purpose::kSubset);
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string bytes = good;
    for (uint64_t changes = 1 + rng.below(3); changes > 0 && !bytes.empty(); --changes) {
      const size_t place = rng.below(bytes.size());
      switch (rng.below(4)) {
        case 0: bytes[place] = static_cast<char>(rng.below(256)); break;
        case 1: bytes.erase(place, 1 + rng.below(4)); break;
        case 2: bytes.insert(place, 1, "0123456789-{}[]\",:e"[rng.below(19)]); break;
        default: bytes.resize(place); break;
      }
    }
    write_text(path, bytes);
    try {
      read_safetensors(path);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 3000);
}

TEST(Safetensors, WhatIsNoFileIsRefusedWithoutBlocking) {
  const TemporaryFolder folder;
  expect_error(Status::kNotFound, "absent.safetensors",
               [&] { SafetensorsFile(folder / "absent.safetensors"); });
  expect_error(Status::kArgument, "not a regular file", [&] { SafetensorsFile(folder.path()); });
}

}  // namespace
}  // namespace contrastive::io
