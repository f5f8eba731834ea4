#include "capi/program/serve/api_key.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include "capi/program/failure.h"
#include "capi/program/files.h"

namespace contrastive::cli::serve {
namespace {

constexpr size_t kMaxKeyFileBytes = 1 << 16;
constexpr size_t kMaxKeyBytes = 8 << 10;  // half of the longest header

std::string without_blanks(const std::string& text) {
  const auto blank = [](unsigned char c) { return std::isspace(c) != 0; };
  const auto first = std::find_if_not(text.begin(), text.end(), blank);
  const auto last = std::find_if_not(text.rbegin(), text.rend(), blank).base();
  return first < last ? std::string(first, last) : "";
}

// Why a header cannot carry the key, or "". The message never contains the key.
std::string key_complaint(const std::string& key) {
  if (key.size() > kMaxKeyBytes)
    return "a key is longer than " + std::to_string(kMaxKeyBytes) + " bytes";
  const bool plain =
      std::all_of(key.begin(), key.end(), [](unsigned char c) { return c >= ' ' && c <= '~'; });
  return plain ? "" : "a key holds a character that no header can carry";
}

constexpr const char* kPlainKeys =
    "keys are printable ASCII: save the file as ASCII, or UTF-8 without a byte order mark";

// Compares in a time that depends only on the length of `given`.
bool same_key(const std::string& given, const std::string& key) {
  volatile unsigned char difference = given.size() == key.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    difference =
        static_cast<unsigned char>(difference | (static_cast<unsigned char>(given[i]) ^
                                                 static_cast<unsigned char>(key[i % key.size()])));
  }
  return difference == 0;
}

}  // namespace

ApiKeys ApiKeys::read(const std::string& file) {
  ApiKeys keys;
  if (file.empty()) {
    const char* const value = std::getenv("CONTRASTIVE_API_KEY");
    if (value == nullptr) return keys;
    keys.keys_.push_back(without_blanks(value));
    if (keys.keys_[0].empty())
      throw usage_failure("CONTRASTIVE_API_KEY is empty", "give it a key, or unset it");
    const std::string complaint = key_complaint(keys.keys_[0]);
    if (!complaint.empty())
      throw usage_failure("CONTRASTIVE_API_KEY: " + complaint, "keys are printable ASCII");
    return keys;
  }
  std::istringstream lines(read_text_file(file, kMaxKeyFileBytes));
  int64_t row = 0;
  for (std::string line; std::getline(lines, line);) {
    ++row;
    line = without_blanks(line);
    if (line.empty() || line[0] == '#') continue;
    const std::string complaint = key_complaint(line);
    if (!complaint.empty()) throw Failure(kExitData, "FORMAT", complaint, kPlainKeys).at(file, row);
    keys.keys_.push_back(line);
  }
  if (keys.keys_.empty())
    throw Failure(kExitData, "FORMAT", "the file has no key: write one a line").at(file);
  return keys;
}

bool ApiKeys::allow(const std::string& authorization) const {
  static const std::string kScheme = "bearer ";
  if (keys_.empty()) return true;
  if (authorization.size() <= kScheme.size()) return false;
  for (size_t i = 0; i < kScheme.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(authorization[i])) != kScheme[i]) return false;
  }
  const std::string given = without_blanks(authorization.substr(kScheme.size()));
  bool allowed = false;
  for (const std::string& key : keys_) allowed = same_key(given, key) || allowed;
  return allowed && !given.empty();
}

}  // namespace contrastive::cli::serve
