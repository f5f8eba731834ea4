#include "core/system/per_thread.h"

#include "core/system/windows/native.h"

namespace contrastive::system {

// Fibers' local storage has destructors, and belongs to the thread where no fibers are used.
ThreadKey::ThreadKey(void (*destroy)(void*)) {
  const DWORD key = ::FlsAlloc(reinterpret_cast<PFLS_CALLBACK_FUNCTION>(destroy));
  if (key == FLS_OUT_OF_INDEXES) throw std::bad_alloc();
  key_ = key;
}

void* ThreadKey::get() const noexcept { return ::FlsGetValue(static_cast<DWORD>(key_)); }

bool ThreadKey::set(void* pointer) const noexcept {
  return ::FlsSetValue(static_cast<DWORD>(key_), pointer) != 0;
}

}  // namespace contrastive::system
