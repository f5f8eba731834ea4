#include "core/host/json_allocator.h"

#include <cstdint>
#include <mutex>

namespace contrastive::host {
namespace {

constexpr size_t kAlignment = alignof(std::max_align_t);
constexpr size_t kStackBytes = size_t{16} << 20, kNodeBytes = 64, kNodes = 4096;

// All of it is zero when the library is loaded: it needs no constructor and no destructor.
std::mutex mutex;
alignas(kAlignment) char stacks[kStackBytes];
size_t stacks_used = 0, stacks_live = 0;
union Node {
  Node* next;
  alignas(kAlignment) char bytes[kNodeBytes];
};
Node nodes[kNodes];
size_t nodes_begun = 0;  // the nodes from here on were never given out
Node* nodes_returned = nullptr;

size_t rounded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

template <class Place, size_t kCount>
bool lies_in(const void* memory, const Place (&place)[kCount]) {
  const auto address = reinterpret_cast<uintptr_t>(memory),
             begin = reinterpret_cast<uintptr_t>(place);
  return address >= begin && address < begin + sizeof(place);
}

}  // namespace

void* allocate_json_stack(size_t bytes) {
  if (void* const memory = ::operator new(bytes, std::nothrow)) return memory;
  const std::lock_guard<std::mutex> lock(mutex);
  if (bytes > kStackBytes - stacks_used) throw std::bad_alloc();
  void* const memory = stacks + stacks_used;
  stacks_used += rounded(bytes);
  ++stacks_live;
  return memory;
}

void free_json_stack(void* memory, size_t bytes) noexcept {
  if (!lies_in(memory, stacks)) return ::operator delete(memory);
  const std::lock_guard<std::mutex> lock(mutex);
  if (static_cast<char*>(memory) + rounded(bytes) == stacks + stacks_used)
    stacks_used -= rounded(bytes);
  if (--stacks_live == 0) stacks_used = 0;
}

void* allocate_json_node(size_t bytes) {
  if (void* const memory = ::operator new(bytes, std::nothrow)) return memory;
  const std::lock_guard<std::mutex> lock(mutex);
  if (bytes > kNodeBytes) throw std::bad_alloc();
  if (Node* const node = nodes_returned) {
    nodes_returned = node->next;
    return node;
  }
  if (nodes_begun == kNodes) throw std::bad_alloc();
  return &nodes[nodes_begun++];
}

void free_json_node(void* memory) noexcept {
  if (!lies_in(memory, nodes)) return ::operator delete(memory);
  const std::lock_guard<std::mutex> lock(mutex);
  auto* const node = static_cast<Node*>(memory);
  node->next = nodes_returned;
  nodes_returned = node;
}

}  // namespace contrastive::host
