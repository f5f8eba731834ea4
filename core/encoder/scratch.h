// Memory for the states of one batch, kept by its thread from batch to batch: the allocator is not
// asked again, and the pages stay warm.
#pragma once

#include <cstddef>
#include <cstdint>

namespace contrastive::encoder {

// One block of floats, cut into pieces in the order they are asked for. Every piece begins at a
// cache line.
class Scratch {
 public:
  // Borrows a block of this thread, grown to `floats` where it is smaller. A thread keeps two, as a
  // step of a batch has a Scratch inside of the batch's; the third at a time is given back to the
  // system.
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
  const int depth_;  // Scratches of this thread around this one
  float* memory_ = nullptr;
  int64_t capacity_ = 0;
  int64_t used_ = 0;
};

}  // namespace contrastive::encoder
