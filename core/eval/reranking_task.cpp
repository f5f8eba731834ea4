// The task "reranking": how well scores order the candidate documents of a query.
#include <set>

#include "core/base/error.h"
#include "core/eval/encode_keys.h"
#include "core/eval/model_metric.h"
#include "core/eval/pair_scorer.h"
#include "core/eval/retrieval/reranking.h"
#include "core/eval/task.h"

namespace contrastive::eval {
namespace {

struct RerankingOptions {
  std::string data;
  std::vector<int64_t> k = {1, 5, 10};
  ChosenMetric similarity = ChosenMetric::kModel;
  std::string query_prompt, document_prompt;
  EncodeKeys encode;

  void visit(OptionVisitor& v) {
    v.text(
        "data", data,
        "file of queries with right and wrong documents: JSON lines as mining writes them, or TSV "
        "lines of query, right document and wrong documents, or of query, document and label");
    v.integers("k", k, between(1, 10000),
               OptionDoc("cut-offs at which accuracy, MRR and nDCG are reported")
                   .source("10: sentence-transformers' CrossEncoderRerankingEvaluator")
                   .unit("documents"));
    v.choice("similarity", similarity, metric_choices(),
             "similarity of the embeddings of query and document; distances are negated; model: "
             "the model's own. Not for rerankers");
    v.text("query_prompt", query_prompt,
           OptionDoc("text put before queries only").source("asymmetric models such as E5"));
    v.text("document_prompt", document_prompt,
           OptionDoc("text put before documents only. Not for rerankers")
               .source("asymmetric models such as E5"));
    v.nested("encode.", encode);
  }

  std::vector<CandidateList> read() const {
    check(!data.empty(), Status::kArgument,
          "data is not set: a file of queries with right and wrong documents is needed");
    return read_candidate_lists(data);
  }

  // Ascending, each once.
  std::vector<int64_t> cutoffs() const {
    const std::set<int64_t> once(k.begin(), k.end());
    return {once.begin(), once.end()};
  }
};

Json run_reranking(const model::SentenceEncoder& model, const Config& config,
                   const Cancel* cancel) {
  const auto options = read_options<RerankingOptions>(config);
  const std::vector<CandidateList> lists = options.read();
  model::EncodeOptions for_queries = options.encode.resolved(cancel), for_documents = for_queries;
  if (!options.query_prompt.empty()) for_queries.prompt = options.query_prompt;
  if (!options.document_prompt.empty()) for_documents.prompt = options.document_prompt;
  const std::vector<float> scores =
      candidate_similarities(lists, text_encoder(model, for_queries),
                             text_encoder(model, for_documents),
                             metric_for(options.similarity, model), cancel);
  return evaluate_reranking(lists, scores, options.cutoffs()).to_json();
}

Json rerank_candidates(const model::CrossEncoder& model, const Config& config,
                       const Cancel* cancel) {
  auto options = read_options<RerankingOptions>(config);
  check(options.document_prompt.empty(), Status::kArgument,
        "config key 'document_prompt' is set, and a reranker puts prompts before queries only: "
        "leave the key out");
  if (!options.query_prompt.empty()) options.encode.prompt = options.query_prompt;
  const PairScorer scorer = pair_scorer(model, options.encode, options.similarity, cancel);
  const std::vector<CandidateList> lists = options.read();
  const std::vector<float> scores = score_pairs(candidate_pairs(lists), scorer, cancel);
  return evaluate_reranking(lists, scores, options.cutoffs()).to_json();
}

Json outline_reranking(const Config& config) {
  const auto options = read_options<RerankingOptions>(config);
  options.read();
  RerankingReport report;
  for (const int64_t k : options.cutoffs()) report.at.emplace_back().k = k;
  return report.to_json();
}

}  // namespace

Task reranking_task() {
  return make_task<RerankingOptions>(run_reranking, outline_reranking, rerank_candidates);
}

}  // namespace contrastive::eval
