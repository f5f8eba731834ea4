// The share of the processors that the process's control groups grant: containers and services are
// limited by it while every processor stays visible.
#pragma once

#include <string>

namespace contrastive::runtime {

// CPU time a second that the groups of this process allow, in whole processors, rounded up: the
// least that its own group and those above it grant, by cgroup v2 (cpu.max) and v1
// (cpu.cfs_quota_us). 0 where nothing limits it, or where the system does not say. `root` stands
// before every path that is read, for tests.
int cpu_quota(const std::string& root = "");

}  // namespace contrastive::runtime
