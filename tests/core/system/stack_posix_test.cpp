#include "core/system/stack.h"

#include <gtest/gtest.h>
#include <pthread.h>

namespace contrastive::system {
namespace {

TEST(Stack, SaysWhatIsLeftOnASmallThread) {
  constexpr size_t kSize = size_t{512} << 10;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kSize);
  size_t left = 0;
  pthread_t thread{};
  const auto look = [](void* into) -> void* {
    *static_cast<size_t*>(into) = stack_left();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, look, &left), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_LT(left, kSize);
  EXPECT_GT(left, kSize / 2);
}

}  // namespace
}  // namespace contrastive::system
