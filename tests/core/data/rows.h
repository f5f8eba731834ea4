// Rows of a RowStore, each with a key, bytes and a note that follow from its number.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "core/data/row_store.h"

namespace contrastive::data {

constexpr int64_t kBytes = 64;

inline RowKey key(uint64_t n) { return {n * 0x9e3779b97f4a7c15ULL, n}; }
inline std::string row(uint64_t n) { return std::string(kBytes, static_cast<char>('a' + n % 26)); }
inline std::string read(const RowStore& store, int64_t number) {
  std::string bytes(kBytes, '\0');
  store.read(number, bytes.data());
  return bytes;
}

inline void fill(RowStore& store, uint64_t begin, uint64_t end) {
  for (uint64_t n = begin; n < end; ++n) store.append(key(n), n, row(n).data());
}

inline void expect_rows(RowStore& store, uint64_t begin, uint64_t end) {
  for (uint64_t n = begin; n < end; ++n) {
    const int64_t number = store.find(key(n));
    ASSERT_NE(number, RowStore::kAbsent) << n;
    EXPECT_EQ(read(store, number), row(n));
    EXPECT_EQ(store.note(number), n);
  }
}

}  // namespace contrastive::data
