// Options that a caller fills: structs that begin with their size, and to which later versions
// append fields.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "core/base/error.h"

namespace contrastive::capi {

// The caller's options as this library knows them: what a caller of an older version does not have
// is taken from `defaults`; what one of a newer version has beyond them must be zero, or the caller
// relies on something that this library cannot do. `first_size`: of the first version that had the
// struct, the least that a caller can have. kArgument.
template <class Options>
Options known_struct(const Options* given, const Options& defaults, uint32_t first_size,
                     const char* initialiser) {
  constexpr uint32_t kMaxSize =
      65536;  // no version will be that large: a caller that says so has not initialised the struct
  Options known = defaults;
  if (given == nullptr) return known;
  const uint32_t size = given->struct_size;
  check(size >= first_size && size <= kMaxSize, Status::kArgument, "options.struct_size is ", size,
        ", this library's is ", sizeof(known), ": initialise the struct with ", initialiser);
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(given);
  for (uint32_t i = sizeof(known); i < size; ++i) {
    check(bytes[i] == 0, Status::kArgument, "options.struct_size is ", size, ", this library's is ",
          sizeof(known), ": an option is set that only a newer library knows");
  }
  std::memcpy(&known, given, size < sizeof(known) ? size : sizeof(known));
  return known;
}

inline std::string text_or_empty(const char* text) {
  return text == nullptr ? std::string() : std::string(text);
}

}  // namespace contrastive::capi
