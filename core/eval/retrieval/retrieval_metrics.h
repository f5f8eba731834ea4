// How well a search finds what is relevant: accuracy, precision, recall, MRR, nDCG and MAP at k, over ranked ids and judgements, or for a model on
// its data.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/json.h"
#include "core/eval/text_encoder.h"
#include "core/retrieval/similarity.h"

namespace contrastive::eval {

// The relevant documents of one query and their grades, above 0.
using Judgements = std::unordered_map<int64_t, double>;

// At one k. With R relevant documents of a query, and ranks counted from 1:
struct MetricsAtK {
  int64_t k = 0;
  double accuracy = 0;   // 1 where there is a relevant one among the first k
  double precision = 0;  // relevant ones among the first k / k
  double recall = 0;     // relevant ones among the first k / R
  double mrr = 0;        // 1 / rank of the first relevant one, 0 beyond k
  double ndcg = 0;       // sum of grade / log2(rank + 1), divided by the largest sum that k documents could reach
  double map = 0;        // sum over relevant ones among the first k of the precision at their rank, divided by min(k, R)
};
// As sentence-transformers' InformationRetrievalEvaluator has them. trec_eval (and so BEIR) differs in one: its MAP divides by R.

// Means over the queries, for each of `ks`. ranked[i]: document ids of query i, best first, each once (negative ids fill up); judged[i]: its
// judgements. Queries without a relevant document are left out; kArgument where none is left.
std::vector<MetricsAtK> retrieval_metrics(const std::vector<std::vector<int64_t>>& ranked, const std::vector<Judgements>& judged,
                                          const std::vector<int64_t>& ks);

// Queries, documents and which belongs to which. Documents that several lines give are kept once.
struct RetrievalData {
  std::vector<std::string> queries;
  std::vector<std::string> documents;
  std::vector<Judgements> judged;  // one for each query
  std::vector<int64_t> ignored;    // for each query a document that is no hit for it, -1: none; empty: none for any
};

// A file of "query TAB document" lines: query i's relevant document is the one beside it. Equal documents are one document.
RetrievalData read_pairs(const std::string& path);
// The layout of BEIR: two JSONL files with "_id", "text" and perhaps "title" (put before the text), and a TSV of query id, document id and grade
// with or without its header line. The JSONL files may be gzip files. Queries without a relevant document are left out. With `ignore_same_id` the
// document with a query's own id is no hit for it and not judged, as BEIR has it where queries are documents of the corpus. kFormat with file and line;
// kNotFound for an id that no line has.
RetrievalData read_beir(const std::string& queries, const std::string& corpus, const std::string& judgements, bool ignore_same_id = false);

// The files of a folder in that layout: corpus.jsonl and queries.jsonl (or with .gz behind) and qrels/<split>.tsv. kNotFound names what is not there.
struct BeirFiles {
  std::string queries, corpus, judgements;
};
BeirFiles beir_files(const std::string& folder, const std::string& split);

struct RetrievalReport {
  int64_t queries = 0;
  int64_t documents = 0;
  std::vector<MetricsAtK> at;
  // {"queries", "documents", "accuracy@1", "precision@1", "recall@1", "mrr@1", "ndcg@1", "map@1", "accuracy@10", ...}
  Json to_json() const;
};

// Searches all documents for each query, exactly. `query_encoder` and `document_encoder` differ for models with different prompts.
RetrievalReport evaluate_retrieval(const RetrievalData& data, const TextEncoder& query_encoder, const TextEncoder& document_encoder,
                                   retrieval::Metric metric, const std::vector<int64_t>& ks, const Cancel* cancel = nullptr);

}  // namespace contrastive::eval
