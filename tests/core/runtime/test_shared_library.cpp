#include "core/runtime/shared_library.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "core/base/file.h"
#include "tests/temporary_folder.h"

namespace contrastive::runtime {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// A library that every process here has loaded.
std::string a_library() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&std::getenv), &info);
  return info.dli_fname;
}

TEST(SharedLibrary, AWholeOneHasNoProblem) { EXPECT_THAT(problem_of_library(a_library()), IsEmpty()); }

TEST(SharedLibrary, OneThatIsCutOffIsTold) {
  const TemporaryFolder folder;
  const std::string bytes = read_file(a_library(), kAnySize);
  for (const size_t length : {bytes.size() - 1, bytes.size() / 2, size_t{4096}, size_t{100}}) {
    EXPECT_THAT(problem_of_library(folder.write("cut.so", bytes.substr(0, length))), HasSubstr("it is cut off after")) << length;
  }
}

TEST(SharedLibrary, WhatIsNoneIsTold) {
  const TemporaryFolder folder;
  EXPECT_THAT(problem_of_library(folder.write("text.so", "no library")), HasSubstr("it is no shared library"));
  EXPECT_THAT(problem_of_library(folder.write("empty.so", "")), HasSubstr("it is no shared library"));
  EXPECT_THAT(problem_of_library(folder / "absent.so"), HasSubstr("absent.so"));
  EXPECT_THAT(problem_of_library(folder.path()), HasSubstr("not a regular file"));
  std::string wild(read_file(a_library(), kAnySize), 0, 64);  // a head whose numbers lead far outside
  std::fill(wild.begin() + 32, wild.end(), '\xff');
  EXPECT_THAT(problem_of_library(folder.write("wild.so", wild)), HasSubstr("it is cut off after"));
}

}  // namespace
}  // namespace contrastive::runtime
