#include "tests/faults/memory/failing_malloc.h"

#include <execinfo.h>
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

// The C library's internal names of its allocator. free() is not replaced.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

namespace contrastive::faults {
namespace {

std::atomic<bool> armed{false};
std::atomic<int64_t> made{0};
std::atomic<int64_t> first_number{0}, last_number{0};
constexpr int kFrames = 60;
void* frames_of_first[kFrames];
int frame_count = 0;

bool fails() {
  if (!armed.load(std::memory_order_acquire)) return false;
  const int64_t number = made.fetch_add(1, std::memory_order_relaxed) + 1;
  if (number < first_number.load(std::memory_order_relaxed) ||
      number > last_number.load(std::memory_order_relaxed))
    return false;
  if (number == first_number.load(std::memory_order_relaxed))
    frame_count = ::backtrace(frames_of_first, kFrames);
  errno = ENOMEM;
  return true;
}

}  // namespace

void arm(Fault fault, int64_t nth) {
  made = 0;
  frame_count = 0;
  first_number = nth;
  last_number = fault == Fault::kOnlyNth ? nth : INT64_MAX;
  armed = true;
}

int first_failure(void*** frames) {
  *frames = frames_of_first;
  return frame_count;
}

int64_t disarm() {
  armed = false;
  return made;
}

}  // namespace contrastive::faults

using contrastive::faults::fails;

extern "C" {

void* malloc(size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return fails() ? nullptr : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return fails() ? nullptr : __libc_realloc(old, size); }
void* reallocarray(void* old, size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes) || fails()) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_realloc(old, bytes);
}
void* memalign(size_t alignment, size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  void* const block = fails() ? nullptr : __libc_memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *memory = block;
  return 0;
}
void* valloc(size_t size) {
  return fails() ? nullptr : __libc_memalign(static_cast<size_t>(::getpagesize()), size);
}

}  // extern "C"
