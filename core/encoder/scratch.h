// Memory for the states of one batch, kept by its thread from batch to batch: the allocator is not asked again, and the pages stay warm.
#pragma once

#include <cstddef>
#include <cstdint>

namespace contrastive::encoder {

// One block of floats, cut into pieces in the order they are asked for. Every piece begins at a cache line.
class Scratch {
 public:
  // Borrows this thread's block, grown to `floats` where it is smaller. One Scratch a thread at a time: a nested one gets a block of its own.
  explicit Scratch(int64_t floats);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  float* take(int64_t floats);
  static int64_t rounded(int64_t floats) { return (floats + 15) / 16 * 16; }

 private:
  struct Block;
  static Block& kept_by_thread();

  Block& kept_;
  float* memory_ = nullptr;
  int64_t capacity_ = 0;
  int64_t used_ = 0;
};

}  // namespace contrastive::encoder
