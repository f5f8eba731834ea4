// An object for each thread, created when the thread first uses it and destroyed when the
// thread ends. It differs from thread_local in one way: if there is no memory to register the
// destructor, thread_local ends the process, and this throws std::bad_alloc.
#pragma once

#include <pthread.h>

#include <memory>
#include <new>

namespace contrastive::host {

// Declare it as a static variable of a function: it must live as long as the library, which stays
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

  // The object of this thread. Throws std::bad_alloc if there is no memory for it.
  T& here() const {
    if (void* const object = ::pthread_getspecific(key_)) return *static_cast<T*>(object);
    auto made = std::make_unique<T>();
    if (::pthread_setspecific(key_, made.get()) != 0) throw std::bad_alloc();
    return *made.release();
  }

 private:
  pthread_key_t key_{};
};

}  // namespace contrastive::host
