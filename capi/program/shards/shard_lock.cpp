#include "capi/program/shards/shard_lock.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "capi/program/failure.h"

namespace contrastive::cli {
namespace {

// The last holder removes the lock file. A lock on a removed file protects nothing, so the caller
// checks that the file still has its name.
bool still_named(int descriptor, const std::string& path) {
  struct stat held{}, named{};
  return fstat(descriptor, &held) == 0 && stat(path.c_str(), &named) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

}  // namespace

ShardLock::ShardLock(const std::string& folder, const Shard& shard)
    : path_(folder + "/." + shard.stem() + ".lock") {
  do {
    descriptor_ = open_lock(path_);
    if (flock(descriptor_.get(), LOCK_EX | LOCK_NB) == 0) continue;
    if (errno != EWOULDBLOCK) throw system_failure("lock", path_, errno);
    throw Failure(kExitFailure, "BUSY",
                  "another process writes shard " + shard.text() + " of '" + folder + "'",
                  "wait until it has ended");
  } while (!still_named(descriptor_.get(), path_));
}

ShardLock::~ShardLock() { unlink(path_.c_str()); }

}  // namespace contrastive::cli
