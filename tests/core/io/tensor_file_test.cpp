#include "core/io/tensor_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::io {
namespace {

class TwoTensors : public TensorFile {
 public:
  explicit TwoTensors(const std::string& path) : TensorFile(path) {
    entries_ = {{"a", "F16", {2}, 2, 0, 4}, {"b", "I64", {1}, 1, 4, 8}};
  }
};

TEST(TensorFile, FindsTensorsByName) {
  const TemporaryFolder folder;
  const TwoTensors file(folder.write("tensors", std::string(12, 'x')));
  EXPECT_EQ(file.bytes(), 12);
  ASSERT_NE(file.find("b"), nullptr);
  EXPECT_EQ(file.find("b")->offset, 4);
  EXPECT_TRUE(file.find("a")->is_float());
  EXPECT_FALSE(file.find("b")->is_float());
  EXPECT_EQ(file.find("ab"), nullptr);
}

TEST(TensorFile, ReadsTheFileThatWasOpened) {
  const TemporaryFolder folder;
  const TwoTensors file(folder.write("tensors", "0123456789ab"));
  std::filesystem::rename(folder / "tensors", folder / "elsewhere");
  folder.write("tensors", "another file");
  std::string bytes(4, ' ');
  file.read(bytes.data(), 4, 8);
  EXPECT_EQ(bytes, "89ab");
  std::filesystem::resize_file(folder / "elsewhere", 10);
  expect_error(Status::kCorrupt, "became shorter", [&] { file.read(bytes.data(), 4, 8); });
}

TEST(TensorFile, TypesHaveTheirSizes) {
  EXPECT_EQ(bytes_of("F32"), 4);
  EXPECT_EQ(bytes_of("BF16"), 2);
  EXPECT_EQ(bytes_of("I64"), 8);
  EXPECT_EQ(bytes_of("BOOL"), 1);
  EXPECT_EQ(bytes_of("F8_E4M3"), 0);
  EXPECT_EQ(bytes_of(""), 0);
}

}  // namespace
}  // namespace contrastive::io
