// Parses JSON from files of unknown origin. Size, depth and duplicate keys are checked during
// parsing, and the typed getters name the file and the key in their errors.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/host/json_allocator.h"

namespace contrastive {

// Objects keep the order of their keys.
using Json = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool, int64_t,
                                  uint64_t, double, host::JsonAllocator>;

}  // namespace contrastive

// nlohmann's destructor allocates its stack with this allocator, and nothing else uses it: the
// arrays of a Json use host::JsonAllocator.
template <>
class std::allocator<contrastive::Json> {
 public:
  using value_type = contrastive::Json;
  using size_type = size_t;
  using difference_type = ptrdiff_t;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::true_type;
  template <class U>
  struct rebind {
    using other = std::allocator<U>;
  };

  allocator() = default;
  template <class U>
  allocator(const std::allocator<U>&) noexcept {}

  value_type* allocate(size_t n) {
    if (n > max_size()) throw std::bad_alloc();
    return static_cast<value_type*>(contrastive::host::allocate_json_stack(n * sizeof(value_type)));
  }
  void deallocate(value_type* memory, size_t n) noexcept {
    contrastive::host::free_json_stack(memory, n * sizeof(value_type));
  }
  size_t max_size() const noexcept {
    return static_cast<size_t>(std::numeric_limits<ptrdiff_t>::max()) / sizeof(value_type);
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
  template <class U>
  void destroy(U* place) {
    place->~U();
  }

  friend bool operator==(const allocator&, const allocator&) noexcept { return true; }
  friend bool operator!=(const allocator&, const allocator&) noexcept { return false; }
};

namespace contrastive {

struct JsonLimits {
  int64_t max_bytes = int64_t{64} << 20;
  int max_depth = 64;
  bool allow_duplicate_keys = false;
};

// Parses one JSON document. Throws kFormat with `source` and the byte offset if the text is not
// valid JSON (a byte order mark is accepted; comments and trailing bytes are not), and kLimit
// beyond `limits`.
Json parse_json(std::string_view text, const std::string& source, const JsonLimits& limits = {});
Json read_json_file(const std::string& path, const JsonLimits& limits = {});

// Writes compact text. Escapes every character above ASCII and replaces invalid UTF-8 by U+FFFD, so
// every consumer can read it.
std::string dump_ascii(const Json& value, int indent = -1);

// One JSON object and where it came from, read key by key. Every getter throws kFormat "<source>:
// <key> ..." with the value found and the legal range. The variants with a fallback return it if
// the key is absent or null.
class JsonObject {
 public:
  // Keeps a reference to `value`. Throws kFormat if it is not an object. Every key that a getter
  // looks for is added to `asked`.
  JsonObject(const Json& value, std::string source, std::set<std::string>* asked = nullptr);

  bool has(const std::string& key) const;  // present and not null
  bool is_null(const std::string& key) const;
  bool states(const std::string& key) const { return has(key) || is_null(key); }
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
  std::set<std::string>* asked_;

  Json::const_iterator find(const std::string& key) const;
};

}  // namespace contrastive
