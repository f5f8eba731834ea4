#include "core/torch/dist/local_address.h"

#include <gmock/gmock.h>

namespace contrastive::dist {
namespace {

TEST(LocalAddress, IsThatOfTheWay) {
  EXPECT_EQ(local_address("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(local_address("no such host"), "");
}

TEST(LocalAddress, ANameIsOneInDigits) {
  EXPECT_EQ(address_of("127.0.1.1"), "127.0.1.1");
  EXPECT_EQ(address_of("no such host"), "");
  EXPECT_TRUE(is_loopback(address_of("localhost")));
  EXPECT_TRUE(is_loopback("127.0.1.1"));
  EXPECT_FALSE(is_loopback("192.168.77.1"));
  EXPECT_FALSE(is_loopback(""));
}

}  // namespace
}  // namespace contrastive::dist
