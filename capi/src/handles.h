// Handles: what a `cs_model *` and its kin really are, and what keeps them safe.
//
// The value of a handle is no address. It packs a slot of one table, the slot's generation, the
// type, and a mark of this copy of the library, so a handle that is stale, forged, of another type
// or of another copy is recognised without being dereferenced. The table owns the object by
// shared_ptr; each call holds one more for its duration, and children hold their parents: freeing
// in any order, and during a call, is safe.
//
// What the objects are is said in objects.h and model_objects.h; this file knows only their types.
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

// One object in the table, of whatever type.
using Shared = std::shared_ptr<void>;

uintptr_t insert_handle(Type type, Shared object);         // kLimit when the table is full
Shared find_handle(uintptr_t handle, Type type) noexcept;  // nullptr when it is none of this type
Shared remove_handle(uintptr_t handle,
                     Type type) noexcept;  // the same, and the handle is stale from now on
int64_t count_handles() noexcept;

template <class Handle>
Handle* make_handle(std::shared_ptr<typename Traits<Handle>::Object> object) {
  return reinterpret_cast<Handle*>(insert_handle(Traits<Handle>::kType, std::move(object)));
}

// The object of a handle, nullptr where it has none. For accessors and for free.
template <class Handle>
std::shared_ptr<typename Traits<Handle>::Object> find(const Handle* handle) noexcept {
  return std::static_pointer_cast<typename Traits<Handle>::Object>(
      find_handle(reinterpret_cast<uintptr_t>(handle), Traits<Handle>::kType));
}

// The object of a handle, or kHandle with the parameter's name.
template <class Handle>
std::shared_ptr<typename Traits<Handle>::Object> need(const Handle* handle, const char* parameter) {
  check(handle != nullptr, Status::kHandle, parameter, " is NULL: a ", Traits<Handle>::kName,
        " is needed");
  auto object = find(handle);
  check(object != nullptr, Status::kHandle, parameter, " is not a live ", Traits<Handle>::kName,
        ": it was freed, is of another type, or comes from elsewhere");
  return object;
}

// Takes the handle out of the table; a handle that is none is left alone. The object dies here or
// with the last call that uses it; once the process exits it stays, for what it is made of may be
// gone.
template <class Handle>
void release(Handle* handle) noexcept {
  const host::Call call;
  if (handle != nullptr) remove_handle(reinterpret_cast<uintptr_t>(handle), Traits<Handle>::kType);
}

// Marks an object as used by one thread, for as long as this lives; kBusy when another thread has
// it.
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
