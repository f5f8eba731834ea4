#include "core/text/edges.h"

#include <gtest/gtest.h>

#include "core/text/normalizer_chain.h"
#include "tests/core/text/stages.h"

namespace contrastive::text {
namespace {

TEST(NormalizerChain, Edges) {
  EXPECT_EQ(chain_of_stages({stage<Strip>(true, true)}, " \u3000a b\n").storage, "a b");
  EXPECT_EQ(chain_of_stages({stage<Strip>(false, true)}, " a ").storage, " a");
  EXPECT_EQ(chain_of_stages({stage<Strip>(true, false)}, " \t").storage, "");
  EXPECT_EQ(chain_of_stages({stage<Strip>(true, true)}, "\u200Ba\u200B").storage,
            "\u200Ba\u200B");  // not white space
  EXPECT_EQ(chain_of_stages({stage<Prepend>(std::string("▁"))}, "▁a").storage, "▁▁a");
  EXPECT_EQ(chain_of_stages({stage<Prepend>(std::string("▁"))}, "").storage, "");
  EXPECT_EQ(chain_of_stages({stage<Append>(std::string("x"))}, "").storage, "x");
}

}  // namespace
}  // namespace contrastive::text
