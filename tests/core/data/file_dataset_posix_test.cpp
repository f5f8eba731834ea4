#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "core/data/dataset.h"
#include "tests/core/data/open.h"
#include "tests/temporary_folder.h"

namespace contrastive::data {
namespace {

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

TEST(Dataset, AFileOfAnySizeTakesEightBytesALine) {
  const TemporaryFolder folder;
  constexpr int64_t kLines = 4000, kWidth = 20'000;  // 80 MB
  {
    std::ofstream file(folder / "large.txt", std::ios::binary);
    for (int64_t i = 0; i < kLines; ++i)
      file << std::string(kWidth - 1, static_cast<char>('a' + i % 26)) << '\n';
  }
  const int64_t before = resident_bytes();
  const auto data = open(folder / "large.txt");
  ASSERT_EQ(data->size(), kLines);
  for (int64_t i = 0; i < kLines; ++i)
    ASSERT_EQ(data->get(i * 1237 % kLines).a[0], 'a' + i * 1237 % kLines % 26);
  EXPECT_LT(resident_bytes() - before, 8 << 20) << "of 80 MB";
}

}  // namespace
}  // namespace contrastive::data
