#include "core/system/per_thread.h"

#include <pthread.h>

namespace contrastive::system {

ThreadKey::ThreadKey(void (*destroy)(void*)) {
  pthread_key_t key{};
  if (::pthread_key_create(&key, destroy) != 0) throw std::bad_alloc();
  key_ = key;
}

void* ThreadKey::get() const noexcept {
  return ::pthread_getspecific(static_cast<pthread_key_t>(key_));
}

bool ThreadKey::set(void* pointer) const noexcept {
  return ::pthread_setspecific(static_cast<pthread_key_t>(key_), pointer) == 0;
}

}  // namespace contrastive::system
