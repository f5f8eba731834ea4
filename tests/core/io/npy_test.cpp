#include "core/io/npy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/file.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::io {
namespace {

class Npy : public testing::Test {
 protected:
  // A file with this header, as NumPy writes it, and `floats` numbers.
  std::string file_with(std::string header, size_t floats) const {
    header.resize(117, ' ');
    header += '\n';
    return folder.write("some.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header +
                                        std::string(floats * sizeof(float), '\0'));
  }

  const TemporaryFolder folder;
};

TEST_F(Npy, WhatIsWrittenIsRead) {
  const std::string path = folder / "a.npy";
  const std::vector<float> values = {1, -2.5f, 3, 4, 5e30f, -0.0f};
  write_npy(path, values.data(), 2, 3);
  write_npy(path, values.data(), 3, 2);  // replaces the file
  const NpyFile file(path);
  ASSERT_EQ(file.rows(), 3);
  ASSERT_EQ(file.columns(), 2);
  std::vector<float> read(6);
  file.read(read.data());
  EXPECT_EQ(read, values);
}

TEST_F(Npy, HasNumpysHeader) {
  const std::string path = folder / "a.npy";
  const float value = 1;
  write_npy(path, &value, 1, 1);
  const std::string bytes = read_file(path, 1000);
  ASSERT_EQ(bytes.size(), 132u);  // a header of a multiple of 64 bytes, and a float
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(bytes.find("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }"), 10u);
  EXPECT_EQ(bytes[127], '\n');
}

TEST_F(Npy, WithoutRowsIsWrittenAndRead) {
  write_npy(folder / "a.npy", nullptr, 0, 384);
  const NpyFile file(folder / "a.npy");
  EXPECT_EQ(file.rows(), 0);
  EXPECT_EQ(file.columns(), 384);
}

TEST_F(Npy, OtherKindsOfArraysAreRefused) {
  for (const char* header :
       {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3), }", "{}"}) {
    expect_error(Status::kFormat, "float32 in C order is needed, found {",
                 [&] { NpyFile(file_with(header, 6)); });
  }
}

TEST_F(Npy, LengthsThatDoNotFitTheHeaderAreRefused) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  EXPECT_NO_THROW(NpyFile(file_with(header, 6)));
  expect_error(Status::kCorrupt, "the header promises 2 x 3 floats, and the file has 20 bytes",
               [&] { NpyFile(file_with(header, 5)); });
  expect_error(Status::kLimit, "overflows", [&] {
    NpyFile(
        file_with("{'descr': '<f4', 'fortran_order': False, 'shape': (9000000000000000000, 9), }",
                  6));
  });
  expect_error(Status::kFormat, "this is not a .npy file",
               [&] { NpyFile(folder.write("b.npy", "some text that is long enough")); });
  expect_error(Status::kFormat, "this is not a .npy file",
               [&] { NpyFile(folder.write("c.npy", "")); });
  expect_error(Status::kFormat, "only version 1.0", [&] {
    NpyFile(folder.write("d.npy", std::string("\x93NUMPY\x03\x00\x76\x00\x00\x00", 12)));
  });
  expect_error(Status::kCorrupt, "the file ends inside its header", [&] {
    NpyFile(folder.write("e.npy", std::string("\x93NUMPY\x01\x00\x76\x00{'descr'", 18)));
  });
  expect_error(Status::kNotFound, "none.npy", [&] { NpyFile(folder / "none.npy"); });
}

}  // namespace
}  // namespace contrastive::io
