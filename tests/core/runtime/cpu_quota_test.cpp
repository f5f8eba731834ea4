#include "core/runtime/cpu_quota.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "tests/temporary_folder.h"

namespace contrastive::runtime {
namespace {

namespace fs = std::filesystem;

// Files as a kernel shows them, below a folder.
class CpuQuota : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) {
    const fs::path file = root_ + path;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  void put_v2(const std::string& own, const std::string& mounted) {
    put("/proc/self/cgroup", "0::" + own + "\n");
    put("/proc/self/mountinfo",
        "22 28 0:20 / /proc rw,nosuid - proc proc rw\n31 22 0:27 " + mounted +
            " /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  void put_v1(const std::string& own, const std::string& mounted) {
    put("/proc/self/cgroup", "5:memory:/elsewhere\n4:cpu,cpuacct:" + own + "\n1:name=systemd:/x\n");
    put("/proc/self/mountinfo",
        "33 31 0:29 /elsewhere /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n32 31 0:28 " +
            mounted + " /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n");
  }
  void put_v1_quota(const std::string& folder, const std::string& quota) {
    put("/sys/fs/cgroup/cpu,cpuacct" + folder + "/cpu.cfs_quota_us", quota + "\n");
    put("/sys/fs/cgroup/cpu,cpuacct" + folder + "/cpu.cfs_period_us", "100000\n");
  }
  int quota() const { return cpu_quota(root_); }

  TemporaryFolder folder_;
  std::string root_ = folder_.path();
};

TEST_F(CpuQuota, NothingKnownIsNoLimit) {
  EXPECT_EQ(quota(), 0);
  put_v2("/", "/");
  EXPECT_EQ(quota(), 0) << "the root group has no cpu.max";
  put("/sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), 0);
}

TEST_F(CpuQuota, V2IsRoundedUp) {
  put_v2("/user/job", "/");
  const std::pair<const char*, int> cases[] = {{"100000 100000", 1},
                                               {"150000 100000", 2},
                                               {"1000 100000", 1},
                                               {"400000 100000", 4},
                                               {"200000 50000", 4},
                                               {"max 100000", 0},
                                               {"", 0},
                                               {"what 1", 0},
                                               {"-1 100000", 0},
                                               {"100000 0", 0},
                                               {"99999999999 1", 0}};
  for (const auto& [text, expected] : cases) {
    put("/sys/fs/cgroup/user/job/cpu.max", text);
    EXPECT_EQ(quota(), expected) << text;
  }
}

TEST_F(CpuQuota, TheLeastOfAllGroupsAboveHolds) {
  put_v2("/a/b/c", "/");
  put("/sys/fs/cgroup/a/b/c/cpu.max", "800000 100000");
  put("/sys/fs/cgroup/a/cpu.max", "300000 100000");
  EXPECT_EQ(quota(), 3);
  put("/sys/fs/cgroup/a/b/cpu.max", "200000 100000");
  EXPECT_EQ(quota(), 2);
}

TEST_F(CpuQuota, AContainerSeesItsGroupAsTheMount) {
  put("/sys/fs/cgroup/cpu.max", "250000 100000");
  put_v2("/", "/");  // with a namespace of its own
  EXPECT_EQ(quota(), 3);
  put_v2("/docker/abc", "/docker/abc");  // with its name outside of the namespace
  EXPECT_EQ(quota(), 3);
  put_v2("/docker/abc/below", "/docker/abc");
  put("/sys/fs/cgroup/below/cpu.max", "100000 100000");
  EXPECT_EQ(quota(), 1);
  put_v2("/../other", "/");  // outside of what is visible
  EXPECT_EQ(quota(), 3);
}

TEST_F(CpuQuota, V1) {
  put_v1("/docker/abc", "/docker/abc");
  put_v1_quota("", "-1");
  EXPECT_EQ(quota(), 0);
  put_v1_quota("", "210000");
  EXPECT_EQ(quota(), 3);
  put_v1("/one/two", "/");
  put_v1_quota("/one/two", "500000");
  EXPECT_EQ(quota(), 3) << "a group above grants less";
  put_v1_quota("/one", "100000");
  EXPECT_EQ(quota(), 1);
}

TEST_F(CpuQuota, AMountWithBlanksInItsPath) {
  put("/proc/self/cgroup", "0::/\n");
  put("/proc/self/mountinfo", "31 22 0:27 / /my\\040groups rw - cgroup2 none rw\n");
  put("/my groups/cpu.max", "100000 100000");
  EXPECT_EQ(quota(), 1);
}

}  // namespace
}  // namespace contrastive::runtime
