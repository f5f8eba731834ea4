#include "capi/src/handles.h"

#include <mutex>
#include <vector>

#include "core/host/exit.h"

namespace contrastive::capi {
namespace {

// The bits of a handle, from the highest: 12 bits mark of this copy of the library, 4 bits type,
// 24 bits generation, 24 bits slot + 1.
constexpr int kSlotBits = 24, kGenerationBits = 24, kTypeBits = 4;
constexpr uint64_t kSlotMask = (uint64_t{1} << kSlotBits) - 1;
constexpr uint64_t kGenerationMask = (uint64_t{1} << kGenerationBits) - 1;
constexpr uint64_t kTypeMask = (uint64_t{1} << kTypeBits) - 1;
static_assert(sizeof(uintptr_t) == 8, "handles pack 64 bits");

struct Slot {
  Shared object;
  Type type = Type::kError;
  uint32_t generation = 1;
};

class Table {
 public:
  uintptr_t insert(Type type, Shared object) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty()) {
      check(slots_.size() < kSlotMask - 1, Status::kLimit, "there are ", slots_.size(),
            " handles already: free some");
      // Reserved here, so that remove() never allocates.
      if (free_.capacity() <= slots_.size()) free_.reserve(2 * slots_.size() + 64);
      slots_.emplace_back();
      free_.push_back(static_cast<uint32_t>(slots_.size() - 1));
    }
    const uint32_t index = free_.back();
    free_.pop_back();
    Slot& slot = slots_[index];
    slot.object = std::move(object);
    slot.type = type;
    ++live_;
    return pack(index, slot);
  }

  Shared find(uintptr_t handle, Type type) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Slot* slot = locate(handle, type);
    return slot == nullptr ? nullptr : slot->object;
  }

  Shared remove(uintptr_t handle, Type type) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    Slot* slot = locate(handle, type);
    if (slot == nullptr) return nullptr;
    --live_;
    if (host::exit_began()) {
      ++slot->generation;  // the slot keeps the object: it must not be destroyed now
      return nullptr;
    }
    // A slot is not reused after its last generation, so a stale handle never becomes valid again.
    if (++slot->generation <= kGenerationMask)
      free_.push_back(static_cast<uint32_t>(slot - slots_.data()));
    return std::move(slot->object);  // destroyed by the caller, outside the lock
  }

  int64_t live() noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    return live_;
  }

 private:
  // Differs between two copies of the library in one process, because their tables have different
  // addresses.
  uint64_t mark() const {
    return ((reinterpret_cast<uintptr_t>(this) >> 4) * 0x9e3779b97f4a7c15ULL >> 52) | 1;
  }

  uintptr_t pack(uint32_t index, const Slot& slot) const {
    return (((mark() << kTypeBits | static_cast<uint64_t>(slot.type)) << kGenerationBits |
             slot.generation)
            << kSlotBits) |
           (index + 1);
  }

  Slot* locate(uintptr_t handle, Type type) noexcept {
    const uint64_t index = (handle & kSlotMask) - 1;  // 0 wraps to an index that is out of range
    if (index >= slots_.size()) return nullptr;
    Slot& slot = slots_[index];
    const bool same_type =
        ((handle >> (kSlotBits + kGenerationBits)) & kTypeMask) == static_cast<uint64_t>(type);
    return same_type && slot.object != nullptr && slot.type == type &&
                   pack(static_cast<uint32_t>(index), slot) == handle
               ? &slot
               : nullptr;
  }

  std::mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  int64_t live_ = 0;
};

Table& table() {
  // Never destroyed: finalizers of a host language may free handles while the process exits.
  static Table* const instance = new Table;
  return *instance;
}

}  // namespace

uintptr_t insert_handle(Type type, Shared object) {
  return table().insert(type, std::move(object));
}
Shared find_handle(uintptr_t handle, Type type) noexcept { return table().find(handle, type); }
Shared remove_handle(uintptr_t handle, Type type) noexcept { return table().remove(handle, type); }
int64_t count_handles() noexcept { return table().live(); }

}  // namespace contrastive::capi
