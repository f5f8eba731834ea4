#include "core/base/cancel.h"

#include <thread>

#include "tests/expect_error.h"

namespace contrastive {
namespace {

TEST(Cancel, StaysRaised) {
  Cancel cancel;
  EXPECT_NO_THROW(throw_if_cancelled(&cancel));
  EXPECT_NO_THROW(throw_if_cancelled(nullptr));
  std::thread([&] { cancel.trigger(); }).join();
  EXPECT_TRUE(cancel.triggered());
  expect_error(Status::kCancelled, "cancelled", [&] { throw_if_cancelled(&cancel); });
}

}  // namespace
}  // namespace contrastive
