// The config keys "mnrl.*".
#include <algorithm>

#include "core/base/error.h"
#include "core/base/idle_keys.h"
#include "core/base/nearest.h"
#include "core/torch/methods/frozen_vectors.h"
#include "core/torch/methods/multiple_negatives/multiple_negatives.h"

namespace contrastive::methods {
namespace {

const std::vector<std::string> kDirections = {"query_to_doc", "query_to_query", "doc_to_query",
                                              "doc_to_doc"};

}  // namespace

void MultipleNegativesOptions::visit(OptionVisitor& v) {
  using objectives::Hardness;
  v.real("scale", loss.scale, above(0, 1e4),
         OptionDoc("multiplies every similarity (1 / temperature): 20 for cosines, 1 for dot "
                   "products of vectors that are not normalized")
             .source("sentence-transformers: 20"));
  v.choice("similarity", loss.similarity,
           {{"cosine", objectives::Similarity::kCosine}, {"dot", objectives::Similarity::kDot}},
           OptionDoc("how two vectors are compared; use the one that you will search with")
               .source("sentence-transformers: cosine"));
  v.flag("symmetric", loss.symmetric,
         OptionDoc("also learn to find the first text from the second, and average both "
                   "directions: for pairs in which neither text is the question")
             .source("MultipleNegativesSymmetricRankingLoss"));
  v.list("directions", directions,
         OptionDoc(
             "what the denominator of a pair contains: query_to_doc (required) = the first text "
             "with all second texts and hard negatives; query_to_query = the first text with the "
             "other first texts; doc_to_query = the second text with all first texts; doc_to_doc = "
             "the second text with the other second texts and hard negatives")
             .source("sentence-transformers: query_to_doc; all four: GTE"));
  v.choice("partition", partition,
           {{"joint", Partition::kJoint}, {"per_direction", Partition::kPerDirection}},
           OptionDoc("joint = one softmax over all directions; per_direction = the average of one "
                     "for each, with query_to_doc and doc_to_query only")
               .source("sentence-transformers: joint"));
  v.real("hard_negative_weight", loss.hard_negative_weight, above(0, 1e6),
         OptionDoc("how many ordinary negatives each of a pair's own hard negatives counts for")
             .source("SimCSE's alpha; 1: sentence-transformers"));
  v.choice("hardness", loss.hardness,
           {{"none", Hardness::kNone},
            {"in_batch_negatives", Hardness::kInBatch},
            {"hard_negatives", Hardness::kHard},
            {"all_negatives", Hardness::kAll}},
           OptionDoc("which negatives get more weight the more similar they are: those of other "
                     "pairs, a pair's own hard ones, or both")
               .source("sentence-transformers: none; LLaVE: in_batch_negatives; EmbeddingGemma: "
                       "hard_negatives"));
  v.real("hardness_strength", loss.hardness_strength, above(0, 1e4),
         OptionDoc("strength of the hardness: the exponent of such a negative is (scale + "
                   "strength) times its similarity")
             .source("EmbeddingGemma: 5; LLaVE: 9"));
  v.choice("false_negatives", loss.false_negatives,
           {{"keep", objectives::FalseNegatives::kKeep},
            {"mask", objectives::FalseNegatives::kMask}},
           OptionDoc("whether a candidate that equals the pair's first or second text counts as a "
                     "negative; use mask if texts repeat, such as questions with several answers")
               .source("keep: sentence-transformers"));
  v.text("guide", guide,
         OptionDoc("folder of a frozen model that finds false negatives (GIST): a candidate is "
                   "left out if its similarity by this model is above the pair's own; empty = none")
             .source("GISTEmbedLoss"));
  v.real("guide_margin", loss.guide_margin, between(-2, 2),
         OptionDoc(
             "a candidate is left out if its similarity is above the pair's own minus this margin")
             .source("GISTEmbedLoss: 0"));
  v.choice("guide_margin_strategy", guide_margin,
           {{"absolute", GuideMargin::kAbsolute}, {"relative", GuideMargin::kRelative}},
           OptionDoc("the margin is subtracted from the pair's similarity under the guide, or is a "
                     "share of it")
               .source("GISTEmbedLoss: absolute"));
  prompts.visit(v);
  encoder.visit(v);
}

void MultipleNegativesOptions::validate(const Config& config) const {
  encoder.validate(config);
  for (size_t i = 0; i < directions.size(); ++i) {
    const std::string& name = directions[i];
    check(std::find(kDirections.begin(), kDirections.end(), name) != kDirections.end(),
          Status::kArgument,
          "config key 'mnrl.directions': ", unknown_name("direction", name, kDirections));
    check(std::count(directions.begin(), directions.end(), name) == 1, Status::kArgument,
          "config key 'mnrl.directions': ", name, " occurs twice");
  }
  check(has("query_to_doc"), Status::kArgument,
        "config key 'mnrl.directions' must name query_to_doc, which contains the pair itself");
  check(partition == Partition::kJoint || !(has("query_to_query") || has("doc_to_doc")),
        Status::kArgument,
        "config key 'mnrl.partition' is per_direction, but query_to_query and doc_to_doc have no "
        "pair to find: take joint for them");
  reject_idle_keys(
      config, kPrefix,
      {{loss.symmetric,
        "mnrl.symmetric stands for query_to_doc and doc_to_query, per_direction",
        {"directions", "partition"}},
       {loss.hardness == objectives::Hardness::kNone,
        "mnrl.hardness is none",
        {"hardness_strength"}},
       {guide.empty(), "it goes with mnrl.guide only", {"guide_margin", "guide_margin_strategy"}}});
  check_gives_vectors("mnrl.guide", guide, "name the folder of a sentence encoder");
}

bool MultipleNegativesOptions::has(const std::string& direction) const {
  return std::find(directions.begin(), directions.end(), direction) != directions.end();
}

objectives::InBatchOptions MultipleNegativesOptions::in_batch() const {
  objectives::InBatchOptions options = loss;
  options.relative_margin = guide_margin == GuideMargin::kRelative;
  if (partition == Partition::kPerDirection) {
    options.symmetric = options.symmetric || has("doc_to_query");
  } else {
    options.further = {has("query_to_query"), has("doc_to_query"), has("doc_to_doc")};
  }
  return options;
}

MethodTraits describe_multiple_negatives(const Config& config) {
  MethodTraits traits = describe<MultipleNegativesOptions>(config);
  traits.hard_negatives = true;
  traits.sentence_vectors = kRankedVectors;
  traits.caches = !read_options<MultipleNegativesOptions>(config, MultipleNegativesOptions::kPrefix)
                       .guide.empty();
  return traits;
}

}  // namespace contrastive::methods
