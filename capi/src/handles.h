// The handle table: how `cs_model *` and the other handles refer to objects, and why misuse of them
// is safe.
//
// A handle is not an address. Its value packs the index of a slot in one table, the slot's
// generation, the type, and a mark of this copy of the library. So a handle that is stale, forged,
// of another type or of another copy of the library is detected without dereferencing it. The table
// owns each object through a shared_ptr. Each call holds another shared_ptr while it runs, and
// children hold their parents. So handles can be freed in any order, and during a call.
//
// objects.h and model_objects.h define the objects.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "capi/include/contrastive/contrastive.h"
#include "core/base/error.h"
#include "core/host/call.h"

namespace contrastive::capi {

enum class Type : uint8_t { kError = 1, kConfig, kModel, kDataset, kTrainer, kCancel };

// Ties the public handle types to the objects behind them: `Traits<cs_model>::Object`,
// `Traits<cs_model>::kType`, `Traits<cs_model>::kName`.
template <class Handle>
struct Traits;

// An object in the table, of any type.
using Shared = std::shared_ptr<void>;

// kLimit if the table is full.
uintptr_t insert_handle(Type type, Shared object);
// nullptr if `handle` is not a live handle of this type.
Shared find_handle(uintptr_t handle, Type type) noexcept;
// Like find_handle, and makes the handle stale.
Shared remove_handle(uintptr_t handle, Type type) noexcept;
int64_t count_handles() noexcept;

template <class Handle>
Handle* make_handle(std::shared_ptr<typename Traits<Handle>::Object> object) {
  return reinterpret_cast<Handle*>(insert_handle(Traits<Handle>::kType, std::move(object)));
}

// The object of a handle, or nullptr if the handle is not live. For accessors that cannot fail.
template <class Handle>
std::shared_ptr<typename Traits<Handle>::Object> find(const Handle* handle) noexcept {
  return std::static_pointer_cast<typename Traits<Handle>::Object>(
      find_handle(reinterpret_cast<uintptr_t>(handle), Traits<Handle>::kType));
}

// The object of a handle. kHandle with the parameter's name if the handle is not live.
template <class Handle>
std::shared_ptr<typename Traits<Handle>::Object> need(const Handle* handle, const char* parameter) {
  check(handle != nullptr, Status::kHandle, parameter, " is NULL: a ", Traits<Handle>::kName,
        " is needed");
  auto object = find(handle);
  check(object != nullptr, Status::kHandle, parameter, " is not a live ", Traits<Handle>::kName,
        ": it was freed, is of another type, or comes from elsewhere");
  return object;
}

// Removes a handle from the table; does nothing if it is not a live handle. The object is destroyed
// here or when the last call that uses it ends. After exit() has begun it is not destroyed, because
// static objects that it depends on may already be destroyed.
template <class Handle>
void release(Handle* handle) noexcept {
  const host::Call call;
  if (handle != nullptr) remove_handle(reinterpret_cast<uintptr_t>(handle), Traits<Handle>::kType);
}

// Exclusive use of an object by one thread, for the lifetime of this guard. kBusy if another thread
// is using the object.
class Exclusive {
 public:
  Exclusive(std::atomic<bool>& busy, const char* name) : busy_(busy) {
    check(!busy_.exchange(true, std::memory_order_acquire), Status::kBusy, "the ", name,
          " is in use by another thread");
  }
  ~Exclusive() { busy_.store(false, std::memory_order_release); }
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;

 private:
  std::atomic<bool>& busy_;
};

}  // namespace contrastive::capi
