// JSON from files of unknown origin: size, depth and duplicate keys are checked while parsing, and typed getters name the file and the key.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace contrastive {

using Json = nlohmann::ordered_json;

struct JsonLimits {
  int64_t max_bytes = int64_t{64} << 20;
  int max_depth = 64;
  bool allow_duplicate_keys = false;
};

// kFormat with `source` and the byte offset when `text` is not one JSON document (a byte order mark is accepted, comments and trailing bytes
// are not), kLimit beyond `limits`.
Json parse_json(std::string_view text, const std::string& source, const JsonLimits& limits = {});
Json read_json_file(const std::string& path, const JsonLimits& limits = {});

// Compact text with every character above ASCII escaped, invalid UTF-8 replaced by U+FFFD: safe for every consumer.
std::string dump_ascii(const Json& value, int indent = -1);

// One JSON object with its origin, read key by key. Every getter throws kFormat "<source>: <key> ...", naming what was found and the range.
// The variants with a fallback return it when the key is absent or null.
class JsonObject {
 public:
  JsonObject(const Json& value, std::string source);  // kFormat when `value` is not an object; keeps a reference to it

  bool has(const std::string& key) const;  // present and not null
  const Json& at(const std::string& key) const;
  int64_t integer(const std::string& key, int64_t low, int64_t high) const;
  int64_t integer(const std::string& key, int64_t low, int64_t high, int64_t fallback) const;
  double real(const std::string& key, double low, double high) const;
  double real(const std::string& key, double low, double high, double fallback) const;
  bool boolean(const std::string& key, bool fallback) const;
  std::string string(const std::string& key) const;
  std::string string(const std::string& key, const std::string& fallback) const;
  const std::string& source() const { return source_; }

 private:
  const Json& value_;
  std::string source_;
};

}  // namespace contrastive
