// The CPU limit of the process's control groups (cgroups). They limit containers and services
// although every processor stays visible.
#pragma once

#include <string>

namespace contrastive::runtime {

// The number of processors whose CPU time this process may use, rounded up: the lowest limit of its
// own group and the groups above it, from cgroup v2 (cpu.max) and v1 (cpu.cfs_quota_us). 0 if there
// is no limit or it cannot be read. `root` is prepended to every path that is read, for tests.
int cpu_quota(const std::string& root = "");

}  // namespace contrastive::runtime
