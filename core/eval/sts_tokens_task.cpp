// The task "sts-tokens": the STS figure as the most frequent tokens are left out of pooling
// (ConSERT section 5.1 and figure 4).
#include "core/base/error.h"
#include "core/eval/encode_keys.h"
#include "core/eval/sts/sts_study.h"
#include "core/eval/sts/token_counts.h"
#include "core/eval/task.h"

namespace contrastive::eval {
namespace {

struct TokensOptions {
  StsKeys sts;
  int64_t most = 100;
  int64_t step = 1;
  TokenCountKeys counts;
  EncodeKeys encode;

  void visit(OptionVisitor& v) {
    sts.visit(v);
    v.integer("most", most, between(0, 10000),
              OptionDoc("the curve ends where this many tokens are left out")
                  .source("ConSERT figure 4: 0 to 100")
                  .unit("tokens"));
    v.integer("step", step, between(1, 10000),
              OptionDoc("tokens between two points of the curve").unit("tokens"));
    v.nested("counts.", counts);
    v.nested("encode.", encode);
  }
};

Json best_of_no_count() { return {{"removed", nullptr}, {"spearman", nullptr}}; }

Json run_sts_tokens(const model::SentenceEncoder& model, const Config& config,
                    const Cancel* cancel) {
  const auto options = read_options<TokensOptions>(config);
  const std::vector<StsSet> sets = options.sts.read();
  const model::EncodeOptions encode = options.encode.resolved(cancel);
  const int64_t max_length = encode.max_length > 0 ? encode.max_length : model.max_length();
  const TokenCounts counts = options.counts.count(model.tokenizer(), max_length, sets, cancel);
  std::vector<model::PoolingVariant> variants;
  Json removed = Json::array(), tokens = Json::array(), occurrences = Json::array();
  const std::vector<int32_t> ids = counts.top(options.most);
  for (int64_t k = 0; k <= static_cast<int64_t>(ids.size()); k += options.step) {
    variants.push_back({"", {ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(k)}});
    removed.push_back(k);
  }
  for (const TokenCounts::Entry& entry : counts.ranked()) {
    if (tokens.size() == ids.size()) break;
    tokens.push_back(model.tokenizer().token(entry.id));
    occurrences.push_back(entry.count);
  }
  const std::vector<StsSuiteReport> reports = study_sts(model, sets, encode, variants, options.sts);
  const auto list = [&](double Correlation::* which, int64_t set = -1) {
    return headline_list(reports, options.sts.aggregate, which, set);
  };
  Json report = {{"removed", removed},
                 {"spearman", list(&Correlation::spearman)},
                 {"pearson", list(&Correlation::pearson)}};
  const int64_t best = best_headline(reports, options.sts.aggregate);
  report["best"] = best_of_no_count();
  if (best >= 0) {
    const auto place = static_cast<size_t>(best);
    report["best"] = {{"removed", removed[place]},
                      {"spearman", reports[place].average.at(options.sts.aggregate).spearman}};
  }
  for (size_t set = 0; sets.size() > 1 && set < sets.size(); ++set) {
    report["sets"][sets[set].name] = list(&Correlation::spearman, static_cast<int64_t>(set));
  }
  report["tokens"] = tokens;  // those left out, the most frequent first
  report["counts"] = occurrences;
  return report;
}

Json outline_sts_tokens(const Config& config) {
  const auto options = read_options<TokensOptions>(config);
  const std::vector<StsSet> sets = options.sts.read();
  options.counts.check_files();
  // How many tokens can be left out depends on the tokenizer.
  Json report = {{"removed", Json::array()},
                 {"spearman", Json::array()},
                 {"pearson", Json::array()},
                 {"best", best_of_no_count()}};
  for (size_t set = 0; sets.size() > 1 && set < sets.size(); ++set)
    report["sets"][sets[set].name] = Json::array();
  return report;
}

}  // namespace

Task sts_tokens_task() { return make_task<TokensOptions>(run_sts_tokens, outline_sts_tokens); }

}  // namespace contrastive::eval
