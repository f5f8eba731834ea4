// The quota of a control group of this machine.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "core/runtime/cpu_quota.h"
#include "core/runtime/threads.h"

namespace contrastive::runtime {
namespace {

// A control group of this machine with a quota, removed at the end. If none can be made, `folder`
// is empty and `reason` says why.
class RealGroup {
 public:
  explicit RealGroup(int64_t quota) {
    const std::string name = "/contrastive-test-" + std::to_string(::getpid());
    // The first cgroup mount with a processor controller.
    std::ifstream mounts("/proc/self/mountinfo");
    for (std::string line; std::getline(mounts, line) && folder_.empty();) {
      const bool v2 = line.find(" - cgroup2 ") != std::string::npos,
                 v1 = line.find(" - cgroup ") != std::string::npos &&
                      (line + ",").find(",cpu,") != std::string::npos;
      if (!v1 && !v2) continue;
      std::istringstream words(line);
      std::string place;
      for (int i = 0; i < 5; ++i) words >> place;
      const std::string folder = place + name;
      if (::mkdir(folder.c_str(), 0755) != 0) {
        reason_ = folder + ": " + std::strerror(errno);
        continue;
      }
      std::ofstream file(folder + (v2 ? "/cpu.max" : "/cpu.cfs_quota_us"));
      file << quota << std::flush;
      if (file.good()) {
        folder_ = folder;
      } else {
        reason_ = folder + " takes no quota";
        ::rmdir(folder.c_str());
      }
    }
    if (folder_.empty() && reason_.empty())
      reason_ = "no cgroup with a processor controller is mounted";
  }
  ~RealGroup() {
    if (!folder_.empty()) ::rmdir(folder_.c_str());
  }
  const std::string& folder() const { return folder_; }
  const std::string& reason() const { return reason_; }

 private:
  std::string folder_, reason_;
};

// The default number of threads in the group: the exit code of a child that joined it.
int default_inside(const std::string& folder) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::unsetenv("OMP_NUM_THREADS");
    std::ofstream members(folder + "/cgroup.procs");
    members << ::getpid() << std::flush;
    if (!members.good()) ::_exit(100);
    set_threads(0);
    ::_exit(threads());
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(CpuQuotaOfTheMachine, TheDefaultFollowsIt) {
  const RealGroup group(50000);
  if (group.folder().empty())
    GTEST_SKIP() << "this machine does not allow a new group: " << group.reason();
  const int inside = default_inside(group.folder());
  if (inside == 100) GTEST_SKIP() << "this process may not enter " << group.folder();
  EXPECT_EQ(inside, 1) << "half a processor is one thread";
}

}  // namespace
}  // namespace contrastive::runtime
