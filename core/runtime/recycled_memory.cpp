#include "core/runtime/recycled_memory.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "core/base/checked.h"
#include "core/runtime/share_out.h"

namespace contrastive::runtime {

namespace {

constexpr int64_t kSmallest = int64_t{1} << 17;   // bytes; smaller tensors are left to LibTorch's allocator
constexpr int64_t kGrain = int64_t{1} << 12;      // every piece is whole pages
constexpr int64_t kReserved = int64_t{1} << 40;   // addresses, not memory: pages exist from their first use on
constexpr int64_t kStep = int64_t{1} << 26;       // by which the usable part of them grows

// Pieces of one reserved range of addresses: the smallest free one that is large enough is cut, and a freed one joins its free neighbours.
class Store {
 public:
  Store() {
    void* range = ::mmap(nullptr, static_cast<size_t>(kReserved), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range != MAP_FAILED) base_ = static_cast<char*>(range);
  }

  // nullptr when the system has no more.
  void* take(int64_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = by_size_.lower_bound({bytes, 0});
    if (found == by_size_.end()) {
      if (base_ == nullptr || !grow(bytes)) return nullptr;
      found = by_size_.lower_bound({bytes, 0});
    }
    const auto [size, place] = *found;
    remove(place, size);
    if (size > bytes) add(place + bytes, size - bytes);
    use_.used += bytes;
    use_.peak = std::max(use_.peak, use_.used);
    return base_ + place;
  }

  void give(void* piece, int64_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    use_.used -= bytes;
    join(static_cast<char*>(piece) - base_, bytes);
  }

  MemoryUse use() {
    std::lock_guard<std::mutex> lock(mutex_);
    return use_;
  }

  void release() {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [place, size] : by_place_) ::madvise(base_ + place, static_cast<size_t>(size), MADV_DONTNEED);
    use_.peak = use_.used;
  }

 private:
  void add(int64_t place, int64_t size) {
    by_place_.emplace(place, size);
    by_size_.emplace(size, place);
  }
  void remove(int64_t place, int64_t size) {
    by_place_.erase(place);
    by_size_.erase({size, place});
  }

  void join(int64_t place, int64_t size) {
    auto next = by_place_.lower_bound(place);
    if (next != by_place_.end() && next->first == place + size) {
      const int64_t more = next->second;
      remove(place + size, more);
      size += more;
      next = by_place_.lower_bound(place);
    }
    if (next != by_place_.begin()) {
      const auto [before, length] = *std::prev(next);
      if (before + length == place) {
        remove(before, length);
        place = before;
        size += length;
      }
    }
    add(place, size);
  }

  bool grow(int64_t bytes) {
    const int64_t more = (bytes + kStep - 1) / kStep * kStep;
    if (more > kReserved - usable_) return false;
    if (::mprotect(base_ + usable_, static_cast<size_t>(more), PROT_READ | PROT_WRITE) != 0) return false;
    ::madvise(base_ + usable_, static_cast<size_t>(more), MADV_HUGEPAGE);  // a wish: fewer page faults where the system grants it
    join(usable_, more);
    usable_ += more;
    return true;
  }

  std::mutex mutex_;
  char* base_ = nullptr;
  int64_t usable_ = 0;
  std::map<int64_t, int64_t> by_place_;             // free pieces: place, size
  std::set<std::pair<int64_t, int64_t>> by_size_;   // the same: size, place
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
  const int64_t wanted = (floats * static_cast<int64_t>(sizeof(float)) + (kGrain - 1)).value();
  if (wanted < kSmallest) return at::empty(sizes, at::kFloat);
  const int64_t bytes = wanted / kGrain * kGrain;
  void* piece = store().take(bytes);
  if (piece == nullptr) return at::empty(sizes, at::kFloat);  // which throws where memory is short
  return at::from_blob(piece, sizes, [bytes](void* memory) { store().give(memory, bytes); }, at::kFloat);
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

}  // namespace contrastive::runtime
