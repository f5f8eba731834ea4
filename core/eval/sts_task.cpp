// The task "sts": how well similarities rank pairs that people have scored.
#include "core/base/error.h"
#include "core/eval/encode_keys.h"
#include "core/eval/pair_scorer.h"
#include "core/eval/sts/sts.h"
#include "core/eval/sts/sts_keys.h"
#include "core/eval/sts/token_counts.h"
#include "core/eval/task.h"
#include "core/eval/task_output.h"
#include "core/io/atomic_file.h"

namespace contrastive::eval {
namespace {

struct StsOptions {
  StsKeys sts;
  int64_t drop_top = 0;
  TokenCountKeys counts;
  std::string output;
  EncodeKeys encode;

  void visit(OptionVisitor& v) {
    sts.visit(v);
    v.integer("drop_top", drop_top, at_least(0),
              OptionDoc("exactly this many of the most frequent tokens are left out of pooling")
                  .source("ConSERT section 5.1")
                  .unit("tokens"));
    v.nested("counts.", counts);
    v.text("output", output,
           "file for every pair as TSV: set, subset, gold, similarity, both texts");
    v.nested("encode.", encode);
  }
};

Json report_of(const StsOptions& options, const std::vector<StsSet>& sets,
               const SubsetScores& scores) {
  const StsSuiteReport report = correlate_sts_sets(sets, scores);
  warn_of_undefined(report);
  if (!options.output.empty()) io::write_file_atomic(options.output, predictions_tsv(sets, scores));
  return report.to_json(options.sts.aggregate);
}

Json run_sts(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel) {
  const auto options = read_options<StsOptions>(config);
  check_output(options.output, options.sts.data);
  const std::vector<StsSet> sets = options.sts.read();
  model::EncodeOptions encode = options.encode.resolved(cancel);
  if (options.drop_top > 0) {
    const int64_t max_length = encode.max_length > 0 ? encode.max_length : model.max_length();
    encode.exclude_ids =
        options.counts.count(model.tokenizer(), max_length, sets, cancel).top(options.drop_top);
  }
  return report_of(options, sets,
                   score_sts(sets, text_encoder(model, encode), 1,
                             metric_for(options.sts.similarity, model))[0]);
}

// Uses the reranker's scores instead of similarities.
Json run_sts_of_reranker(const model::CrossEncoder& model, const Config& config,
                         const Cancel* cancel) {
  const auto options = read_options<StsOptions>(config);
  check(options.drop_top == 0, Status::kArgument,
        "config key 'drop_top' leaves tokens out of pooling, and a reranker pools none: leave the "
        "key out");
  check_output(options.output, options.sts.data);
  const PairScorer scorer = pair_scorer(model, options.encode, options.sts.similarity, cancel);
  const std::vector<StsSet> sets = options.sts.read();
  SubsetScores scores;
  for (const StsSet& set : sets) {
    for (const StsSubset& subset : set.subsets) {
      std::vector<model::TextPair> pairs;
      for (size_t i = 0; i < subset.gold.size(); ++i)
        pairs.push_back({subset.first[i], subset.second[i]});
      const std::vector<float> found = score_pairs(pairs, scorer, cancel);
      scores.emplace_back(found.begin(), found.end());
    }
  }
  return report_of(options, sets, scores);
}

Json outline_sts(const Config& config) {
  const auto options = read_options<StsOptions>(config);
  const std::vector<StsSet> sets = options.sts.read();
  if (options.drop_top > 0) options.counts.check_files();
  return undefined_report(sets).to_json(options.sts.aggregate);
}

}  // namespace

Task sts_task() { return make_task<StsOptions>(run_sts, outline_sts, run_sts_of_reranker); }

}  // namespace contrastive::eval
