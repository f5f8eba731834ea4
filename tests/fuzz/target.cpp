#include "tests/fuzz/target.h"

#include <contrastive/contrastive.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace contrastive::fuzz {
namespace {

std::vector<Target>& registered() {
  static std::vector<Target> list;
  return list;
}

// /dev/shm if there is one, to keep the files off the disk.
struct Root {
  Root() {
    const char* base = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    path = std::string(base) + "/contrastive-fuzz-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) violated("no folder can be made in " + path);
  }
  ~Root() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string path;
};

}  // namespace

Register::Register(const char* name, Function run) {
  registered().push_back({name, run});
  std::sort(registered().begin(), registered().end(),
            [](const Target& a, const Target& b) { return std::strcmp(a.name, b.name) < 0; });
}

const std::vector<Target>& targets() { return registered(); }

void violated(const std::string& what) {
  std::fprintf(stderr, "VIOLATED: %s\n", what.c_str());
  std::abort();
}

int32_t settle(cs_error*& error) {
  const cs_status status = error == nullptr ? CS_OK : cs_error_status(error);
  const std::string message = error == nullptr ? "" : cs_error_message(error);
  cs_error_free(error);
  error = nullptr;
  static constexpr cs_status kNever[] = {CS_ERROR_INTERNAL, CS_ERROR_NO_MEMORY, CS_ERROR_HANDLE,
                                         CS_ERROR_BUSY,     CS_ERROR_NO_SPACE,  CS_ERROR_STATE};
  expect(std::find(std::begin(kNever), std::end(kNever), status) == std::end(kNever),
         std::string(cs_status_name(status)) + ": " + message);
  expect(message.rfind("JSON: ", 0) != 0, message);
  return status;
}

std::vector<std::string> pieces(std::string_view bytes, size_t count) {
  constexpr std::string_view kBetween = "\n%%\n";
  std::vector<std::string> result;
  while (result.size() + 1 < count) {
    const size_t end = bytes.find(kBetween);
    if (end == std::string_view::npos) break;
    result.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(end + kBetween.size());
  }
  result.emplace_back(bytes);
  result.resize(count);
  return result;
}

uint8_t Numbers::byte() {
  if (bytes_.empty()) return 0;
  const auto value = static_cast<uint8_t>(bytes_.front());
  bytes_.remove_prefix(1);
  return value;
}

std::string_view Numbers::text() {
  const size_t length =
      byte();  // a separate statement, because the order in which arguments are evaluated is not
               // specified
  const std::string_view text = bytes_.substr(0, length);
  bytes_.remove_prefix(text.size());
  return text;
}

MemoryFolder::MemoryFolder() {
  static const Root root;
  path_ = root.path + "/x";
  std::filesystem::remove_all(path_);
  std::filesystem::create_directory(path_);
}

std::string MemoryFolder::write(const std::string& name, std::string_view bytes) const {
  const std::string path = *this / name;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) violated("cannot write " + path);
  return path;
}

std::string fixture(const std::string& name) {
  std::ifstream file(std::string(CONTRASTIVE_FIXTURES) + "/" + name, std::ios::binary);
  if (!file) violated("there is no fixture " + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace contrastive::fuzz
