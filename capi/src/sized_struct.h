// Versioned option structs: they begin with their size, and later versions append fields.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "core/base/error.h"

namespace contrastive::capi {

// Converts the caller's options to this library's version of the struct. Fields that an older
// caller does not have come from `defaults`. Extra fields of a newer caller must be zero: otherwise
// the caller requests something that this library cannot do (kArgument). `first_size` is the
// struct's size in the first version that had it, which is the smallest valid size.
template <class Options>
Options known_struct(const Options* given, const Options& defaults, uint32_t first_size,
                     const char* initialiser) {
  // No version will be larger: a greater size means that the struct is not initialised.
  constexpr uint32_t kMaxSize = 65536;
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
