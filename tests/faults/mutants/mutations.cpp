#include "tests/faults/mutants/mutations.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <vector>

namespace contrastive::faults {
namespace {

namespace fs = std::filesystem;
using Random = std::mt19937_64;

size_t below(Random& random, size_t n) { return n == 0 ? 0 : static_cast<size_t>(random() % n); }

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& item : fs::recursive_directory_iterator(folder)) {
    std::error_code ignored;
    if (!item.is_symlink(ignored) && item.is_regular_file(ignored) &&
        item.file_size() < (uintmax_t{1} << 26))
      files.push_back(item.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string flip_bits(std::string bytes, Random& random) {
  for (size_t i = 0, n = 1 + below(random, 8); i < n && !bytes.empty(); ++i)
    bytes[below(random, bytes.size())] ^= static_cast<char>(1 << below(random, 8));
  return bytes;
}

std::string swap_bytes(std::string bytes, Random& random) {
  const size_t most = bytes.size() / 4, length = 1 + below(random, std::min<size_t>(most, 64) + 1);
  if (bytes.size() < 2 * length) return bytes;
  const size_t a = below(random, bytes.size() - length + 1),
               b = below(random, bytes.size() - length + 1);
  const std::string one = bytes.substr(a, length), other = bytes.substr(b, length);
  bytes.replace(a, length, other).replace(b, length, one);
  return bytes;
}

const char* const kValues[] = {"-1",
                               "0",
                               "1",
                               "2",
                               "1e308",
                               "1e999",
                               "9223372036854775807",
                               "9223372036854775808",
                               "-9223372036854775809",
                               "7.5",
                               "\"768\"",
                               "\"\"",
                               "null",
                               "true",
                               "false",
                               "[]",
                               "{}",
                               "[1,2,3]",
                               "[[[[]]]]",
                               "NaN",
                               "4294967296",
                               "1099511627776",
                               "\"../../../etc/passwd\"",
                               "\"/etc/passwd\"",
                               "\"\\u0000\"",
                               "\"\\ud800\"",
                               "1000000000",
                               "31",
                               "33",
                               "64",
                               "65537"};

// The end of the value after the colon at `at`.
size_t end_of_value(const std::string& text, size_t at) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      else if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') {
      if (depth-- == 0) return i;
    }
    if (c == ',' && depth == 0) return i;
  }
  return text.size();
}

// Replaces a value of JSON, or removes it with its key. `text` may be the header of a safetensors
// file.
std::string change_json(std::string text, Random& random) {
  std::vector<size_t> colons;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') ++i;
    else if (text[i] == '"') quoted = !quoted;
    else if (text[i] == ':' && !quoted) colons.push_back(i);
  }
  if (colons.empty()) return flip_bits(text, random);
  const size_t colon = colons[below(random, colons.size())], end = end_of_value(text, colon + 1);
  const size_t key_end = text.rfind('"', colon), key = key_end == 0 || key_end == std::string::npos
                                                           ? std::string::npos
                                                           : text.rfind('"', key_end - 1);
  switch (below(random, 5)) {
    case 0:  // the key as well
      if (key != std::string::npos)
        return text.erase(key, std::min(text.size(),
                                        end + (end < text.size() && text[end] == ',' ? 1 : 0)) -
                                   key);
      break;
    case 1:  // twice
      if (key != std::string::npos) return text.insert(key, text.substr(key, end - key) + ",");
      break;
    case 2: {  // that of another key
      const size_t other = colons[below(random, colons.size())];
      return text.replace(colon + 1, end - colon - 1,
                          text.substr(other + 1, end_of_value(text, other + 1) - other - 1));
    }
    default: break;
  }
  return text.replace(colon + 1, end - colon - 1,
                      kValues[below(random, sizeof kValues / sizeof *kValues)]);
}

// Changes the header of a safetensors file, with or without updating its length.
std::string change_header(std::string bytes, Random& random) {
  uint64_t length = 0;
  if (bytes.size() < 8) return bytes;
  std::memcpy(&length, bytes.data(), 8);
  if (length > bytes.size() - 8) return bytes;
  if (below(random, 6) == 0) {  // the length alone
    const uint64_t lengths[] = {0,
                                1,
                                length - 1,
                                length + 1,
                                bytes.size(),
                                uint64_t{1} << 40,
                                ~uint64_t{0},
                                ~uint64_t{0} >> 1};
    length = lengths[below(random, 8)];
    return bytes.replace(0, 8, reinterpret_cast<const char*>(&length), 8);
  }
  const std::string header = change_json(bytes.substr(8, length), random);
  const uint64_t now = below(random, 4) == 0 ? length : header.size();
  bytes.replace(8, length, header);
  return bytes.replace(0, 8, reinterpret_cast<const char*>(&now), 8);
}

// Mostly finite huge numbers, and some that are tiny, infinite or NaN.
std::string change_weights(std::string bytes, Random& random) {
  uint64_t length = 0;
  if (bytes.size() < 8) return bytes;
  std::memcpy(&length, bytes.data(), 8);
  if (length > bytes.size() - 8) return bytes;
  const size_t first = 8 + length, floats = (bytes.size() - first) / 4;
  if (floats == 0) return bytes;
  const float values[] = {3.4e38f, -3.4e38f, 1e30f, -1e20f,      1e19f,
                          1e10f,   1e-45f,   0,     1.0f / 0.0f, 0.0f / 0.0f};
  const float value = values[below(random, 10)];
  const size_t begin = below(random, floats), most = below(random, 2) == 0 ? 64 : floats,
               count = 1 + below(random, std::min(most, floats - begin));
  for (size_t i = begin; i < begin + count; ++i) std::memcpy(&bytes[first + 4 * i], &value, 4);
  return bytes;
}

std::string make_special(const std::string& path, Random& random) {
  fs::remove(path);
  switch (below(random, 6)) {
    case 0: return ::mkfifo(path.c_str(), 0600) == 0 ? "a FIFO" : "nothing";
    case 1: return fs::create_symlink("/dev/zero", path), "a link to /dev/zero";
    case 2: return fs::create_directory(path), "a folder";
    case 3: return fs::create_symlink(fs::path(path).filename(), path), "a link to itself";
    case 4: return fs::create_symlink("/proc/self/mem", path), "a link to /proc/self/mem";
    default: return fs::create_symlink("absent", path), "a link to nothing";
  }
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string mutate_once(const std::string& folder, Random& random) {
  const std::vector<std::string> files = files_of(folder);
  if (files.empty()) return "nothing is left";
  // Prefers weights: they are most of a folder, and damaged ones are not refused at once.
  std::vector<std::string> heavy;
  std::copy_if(files.begin(), files.end(), std::back_inserter(heavy),
               [](const std::string& file) { return ends_with(file, ".safetensors"); });
  const std::vector<std::string>& pool = !heavy.empty() && below(random, 2) == 0 ? heavy : files;
  const std::string &path = pool[below(random, pool.size())],
                    &other = files[below(random, files.size())];
  const std::string name = path.substr(folder.size() + 1),
                    other_name = other.substr(folder.size() + 1);
  const bool tensors = ends_with(path, ".safetensors"), json = ends_with(path, ".json");
  const size_t kind = below(random, 16);
  const auto change = [&](const char* what, const std::string& bytes) {
    write(path, bytes);
    return std::string(what) + " of " + name;
  };
  const std::string bytes = read(path);
  if (tensors && kind < 5) return change("header", change_header(bytes, random));
  if (tensors && kind < 11) return change("weights", change_weights(bytes, random));
  if (json && kind < 9) return change("values", change_json(bytes, random));
  switch (kind) {
    case 9: return change("end", bytes.substr(0, below(random, bytes.size() + 1)));
    case 10: return change("swapped bytes", swap_bytes(bytes, random));
    case 11:
      return change("appended bytes",
                    bytes + std::string(1 + below(random, 100), static_cast<char>(random())));
    case 12:
      if (path != other) {
        write(path, read(other));
        write(other, bytes);
      }
      return name + " and " + other_name + " changed places";
    case 13: return name + " became " + make_special(path, random);
    case 14: {
      const char* const names[] = {"model.safetensors", "pytorch_model.bin",
                                   "tokenizer.json",    "vocab.txt",
                                   "merges.txt",        "modules.json",
                                   "config.json",       "model.safetensors.index.json",
                                   "contrastive.json"};
      const std::string copy = names[below(random, 9)];
      // Does not write through a link, or into a FIFO of an earlier mutation, which would wait for
      // a reader.
      const fs::file_status there = fs::symlink_status(folder + "/" + copy);
      if (fs::exists(there) && !fs::is_regular_file(there)) return name + " stays";
      write(folder + "/" + copy, bytes);
      return name + " stands as " + copy + " too";
    }
    case 15:
      if (below(random, 4) == 0) {
        fs::resize_file(path, uintmax_t{1} << (30 + below(random, 12)));
        return name + " has gigabytes of holes";
      }
      fs::remove(path);
      return name + " is gone";
    default: return change("bits", flip_bits(bytes, random));
  }
}

}  // namespace

std::string mutate(const std::string& folder, Random& random) {
  std::string what;
  for (size_t i = 0, n = below(random, 4) == 0 ? 1 + below(random, 3) : 1; i < n; ++i)
    what += (what.empty() ? "" : "; ") + mutate_once(folder, random);
  return what;
}

}  // namespace contrastive::faults
