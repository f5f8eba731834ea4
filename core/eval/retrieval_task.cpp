// The task "retrieval": how well a search finds the documents that go with a query.
#include <algorithm>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/eval/encode_keys.h"
#include "core/eval/model_metric.h"
#include "core/eval/retrieval/retrieval.h"
#include "core/eval/task.h"

namespace contrastive::eval {
namespace {

struct RetrievalOptions {
  std::string data;
  std::string split = "test";
  std::string corpus, queries, qrels;
  bool ignore_same_id = false;
  std::vector<int64_t> k = {1, 5, 10, 100};
  ChosenMetric similarity = ChosenMetric::kModel;
  std::string query_prompt, document_prompt;
  EncodeKeys encode;

  void visit(OptionVisitor& v) {
    v.text("data", data,
           OptionDoc("file of 'query TAB document' lines, a query with its relevant document; or "
                     "folder with corpus.jsonl, queries.jsonl and qrels/")
               .source("BEIR for folders"));
    v.text("split", split,
           OptionDoc("for a folder: the judgements are qrels/<split>.tsv").source("BEIR"));
    v.text("corpus", corpus,
           OptionDoc("instead of data: JSONL of documents with _id, text and perhaps title")
               .source("BEIR"));
    v.text("queries", queries,
           OptionDoc("instead of data: JSONL of queries with _id and text").source("BEIR"));
    v.text("qrels", qrels,
           OptionDoc("instead of data: TSV of query id, document id and grade").source("BEIR"));
    v.flag("ignore_same_id", ignore_same_id,
           OptionDoc("a document with the query's own _id is not a hit")
               .source("BEIR: true; sentence-transformers: false"));
    v.integers("k", k, between(1, 10000),
               OptionDoc(
                   "cut-offs at which accuracy, precision, recall, MRR, nDCG and MAP are reported")
                   .unit("documents"));
    v.choice("similarity", similarity, metric_choices(),
             "similarity of query and document; distances are negated; model: the model's own");
    v.text("query_prompt", query_prompt,
           OptionDoc("text put before queries only").source("asymmetric models such as E5"));
    v.text("document_prompt", document_prompt,
           OptionDoc("text put before documents only").source("asymmetric models such as E5"));
    v.nested("encode.", encode);
  }

  // k ascending, each once.
  std::vector<int64_t> cutoffs() const {
    std::vector<int64_t> values = k;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }

  // Either data, a file or a folder, or the three files.
  RetrievalData read() const {
    const bool three = !corpus.empty() && !queries.empty() && !qrels.empty(),
               any = !corpus.empty() || !queries.empty() || !qrels.empty();
    check(
        data.empty() ? three : !any, Status::kArgument,
        "set either data (a TSV of query and document, or a BEIR folder) or all of corpus, queries "
        "and qrels");
    if (data.empty()) return read_beir(queries, corpus, qrels, ignore_same_id);
    if (!is_directory(data)) return read_pairs(data);
    const BeirFiles files = beir_files(data, split);
    return read_beir(files.queries, files.corpus, files.judgements, ignore_same_id);
  }
};

Json run_retrieval(const model::SentenceEncoder& model, const Config& config,
                   const Cancel* cancel) {
  const auto options = read_options<RetrievalOptions>(config);
  const std::vector<int64_t> ks = options.cutoffs();
  const RetrievalData data = options.read();
  model::EncodeOptions for_queries = options.encode.resolved(cancel), for_documents = for_queries;
  if (!options.query_prompt.empty()) for_queries.prompt = options.query_prompt;
  if (!options.document_prompt.empty()) for_documents.prompt = options.document_prompt;
  const retrieval::Metric similarity = metric_for(options.similarity, model);
  return evaluate_retrieval(data, text_encoder(model, for_queries),
                            text_encoder(model, for_documents), similarity, ks, cancel)
      .to_json();
}

Json outline_retrieval(const Config& config) {
  const auto options = read_options<RetrievalOptions>(config);
  options.read();
  RetrievalReport report;
  for (const int64_t k : options.cutoffs()) report.at.emplace_back().k = k;
  return report.to_json();
}

}  // namespace

Task retrieval_task() { return make_task<RetrievalOptions>(run_retrieval, outline_retrieval); }

}  // namespace contrastive::eval
