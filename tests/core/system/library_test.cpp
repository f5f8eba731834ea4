#include "core/system/library.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace contrastive::system {
namespace {

TEST(Library, IsFoundByAnAddressInItAndByItsName) {
  const LoadedLibrary found = library_of(reinterpret_cast<const void*>(&std::getenv));
  EXPECT_TRUE(std::filesystem::exists(found.path)) << found.path;
  EXPECT_NE(found.begin, nullptr);
  const LoadedLibrary absent = loaded_library("contrastive-absent");
  EXPECT_EQ(absent.path, "");
  EXPECT_EQ(absent.begin, nullptr);
}

TEST(Library, OneThatDoesNotExistIsNotLoaded) {
  EXPECT_EQ(open_library("contrastive-absent", Bind::kNow), nullptr);
  EXPECT_NE(library_error(), "");
}

}  // namespace
}  // namespace contrastive::system
