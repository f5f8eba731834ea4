#include "capi/program/shards/shard.h"

#include <charconv>

#include "capi/program/failure.h"
#include "core/base/sha256.h"

namespace contrastive::cli {
namespace {

constexpr int64_t kMostShards = 1000000;

// Parses digits at the beginning of `text` and removes them from it.
bool take_number(std::string_view& text, int64_t& number) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return false;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return problem == std::errc();
}

bool take_word(std::string_view& text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return false;
  text.remove_prefix(word.size());
  return true;
}

std::string five_digits(int64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits;
}

}  // namespace

Shard Shard::parse(const std::string& text) {
  Shard shard;
  std::string_view rest = text;
  if (!take_number(rest, shard.index) || !take_word(rest, "/") || !take_number(rest, shard.count) ||
      !rest.empty()) {
    throw usage_failure("--shard '" + text + "': I/N is needed, such as 3/16");
  }
  if (shard.count < 1 || shard.count > kMostShards)
    throw usage_failure("--shard '" + text + "': N is from 1 to 1,000,000");
  if (shard.index >= shard.count) {
    throw usage_failure("--shard '" + text + "': I counts from 0, so that the last shard is " +
                        Shard{shard.count - 1, shard.count}.text());
  }
  return shard;
}

std::string Shard::text() const { return std::to_string(index) + "/" + std::to_string(count); }
std::string Shard::stem() const {
  return "part-" + five_digits(index) + "-of-" + five_digits(count);
}

bool shard_of_name(std::string_view name, Shard& shard) {
  std::string_view rest = name;
  Shard found;
  if (!take_word(rest, "part-") || !take_number(rest, found.index) || !take_word(rest, "-of-") ||
      !take_number(rest, found.count))
    return false;
  if (name.substr(0, name.size() - rest.size()) != found.stem() || rest.substr(0, 1) != ".")
    return false;
  shard = found;
  return true;
}

std::string text_hash(std::string_view text) { return sha256_hex(text).substr(0, 32); }

}  // namespace contrastive::cli
