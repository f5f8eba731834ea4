// An object for each thread, created when the thread first uses it and destroyed when the
// thread ends. It differs from thread_local in one way: if there is no memory to register the
// destructor, thread_local ends the process, and this throws std::bad_alloc.
#pragma once

#include <cstdint>
#include <memory>
#include <new>

namespace contrastive::system {

// A pointer for each thread. `destroy` gets it when the thread ends, unless it is null.
class ThreadKey {
 public:
  explicit ThreadKey(void (*destroy)(void*));  // throws std::bad_alloc
  void* get() const noexcept;
  bool set(void* pointer) const noexcept;  // false without memory

 private:
  uintptr_t key_ = 0;
};

// Declare it as a static variable of a function: it must live as long as the library, which stays
// loaded (capi/CMakeLists.txt).
template <class T>
class PerThread {
 public:
  PerThread() : key_([](void* object) { delete static_cast<T*>(object); }) {}
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  // The object of this thread. Throws std::bad_alloc if there is no memory for it.
  T& here() const {
    if (void* const object = key_.get()) return *static_cast<T*>(object);
    auto made = std::make_unique<T>();
    if (!key_.set(made.get())) throw std::bad_alloc();
    return *made.release();
  }

 private:
  ThreadKey key_;
};

}  // namespace contrastive::system
