#include "core/dist/local_address.h"

#include <gmock/gmock.h>

namespace contrastive::dist {
namespace {

TEST(LocalAddress, IsThatOfTheWay) {
  EXPECT_EQ(local_address("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(local_address("no such host"), "");
}

}  // namespace
}  // namespace contrastive::dist
