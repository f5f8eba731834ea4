#include "core/host/json_allocator.h"

#include <gtest/gtest.h>

#include <new>
#include <vector>

#include "core/base/json.h"

namespace {
thread_local bool no_memory = false;
}

// The allocator before the reserve. The program replaces it, so that a test can make it fail.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  if (no_memory) return nullptr;
  try {
    return ::operator new(bytes);
  } catch (...) {
    return nullptr;
  }
}

namespace contrastive::host {
namespace {

Json large() {
  Json value = Json::array();
  for (int i = 0; i < 3000; ++i)
    value.push_back({{"numbers", {1, 2, 3}},
                     {"a key that is longer than a short string", {{"in", {"it", nullptr}}}}});
  return value;
}

TEST(JsonAllocator, AValueDiesWithoutMemory) {
  for (int round = 0; round < 20; ++round) {  // the reserve is whole again afterwards
    Json value = large();
    no_memory = true;
    value = nullptr;
    no_memory = false;
  }
  EXPECT_EQ(large().size(), 3000u);
}

TEST(JsonAllocator, NodesEndInAnErrorAndComeBack) {
  no_memory = true;
  for (int round = 0; round < 2; ++round) {
    std::vector<void*> nodes;
    nodes.reserve(5000);
    try {
      for (;;) nodes.push_back(allocate_json_node(64));
    } catch (const std::bad_alloc&) {
    }
    EXPECT_EQ(nodes.size(), 4096u);
    for (void* node : nodes) free_json_node(node);
  }
  EXPECT_THROW(allocate_json_node(65), std::bad_alloc);
  no_memory = false;
}

TEST(JsonAllocator, AStackBeyondTheReserveIsAnError) {
  no_memory = true;
  void* const first = allocate_json_stack(size_t{9} << 20);
  EXPECT_THROW(allocate_json_stack(size_t{9} << 20), std::bad_alloc);
  void* const second = allocate_json_stack(100);
  free_json_stack(first, size_t{9} << 20);
  free_json_stack(second, 100);
  void* const whole = allocate_json_stack(size_t{16} << 20);
  free_json_stack(whole, size_t{16} << 20);
  no_memory = false;
}

}  // namespace
}  // namespace contrastive::host
