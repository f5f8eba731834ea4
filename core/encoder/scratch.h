// Scratch memory for the states of one batch. Its thread keeps it for the next batch, so that the
// allocator is not called again and the pages stay in memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace contrastive::encoder {

// One block of floats, from which take() returns consecutive pieces. Every piece begins at a cache
// line.
class Scratch {
 public:
  // Borrows a block of this thread and enlarges it to `floats` if necessary. A thread keeps two
  // blocks, because a step of a batch uses a Scratch while the batch uses another. Any further
  // block is freed after use.
  explicit Scratch(int64_t floats);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  float* take(int64_t floats);
  static int64_t rounded(int64_t floats) { return (floats + 15) / 16 * 16; }

 private:
  struct Block;
  struct Kept;
  static Kept& kept_by_thread();

  Kept& kept_;
  const int depth_;  // the number of Scratches of this thread that were alive before this one
  float* memory_ = nullptr;
  int64_t capacity_ = 0;
  int64_t used_ = 0;
};

}  // namespace contrastive::encoder
