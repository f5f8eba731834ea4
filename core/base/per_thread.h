// An object for each thread, made when the thread first asks for it, destroyed when the thread
// ends. As thread_local, but for this: where there is no memory to note that it is to be destroyed,
// thread_local ends the process.
#pragma once

#include <pthread.h>

#include <memory>
#include <new>

namespace contrastive {

// To be a static variable of a function, so that it lives as long as the library, which stays
// loaded (capi/CMakeLists.txt).
template <class T>
class PerThread {
 public:
  PerThread() {
    if (::pthread_key_create(&key_, [](void* object) { delete static_cast<T*>(object); }) != 0)
      throw std::bad_alloc();
  }
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  // This thread's. Throws std::bad_alloc where there is no memory for it.
  T& here() const {
    if (void* const object = ::pthread_getspecific(key_)) return *static_cast<T*>(object);
    auto made = std::make_unique<T>();
    if (::pthread_setspecific(key_, made.get()) != 0) throw std::bad_alloc();
    return *made.release();
  }

 private:
  pthread_key_t key_{};
};

}  // namespace contrastive
