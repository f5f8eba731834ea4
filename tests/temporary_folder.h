// A temporary folder of a test, removed at the end with its contents.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace contrastive {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    const std::filesystem::path parent = std::filesystem::temp_directory_path();
    std::random_device random;
    std::filesystem::path path;
    do {  // creating it fails if another test has a folder of this name
      const uint64_t number = uint64_t{random()} << 32 | random();
      path = parent / ("contrastive-test-" + std::to_string(number));
    } while (!std::filesystem::create_directory(path));
    path_ = path.generic_string();
  }
  explicit TemporaryFolder(const std::string& copy_of) : TemporaryFolder() {
    std::filesystem::copy(copy_of, path_, std::filesystem::copy_options::recursive);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(*this / name, std::ios::binary) << bytes;
    return *this / name;
  }

 private:
  std::string path_;
};

}  // namespace contrastive
