#include "core/encoder/scratch.h"

#include <new>
#include <utility>

#include "core/base/error.h"
#include "core/system/per_thread.h"

namespace contrastive::encoder {

namespace {

constexpr std::align_val_t kCacheLine{64};
// Larger blocks are freed after use: they belong to an unusual batch.
constexpr int64_t kMostKept = int64_t{16} << 20;  // floats: 64 MiB

}  // namespace

struct Scratch::Block {
  float* memory = nullptr;
  int64_t capacity = 0;
  ~Block() { ::operator delete(memory, kCacheLine); }
};

struct Scratch::Kept {
  static constexpr int kBlocks = 2;
  Block blocks[kBlocks];
  int depth = 0;
};

Scratch::Kept& Scratch::kept_by_thread() {
  static const system::PerThread<Kept> kept;
  return kept.here();
}

Scratch::Scratch(int64_t floats) : kept_(kept_by_thread()), depth_(kept_.depth) {
  floats = rounded(floats);
  if (depth_ < Kept::kBlocks) {
    memory_ = std::exchange(kept_.blocks[depth_].memory, nullptr);
    capacity_ = std::exchange(kept_.blocks[depth_].capacity, 0);
  }
  if (capacity_ < floats) {
    ::operator delete(memory_, kCacheLine);
    memory_ = nullptr;
    memory_ = static_cast<float*>(
        ::operator new(static_cast<size_t>(floats) * sizeof(float), kCacheLine));
    capacity_ = floats;
  }
  ++kept_.depth;
}

Scratch::~Scratch() {
  --kept_.depth;
  if (depth_ < Kept::kBlocks && capacity_ <= kMostKept) {
    kept_.blocks[depth_].memory = memory_;
    kept_.blocks[depth_].capacity = capacity_;
  } else {
    ::operator delete(memory_, kCacheLine);
  }
}

float* Scratch::take(int64_t floats) {
  float* piece = memory_ + used_;
  used_ += rounded(floats);
  check(used_ <= capacity_, Status::kInternal, "scratch memory was reckoned too small");
  return piece;
}

}  // namespace contrastive::encoder
