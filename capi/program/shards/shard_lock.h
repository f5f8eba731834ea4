// One writer for a shard: while this lives, no other process of the machine writes it. The kernel
// gives the lock back however the process ends.
#pragma once

#include <string>

#include "capi/program/files.h"
#include "capi/program/shards/shard.h"

namespace contrastive::cli {

class ShardLock {
 public:
  // A Failure (BUSY) where another process has it.
  ShardLock(const std::string& folder, const Shard& shard);
  ~ShardLock();
  ShardLock(const ShardLock&) = delete;
  ShardLock& operator=(const ShardLock&) = delete;

 private:
  std::string path_;
  Descriptor descriptor_;
};

}  // namespace contrastive::cli
