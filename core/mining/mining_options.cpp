#include "core/mining/mining_options.h"

#include "core/base/error.h"

namespace contrastive::mining {
namespace {

constexpr const char* kPeer = "sentence-transformers 6.2, mine_hard_negatives";

}  // namespace

void MiningOptions::visit(OptionVisitor& v) {
  v.integer("num_negatives", num_negatives, between(1, 1000),
            OptionDoc("negatives of each pair").source(kPeer).unit("texts"));
  v.integer("range_min", range_min, between(0, 1e6),
            OptionDoc("number of nearest candidates to skip, counted after the filters")
                .source(kPeer)
                .unit("ranks"));
  v.integer("range_max", range_max, between(0, 1e6),
            OptionDoc("negatives come from the nearest candidates up to this rank; 0: range_min + "
                      "10 x num_negatives + the positives of a query, or range_min + num_negatives "
                      "+ the positives if nothing is filtered and equal_texts is exact")
                .source(kPeer)
                .unit("ranks"));
  v.real("max_score", max_score, between(-kNoBound, kNoBound),
         OptionDoc("a candidate with a higher score is left out; 1e9: none is").source(kPeer));
  v.real("min_score", min_score, between(-kNoBound, kNoBound),
         OptionDoc("a candidate with a lower score is left out; -1e9: none is").source(kPeer));
  v.real(
      "absolute_margin", absolute_margin, between(-kNoBound, kNoBound),
      OptionDoc(
          "a candidate is left out if its score plus this is above the positive's; -1e9: none is")
          .source(kPeer));
  v.real(
      "relative_margin", relative_margin, between(-kNoBound, kNoBound),
      OptionDoc("a candidate n of anchor a and positive p is left out if score(a, n) > score(a, p) "
                "- margin x |score(a, p)|; -1e9: none is")
          .source(
              "NV-Retriever (arXiv 2407.15831), TopK-PercPos; sentence-transformers has no margin "
              "unless it is told to"));
  v.choice("sampling_strategy", sampling, {{"top", Sampling::kTop}, {"random", Sampling::kRandom}},
           OptionDoc("which candidates become negatives: the nearest, or some drawn at random")
               .source(kPeer));
  v.integer("seed", seed, at_least(0), "decides what is drawn at random");
  v.choice("equal_texts", equal_texts,
           {{"exact", EqualTexts::kExact}, {"normalized", EqualTexts::kNormalized}},
           OptionDoc("when a candidate counts as a positive: exact = it has the same bytes as one; "
                     "normalized = it equals a positive or the query, except for case, white space "
                     "and compatible forms of characters")
               .source("exact: sentence-transformers"));
  v.choice(
      "similarity", similarity, retrieval::metric_names(),
      OptionDoc(
          "similarity of normalised vectors, for which dot equals cosine; distances are negated")
          .source(kPeer));
  v.choice("output_format", format,
           {{"triplet", OutputFormat::kTriplet},
            {"n-tuple", OutputFormat::kTuple},
            {"labeled-pair", OutputFormat::kLabeledPair},
            {"labeled-list", OutputFormat::kLabeledList}},
           OptionDoc(
               "contents of a line: triplet = anchor, positive and one negative; n-tuple = anchor, "
               "positive and all negatives; labeled-pair = anchor and a text with label 1 or 0; "
               "labeled-list = anchor and a list of texts with labels (JSON lines only)")
               .source(kPeer));
  v.flag("output_scores", output_scores,
         OptionDoc("write the scores in each line; they replace labels if there are any")
             .source(kPeer));
  v.integer("sample", sample, between(0, 1000),
            OptionDoc("number of random queries whose texts the report shows").unit("queries"));
  v.text("query_prompt", query_prompt,
         OptionDoc(
             "text put before anchors; empty: the model's own prompt named query, if it has one")
             .source(kPeer));
  v.text("document_prompt", document_prompt,
         OptionDoc("text put before positives and documents; empty: the model's own prompt named "
                   "document, passage or corpus, if it has one")
             .source(kPeer));
  v.text("guide_query_prompt", guide_query_prompt, "query_prompt of the guide");
  v.text("guide_document_prompt", guide_document_prompt, "document_prompt of the guide");
  v.nested("encode.", encode);
  v.text("cache", cache,
         "folder that keeps the vectors for resuming and for later runs; empty: a folder next to "
         "the output, removed at the end");
}

void MiningOptions::validate() const {
  check(range_max == 0 || range_min < range_max, Status::kArgument, "config key 'range_min' is ",
        range_min, " and 'range_max' ", range_max, ": no rank lies between them");
  check(range_max == 0 || num_negatives <= range_max - range_min, Status::kArgument,
        "config key 'num_negatives' is ", num_negatives, ", but only ", range_max - range_min,
        " ranks lie between range_min and range_max: raise range_max");
  check(!has_max_score() || !has_min_score() || min_score <= max_score, Status::kArgument,
        "config key 'min_score' (", min_score, ") is above 'max_score' (", max_score, ")");
}

int64_t MiningOptions::last_rank(int64_t most_positives, bool guided) const {
  if (range_max > 0) return range_max;
  const bool some_go = has_absolute_margin() || has_relative_margin() || has_max_score() ||
                       (guided && has_min_score()) || equal_texts == EqualTexts::kNormalized;
  return range_min + (some_go ? 10 : 1) * num_negatives + most_positives;
}

MiningOptions read_mining_options(const Config& config) {
  reject_unknown_keys(config, describe_options<MiningOptions>());
  const auto options = read_options<MiningOptions>(config);
  options.validate();
  return options;
}

}  // namespace contrastive::mining
