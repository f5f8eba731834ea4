#include "core/eval/retrieval/reranking.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/base/affixes.h"
#include "core/base/config.h"
#include "core/base/error.h"
#include "core/data/dataset.h"
#include "core/data/line_reader.h"
#include "core/data/record_parsers.h"
#include "core/eval/tsv.h"

namespace contrastive::eval {
namespace {

constexpr size_t kCandidatesAtOnce = 16384;  // documents whose vectors are in memory together

// How the lines of the file are read: by the header of a mined file, as a query with right and
// wrong documents, or as a query with one document and its label.
Config reading_of(const std::string& path) {
  const std::string first_line = data::first_line(path);
  Config config;
  if (ends_with(path, ".jsonl") || ends_with(path, ".ndjson") || begins_with(first_line, "{"))
    return config;
  config.set_json("data.format", "tsv");
  std::vector<std::string_view> cells;
  split_tabs(first_line, cells);
  static const std::vector<std::string_view> kTitles = {"anchor", "query", "sentence1", "a",
                                                        "premise"};
  if (std::find(kTitles.begin(), kTitles.end(), cells[0]) != kTitles.end()) {
    config.set_json("data.header", true);
    return config;
  }
  check(cells.size() >= 3, Status::kFormat, path, ":1: ", cells.size(),
        " columns; lines are a query, a right document and wrong ones, or a query, a document and "
        "its label");
  const bool labelled = cells.size() == 3 && data::parse_number(cells[2]).has_value();
  if (labelled) return config;
  Json negatives = Json::array();
  for (size_t i = 2; i < cells.size(); ++i) negatives.push_back(std::to_string(i));
  config.set_json("data.columns", {"0", "1"});
  config.set_json("data.negatives", negatives);
  return config;
}

using Judged = std::map<std::string, bool>;  // document -> whether it is right

void add_document(Judged& documents, const std::string& document, bool right) {
  bool& known = documents[document];
  known = known || right;
}

void add_example(const data::Example& example, Judged& documents) {
  const auto right = [&](size_t text) {
    if (!example.scores.empty()) return example.scores[text] > 0;
    return text == 0 && (std::isnan(example.label) || example.label > 0);
  };
  add_document(documents, example.b, right(0));
  for (size_t n = 0; n < example.negatives.size(); ++n)
    add_document(documents, example.negatives[n], right(n + 1));
}

// The ids of the documents, best first.
std::vector<int64_t> ranked_documents(const CandidateList& list, const float* scores) {
  std::vector<int64_t> order(list.documents.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    if (scores[a] != scores[b]) return scores[a] > scores[b];
    const bool right_a = list.right[static_cast<size_t>(a)],
               right_b = list.right[static_cast<size_t>(b)];
    return right_a != right_b ? right_b : a < b;
  });
  return order;
}

}  // namespace

std::vector<CandidateList> read_candidate_lists(const std::string& path) {
  const auto data = data::open_dataset(path, reading_of(path));
  std::map<std::string, Judged> queries;
  for (int64_t i = 0; i < data->size(); ++i) {
    const data::Example example = data->get(i);
    check(example.has_b, Status::kFormat, data->where(i), ": a query without a document");
    check(example.scores.empty() || example.scores.size() == example.negatives.size() + 1,
          Status::kFormat, data->where(i), ": ", example.scores.size(), " labels for ",
          example.negatives.size() + 1, " documents");
    add_example(example, queries[example.a]);
  }
  std::vector<CandidateList> lists;
  for (const auto& [query, documents] : queries) {
    CandidateList list;
    list.query = query;
    for (const auto& [document, right] : documents) {
      list.documents.push_back(document);
      list.right.push_back(right);
    }
    const auto right = std::count(list.right.begin(), list.right.end(), true);
    if (right > 0 && right < static_cast<std::ptrdiff_t>(list.right.size()))
      lists.push_back(std::move(list));
  }
  check(!lists.empty(), Status::kFormat, path,
        ": no query has both a right and a wrong document, so there is nothing to rank");
  return lists;
}

std::vector<model::TextPair> candidate_pairs(const std::vector<CandidateList>& lists) {
  std::vector<model::TextPair> pairs;
  for (const CandidateList& list : lists) {
    for (const std::string& document : list.documents) pairs.push_back({list.query, document});
  }
  return pairs;
}

std::vector<float> candidate_similarities(const std::vector<CandidateList>& lists,
                                          const TextEncoder& query_encoder,
                                          const TextEncoder& document_encoder,
                                          retrieval::Metric metric, const Cancel* cancel) {
  std::vector<float> scores;
  const auto d = static_cast<size_t>(query_encoder.dimension);
  for (size_t first = 0; first < lists.size();) {
    throw_if_cancelled(cancel);
    DistinctTexts queries, documents;
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (; first < lists.size() && pairs.size() < kCandidatesAtOnce; ++first) {
      const int64_t query = queries.add(lists[first].query);
      for (const std::string& document : lists[first].documents)
        pairs.emplace_back(query, documents.add(document));
    }
    const std::vector<float> of_queries = queries.encode(query_encoder),
                             of_documents = documents.encode(document_encoder);
    for (const auto& [query, document] : pairs) {
      retrieval::pairwise_similarity(&of_queries[static_cast<size_t>(query) * d],
                                     &of_documents[static_cast<size_t>(document) * d], 1,
                                     query_encoder.dimension, metric, &scores.emplace_back());
    }
  }
  return scores;
}

RerankingReport evaluate_reranking(const std::vector<CandidateList>& lists,
                                   const std::vector<float>& scores,
                                   const std::vector<int64_t>& ks) {
  std::vector<std::vector<int64_t>> ranked;
  std::vector<Judgements> judged;
  RerankingReport report;
  size_t first = 0;
  for (const CandidateList& list : lists) {
    check(first + list.documents.size() <= scores.size(), Status::kMismatch, scores.size(),
          " scores for more documents");
    ranked.push_back(ranked_documents(list, &scores[first]));
    first += list.documents.size();
    Judgements& right = judged.emplace_back();
    for (size_t i = 0; i < list.right.size(); ++i) {
      if (list.right[i]) right[static_cast<int64_t>(i)] = 1;
    }
    const auto all = static_cast<int64_t>(list.documents.size());
    report.map += retrieval_metrics_of(ranked.back(), right, all).map;
  }
  report.queries = static_cast<int64_t>(lists.size());
  report.documents = static_cast<int64_t>(first);
  report.map /= static_cast<double>(lists.size());
  report.at = retrieval_metrics(ranked, judged, ks);
  return report;
}

Json RerankingReport::to_json() const {
  Json json = {{"queries", queries}, {"documents", documents}, {"map", map}};
  for (const MetricsAtK& metrics : at) {
    const std::string suffix = cat("@", metrics.k);
    json["accuracy" + suffix] = metrics.accuracy;
    json["mrr" + suffix] = metrics.mrr;
    json["ndcg" + suffix] = metrics.ndcg;
  }
  return json;
}

}  // namespace contrastive::eval
