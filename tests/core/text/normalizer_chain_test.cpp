#include "core/text/normalizer_chain.h"

#include <gtest/gtest.h>

#include "core/text/composition.h"
#include "core/text/edges.h"
#include "core/text/replacement.h"
#include "tests/core/text/stages.h"

namespace contrastive::text {
namespace {

TEST(NormalizerChain, OneStageAfterTheOther) {
  const Stages stages = {replace("''", "\""),
                         stage<CharacterStage>(
                             std::vector<NormalizerStep>{NormalizerStep::kLowerCase}),
                         replace("ab", "x"), stage<Composition>(false)};
  EXPECT_EQ(chain_of_stages(stages, "''ABe\u0301").storage, "\"xé");
  EXPECT_EQ(chain_of_stages(stages, "nothing").storage, "nothing");
  EXPECT_EQ(chain_of_stages(stages, "").storage, "");
  EXPECT_EQ(chain_of_stages({}, "As Given").storage, "As Given");
}

TEST(NormalizerChain, PlacesGoThroughAllStages) {
  const NormalizedText out =
      chain_of_stages({replace("bc", "xyz"), stage<Prepend>(std::string("_")),
                       stage<Append>(std::string("!"))},
                      "abcd", 10);
  EXPECT_EQ(out.storage, "_axyzd!");
  EXPECT_EQ(out.begins, (std::vector<int64_t>{10, 10, 12, 12, 12, 13,
                                              13}));  // inserted text has the position of the end
                                                      // of the match
  EXPECT_EQ(out.ends, (std::vector<int64_t>{11, 11, 13, 13, 13, 14, 14}));
}

}  // namespace
}  // namespace contrastive::text
