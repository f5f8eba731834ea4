#include "core/eval/task_options.h"

#include <algorithm>
#include <charconv>

#include "core/base/error.h"

namespace contrastive::eval {

void EncodeKeys::visit(OptionVisitor& v) {
  v.text("pooling", pooling, {"pooling instead of the model's own; empty: the model's", "methods of the model folder", ""});
  v.text("prompt", prompt, {"text put before every text", "", ""});
  v.text("prompt_name", prompt_name, {"one of the model's own prompts", "config_sentence_transformers.json", ""});
  v.integer("truncate_dim", truncate_dim, at_least(0), {"only the first dimensions of each embedding; 0: all", "Matryoshka models", "dimensions"});
  v.integer("max_length", max_length, at_least(0), {"longer texts are cut; 0: the model's own limit", "", "tokens"});
}

model::EncodeOptions EncodeKeys::resolved(const Cancel* cancel) const {
  model::EncodeOptions options;
  options.pooling = pooling;
  if (!prompt.empty()) options.prompt = prompt;
  options.prompt_name = prompt_name;
  options.truncate_dim = truncate_dim;
  options.max_length = max_length;
  options.cancel = cancel;
  return options;
}

void StsOptions::visit(OptionVisitor& v) {
  v.text("data", data, {"file of 'score TAB sentence TAB sentence' lines, or folder of such files (*.tsv), one subset each", "STS 2012-2016", ""});
  v.choice("similarity", similarity, retrieval::metric_names(),
           {"between the two sentences of a pair; distances are negated", "cosine: every paper", ""});
  v.nested("encode.", encode);
}

void RetrievalOptions::visit(OptionVisitor& v) {
  v.text("data", data, {"file of 'query TAB document' lines: a query's relevant document is the one beside it", "", ""});
  v.text("corpus", corpus, {"instead of data: JSONL of documents with _id, text and perhaps title", "BEIR", ""});
  v.text("queries", queries, {"instead of data: JSONL of queries with _id and text", "BEIR", ""});
  v.text("qrels", qrels, {"instead of data: TSV of query id, document id and grade", "BEIR", ""});
  v.list("k", k, {"how many of the first hits count: recall, MRR, nDCG and MAP are given at each", "", "documents"});
  v.choice("similarity", similarity, retrieval::metric_names(), {"between query and document; distances are negated", "", ""});
  v.text("query_prompt", query_prompt, {"text put before queries only", "asymmetric models such as E5", ""});
  v.text("document_prompt", document_prompt, {"text put before documents only", "asymmetric models such as E5", ""});
  v.nested("encode.", encode);
}

std::vector<int64_t> RetrievalOptions::cutoffs() const {
  std::vector<int64_t> values;
  for (const std::string& text : k) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    check(error == std::errc() && end == text.data() + text.size() && value >= 1 && value <= 10000, Status::kArgument, "k is '", text,
          "': whole numbers from 1 to 10000 are allowed");
    values.push_back(value);
  }
  check(!values.empty(), Status::kArgument, "k is an empty list");
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

RetrievalData RetrievalOptions::read() const {
  const bool three = !corpus.empty() && !queries.empty() && !qrels.empty(), any = !corpus.empty() || !queries.empty() || !qrels.empty();
  check(data.empty() ? three : !any, Status::kArgument, "set either data (a TSV of query and document) or all of corpus, queries and qrels");
  return data.empty() ? read_beir(queries, corpus, qrels) : read_pairs(data);
}

void GeometryOptions::visit(OptionVisitor& v) {
  v.text("data", data, {"file of 'score TAB sentence TAB sentence' lines, or folder of such files (*.tsv)", "STS benchmark", ""});
  v.real("min_score", min_score, Range{}, {"pairs scored above it are the positives of the alignment", "SimCSE: 4", ""});
  v.nested("encode.", encode);
}

}  // namespace contrastive::eval
