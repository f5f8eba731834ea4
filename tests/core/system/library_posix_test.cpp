#include "core/system/library.h"

#include <dlfcn.h>
#include <elf.h>
#include <gmock/gmock.h>

#include <cstddef>
#include <cstdlib>

#include "core/base/file.h"
#include "tests/temporary_folder.h"

namespace contrastive::system {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// A library that every process here has loaded.
std::string a_library() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&std::getenv), &info);
  return info.dli_fname;
}

TEST(Library, AWholeOneHasNoProblem) { EXPECT_THAT(problem_of_library(a_library()), IsEmpty()); }

TEST(Library, OneThatIsCutOffIsTold) {
  const TemporaryFolder folder;
  const std::string bytes = read_file(a_library(), kAnySize);
  for (const size_t length : {bytes.size() - 1, bytes.size() / 2, size_t{4096}, size_t{100}}) {
    EXPECT_THAT(problem_of_library(folder.write("cut.so", bytes.substr(0, length))),
                HasSubstr("it is cut off after"))
        << length;
  }
}

TEST(Library, WhatIsNoneIsTold) {
  const TemporaryFolder folder;
  EXPECT_THAT(problem_of_library(folder.write("text.so", "no library")),
              HasSubstr("it is not a shared library"));
  EXPECT_THAT(problem_of_library(folder.write("empty.so", "")),
              HasSubstr("it is not a shared library"));
  EXPECT_THAT(problem_of_library(folder / "absent.so"), HasSubstr("absent.so"));
  EXPECT_THAT(problem_of_library(folder.path()), HasSubstr("not a regular file"));
  std::string wild(read_file(a_library(), kAnySize), 0,
                   64);  // a header whose offsets are far outside of the file
  std::fill(wild.begin() + 32, wild.end(), '\xff');
  EXPECT_THAT(problem_of_library(folder.write("wild.so", wild)), HasSubstr("it is cut off after"));
}

TEST(Library, OneForAnotherProcessorIsTold) {
  const TemporaryFolder folder;
  const std::string bytes = read_file(a_library(), kAnySize);
  const auto with = [&](size_t place, char value) {
    std::string other = bytes;
    other[place] = value;
    return problem_of_library(folder.write("foreign.so", other));
  };
  EXPECT_THAT(with(offsetof(Elf64_Ehdr, e_machine), EM_RISCV & 0xff),
              HasSubstr("it is for another kind of processor"));
  EXPECT_THAT(with(EI_CLASS, ELFCLASS32), HasSubstr("it is for another kind of processor"));
  EXPECT_THAT(with(EI_DATA, ELFDATA2MSB), HasSubstr("it is for another kind of processor"));
  EXPECT_THAT(with(offsetof(Elf64_Ehdr, e_type), ET_REL), HasSubstr("it is not a shared library"));
  EXPECT_THAT(with(EI_CLASS, bytes[EI_CLASS]), IsEmpty());
}

}  // namespace
}  // namespace contrastive::system
