#include "core/system/path.h"

#include <gtest/gtest.h>

namespace contrastive::system {
namespace {

TEST(Path, ASlashSeparatesNames) {
  EXPECT_TRUE(is_separator('/'));
  for (const char other : {'a', '.', ':', ' '}) EXPECT_FALSE(is_separator(other)) << other;
}

TEST(Path, ALeadingSlashIsARoot) {
  for (const char* path : {"/", "/a", "/a/b"}) {
    EXPECT_TRUE(is_absolute(path)) << path;
    EXPECT_EQ(root_length(path), 1u) << path;
  }
  for (const char* path : {"", "a", "a/b", ".", "../a"}) {
    EXPECT_FALSE(is_absolute(path)) << path;
    EXPECT_EQ(root_length(path), 0u) << path;
  }
}

TEST(Path, OrdinaryNamesAreUsable) {
  for (const char* name : {"a", "model.safetensors", ".model.tmp-12-0", "1_Pooling", "a b", "com",
                           "console", "\u00E9"})
    EXPECT_TRUE(is_usable_name(name)) << name;
}

// On POSIX any bytes but '/' and NUL are a name; Windows has rules.
TEST(Path, NamesThatWindowsDoesNotAllow) {
#if defined(_WIN32)
  constexpr bool kUsable = false;
#else
  constexpr bool kUsable = true;
#endif
  for (const char* name : {"nul", "NUL.txt", "com1", "lpt9.log", "a.", "a ", "a:b", "a?", "a|b"})
    EXPECT_EQ(is_usable_name(name), kUsable) << name;
}

}  // namespace
}  // namespace contrastive::system
