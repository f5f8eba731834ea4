#include "core/nn/training/memory.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "core/base/checked.h"
#include "core/nn/training/threads.h"

namespace contrastive::nn {

namespace {

constexpr int64_t kLargePage = int64_t{2} << 20;
constexpr int64_t kSmallest = int64_t{1} << 19;  // bytes; smaller tensors are left to LibTorch's allocator

class Store {
 public:
  // A block of at least `bytes`; its true size comes back in `capacity`.
  void* take(int64_t bytes, int64_t& capacity) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = unused_.lower_bound(bytes);
    if (found != unused_.end() && found->first <= bytes + std::max(bytes / 2, kLargePage)) {
      void* block = found->second;
      capacity = found->first;
      use_.unused -= capacity;
      unused_.erase(found);
      count_use(capacity);
      return block;
    }
    capacity = (bytes + kLargePage - 1) / kLargePage * kLargePage;
    count_use(capacity);
    shrink(use_.peak - use_.used);
    return map(capacity);
  }

  void give(void* block, int64_t capacity) {
    std::lock_guard<std::mutex> lock(mutex_);
    unused_.emplace(capacity, block);
    use_.used -= capacity;
    use_.unused += capacity;
  }

  MemoryUse use() {
    std::lock_guard<std::mutex> lock(mutex_);
    return use_;
  }

  void release() {
    std::lock_guard<std::mutex> lock(mutex_);
    shrink(0);
    use_.peak = use_.used;
  }

 private:
  void count_use(int64_t bytes) {
    use_.used += bytes;
    use_.peak = std::max(use_.peak, use_.used);
  }

  // Unmaps unused blocks, the smallest first, until at most `most` bytes are left.
  void shrink(int64_t most) {
    while (use_.unused > most) {
      const auto block = unused_.begin();
      ::munmap(block->second, static_cast<size_t>(block->first));
      use_.unused -= block->first;
      unused_.erase(block);
    }
  }

  static void* map(int64_t bytes) {
    void* block = ::mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) throw std::bad_alloc();
    ::madvise(block, static_cast<size_t>(bytes), MADV_HUGEPAGE);  // a wish: fewer page faults where the system grants it
    return block;
  }

  std::mutex mutex_;
  std::multimap<int64_t, void*> unused_;
  MemoryUse use_;
};

// Never destroyed: a tensor of it may outlive everything else.
Store& store() {
  static Store* const instance = new Store;
  return *instance;
}

}  // namespace

at::Tensor recycled(at::IntArrayRef sizes) {
  Size floats(1, "a tensor of the training step");
  for (const int64_t size : sizes) floats = floats * size;
  const int64_t bytes = (floats * static_cast<int64_t>(sizeof(float))).value();
  if (bytes < kSmallest) return at::empty(sizes, at::kFloat);
  int64_t capacity = 0;
  void* block = store().take(bytes, capacity);
  return at::from_blob(block, sizes, [capacity](void* memory) { store().give(memory, capacity); }, at::kFloat);
}

at::Tensor recycled_zeros(at::IntArrayRef sizes) {
  const at::Tensor tensor = recycled(sizes);
  constexpr int64_t kPiece = int64_t{1} << 18;  // floats
  float* values = tensor.mutable_data_ptr<float>();
  const int64_t count = tensor.numel();
  share_out((count + kPiece - 1) / kPiece, [&](int64_t piece) {
    std::memset(values + piece * kPiece, 0, static_cast<size_t>(std::min(kPiece, count - piece * kPiece)) * sizeof(float));
  });
  return tensor;
}

MemoryUse recycled_memory() { return store().use(); }
void release_recycled_memory() { store().release(); }

}  // namespace contrastive::nn
