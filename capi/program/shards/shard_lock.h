// A lock on a shard: while it is held, no other process on this machine writes the shard. The
// kernel releases the lock when the process ends, in whatever way.
#pragma once

#include <string>

#include "capi/program/files.h"
#include "capi/program/shards/shard.h"

namespace contrastive::cli {

class ShardLock {
 public:
  // A Failure (BUSY) if another process holds the lock.
  ShardLock(const std::string& folder, const Shard& shard);
  ~ShardLock();
  ShardLock(const ShardLock&) = delete;
  ShardLock& operator=(const ShardLock&) = delete;

 private:
  std::string path_;
  Descriptor descriptor_;
};

}  // namespace contrastive::cli
