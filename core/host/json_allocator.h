// A reserve of memory for JSON values. nlohmann's destructor allocates a stack and moves onto it
// what the value holds. A null value gets its new type before the memory for it is allocated. If
// memory has run out, the first would end the process and the second would crash it. So both fall
// back on a reserve in the library's static data, which costs nothing until it is touched.
#pragma once

#include <cstddef>
#include <limits>
#include <new>

namespace contrastive::host {

// Memory for the stack of a destructor. Throws std::bad_alloc if the reserve is used up too. It is
// enough to destroy a value of 300,000 entries.
void* allocate_json_stack(size_t bytes);
void free_json_stack(void* memory, size_t bytes) noexcept;

// Memory for one node of a value: an object, an array or a string. Throws std::bad_alloc if 4096
// nodes are in the reserve.
void* allocate_json_node(size_t bytes);
void free_json_node(void* memory) noexcept;

template <class T>
class JsonAllocator {
 public:
  using value_type = T;

  JsonAllocator() = default;
  template <class U>
  JsonAllocator(const JsonAllocator<U>&) noexcept {}

  T* allocate(size_t n) {
    if (n == 1) return static_cast<T*>(allocate_json_node(sizeof(T)));
    if (n > std::numeric_limits<ptrdiff_t>::max() / sizeof(T)) throw std::bad_alloc();
    return static_cast<T*>(::operator new(n * sizeof(T)));
  }
  void deallocate(T* memory, size_t n) noexcept {
    if (n == 1) {
      free_json_node(memory);
    } else {
      ::operator delete(memory);
    }
  }

  template <class U>
  bool operator==(const JsonAllocator<U>&) const noexcept {
    return true;
  }
  template <class U>
  bool operator!=(const JsonAllocator<U>&) const noexcept {
    return false;
  }
};

}  // namespace contrastive::host
