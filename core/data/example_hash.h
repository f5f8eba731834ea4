// Adds an example to the hash of a dataset, field by field, so that equal bytes that are read in
// another way give another hash.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "core/data/content_hash.h"
#include "core/data/example.h"

namespace contrastive::data {

inline void add_field(ContentHash& hash, uint64_t number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  hash.update({bytes, sizeof number});
}

inline void add_field(ContentHash& hash, bool flag) { add_field(hash, uint64_t{flag}); }

inline void add_field(ContentHash& hash, double number) {
  uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  add_field(hash, bits);
}

// Each text is hashed separately, so that moving a letter from one text to the next changes the
// hash.
inline void add_field(ContentHash& hash, const std::string& text) {
  ContentHash own;
  own.update(text);
  add_field(hash, own.value());
}

template <class Item>
void add_field(ContentHash& hash, const std::vector<Item>& items) {
  add_field(hash, uint64_t{items.size()});
  for (const Item& item : items) add_field(hash, item);
}

inline void add_example(ContentHash& hash, const Example& example) {
  example.visit([&hash](const auto& field) { add_field(hash, field); });
}

}  // namespace contrastive::data
