// Helpers of the tests of core/io: files made from text, and valid or broken safetensors files.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "core/base/error.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::test {

inline const std::string kModels = fixtures() + "/models/";

inline void write_text(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::error_code absent;
  std::filesystem::remove(
      path,
      absent);  // removed first, because ext4 flushes a file that is truncated and written again,
                // which is slow for thousands of files
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Replaces the one occurrence of `from` in a file.
inline void edit(const std::string& path, const std::string& from, const std::string& to) {
  std::string text = read_text(path);
  const size_t place = text.find(from);
  ASSERT_NE(place, std::string::npos) << path << " has no " << from;
  write_text(path, text.replace(place, from.size(), to));
}

// The bytes of a safetensors file with this header, which may be invalid.
inline std::string safetensors_bytes(const std::string& header, const std::string& data) {
  std::string length(8, '\0');
  for (int i = 0; i < 8; ++i) length[i] = static_cast<char>(header.size() >> (8 * i) & 0xff);
  return length + header + data;
}

}  // namespace contrastive::test
