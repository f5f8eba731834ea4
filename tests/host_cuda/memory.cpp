#include "tests/host_cuda/memory.h"

#include <c10/util/Exception.h>
#include <sys/mman.h>

#include <array>
#include <cstring>
#include <mutex>
#include <vector>

namespace contrastive::host_cuda {

namespace {

constexpr size_t kBytes = size_t{1} << 36;  // reserved twice; pages are committed only when used
constexpr size_t kSmallest = 9;  // blocks of 2^9 bytes at least: a real device aligns to 512

char* reserve(int protection) {
  void* memory =
      mmap(nullptr, kBytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TORCH_CHECK(memory != MAP_FAILED, "64 GiB of addresses cannot be reserved");
  return static_cast<char*>(memory);
}

// Blocks have sizes that are powers of two and are reused. As on a device, a block still contains
// the data of its last owner.
class Memory {
 public:
  static Memory& instance() {
    static auto* memory = new Memory;  // outlives every tensor
    return *memory;
  }

  char* take(size_t power) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<char*>& free = free_[power];
    if (!free.empty()) {
      char* block = free.back();
      free.pop_back();
      return block;
    }
    const size_t begin = used_;
    TORCH_CHECK_WITH(OutOfMemoryError, begin + (size_t{1} << power) <= kBytes,
                     "CUDA out of memory: the simulated device has 64 GiB");
    used_ += size_t{1} << power;
    return device_ + begin;
  }

  void give_back(char* block, size_t power) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_[power].push_back(block);
  }

  void* on_host(const void* pointer) const {
    const char* place = static_cast<const char*>(pointer);
    TORCH_CHECK(place >= device_ && place < device_ + kBytes, "a CUDA tensor with host memory");
    return host_ + (place - device_);
  }
  void* on_device(const void* pointer) const {
    return device_ + (static_cast<const char*>(pointer) - host_);
  }

 private:
  std::mutex mutex_;
  char* const device_ = reserve(PROT_NONE);
  char* const host_ = reserve(PROT_READ | PROT_WRITE);
  size_t used_ = 0;
  std::array<std::vector<char*>, 64> free_;
};

struct Block {
  char* begin;
  size_t power;
};

void release(void* context) {
  auto* block = static_cast<Block*>(context);
  Memory::instance().give_back(block->begin, block->power);
  delete block;
}

struct HostSide final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    auto* block = new c10::DataPtr(host_cuda::allocate(bytes));
    return {host_cuda::on_host(block->get()), block,
            [](void* context) { delete static_cast<c10::DataPtr*>(context); },
            c10::Device(c10::kCPU)};
  }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
};

}  // namespace

c10::DataPtr allocate(size_t bytes) {
  const c10::Device device(c10::kCUDA, 0);
  if (bytes == 0) return {nullptr, device};
  size_t power = kSmallest;
  while ((size_t{1} << power) < bytes) ++power;
  auto* block = new Block{Memory::instance().take(power), power};
  return {block->begin, block, release, device};
}

void* on_host(const void* device_pointer) {
  return device_pointer == nullptr ? nullptr : Memory::instance().on_host(device_pointer);
}

c10::Allocator& host_side() {
  static auto* allocator = new HostSide;
  return *allocator;
}

c10::DataPtr adopt(const c10::Storage& storage) {
  const auto release_storage = [](void* context) { delete static_cast<c10::Storage*>(context); };
  return {Memory::instance().on_device(storage.data()), new c10::Storage(storage), release_storage,
          c10::Device(c10::kCUDA, 0)};
}

}  // namespace contrastive::host_cuda
