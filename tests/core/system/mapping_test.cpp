#include "core/system/mapping.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/file.h"
#include "tests/core/io/files.h"
#include "tests/temporary_folder.h"

namespace contrastive::system {
namespace {

constexpr size_t kBytes = 300'000;  // several pages, and a part of one

TEST(Mapping, HasTheBytesOfTheFileAndKeepsWhatIsWritten) {
  const TemporaryFolder folder;
  std::string bytes(kBytes, 'a');
  bytes.back() = 'z';
  test::write_text(folder / "file", bytes);
  Descriptor file = open_file(folder / "file", FileUse::kRead);
  char* const mapping = map_file(file.get(), kBytes);
  ASSERT_NE(mapping, nullptr);
  file.close();  // the mapping stays
  EXPECT_EQ(std::string(mapping, kBytes), bytes);
  mapping[0] = 'b';
  EXPECT_EQ(mapping[0], 'b');
  EXPECT_EQ(test::read_text(folder / "file"), bytes) << "the file is not written";
  unmap(mapping, kBytes);
}

TEST(Mapping, ForgottenPagesComeBackFromTheFile) {
  const TemporaryFolder folder;
  const std::string bytes(kBytes, 'a');
  test::write_text(folder / "file", bytes);
  const Descriptor file = open_file(folder / "file", FileUse::kRead);
  char* const mapping = map_file(file.get(), kBytes);
  ASSERT_NE(mapping, nullptr);
  forget_pages(mapping + 1, kBytes - 1);
  EXPECT_EQ(std::string(mapping, kBytes), bytes);
  unmap(mapping, kBytes);
}

TEST(Mapping, AddressSpaceEnds) {
  EXPECT_TRUE(has_address_space(size_t{1} << 20));
  EXPECT_FALSE(has_address_space(size_t{1} << 62));
}

}  // namespace
}  // namespace contrastive::system
