#include "core/torch/tensors/recycled_memory.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "core/base/checked.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::tensors {

namespace {

constexpr int64_t kSmallest = int64_t{1}
                              << 17;  // bytes; smaller tensors are left to LibTorch's allocator
constexpr int64_t kGrain = int64_t{1} << 12;  // every piece is whole pages
constexpr int64_t kReserved = int64_t{1}
                              << 40;  // addresses, not memory: pages exist from their first use on
constexpr int64_t kStep = int64_t{1} << 26;  // by which the usable part of them grows

using ByPlace = std::map<int64_t, int64_t>;            // free pieces: place, size
using BySize = std::set<std::pair<int64_t, int64_t>>;  // the same: size, place
struct Nodes {
  ByPlace::node_type place;
  BySize::node_type size;
};

// A piece in use already owns the map nodes that the store needs when it comes back, because a
// tensor is destroyed where nothing may throw.
struct Piece {
  void* memory = nullptr;
  int64_t bytes = 0;
  Nodes nodes;
};

// Pieces of one reserved range of addresses. The smallest free piece that is large enough is cut,
// and a freed piece is merged with its free neighbours.
class Store {
 public:
  Store() {
    void* range = ::mmap(nullptr, static_cast<size_t>(kReserved), PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range != MAP_FAILED) base_ = static_cast<char*>(range);
  }

  // nullptr if the system has no more memory.
  std::unique_ptr<Piece> take(int64_t bytes) {
    auto piece = std::make_unique<Piece>();
    Nodes rest = make_nodes();
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = by_size_.lower_bound({bytes, 0});
    if (found == by_size_.end()) {
      if (base_ == nullptr || !grow(bytes)) return nullptr;
      found = by_size_.lower_bound({bytes, 0});
    }
    const auto [size, place] = *found;
    piece->nodes = {by_place_.extract(place), by_size_.extract(found)};
    piece->memory = base_ + place;
    piece->bytes = bytes;
    if (size > bytes) add(place + bytes, size - bytes, std::move(rest));
    use_.used += bytes;
    use_.peak = std::max(use_.peak, use_.used);
    return piece;
  }

  void give(std::unique_ptr<Piece> piece) noexcept {
    std::lock_guard<std::mutex> lock(mutex_);
    use_.used -= piece->bytes;
    join(static_cast<char*>(piece->memory) - base_, piece->bytes, std::move(piece->nodes));
  }

  MemoryUse use() {
    std::lock_guard<std::mutex> lock(mutex_);
    return use_;
  }

  void release() {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [place, size] : by_place_)
      ::madvise(base_ + place, static_cast<size_t>(size), MADV_DONTNEED);
    use_.peak = use_.used;
  }

 private:
  static Nodes make_nodes() {
    ByPlace place{{0, 0}};
    BySize size{{0, 0}};
    return {place.extract(place.begin()), size.extract(size.begin())};
  }
  void add(int64_t place, int64_t size, Nodes nodes) noexcept {
    nodes.place.key() = place;
    nodes.place.mapped() = size;
    nodes.size.value() = {size, place};
    by_place_.insert(std::move(nodes.place));
    by_size_.insert(std::move(nodes.size));
  }
  void remove(int64_t place, int64_t size) {
    by_place_.erase(place);
    by_size_.erase({size, place});
  }

  void join(int64_t place, int64_t size, Nodes nodes) noexcept {
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
    add(place, size, std::move(nodes));
  }

  bool grow(int64_t bytes) {
    const int64_t more = (bytes + kStep - 1) / kStep * kStep;
    if (more > kReserved - usable_) return false;
    Nodes nodes = make_nodes();
    if (::mprotect(base_ + usable_, static_cast<size_t>(more), PROT_READ | PROT_WRITE) != 0)
      return false;
    ::madvise(base_ + usable_, static_cast<size_t>(more),
              MADV_HUGEPAGE);  // a wish: fewer page faults where the system grants it
    join(usable_, more, std::move(nodes));
    usable_ += more;
    return true;
  }

  std::mutex mutex_;
  char* base_ = nullptr;
  int64_t usable_ = 0;
  ByPlace by_place_;
  BySize by_size_;
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
  std::unique_ptr<Piece> piece = store().take(bytes);
  if (piece == nullptr) return at::empty(sizes, at::kFloat);  // which throws where memory is short
  void* const memory = piece->memory;
  const auto give_back = [](void* given) {
    store().give(std::unique_ptr<Piece>(static_cast<Piece*>(given)));
  };
  // Not from_blob() with a deleter: for that, LibTorch allocates where nothing may throw.
  return at::for_blob(memory, sizes)
      .context(piece.release(), give_back)
      .options(at::kFloat)
      .make_tensor();
}

at::Tensor recycled_zeros(at::IntArrayRef sizes) {
  const at::Tensor tensor = recycled(sizes);
  constexpr int64_t kPiece = int64_t{1} << 18;  // floats
  float* values = tensor.mutable_data_ptr<float>();
  const int64_t count = tensor.numel();
  runtime::parallel_for((count + kPiece - 1) / kPiece, [&](int64_t piece) {
    std::memset(values + piece * kPiece, 0,
                static_cast<size_t>(std::min(kPiece, count - piece * kPiece)) * sizeof(float));
  });
  return tensor;
}

at::Tensor recycled(at::IntArrayRef sizes, const at::TensorOptions& options) {
  const bool ours = options.device().is_cpu() && options.dtype().toScalarType() == at::kFloat &&
                    options.layout() == at::kStrided;
  return ours ? recycled(sizes) : at::empty(sizes, options);
}

MemoryUse recycled_memory() { return store().use(); }
void release_recycled_memory() { store().release(); }

}  // namespace contrastive::tensors
