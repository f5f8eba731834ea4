#include "core/text/normalizer_chain.h"

#include <gtest/gtest.h>

#include "core/text/composition.h"
#include "core/text/edges.h"
#include "core/text/replacement.h"

namespace contrastive::text {
namespace {

using Stages = NormalizerChain::Stages;

template <class Stage, class... Arguments>
std::shared_ptr<const NormalizerStage> stage(Arguments... arguments) {
  return std::make_shared<Stage>(arguments...);
}

std::shared_ptr<const NormalizerStage> replace(const char* from, const char* to) {
  return stage<Replacement>(literal_pattern(from), std::string(to));
}

NormalizedText chain_of_stages(const Stages& stages, std::string_view text, int64_t shift = 0) {
  NormalizedText out;
  NormalizerChain(stages).normalize(text, shift, true, out);
  NormalizedText unaligned;
  NormalizerChain(stages).normalize(text, shift, false, unaligned);
  EXPECT_EQ(out.bytes, unaligned.bytes);
  EXPECT_EQ(out.begins.size(), out.bytes.size());
  out.storage = std::string(out.bytes);
  return out;
}

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

TEST(NormalizerChain, Edges) {
  EXPECT_EQ(chain_of_stages({stage<Strip>(true, true)}, " \u3000a b\n").storage, "a b");
  EXPECT_EQ(chain_of_stages({stage<Strip>(false, true)}, " a ").storage, " a");
  EXPECT_EQ(chain_of_stages({stage<Strip>(true, false)}, " \t").storage, "");
  EXPECT_EQ(chain_of_stages({stage<Strip>(true, true)}, "\u200Ba\u200B").storage,
            "\u200Ba\u200B");  // not white space
  EXPECT_EQ(chain_of_stages({stage<Prepend>(std::string("▁"))}, "▁a").storage, "▁▁a");
  EXPECT_EQ(chain_of_stages({stage<Prepend>(std::string("▁"))}, "").storage, "");
  EXPECT_EQ(chain_of_stages({stage<Append>(std::string("x"))}, "").storage, "x");
  EXPECT_EQ(chain_of_stages({replace("aa", "b")}, "aaaaa").storage, "bba");
  EXPECT_EQ(chain_of_stages({replace("a", "")}, "aba").storage, "b");
}

TEST(NormalizerChain, KnowsWhatItMayCut) {
  EXPECT_NE(NormalizerChain({stage<CharacterStage>(bert_steps(true, true, true, true))}).single(),
            nullptr);
  EXPECT_EQ(NormalizerChain({replace(" ", "▁")}).single(), nullptr);
  EXPECT_TRUE(NormalizerChain({replace(" ", "▁"), stage<Composition>(true)}).keeps_words());
  EXPECT_FALSE(NormalizerChain({replace("the", "a")}).keeps_words());
  EXPECT_FALSE(NormalizerChain({stage<Strip>(true, true)}).keeps_words());
}

}  // namespace
}  // namespace contrastive::text
